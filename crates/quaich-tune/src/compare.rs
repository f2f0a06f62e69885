//! Scores of candidates on the same sentences, and the confidence in their difference.

use quaich_eval::significance::{Replicates, Resampling, Results, SentenceCounts, randomised};
use serde::Serialize;

use crate::trial::Scores;

/// The samples of the interval; fewer than for a published figure, because every step of the search needs some.
const SAMPLES: u32 = 2000;
/// The shuffles of the test.
const SHUFFLES: u32 = 10_000;

/// The scores of a candidate over several parts of the treebank, in their order.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Scored {
    counts: Vec<(u32, u32)>,
    /// Seconds of training, over all parts.
    pub training: f64,
    /// Words per second, the mean of all parts.
    pub speed: f64,
}

/// The difference between two candidates: how much better the second one is.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Difference {
    /// In points.
    pub points: f64,
    /// The interval with 95 % of the differences over resampled sentences, in points.
    pub interval: (f64, f64),
    /// The probability of a difference at least this large if both are equally good.
    pub p: f64,
}

impl Scored {
    /// The scores over several parts.
    #[allow(clippy::cast_precision_loss, reason = "a number of parts")]
    pub fn over<'s>(parts: impl IntoIterator<Item = &'s Scores>) -> Self {
        let (mut all, mut n) = (Self::default(), 0);
        for part in parts {
            n += 1;
            all.counts.extend(&part.counts);
            all.training += part.training;
            all.speed += part.speed;
        }
        all.speed /= f64::from(n.max(1));
        all
    }

    /// The score in percent.
    #[allow(clippy::cast_precision_loss, reason = "counts of words")]
    pub fn percent(&self) -> f64 {
        let sum =
            |of: fn(&(u32, u32)) -> u32| self.counts.iter().map(|count| u64::from(of(count))).sum::<u64>();
        100.0 * sum(|count| count.0) as f64 / sum(|count| count.1).max(1) as f64
    }

    /// How much better another candidate is on the same sentences.
    ///
    /// The probability is that of Bikel's randomised comparator, the interval that of the bootstrap.
    pub fn compare(&self, other: &Self, seed: u64) -> Difference {
        let counts =
            |&(right, all): &(u32, u32)| SentenceCounts { tokens: all, heads: 0, labels: 0, both: right };
        let mut results = Results::new(2);
        for (own, others) in self.counts.iter().zip(&other.counts) {
            results.add_counts(&[counts(own), counts(others)]);
        }
        let replicates = Replicates::draw(&results, Resampling { samples: SAMPLES, seed });
        let interval = replicates.interval_of_difference(0, 1, 0);
        let pairs = self.counts.iter().zip(&other.counts).map(|(own, others)| (own.0, others.0));
        let outcome = randomised(pairs, Resampling { samples: SHUFFLES, seed });
        Difference {
            points: other.percent() - self.percent(),
            interval: (interval.0, interval.1),
            p: outcome.p.unwrap_or(1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scored(right: impl IntoIterator<Item = u32>) -> Scored {
        let counts = right.into_iter().map(|right| (right, 10)).collect();
        Scored::over([&Scores { counts, training: 1.0, speed: 5.0 }])
    }

    #[test]
    fn differences_are_in_points_and_beyond_noise_only_if_consistent() {
        let (worse, better) = (scored([7; 40]), scored([8; 40]));
        assert!((worse.percent() - 70.0).abs() < 1e-9);
        let difference = worse.compare(&better, 1);
        assert!((difference.points - 10.0).abs() < 1e-9 && difference.p < 0.001, "{difference:?}");
        assert!((difference.interval.0 - 10.0).abs() < 1e-9, "{difference:?}");
        let back = better.compare(&worse, 1);
        assert!((back.points + 10.0).abs() < 1e-9);
        let noisy = scored((0..40).map(|n| if n % 2 == 0 { 9 } else { 5 }));
        let difference = worse.compare(&noisy, 1);
        assert!(difference.p > 0.5 && difference.interval.0 < 0.0 && difference.interval.1 > 0.0);
        assert!((worse.compare(&worse, 1).p - 1.0).abs() < 1e-9);
    }
}
