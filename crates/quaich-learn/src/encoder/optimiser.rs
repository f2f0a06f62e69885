//! The optimiser: Adam with warm-up and decay of the learning rate.

use rayon::prelude::*;

use super::embedding::EmbeddingGradient;
use super::weights::EncoderWeights;
use crate::adam::{Moments, Step};

/// The decay rates β₁ and β₂ of Adam; β₂ is lower than usual (Dozat and Manning 2017).
const BETAS: (f32, f32) = (0.9, 0.9);
/// The maximum number of warm-up steps.
const MAX_WARM_UP: f32 = 200.0;
/// The maximum norm of the gradient, for clipping.
const MAX_NORM: f64 = 5.0;

/// Adam's moments of all weights.
#[derive(Clone, Debug)]
pub(super) struct Optimiser {
    /// One per attribute.
    embeddings: Vec<Moments>,
    /// One per array of weights.
    weights: Vec<Moments>,
}

impl Optimiser {
    /// Zero moments for arrays of these lengths.
    pub(super) fn new(encoder: &EncoderWeights, lengths: impl Iterator<Item = usize>) -> Self {
        Self {
            embeddings: encoder.embeddings.iter().map(|table| Moments::new(table.len())).collect(),
            weights: lengths.map(Moments::new).collect(),
        }
    }

    /// Updates embeddings and weights with the gradient of a minibatch.
    pub(super) fn change(
        &mut self,
        embeddings: &mut [Vec<f32>],
        embedding_gradients: &mut [EmbeddingGradient],
        mut parameters: Vec<(&mut Vec<f32>, &mut Vec<f32>)>,
        step: Step,
    ) {
        clip(embedding_gradients, &mut parameters);
        parameters.into_par_iter().zip(&mut self.weights).for_each(|((weights, gradient), moments)| {
            moments.change(weights, gradient, step);
        });
        let tables = embeddings.par_iter_mut().zip(&mut self.embeddings).zip(embedding_gradients);
        tables.for_each(|((table, moments), gradient)| {
            let width = gradient.width();
            for (&value, row) in gradient.values.iter().zip(gradient.rows.chunks_exact(width)) {
                moments.change_part(table, value as usize * width, row, step);
            }
        });
    }

    /// All moments, array by array.
    pub(super) fn numbers(&self) -> impl Iterator<Item = &[f32]> {
        let all = self.embeddings.iter().chain(&self.weights);
        all.flat_map(|moments| [&moments.first[..], &moments.second])
    }

    /// All moments, array by array, mutable.
    pub(super) fn numbers_mut(&mut self) -> impl Iterator<Item = &mut [f32]> {
        let all = self.embeddings.iter_mut().chain(&mut self.weights);
        all.flat_map(|moments| [&mut moments.first[..], &mut moments.second])
    }
}

/// The step with this number out of `of` steps.
#[allow(clippy::cast_precision_loss, reason = "only used for learning rates")]
pub(super) fn step_at(number: usize, of: usize, rate: f32) -> Step {
    let (at, of) = (number as f32, of.max(1) as f32);
    let warm_up = (at / MAX_WARM_UP.min(of / 10.0).max(1.0)).min(1.0);
    // To the power of ¾, with operations that every processor rounds the same way.
    let remaining = (1.0 - at / of).max(0.01);
    let decay = remaining.sqrt() * remaining.sqrt().sqrt();
    Step::new(number, rate * warm_up * decay, BETAS)
}

/// Clips the gradient by its norm.
fn clip(embeddings: &mut [EmbeddingGradient], parameters: &mut [(&mut Vec<f32>, &mut Vec<f32>)]) {
    let mut arrays: Vec<&mut Vec<f32>> = parameters.iter_mut().map(|(_, gradient)| &mut **gradient).collect();
    arrays.extend(embeddings.iter_mut().map(|gradient| &mut gradient.rows));
    let squares: Vec<f64> = arrays.par_iter().map(|array| squared_norm(array)).collect();
    let norm = squares.iter().sum::<f64>().sqrt();
    if norm > MAX_NORM {
        #[allow(clippy::cast_possible_truncation, reason = "weights have single precision")]
        let factor = (MAX_NORM / norm) as f32;
        arrays.into_par_iter().for_each(|array| array.iter_mut().for_each(|x| *x *= factor));
    }
}

/// The sum of squares, with several accumulators for instruction-level parallelism.
fn squared_norm(numbers: &[f32]) -> f64 {
    let mut sums = [0.0; 16];
    let (chunks, rest) = numbers.as_chunks::<16>();
    for chunk in chunks {
        for (sum, &x) in sums.iter_mut().zip(chunk) {
            *sum += f64::from(x) * f64::from(x);
        }
    }
    let rest: f64 = rest.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
    sums.iter().sum::<f64>() + rest
}
