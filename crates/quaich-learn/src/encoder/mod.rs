//! Items in context: a recurrent encoder over sequences, and what it is trained for and asked about.
//!
//! ```text
//!   values      form, lemma, tags, … of every item           one list of values per attribute
//!   embeddings  ▮▮▮▮▮▮                                        sums of the vectors of the values
//!   layers      h = (1 − z) h₋₁ + z g(c), out = h σ(o)         in both directions; z, c, o linear in the input
//!   objectives  slots: max(0, Σ P_slot · item + Σ marks) → classes    one projection per slot that an item can fill
//!               pointers: every item finds another of its sequence    a biaffine score for every pair
//! ```
//!
//! The gates of a layer look at its input alone (minGRU, Feng et al. 2024), so all products lie outside the
//! recurrence: those of the first layer depend on the item only and are cached, and the projections of all slots are
//! one product per item, whatever is asked about it later.
//!
//! Training: [`Sequences`] and a list of [`Objective`]s ─▶ [`EncoderTrainer`] ─▶ [`EncoderWeights`] and the weights of each objective.
//! Inference: those are rounded to an [`Encoder`], [`SlotHead`]s and [`PointerHead`]s; a [`Reader`] fills an [`Encoding`] per
//! encoder, which is only read afterwards, by any number of heads, each with its own scratch space.
//!
//! Gradients are worked out by hand and checked by finite differences. Every sum is made in one order, so that
//! training gives the same result on every processor and for any number of threads.

mod affine;
mod dropout;
mod embedding;
mod encoding;
mod layer;
mod minibatch;
mod objectives;
mod optimiser;
mod pointer_head;
mod reader;
mod rounded;
mod sequences;
mod slot_head;
mod spans;
mod trainer;
mod weights;

pub use affine::Affine;
pub use encoding::{Encoder, Encoding};
pub use objectives::pointers::{PointerTargets, Pointers};
pub use objectives::slots::{ABSENT, MAX_MARKS, MAX_SLOTS, SlotExamples, SlotShape, Slots};
pub use objectives::{Batch, Objective, Objectives};
pub use pointer_head::{PointerHead, PointerScratch};
pub use reader::{ItemSource, Reader};
pub use sequences::Sequences;
pub use slot_head::{Projections, SlotHead, SlotScratch};
pub use trainer::{EncoderTrainer, Hyperparameters};
pub use weights::EncoderWeights;

/// The sizes of an encoder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shape {
    /// What is known of an item.
    pub attributes: Vec<Attribute>,
    /// The number of layers, at least one.
    pub layers: usize,
    /// Units of a layer in each direction.
    pub units: usize,
}

/// The sizes of an attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Attribute {
    /// The number of its values.
    pub values: usize,
    /// The length of their vectors.
    pub width: usize,
    /// Whether an item has so many values that their sum is divided by the root of their number.
    pub is_bag: bool,
}

impl Shape {
    /// The length of an item's vector.
    pub fn input_width(&self) -> usize {
        self.attributes.iter().map(|attribute| attribute.width).sum()
    }

    /// The length of the vector of an item in context.
    pub fn output_width(&self) -> usize {
        2 * self.units
    }

    /// The number of gates of all units of a layer.
    fn gates_width(&self) -> usize {
        6 * self.units
    }
}
