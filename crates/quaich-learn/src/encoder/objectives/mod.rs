//! Training objectives. Each has its own weights over the encoder's vectors; all are trained together, on the sum of their losses.

pub(super) mod classes;
pub(super) mod masked_items;
pub(super) mod pointers;
pub(super) mod sampled_softmax;
pub(super) mod slots;

use std::fmt::Debug;

use rand_pcg::Pcg64Mcg;

use super::Shape;
use super::embedding::EmbeddingGradient;
use super::sequences::Sequences;
use super::spans::Spans;
use crate::step_rng::StepRng;

/// A training objective: its examples, weights and loss.
pub trait Objective: Debug + Send + Sync {
    /// Initialises random weights, for vectors of this width.
    fn start(&mut self, width: usize, generator: &mut Pcg64Mcg);

    /// The vectors that it reads.
    fn reads(&self) -> Reads {
        Reads::Top
    }

    /// The number of sequences with examples; `None` if the items themselves are the examples.
    fn n_sequences(&self) -> Option<usize>;

    /// Computes the gradients of a minibatch's mean loss, given the vectors `x` of its items: stores the gradient of the weights, and
    /// adds the gradient of the vectors to `dx`. Returns the mean loss.
    fn differentiate(&mut self, batch: &Batch<'_>, x: &[f32], dx: &mut [f32]) -> f64;

    /// The arrays of weights.
    fn weights(&self) -> Vec<&Vec<f32>>;

    /// The arrays of weights, each with its gradient.
    fn parameters(&mut self) -> Vec<(&mut Vec<f32>, &mut Vec<f32>)>;

    /// The gradient of the embeddings of an attribute, given by number, if the objective uses them as weights of its own.
    fn shared_gradient(&self) -> Option<(usize, &EmbeddingGradient)> {
        None
    }
}

/// The vectors of items that an objective reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reads {
    /// The output of the last layer.
    Top,
    /// The output of a lower layer, followed by the item's embedding.
    Below {
        /// The number of layers, at least one.
        layers: usize,
    },
}

impl Reads {
    /// The width of the vectors.
    pub fn width(self, shape: &Shape) -> usize {
        match self {
            Self::Top => shape.output_width(),
            Self::Below { .. } => shape.output_width() + shape.input_width(),
        }
    }
}

/// A collection of objectives that keeps their types.
pub trait Objectives: Send {
    /// All objectives, in the order of their initialisation.
    fn all(&self) -> Vec<&dyn Objective>;

    /// All objectives, in the same order, mutable.
    fn all_mut(&mut self) -> Vec<&mut dyn Objective>;
}

/// A minibatch as objectives see it.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    /// The numbers of the sequences.
    pub(super) sequences: &'a [usize],
    /// All sequences.
    pub(super) all: &'a Sequences,
    /// The embeddings of each attribute.
    pub(super) embeddings: &'a [Vec<f32>],
    /// One per item: whether its attributes are hidden from the encoder.
    pub(super) masked: &'a [bool],
    /// The items of each sequence.
    pub(super) spans: &'a Spans,
    /// The dropout rate of units.
    pub(super) dropout: f32,
    /// The objective's random numbers for this step.
    pub(super) rng: StepRng,
}

impl Objectives for Vec<Box<dyn Objective>> {
    fn all(&self) -> Vec<&dyn Objective> {
        self.iter().map(|objective| &**objective).collect()
    }

    fn all_mut(&mut self) -> Vec<&mut dyn Objective> {
        self.iter_mut().map(|objective| &mut **objective as _).collect()
    }
}
