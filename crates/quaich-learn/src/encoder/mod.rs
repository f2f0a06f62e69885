//! A recurrent encoder of items in context, with its training objectives and heads.
//!
//! ```text
//!   values      form, lemma, tags, … of every item           one list of values per attribute
//!   embeddings  ▮▮▮▮▮▮                                        sums of the vectors of the values
//!   layers      h = (1 − z) h₋₁ + z g(c), out = h σ(o)         in both directions; z, c, o linear in the input
//!   objectives  slots: max(0, Σ P_slot · item + Σ marks) → classes    one projection per slot that an item can fill
//!               pointers: every item finds another of its sequence    a biaffine score for every pair
//!               masked items: a hidden item is predicted from its context
//! ```
//!
//! The gates of a layer depend only on its input (minGRU, Feng et al. 2024), so all matrix products are outside the recurrence: those of
//! the first layer depend only on the item and are cached, and the projections of all slots are one product per item, however many
//! classifications use them later.
//!
//! Training: [`Sequences`] and a list of [`Objective`]s ─▶ [`EncoderTrainer`] ─▶ [`EncoderWeights`] and each objective's weights.
//! Inference: the weights are quantised to an [`Encoder`], [`SlotHead`]s and [`PointerHead`]s. A [`Reader`] fills one [`Encoding`] per
//! encoder, which any number of heads then read, each with its own scratch space.
//!
//! Gradients are derived by hand and tested with finite differences. Sums are computed in a fixed order, so that training gives the same
//! result on every processor and for any number of threads.

mod affine;
mod class_head;
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
pub use class_head::{ClassHead, ClassLayer, ClassScores};
pub use encoding::{Encoder, Encoding};
pub use objectives::classes::{ClassExamples, ClassShape, Classes};
pub use objectives::masked_items::MaskedItems;
pub use objectives::pointers::{PointerTargets, Pointers};
pub use objectives::slots::{ABSENT, MAX_MARKS, MAX_SLOTS, SlotExamples, SlotShape, Slots};
pub use objectives::{Batch, Objective, Objectives, Reads};
pub use pointer_head::{PointerHead, PointerScratch};
pub use reader::{ItemSource, Reader};
pub use sequences::Sequences;
pub use slot_head::{Projections, SlotHead, SlotScratch};
pub use trainer::{EncoderTrainer, Hyperparameters};
pub use weights::EncoderWeights;

/// The hyperparameters that determine the size of an encoder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shape {
    /// The attributes of an item.
    pub attributes: Vec<Attribute>,
    /// The number of layers, at least one.
    pub layers: usize,
    /// Units per layer and direction.
    pub units: usize,
}

/// The size of an attribute's embedding table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Attribute {
    /// The number of its values.
    pub values: usize,
    /// The width of an embedding.
    pub width: usize,
    /// Whether an item has many values, whose sum is divided by the square root of their number.
    pub is_bag: bool,
}

impl Shape {
    /// The width of an item's embedding.
    pub fn input_width(&self) -> usize {
        self.attributes.iter().map(|attribute| attribute.width).sum()
    }

    /// The width of an item's contextual vector.
    pub fn output_width(&self) -> usize {
        2 * self.units
    }

    /// The number of gates of a layer.
    fn gates_width(&self) -> usize {
        6 * self.units
    }
}
