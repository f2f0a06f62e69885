//! The machine that measurements run on, and the date.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

/// The model name of the processor and the number of hardware threads.
pub(super) fn cpu() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let name = name.map_or("An unknown processor", |(_, name)| name);
    format!("{name}, {} hardware threads", std::thread::available_parallelism().map_or(1, usize::from))
}

/// The load average of the last minute: the mean number of runnable threads, which shows whether the machine was busy.
pub(super) fn load() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}

/// The date, in UTC, as YYYY-MM-DD (days to civil date as in the proleptic Gregorian calendar).
pub(super) fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (mut year, mut day) = (1970, seconds / 86_400);
    let is_leap =
        |year: u64| (year.is_multiple_of(4) && !year.is_multiple_of(100)) || year.is_multiple_of(400);
    while day >= 365 + u64::from(is_leap(year)) {
        day -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if day < length {
            break;
        }
        day -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", day + 1)
}
