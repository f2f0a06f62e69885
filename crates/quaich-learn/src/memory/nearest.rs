//! The k nearest distances, and the votes of the rows at each of them.

use super::distributions::{Counter, Distributions};
use crate::math;

/// The rows at the nearest distances. As in TiMBL, k counts distances, not rows: of rows at the same distance either all are neighbours
/// or none.
#[derive(Debug, Default)]
pub(crate) struct Nearest {
    k: usize,
    /// Ascending, at most `k`.
    distances: Vec<f64>,
    /// One list per distance; there may be unused lists at the end.
    rows: Vec<Vec<u32>>,
}

/// The weight of neighbours by their distance.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Votes {
    /// Equal weights.
    Equal,
    /// 1 / distance.
    InverseDistance,
    /// Linear from 1 for the nearest down to 0 for the farthest (Dudani 1976).
    InverseLinear,
    /// Exponential decay: e to the power of −alpha · distance^beta (Shepard 1987).
    ExponentialDecay {
        /// The factor.
        alpha: f64,
        /// The exponent.
        beta: f64,
    },
}

impl Nearest {
    /// Removes all rows, and sets k.
    pub(crate) fn reset(&mut self, k: usize) {
        self.k = k;
        self.distances.clear();
    }

    /// Adds a row if it is near enough. Returns the maximum distance that is still needed.
    ///
    /// Distances are equal if they differ by less than the machine epsilon, which is TiMBL's rule: an absolute difference, so distances
    /// above 2 must be exactly equal.
    pub(crate) fn add(&mut self, distance: f64, row: u32) -> f64 {
        let is_farther = |&other: &f64| distance < other || (distance - other).abs() < f64::EPSILON;
        let at = self.distances.iter().position(is_farther).unwrap_or(self.distances.len());
        if self.distances.get(at).is_some_and(|other| (distance - other).abs() < f64::EPSILON) {
            self.rows[at].push(row);
        } else if at < self.k {
            if self.distances.len() == self.k {
                self.distances.pop();
            }
            self.distances.insert(at, distance);
            // Reuses the list of the distance that was dropped, if any.
            if self.rows.len() < self.distances.len() {
                self.rows.push(Vec::new());
            }
            self.rows[at..self.distances.len()].rotate_right(1);
            self.rows[at].clear();
            self.rows[at].push(row);
        }
        if self.distances.len() < self.k { f64::INFINITY } else { self.distances[self.k - 1] }
    }

    /// Makes a row the only one at distance 0.
    pub(crate) fn set_first(&mut self, row: u32) {
        if self.distances.first().is_some_and(|&nearest| nearest < f64::EPSILON) {
            self.rows[0].clear();
            self.rows[0].push(row);
        }
    }

    /// Counts the votes of the rows for their classes. `counter` is a buffer.
    pub(crate) fn vote(
        &self,
        how: Votes,
        classes: &Distributions,
        counter: &mut Counter,
        votes: &mut Counter,
    ) {
        for (i, (&distance, rows)) in self.distances.iter().zip(&self.rows).enumerate() {
            for &row in rows {
                counter.add_all(classes.get(row as usize));
            }
            let weight = self.weight(how, i, distance);
            for (class, count) in counter.drain() {
                votes.add(class, count * weight);
            }
        }
    }

    /// The weight of the rows at a distance.
    fn weight(&self, how: Votes, i: usize, distance: f64) -> f64 {
        match how {
            Votes::Equal => 1.0,
            Votes::InverseDistance => 1.0 / (distance + f64::EPSILON),
            // With fewer distances than k, the farthest counts as infinite.
            Votes::InverseLinear if i == 0 || self.distances.len() < self.k => 1.0,
            Votes::InverseLinear => {
                let (nearest, farthest) = (self.distances[0], self.distances[self.k - 1]);
                (farthest - distance) / (farthest - nearest)
            }
            Votes::ExponentialDecay { alpha, beta } => {
                let power = if beta.to_bits() == 1f64.to_bits() {
                    distance
                } else if distance > 0.0 {
                    math::exp(beta * math::ln(distance))
                } else {
                    0.0
                };
                let weight = math::exp(-alpha * power);
                if weight == 0.0 { f64::EPSILON } else { weight }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nearest(k: usize, distances: &[f64]) -> Nearest {
        let mut nearest = Nearest::default();
        nearest.reset(k);
        for (row, &distance) in (0u32..).zip(distances) {
            nearest.add(distance, row);
        }
        nearest
    }

    /// The rows at each distance.
    fn check(k: usize, distances: &[f64], expected: &[&[u32]]) {
        let nearest = nearest(k, distances);
        let found: Vec<_> = nearest.distances.iter().zip(&nearest.rows).map(|(_, rows)| &rows[..]).collect();
        assert_eq!(found, expected);
        assert!(nearest.distances.is_sorted());
    }

    #[test]
    fn distances_are_counted_not_rows() {
        check(1, &[2.0, 1.0, 1.0, 3.0], &[&[1, 2]]);
        check(2, &[2.0, 1.0, 1.0, 3.0, 2.0], &[&[1, 2], &[0, 4]]);
        check(3, &[5.0, 4.0, 3.0, 2.0, 1.0], &[&[4], &[3], &[2]]);
        check(3, &[1.0, 1.0], &[&[0, 1]]);
        check(2, &[0.1 + 0.2, 0.5, 0.3], &[&[0, 2], &[1]]);
        check(2, &[], &[]);
    }

    #[test]
    fn nearer_neighbours_count_more() {
        let nearest = nearest(3, &[1.0, 2.0, 5.0]);
        let weights = |how| [0, 1, 2].map(|i| nearest.weight(how, i, nearest.distances[i]));
        let check = |how, expected: [f64; 3]| {
            for (found, expected) in weights(how).iter().zip(expected) {
                assert!((found - expected).abs() < 1e-12, "{how:?}: {found} {expected}");
            }
        };
        check(Votes::Equal, [1.0; 3]);
        check(Votes::InverseDistance, [1.0, 0.5, 0.2]);
        check(Votes::InverseLinear, [1.0, 0.75, 0.0]);
        let decay = Votes::ExponentialDecay { alpha: 0.5, beta: 1.0 };
        check(decay, [(-0.5f64).exp(), (-1.0f64).exp(), (-2.5f64).exp()]);
        let decay = Votes::ExponentialDecay { alpha: 0.5, beta: 2.0 };
        check(decay, [(-0.5f64).exp(), (-2.0f64).exp(), (-12.5f64).exp()]);
    }
}
