//! The output layer of a network at inference: hidden units → scores, with integer arithmetic.

use crate::kernels::{BLOCK, FEW, LANES, Pairs, class_scores, few_class_scores};

/// The maximum number of hidden units, so that sums fit into 32 bits.
const MAX_HIDDEN: usize = 500_000;

/// The maximum bias of a class, in units of scores; larger ones are clipped.
const HIGHEST_BIAS: f32 = 1e8;

/// Quantised output weights. Hidden units are integers from 0 to 4095.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Output {
    /// The number of hidden units: a multiple of [`BLOCK`].
    pub hidden: usize,
    /// The number of classes.
    pub classes: usize,
    /// Indexed by group of classes, then by pair of hidden units: their weights for the classes of the group.
    pub weights: Vec<Pairs>,
    /// One per class.
    pub bias: Vec<i32>,
    /// The scale of scores, to log-probabilities.
    pub scale: f32,
    /// The same weights indexed by class and hidden unit, if there are at most [`FEW`] classes; weights of missing classes are zero.
    by_class: Vec<i16>,
}

impl Output {
    /// An output layer from quantised weights and biases, which may be [invalid](Self::fits).
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

    /// Quantises a matrix with one row per hidden unit, and the classes' biases. `unit` is the scale of hidden units.
    ///
    /// # Panics
    /// If there are more than 500,000 hidden units.
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

    /// Whether all arrays have the expected lengths, and all numbers are within the range of quantisation, so that sums cannot overflow.
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

    /// Computes the score of every class.
    #[inline]
    pub(crate) fn score(&self, units: &[i16], scores: &mut [i32]) {
        if self.by_class.is_empty() {
            class_scores(&self.weights, &self.bias, units, scores);
        } else {
            few_class_scores(&self.by_class, &self.bias, units, scores);
        }
    }

    /// Computes the scores of the [`LANES`] classes of one group, or of the last classes if there are fewer.
    #[inline]
    pub(crate) fn score_group(&self, group: usize, units: &[i16], scores: &mut [i32]) {
        let weights = &self.weights[group * (self.hidden / 2)..][..self.hidden / 2];
        let bias = &self.bias[group * LANES..];
        let n_classes = bias.len().min(LANES);
        class_scores(weights, &bias[..n_classes], units, &mut scores[..n_classes]);
    }
}

/// The maximum quantised weight with this number of hidden units. The sum of all products with maximum units and of a bias stays below
/// 2³¹.
fn highest_weight(hidden: usize) -> i16 {
    i16::try_from((MAX_HIDDEN / hidden.max(1)).min(2047)).expect("no more than 2047")
}

/// Rounds to an integer number of units, clipped to ±`limit`.
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
