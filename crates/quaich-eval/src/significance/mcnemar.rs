//! `McNemar`'s test: of the tokens that only one of two systems has correct, each system should have half.

use super::Outcome;
use super::distributions::binomial_tail;
use super::results::Discordant;

/// Returns the exact two-sided test; the statistic is χ² with continuity correction, as usually published.
pub fn mcnemar(Discordant { first, second }: Discordant) -> Outcome {
    let n = first + second;
    if n == 0 {
        return Outcome { statistic: Some(0.0), p: Some(1.0) };
    }
    #[allow(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
    let (difference, all) = (first.abs_diff(second) as f64, n as f64);
    let statistic = (difference - 1.0).max(0.0).powi(2) / all;
    let p = (2.0 * binomial_tail(first.min(second), n)).min(1.0);
    Outcome { statistic: Some(statistic), p: Some(p) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        // b, c; χ² with continuity correction; the exact probability: twice a sum of binomial coefficients over 2^n.
        for (first, second, statistic, p) in [
            (0, 0, 0.0, 1.0),
            (3, 3, 0.0, 1.0),
            (1, 9, 4.9, 2.0 * 11.0 / 1024.0),
            (9, 1, 4.9, 2.0 * 11.0 / 1024.0),
            (0, 5, 3.2, 2.0 / 32.0),
            // Agresti's approval ratings: 150 against 86.
            (86, 150, 63.0 * 63.0 / 236.0, 3.715_936e-5),
        ] {
            let outcome = mcnemar(Discordant { first, second });
            assert!((outcome.statistic.unwrap() - statistic).abs() < 1e-9, "{first} {second}: {outcome:?}");
            assert!((outcome.p.unwrap() / p - 1.0).abs() < 1e-4, "{first} {second}: {outcome:?}");
        }
    }
}
