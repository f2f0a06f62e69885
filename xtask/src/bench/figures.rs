//! Numbers as people read them.

use std::time::Duration;

/// 1,234,567.
pub(super) fn grouped(n: usize) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (idx, digit) in digits.chars().enumerate() {
        if idx > 0 && (digits.len() - idx).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// So many a second, to three digits.
pub(super) fn rate(n: usize, time: Duration) -> String {
    #[allow(clippy::cast_precision_loss, reason = "a figure for people to read")]
    let n = n as f64;
    rounded(n / time.as_secs_f64())
}

/// To three digits, without a fraction.
pub(super) fn rounded(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    let unit = 10f64.powf((value.abs().max(1.0).log10().floor() - 2.0).max(0.0));
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rates are far below 2^53")]
    let whole = ((value / unit).round() * unit) as usize;
    grouped(whole)
}

/// Seconds, to about four digits.
pub(super) fn seconds(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        10.0.. => format!("{seconds:.1}"),
        0.1.. => format!("{seconds:.3}"),
        _ => format!("{seconds:.4}"),
    }
}

/// Milliseconds, to a tenth.
pub(super) fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

/// All times in seconds, for those who want to see how they are spread.
pub(super) fn list(times: &[Duration]) -> String {
    times.iter().map(|&time| seconds(time)).collect::<Vec<_>>().join(" ")
}

/// Something the system may not tell.
pub(super) fn known<T>(value: Option<T>, show: impl Fn(T) -> String) -> String {
    value.map_or_else(|| "unknown".to_owned(), show)
}

/// MB out of KiB.
pub(super) fn megabytes(kib: u64) -> String {
    #[allow(clippy::cast_precision_loss, reason = "a figure for people to read")]
    let kib = kib as f64;
    format!("{:.1} MB", kib * 1024.0 / 1e6)
}

/// How many times as fast the second is.
pub(super) fn times_as_fast(first: Duration, second: Duration) -> String {
    format!("{:.2}", first.as_secs_f64() / second.as_secs_f64())
}

/// The first two lines of a table.
pub(super) fn heading(cells: &[&str]) -> String {
    row(cells) + &row(&vec!["---"; cells.len()])
}

/// A line of a table.
pub(super) fn row<S: AsRef<str>>(cells: &[S]) -> String {
    let mut text = String::from("|");
    for cell in cells {
        text.extend([" ", cell.as_ref(), " |"]);
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::{grouped, heading, rounded};

    #[test]
    fn three_digits_count() {
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(grouped(12), "12");
        assert_eq!(rounded(1_234_567.0), "1,230,000");
        assert_eq!(rounded(987.6), "988");
        assert_eq!(rounded(3.2), "3");
    }

    #[test]
    fn tables_have_a_rule() {
        assert_eq!(heading(&["a", "b"]), "| a | b |\n| --- | --- |\n");
    }
}
