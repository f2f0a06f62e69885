//! The paired t-test over sentences, as in Nivre et al. (2004): does the mean difference of the sentences' scores
//! differ from 0?

use super::Outcome;
use super::distributions::t_two_sided;

/// Tests the differences between two systems, one per sentence, at least two.
pub fn paired_t(differences: impl Iterator<Item = f64>) -> Outcome {
    // Welford's recurrences: one pass, and no loss of precision if the mean is large.
    let (mut n, mut mean, mut squares) = (0.0_f64, 0.0_f64, 0.0_f64);
    for difference in differences {
        n += 1.0;
        let off = difference - mean;
        mean += off / n;
        squares += off * (difference - mean);
    }
    if n < 2.0 {
        return Outcome::default();
    }
    let error = (squares / (n - 1.0) / n).sqrt();
    if error == 0.0 {
        // All are the same: no difference, or a constant one.
        let p = if mean == 0.0 { 1.0 } else { 0.0 };
        return Outcome { statistic: (mean == 0.0).then_some(0.0), p: Some(p) };
    }
    let t = mean / error;
    Outcome { statistic: Some(t), p: Some(t_two_sided(t, n - 1.0)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        // Student's own data (1908), the additional hours of sleep of ten patients: t = 4.0621, p = 0.002833.
        let sleep = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4];
        let outcome = paired_t(sleep.into_iter());
        assert!((outcome.statistic.unwrap() - 4.0621).abs() < 1e-4, "{outcome:?}");
        assert!((outcome.p.unwrap() - 0.002_833).abs() < 1e-6, "{outcome:?}");
    }

    #[test]
    fn nothing_to_test() {
        assert_eq!(paired_t([].into_iter()).p, None);
        assert_eq!(paired_t([0.1].into_iter()).p, None);
        assert_eq!(paired_t([0.0, 0.0].into_iter()).p, Some(1.0));
        assert_eq!(paired_t([0.5, 0.5].into_iter()), Outcome { statistic: None, p: Some(0.0) });
    }
}
