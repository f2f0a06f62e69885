//! A feed-forward network over *slots* (Chen and Manning 2014): an instance has one value per slot; values are embedded and feed one
//! hidden layer, which scores the classes.
//!
//! ```text
//!   values      1 7 3 …            one per slot
//!   embeddings  ▮ ▮ ▮              slots of one vocabulary share a table; some values are sums
//!   hidden      max(0, b + Σ W_slot · embedding)
//!   classes     c + V · hidden
//! ```
//!
//! The first layer is a sum of one row per (slot, value) pair. Training multiplies each distinct pair of a minibatch once
//! ([`NetworkTrainer`]); for inference the rows are precomputed and quantised to eight bits ([`frozen`]), so that no product with an
//! embedding is left. Slots and values are only numbers here; callers give them a meaning.

mod adam;
mod distinct;
pub mod frozen;
pub mod instances;
mod layers;
mod minibatch;
mod parameters;
mod state;
mod table;
#[cfg(test)]
mod testing;
mod trainer;
mod vocabulary;

use std::borrow::Cow;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

pub use frozen::{Cells, Frozen};
pub use instances::SlotInstances;
pub use parameters::NetworkParameters;
pub use state::TrainerState;
pub use trainer::NetworkTrainer;
pub use vocabulary::{NO_VALUE, UNKNOWN, Vocabulary};

/// The sizes of a network.
#[derive(Clone, PartialEq, Debug)]
pub struct Shape {
    /// The vocabularies.
    pub vocabularies: Vec<Vocabulary>,
    /// One per slot: its vocabulary.
    pub slots: Vec<usize>,
    /// The number of hidden units.
    pub hidden: usize,
    /// The number of classes.
    pub classes: usize,
}

impl Shape {
    /// The vocabulary of a slot.
    #[inline]
    fn vocabulary(&self, slot: usize) -> &Vocabulary {
        &self.vocabularies[self.slots[slot]]
    }
}

/// The weights of a network, in flat arrays.
#[derive(Clone, PartialEq, Debug)]
pub struct Network {
    /// The sizes.
    pub shape: Shape,
    /// One per vocabulary: its embeddings.
    pub embeddings: Vec<Vec<f32>>,
    /// One per slot: a matrix with one row per embedding dimension and one column per hidden unit.
    pub input: Vec<Vec<f32>>,
    /// One per hidden unit.
    pub bias: Vec<f32>,
    /// One row per hidden unit, one column per class.
    pub output: Vec<f32>,
    /// One per class.
    pub output_bias: Vec<f32>,
}

impl Network {
    /// Random initial weights; all classes have the same bias.
    pub fn random(shape: Shape, seed: u64) -> Self {
        let mut generator = Pcg64Mcg::seed_from_u64(seed);
        let mut uniform = |n: usize, range: f32| -> Vec<f32> {
            (0..n).map(|_| generator.random_range(-range..range)).collect()
        };
        let embeddings =
            shape.vocabularies.iter().map(|v| uniform(v.n_vectors() * v.width(), EMBEDDING_RANGE)).collect();
        #[allow(clippy::cast_precision_loss, reason = "some thousands at most")]
        let inputs = shape.slots.iter().map(|&v| shape.vocabularies[v].width()).sum::<usize>().max(1) as f32;
        // He et al. 2015, for embeddings with variance 1; their variance is smaller, so initial activations are small.
        let range = (6.0 / inputs).sqrt();
        let input = shape
            .slots
            .iter()
            .map(|&v| uniform(shape.vocabularies[v].width() * shape.hidden, range))
            .collect();
        #[allow(clippy::cast_precision_loss, reason = "some hundreds")]
        let output = uniform(shape.hidden * shape.classes, (3.0 / shape.hidden.max(1) as f32).sqrt() * 0.5);
        Self {
            embeddings,
            input,
            bias: vec![0.0; shape.hidden],
            output,
            output_bias: vec![0.0; shape.classes],
            shape,
        }
    }

    /// All weights, array by array.
    pub fn numbers(&self) -> Vec<&[f32]> {
        let single = [&self.bias, &self.output, &self.output_bias];
        self.embeddings.iter().chain(&self.input).chain(single).map(Vec::as_slice).collect()
    }

    /// All weights, array by array, mutable.
    pub fn numbers_mut(&mut self) -> Vec<&mut [f32]> {
        let single = [&mut self.bias, &mut self.output, &mut self.output_bias];
        self.embeddings.iter_mut().chain(&mut self.input).chain(single).map(Vec::as_mut_slice).collect()
    }

    /// The contribution of a value in a slot to the hidden layer.
    pub fn row(&self, slot: usize, value: u32, out: &mut [f32]) {
        out.fill(0.0);
        for (weight, vector) in self.input[slot].chunks(self.shape.hidden).zip(&*self.embedding(slot, value))
        {
            for (out, weight) in out.iter_mut().zip(weight) {
                *out += weight * vector;
            }
        }
    }

    /// The score of every class: unnormalised log-probabilities.
    pub fn score(&self, values: &[u32], scores: &mut Vec<f32>) {
        let mut hidden = self.bias.clone();
        for (slot, &value) in values.iter().enumerate() {
            let input = self.input[slot].chunks(self.shape.hidden);
            for (weight, vector) in input.zip(&*self.embedding(slot, value)) {
                for (sum, weight) in hidden.iter_mut().zip(weight) {
                    *sum += weight * vector;
                }
            }
        }
        scores.resize(self.shape.classes, 0.0);
        self.score_classes(&hidden, scores);
    }

    /// The score of every class from the hidden layer before the rectifier.
    fn score_classes(&self, sums: &[f32], scores: &mut [f32]) {
        scores.copy_from_slice(&self.output_bias);
        for (&unit, weights) in sums.iter().zip(self.output.chunks(self.shape.classes.max(1))) {
            if unit > 0.0 {
                for (score, weight) in scores.iter_mut().zip(weights) {
                    *score += unit * weight;
                }
            }
        }
    }

    fn embedding(&self, slot: usize, value: u32) -> Cow<'_, [f32]> {
        self.shape.vocabulary(slot).embedding(&self.embeddings[self.shape.slots[slot]], value)
    }
}

/// The range of initial embeddings.
const EMBEDDING_RANGE: f32 = 0.5;
