//! Calibration of an ensemble: an arc's share of the votes → the probability that it is correct.

use serde::{Deserialize, Serialize};

/// The maximum number of points.
const POINTS: usize = 20;

/// Maps shares of the votes to probabilities: a piecewise linear, increasing function.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Certainty {
    /// Shares of the votes, and probabilities.
    points: Vec<(f32, f32)>,
}

/// Arcs with similar shares of the votes.
#[derive(Clone, Copy, Debug)]
struct Pool {
    support: f64,
    right: f64,
    of: f64,
}

impl Pool {
    fn join(self, other: Self) -> Self {
        Self {
            support: self.support + other.support,
            right: self.right + other.right,
            of: self.of + other.of,
        }
    }

    fn probability(self) -> f64 {
        self.right / self.of
    }
}

impl Certainty {
    /// Fits to held-out arcs: each arc's share of the votes, and whether it is correct.
    pub fn fit(arcs: &[(f32, bool)]) -> Self {
        let mut arcs = arcs.to_vec();
        arcs.sort_by(|one, other| one.0.total_cmp(&other.0));
        // Isotonic regression over bins: bins have about the same size, but arcs with equal shares stay together; a bin with a lower
        // probability than its predecessor is merged with it (Ayer et al. 1955).
        let size = arcs.len().div_ceil(POINTS).max(1);
        let mut pools: Vec<Pool> = Vec::new();
        let mut rest = &arcs[..];
        while !rest.is_empty() {
            let last = rest[size.min(rest.len()) - 1].0;
            let (pool, others) = rest.split_at(rest.partition_point(|arc| arc.0 <= last));
            rest = others;
            #[allow(clippy::cast_precision_loss, reason = "counts of arcs")]
            let mut pool = Pool {
                support: pool.iter().map(|arc| f64::from(arc.0)).sum(),
                right: pool.iter().filter(|arc| arc.1).count() as f64,
                of: pool.len() as f64,
            };
            while let Some(before) = pools.pop_if(|before| before.probability() >= pool.probability()) {
                pool = before.join(pool);
            }
            pools.push(pool);
        }
        #[allow(clippy::cast_possible_truncation, reason = "parts")]
        let point = |pool: &Pool| ((pool.support / pool.of) as f32, pool.probability() as f32);
        Self { points: pools.iter().map(point).collect() }
    }

    /// Whether fitting could have produced it.
    pub(super) fn is_sound(&self) -> bool {
        let is_part = |part: f32| (0.0..=1.0).contains(&part);
        self.points.iter().all(|point| is_part(point.0) && is_part(point.1))
            && self.points.is_sorted_by(|one, other| one.0 < other.0 && one.1 <= other.1)
    }

    /// The probability that an arc with this share of the votes is correct. Without any points, returns the share itself.
    pub fn probability(&self, support: f32) -> f32 {
        let after = self.points.partition_point(|point| point.0 < support);
        match (after.checked_sub(1).map(|before| self.points[before]), self.points.get(after)) {
            (None, None) => support,
            (Some((_, probability)), None) | (None, Some(&(_, probability))) => probability,
            (Some(low), Some(high)) => {
                let way = (support - low.0) / (high.0 - low.0);
                low.1 + way * (high.1 - low.1)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_learned_nothing_changed() {
        let certainty = Certainty::fit(&[]);
        assert!(certainty.is_sound());
        assert!((certainty.probability(0.3) - 0.3).abs() < 1e-6);
    }

    /// Arcs with half of the votes are correct in three of ten cases, those with all votes in nine of ten.
    #[test]
    fn parts_become_probabilities() {
        let half = (0..100).map(|i| (0.5, i % 10 < 3));
        let all = (0..200).map(|i| (1.0, i % 10 < 9));
        let certainty = Certainty::fit(&half.chain(all).collect::<Vec<_>>());
        assert!(certainty.is_sound());
        for (support, expected) in [(0.1, 0.3), (0.5, 0.3), (0.75, 0.6), (1.0, 0.9)] {
            assert!((certainty.probability(support) - expected).abs() < 1e-6, "{support}");
        }
    }

    #[test]
    fn more_votes_are_never_less_likely_right() {
        let arcs: Vec<(f32, bool)> = (0..1000_u16)
            .map(|i| (f32::from(i) / 1000.0, (u32::from(i) * 7919) % 13 < 6 + u32::from(i) / 500))
            .collect();
        let certainty = Certainty::fit(&arcs);
        assert!(certainty.is_sound() && certainty.points.len() < POINTS);
        let probabilities: Vec<f32> =
            (0..=100_u8).map(|i| certainty.probability(f32::from(i) / 100.0)).collect();
        assert!(probabilities.is_sorted());
    }
}
