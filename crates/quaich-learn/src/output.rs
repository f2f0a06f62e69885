//! The last layer of a network at work: hidden units → the score of every class, in whole numbers.

use crate::kernels::{BLOCK, FEW, LANES, Pairs, class_scores, few_class_scores};

/// The most hidden units: weights have room within 32 bits.
const MAX_HIDDEN: usize = 500_000;

/// The bias of a class is cut off here, in units of scores.
const HIGHEST_BIAS: f32 = 1e8;

/// Rounded weights of classes for hidden units. Units are whole numbers from 0 to 4095.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Output {
    /// How many hidden units there are: a multiple of [`BLOCK`].
    pub hidden: usize,
    /// How many classes there are.
    pub classes: usize,
    /// By group of classes, then by pair of hidden units: their weights for the classes of the group.
    pub weights: Vec<Pairs>,
    /// By class.
    pub bias: Vec<i32>,
    /// What one unit of a score is worth in nats.
    pub scale: f32,
    /// The same weights by class, then by hidden unit, where there are [`FEW`] classes at most; weights of classes that there are not
    /// are zero.
    by_class: Vec<i16>,
}

impl Output {
    /// From weights and biases that were rounded before, which need not [fit](Self::fits).
    pub fn from_parts(
        (hidden, classes): (usize, usize),
        weights: Vec<Pairs>,
        bias: Vec<i32>,
        scale: f32,
    ) -> Self {
        let mut by_class = Vec::new();
        if classes <= FEW && weights.len() == hidden / 2 {
            let units = |class: usize| weights.iter().flat_map(move |pairs| pairs[class]);
            by_class = (0..FEW).flat_map(units).collect();
        }
        Self { hidden, classes, weights, bias, scale, by_class }
    }

    /// Rounds a matrix with a row for every hidden unit and the classes' biases. `unit` is what one unit of a hidden unit
    /// stands for.
    ///
    /// # Panics
    /// When there are more than 500,000 hidden units.
    pub(crate) fn new(matrix: &[f32], bias: &[f32], unit: f32) -> Self {
        let classes = bias.len();
        let hidden = (matrix.len() / classes.max(1)).next_multiple_of(BLOCK);
        assert!(hidden <= MAX_HIDDEN, "weights have room within 32 bits");
        let widest = f32::from(highest_weight(hidden));
        let range = matrix.iter().map(|w| w.abs()).fold(1e-6, f32::max);
        let weight_unit = range / widest;
        let mut weights = vec![Pairs::default(); classes.div_ceil(LANES) * hidden / 2];
        for (unit, row) in matrix.chunks(classes.max(1)).enumerate() {
            for (class, &weight) in row.iter().enumerate() {
                weights[class / LANES * (hidden / 2) + unit / 2][class % LANES][unit % 2] =
                    round(weight, weight_unit, widest);
            }
        }
        let scale = unit * weight_unit;
        let bias = bias.iter().map(|&bias| round(bias, scale, HIGHEST_BIAS)).collect();
        Self::from_parts((hidden, classes), weights, bias, scale)
    }

    /// Whether all arrays have the lengths that the sizes ask for, and no number is larger than rounding makes it, so
    /// that sums stay within their types.
    pub fn fits(&self) -> bool {
        let n_weights = self.classes.div_ceil(LANES).checked_mul(self.hidden / 2);
        let highest = || highest_weight(self.hidden).unsigned_abs();
        self.hidden > 0
            && self.hidden <= MAX_HIDDEN
            && self.hidden.is_multiple_of(BLOCK)
            && Some(self.weights.len()) == n_weights
            && self.bias.len() == self.classes
            && self.scale.is_finite()
            && self.scale >= 0.0
            && self.bias.iter().all(|&bias| f64::from(bias).abs() <= f64::from(HIGHEST_BIAS))
            && {
                let (weights, highest) = (self.weights.as_flattened().as_flattened(), highest());
                weights.iter().all(|weight| weight.unsigned_abs() <= highest)
            }
    }

    /// The score of every class.
    #[inline]
    pub(crate) fn score(&self, units: &[i16], scores: &mut [i32]) {
        if self.by_class.is_empty() {
            class_scores(&self.weights, &self.bias, units, scores);
        } else {
            few_class_scores(&self.by_class, &self.bias, units, scores);
        }
    }
}

/// The highest weight of a class for one of so many hidden units. The sum of all products with units as
/// high as they can be, and a bias of the class, stay below 2³¹ together.
fn highest_weight(hidden: usize) -> i16 {
    i16::try_from((MAX_HIDDEN / hidden.max(1)).min(2047)).expect("no more than 2047")
}

/// A whole number of units, cut off at ±`limit`.
pub(crate) fn round<T: TryFrom<i64>>(value: f32, unit: f32, limit: f32) -> T {
    #[allow(clippy::cast_possible_truncation, reason = "cut off before")]
    let whole = (value / unit).clamp(-limit, limit).round() as i64;
    T::try_from(whole).ok().expect("the limit is within the type's range")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::HIGHEST;

    #[test]
    fn scores_stay_within_32_bits_for_every_size() {
        for hidden in (BLOCK..20_000).step_by(BLOCK) {
            let unit = i64::from(highest_weight(hidden)) * i64::from(HIGHEST);
            let highest = unit * i64::try_from(hidden).unwrap() + 100_000_000;
            assert!(i32::try_from(highest).is_ok(), "{hidden} hidden units");
        }
    }
}
