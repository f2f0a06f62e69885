//! A feed-forward network over *slots* (Chen and Manning 2014): an instance gives every slot one
//! value, values become vectors, one hidden layer looks at all of them, classes are scored by it.
//!
//! ```text
//!   values      1 7 3 …            one a slot
//!   embeddings  ▮ ▮ ▮              slots of one vocabulary share a table; some values are sums
//!   hidden      max(0, b + Σ W_slot · embedding)
//!   classes     c + V · hidden
//! ```
//!
//! The first layer is a sum of one row a (slot, value) pair. Training multiplies each distinct pair
//! of a minibatch once ([`NetworkTrainer`]); for parsing the rows are worked out beforehand and rounded to
//! eight bits ([`frozen`]), so that no product with an embedding is left.The crate's users decide
//! what slots and values mean; here they are numbers.

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
pub use vocabulary::{ABSENT, UNKNOWN, Vocabulary};

/// The sizes of a network.
#[derive(Clone, PartialEq, Debug)]
pub struct Shape {
    /// The vocabularies.
    pub vocabularies: Vec<Vocabulary>,
    /// By slot: its vocabulary.
    pub slots: Vec<usize>,
    /// How many hidden units there are.
    pub hidden: usize,
    /// How many classes there are.
    pub classes: usize,
}

impl Shape {
    /// The vocabulary of a slot.
    #[inline]
    fn vocabulary(&self, slot: usize) -> &Vocabulary {
        &self.vocabularies[self.slots[slot]]
    }
}

/// A network: everything that is learned, in flat arrays.
#[derive(Clone, PartialEq, Debug)]
pub struct Network {
    /// The sizes.
    pub shape: Shape,
    /// By vocabulary: its vectors.
    pub embeddings: Vec<Vec<f32>>,
    /// By slot: as many rows as the vectors are long, one column a hidden unit.
    pub input: Vec<Vec<f32>>,
    /// By hidden unit.
    pub bias: Vec<f32>,
    /// One row a hidden unit, one column a class.
    pub output: Vec<f32>,
    /// By class.
    pub output_bias: Vec<f32>,
}

impl Network {
    /// A network with random weights; classes have no preference yet.
    pub fn random(shape: Shape, seed: u64) -> Self {
        let mut generator = Pcg64Mcg::seed_from_u64(seed);
        let mut uniform = |n: usize, range: f32| -> Vec<f32> {
            (0..n).map(|_| generator.random_range(-range..range)).collect()
        };
        let embeddings =
            shape.vocabularies.iter().map(|v| uniform(v.n_vectors() * v.width(), EMBEDDING_RANGE)).collect();
        #[allow(clippy::cast_precision_loss, reason = "some thousands at most")]
        let inputs = shape.slots.iter().map(|&v| shape.vocabularies[v].width()).sum::<usize>().max(1) as f32;
        // He et al. 2015, for vectors that have variance 1; theirs is smaller, and the net starts calm.
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

    /// All weights, array by array, to be changed.
    pub fn numbers_mut(&mut self) -> Vec<&mut [f32]> {
        let single = [&mut self.bias, &mut self.output, &mut self.output_bias];
        self.embeddings.iter_mut().chain(&mut self.input).chain(single).map(Vec::as_mut_slice).collect()
    }

    /// What a value in a slot adds to the hidden layer.
    pub fn row(&self, slot: usize, value: u32, out: &mut [f32]) {
        out.fill(0.0);
        for (weight, vector) in self.input[slot].chunks(self.shape.hidden).zip(&*self.embedding(slot, value))
        {
            for (out, weight) in out.iter_mut().zip(weight) {
                *out += weight * vector;
            }
        }
    }

    /// The score of every class: logarithms of probabilities but for a constant.
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

    /// The score of every class from the sums of the hidden layer.
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

/// The vectors of values start within this range.
const EMBEDDING_RANGE: f32 = 0.5;
