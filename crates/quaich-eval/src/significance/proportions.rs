//! The z-test for two proportions with their pooled variance. It ignores that the systems parsed the same text, so it
//! needs larger differences than the other tests.

use super::Outcome;
use super::distributions::normal_two_sided;
use crate::describe::ratio;
use crate::percent::Share;

/// Tests whether two shares are equal.
pub fn proportions(first: Share, second: Share) -> Outcome {
    if first.whole == 0 || second.whole == 0 {
        return Outcome::default();
    }
    let pooled = ratio(first.part + second.part, first.whole + second.whole);
    let variance = pooled * (1.0 - pooled) * (ratio(1, first.whole) + ratio(1, second.whole));
    if variance <= 0.0 {
        // Both are 100 %, or both 0 %.
        return Outcome { statistic: Some(0.0), p: Some(1.0) };
    }
    let z = (ratio(first.part, first.whole) - ratio(second.part, second.whole)) / variance.sqrt();
    Outcome { statistic: Some(z), p: Some(normal_two_sided(z)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        // 45 of 100 against 60 of 100: pooled .525, z = -.15 / sqrt(.525 · .475 · .02).
        let outcome = proportions(Share::new(45, 100), Share::new(60, 100));
        assert!((outcome.statistic.unwrap() + 2.123_98).abs() < 1e-5, "{outcome:?}");
        assert!((outcome.p.unwrap() - 0.033_672).abs() < 1e-5, "{outcome:?}");
        assert_eq!(proportions(Share::new(5, 5), Share::new(5, 5)).p, Some(1.0));
        assert_eq!(proportions(Share::new(0, 0), Share::new(0, 0)).p, None);
    }
}
