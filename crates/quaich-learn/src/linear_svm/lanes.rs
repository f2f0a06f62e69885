//! Several hyperplanes side by side.
//!
//! With one class against the rest, every class has a problem of its own, but all problems share the instances. So eight are solved
//! together: a row is read once for all of them, eight weights of a feature fill one cache line, and additions are vectorised.

use super::problem::Problem;

/// The number of hyperplanes: as many weights as fit into a cache line.
pub(super) const LANES: usize = 8;

/// One number per hyperplane.
pub(super) type Lanes = [f64; LANES];

/// Computes one number per hyperplane.
#[inline]
pub(super) fn lanes(of: impl FnMut(usize) -> f64) -> Lanes {
    std::array::from_fn(of)
}

/// The weights of the hyperplanes.
#[derive(Clone, Debug)]
pub(super) struct Planes {
    weights: Vec<Lanes>,
    /// The value of the constant feature; 0 if there is none.
    bias: f64,
    of_bias: Lanes,
}

impl Planes {
    /// Weights of zero.
    pub(super) fn new(problem: &Problem<'_>) -> Self {
        let weights = vec![[0.0; LANES]; problem.instances().n_features()];
        Self { weights, bias: problem.bias(), of_bias: [0.0; LANES] }
    }

    /// The decision value of an instance for each hyperplane.
    #[inline]
    pub(super) fn products(&self, row: &[u32]) -> Lanes {
        let mut sums = self.of_bias.map(|weight| weight * self.bias);
        for &feature in row {
            for (sum, weight) in sums.iter_mut().zip(&self.weights[feature as usize]) {
                *sum += weight;
            }
        }
        sums
    }

    /// Adds multiples of an instance to the hyperplanes.
    #[inline]
    pub(super) fn add(&mut self, row: &[u32], times: &Lanes) {
        for &feature in row {
            for (weight, times) in self.weights[feature as usize].iter_mut().zip(times) {
                *weight += times;
            }
        }
        for (weight, times) in self.of_bias.iter_mut().zip(times) {
            *weight += self.bias * times;
        }
    }

    /// The squared norm of each hyperplane.
    #[cfg(test)]
    pub(super) fn squares(&self) -> Lanes {
        let rows = self.weights.iter().chain([&self.of_bias]);
        rows.fold([0.0; LANES], |sum, row| lanes(|lane| sum[lane] + row[lane] * row[lane]))
    }

    /// The weights of one hyperplane by feature, followed by the bias.
    pub(super) fn column(&self, lane: usize) -> Vec<f32> {
        #[allow(clippy::cast_possible_truncation, reason = "as precise as classifiers are")]
        let single = |weight: f64| weight as f32;
        let weights = self.weights.iter().map(|weights| single(weights[lane]));
        weights.chain([single(self.of_bias[lane] * self.bias)]).collect()
    }
}

/// The classes of the hyperplanes.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// One per lane: the rank of its class.
    ranks: Vec<u32>,
    /// One per rank: its lane, or [`LANES`].
    lane_of: Vec<u8>,
}

impl Block {
    /// Hyperplanes for the classes of these ranks, at most eight.
    pub(super) fn new(ranks: &[u32], n_ranks: usize) -> Self {
        let mut lane_of = vec![8; n_ranks];
        for (lane, &rank) in (0u8..).zip(ranks) {
            lane_of[rank as usize] = lane;
        }
        Self { ranks: ranks.to_vec(), lane_of }
    }

    pub(super) fn ranks(&self) -> &[u32] {
        &self.ranks
    }

    /// 1 for the class of this rank, −1 for the rest.
    #[inline]
    pub(super) fn signs(&self, rank: u32) -> Lanes {
        let right = self.lane_of[rank as usize];
        lanes(|lane| if lane == usize::from(right) { 1.0 } else { -1.0 })
    }
}
