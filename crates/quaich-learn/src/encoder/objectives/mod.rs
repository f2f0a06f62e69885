//! What an encoder is trained for. Each objective has its own weights over the encoder's vectors; all are trained together, by
//! the sum of their losses.

pub(super) mod pointers;
pub(super) mod sampled_softmax;
pub(super) mod slots;

use std::fmt::Debug;

use rand_pcg::Pcg64Mcg;

use super::spans::Spans;
use crate::step_rng::StepRng;

/// Something that an encoder is trained for: its examples, its weights, its loss.
pub trait Objective: Debug + Send + Sync {
    /// Draws random weights, for vectors of this width.
    fn start(&mut self, width: usize, generator: &mut Pcg64Mcg);

    /// The number of sequences that there are examples of.
    fn n_sequences(&self) -> usize;

    /// Works out the gradients of the mean loss of a minibatch, given the vectors `x` of its items: that of the weights,
    /// which is kept, and that of the vectors, which is added to `dx`. Returns the mean loss.
    fn differentiate(&mut self, batch: &Batch<'_>, x: &[f32], dx: &mut [f32]) -> f64;

    /// The arrays of weights.
    fn weights(&self) -> Vec<&Vec<f32>>;

    /// The arrays of weights, each with its gradient.
    fn parameters(&mut self) -> Vec<(&mut Vec<f32>, &mut Vec<f32>)>;
}

/// The objectives of a training, each of a type that its owner knows.
pub trait Objectives: Send {
    /// All of them, in the order in which they are started.
    fn all(&self) -> Vec<&dyn Objective>;

    /// All of them, in the same order, to be trained.
    fn all_mut(&mut self) -> Vec<&mut dyn Objective>;
}

/// A minibatch, as objectives see it.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    /// The numbers of the sequences.
    pub(super) sequences: &'a [usize],
    /// Where the items of each are.
    pub(super) spans: &'a Spans,
    /// The part of all units that is dropped.
    pub(super) dropout: f32,
    /// The objective's own random numbers in this step.
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
