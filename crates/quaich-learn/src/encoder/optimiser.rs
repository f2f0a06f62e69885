//! How the weights of a network change: Adam, with a rate that rises for some steps and then falls.

use rayon::prelude::*;

use super::embedding::EmbeddingGradient;
use super::weights::EncoderWeights;
use crate::adam::{Moments, Step};

/// How long the running means remember: those of the squares shorter than usual (Dozat and Manning 2017).
const REMEMBER: (f32, f32) = (0.9, 0.9);
/// Steps until the rate is at its highest, at most.
const WARM_UP: f32 = 200.0;
/// Longer gradients are cut down to this.
const LONGEST: f64 = 5.0;

/// The running means of all gradients.
#[derive(Clone, Debug)]
pub(super) struct Optimiser {
    /// By attribute.
    embeddings: Vec<Moments>,
    /// By array of weights.
    weights: Vec<Moments>,
}

impl Optimiser {
    /// Nothing to remember yet of arrays of these lengths.
    pub(super) fn new(encoder: &EncoderWeights, lengths: impl Iterator<Item = usize>) -> Self {
        Self {
            embeddings: encoder.embeddings.iter().map(|table| Moments::new(table.len())).collect(),
            weights: lengths.map(Moments::new).collect(),
        }
    }

    /// Changes vectors and arrays of weights against the gradient of a minibatch.
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

    /// All running means, array by array.
    pub(super) fn numbers(&self) -> impl Iterator<Item = &[f32]> {
        let all = self.embeddings.iter().chain(&self.weights);
        all.flat_map(|moments| [&moments.first[..], &moments.second])
    }

    /// All running means, array by array, to be changed.
    pub(super) fn numbers_mut(&mut self) -> impl Iterator<Item = &mut [f32]> {
        let all = self.embeddings.iter_mut().chain(&mut self.weights);
        all.flat_map(|moments| [&mut moments.first[..], &mut moments.second])
    }
}

/// The step with this number of so many.
#[allow(clippy::cast_precision_loss, reason = "only rates are made of it")]
pub(super) fn step_at(number: usize, of: usize, rate: f32) -> Step {
    let (at, of) = (number as f32, of.max(1) as f32);
    let warm = (at / WARM_UP.min(of / 10.0).max(1.0)).min(1.0);
    // To the power of ¾, by operations that every processor rounds alike.
    let left = (1.0 - at / of).max(0.01);
    let falling = left.sqrt() * left.sqrt().sqrt();
    Step::new(number, rate * warm * falling, REMEMBER)
}

/// Scales a gradient that is too long.
fn clip(embeddings: &mut [EmbeddingGradient], parameters: &mut [(&mut Vec<f32>, &mut Vec<f32>)]) {
    let mut arrays: Vec<&mut Vec<f32>> = parameters.iter_mut().map(|(_, gradient)| &mut **gradient).collect();
    arrays.extend(embeddings.iter_mut().map(|gradient| &mut gradient.rows));
    let squares: Vec<f64> = arrays.par_iter().map(|array| squared_length(array)).collect();
    let length = squares.iter().sum::<f64>().sqrt();
    if length > LONGEST {
        #[allow(clippy::cast_possible_truncation, reason = "as precise as weights are")]
        let factor = (LONGEST / length) as f32;
        arrays.into_par_iter().for_each(|array| array.iter_mut().for_each(|x| *x *= factor));
    }
}

/// The sum of all squares: several sums side by side, so that none waits for another.
fn squared_length(numbers: &[f32]) -> f64 {
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
