//! Pointers at inference: the probability that each item of a sequence points to each other item.

use super::affine::Affine;
use super::encoding::Encoding;
use super::objectives::pointers::{LEAK, MAX_LENGTH, PointerWeights};
use super::rounded::{Rounded, RoundedScratch, at_least};
use crate::arrays::{Arrays, LoadError};
use crate::kernels::{Transpose, multiply, softmax};

/// Trained pointers with the biaffine score(d, h) = d U h + v h.
#[derive(Clone, PartialEq, Debug)]
pub struct PointerHead {
    /// Projects an item to its vectors as head and as dependent.
    sides: Rounded,
    /// U, with v as its bias.
    bilinear: Affine,
}

/// The buffers that one thread needs for pointers.
#[derive(Clone, Debug, Default)]
pub struct PointerScratch {
    sides: Vec<f32>,
    heads: Vec<f32>,
    dependents: Vec<f32>,
    transformed: Vec<f32>,
    scores: Vec<f32>,
    rounded: RoundedScratch,
}

impl PointerHead {
    pub(super) fn new(PointerWeights { head, dependent, bilinear }: &PointerWeights) -> Self {
        let width = head.n_outputs();
        let rows = head.matrix.chunks_exact(width).zip(dependent.matrix.chunks_exact(width));
        let matrix = rows.flat_map(|(head, dependent)| [head, dependent].concat()).collect();
        let sides = Affine { matrix, bias: [&head.bias[..], &dependent.bias].concat() };
        Self { sides: Rounded::new(&sides, 0), bilinear: bilinear.clone() }
    }

    /// Indexed by item, then by target: the probability. `None` for sequences longer than those that pointers are trained on.
    pub fn probabilities<'s>(
        &self,
        encoding: &Encoding,
        scratch: &'s mut PointerScratch,
    ) -> Option<&'s [f32]> {
        let n = encoding.n_items();
        if n > MAX_LENGTH {
            return None;
        }
        let PointerScratch { sides, heads, dependents, transformed, scores, rounded } = scratch;
        let width = self.bilinear.n_outputs();
        let sides = at_least(sides, n * 2 * width);
        self.sides.apply(encoding.vectors(), encoding.width, sides, rounded);
        heads.clear();
        dependents.clear();
        for row in sides.chunks_exact_mut(2 * width) {
            for cell in &mut *row {
                *cell = if *cell > 0.0 { *cell } else { LEAK * *cell };
            }
            heads.extend_from_slice(&row[..width]);
            dependents.extend_from_slice(&row[width..]);
        }
        transformed.resize(n * width, 0.0);
        scores.resize(n * n, 0.0);
        let bilinear = (&self.bilinear.matrix[..], Transpose::No);
        multiply((n, width, width), (dependents, Transpose::No), bilinear, transformed);
        // Add the head's bias v h for every dependent.
        for row in transformed.chunks_exact_mut(width) {
            for (cell, head_bias) in row.iter_mut().zip(&self.bilinear.bias) {
                *cell += head_bias;
            }
        }
        multiply((n, width, n), (transformed, Transpose::No), (heads, Transpose::Yes), scores);
        scores.chunks_exact_mut(n).for_each(softmax);
        Some(scores)
    }

    /// Saves the head as arrays.
    pub fn save(&self, arrays: &mut Arrays) {
        self.sides.save("sides", arrays);
        arrays.set("matrix", &self.bilinear.matrix);
        arrays.set("bias", &self.bilinear.bias);
    }

    /// Loads a head for vectors of this width.
    pub fn load(inputs: usize, arrays: &Arrays) -> Result<Self, LoadError> {
        let bias: Vec<f32> = arrays.get("bias")?;
        let width = bias.len();
        if width == 0 {
            return Err(LoadError::unfit("bias", "is empty"));
        }
        let head = Self {
            sides: Rounded::load("sides", (inputs, width.saturating_mul(2)), 0, arrays)?,
            bilinear: Affine { matrix: arrays.get_exactly("matrix", width.saturating_mul(width))?, bias },
        };
        let [scales, biases] = head.sides.floats();
        let floats = [scales, biases, &head.bilinear.matrix, &head.bilinear.bias];
        if floats.iter().any(|array| array.iter().any(|number| !number.is_finite())) {
            return Err(LoadError::unfit("matrix", "or another array contains NaN or infinity"));
        }
        Ok(head)
    }
}
