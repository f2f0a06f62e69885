//! Words in context: a recurrent encoder over sentences, and questions that are answered by summing what
//! it makes of a few of their words.
//!
//! ```text
//!   values     form, lemma, tags, … of every word          one list of values an attribute
//!   embeddings ▮▮▮▮▮▮                                       sums of the vectors of the values
//!   layers     h = (1 − z) h₋₁ + z g(c), out = h σ(o)        in both directions; z, c, o linear in the input
//!   questions  max(0, Σ P_role · word + Σ marks) → classes   one projection a role that a word can play
//! ```
//!
//! The gates of a layer look at its input alone (minGRU, Feng et al. 2024), so that all products lie outside
//! the recurrence: those of the first layer depend on the word only, and those of the roles are made once a
//! word, whatever is asked about it later. Beside the questions every word has to find its head among all words
//! (Dozat and Manning 2017), which makes better vectors; a trained network tells of it if it is wanted.
//!
//! Gradients are worked out by hand and checked by finite differences. Every sum is made in one order, so a
//! training gives the same on every processor and for any number of threads.

mod affine;
mod arcs;
mod compared;
mod embedding;
mod encoder;
mod heads;
mod layer;
mod minibatch;
mod optimiser;
mod questions;
mod rounded;
mod spans;
mod trainer;
mod weights;
mod words;

pub use affine::Affine;
pub use encoder::{Encoder, EncoderScratch, MAX_MARKS, MAX_ROLES};
pub use trainer::Trainer;
pub use weights::{ArcWeights, Network, QuestionWeights, Weights};
pub use words::{ABSENT, Asked, Words};

/// The sizes of a network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shape {
    /// What is known of a word.
    pub attributes: Vec<Attribute>,
    /// How many layers there are, at least one.
    pub layers: usize,
    /// Units of a layer in each direction.
    pub units: usize,
    /// What is asked.
    pub questions: Vec<QuestionShape>,
    /// How long the vectors are by which words find their heads; 0 if they do not have to.
    pub arcs: usize,
}

/// The sizes of an attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Attribute {
    /// How many values it has.
    pub values: usize,
    /// How long their vectors are.
    pub width: usize,
    /// Whether a word has so many values that their sum is divided by the root of their number.
    pub is_bag: bool,
}

/// The sizes of a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QuestionShape {
    /// How many words it is about.
    pub roles: usize,
    /// How many values all its marks have together: what else is known when it is asked.
    pub marks: usize,
    /// Hidden units.
    pub width: usize,
    /// How many answers there are.
    pub classes: usize,
}

impl Shape {
    /// How long the vector of a word is.
    pub fn input_width(&self) -> usize {
        self.attributes.iter().map(|attribute| attribute.width).sum()
    }

    /// How long the vector of a word in context is.
    pub fn output_width(&self) -> usize {
        2 * self.units
    }
}

/// How a network is trained.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settings {
    /// How often the sentences are gone through.
    pub passes: usize,
    /// Words between two changes of the weights.
    pub batch: usize,
    /// The highest learning rate.
    pub rate: f32,
    /// The part of all units that is left out at random.
    pub dropout: f32,
    /// The part of what is known of words that is left out at random.
    pub forgotten: f32,
    /// Fixes all that is random.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { passes: 20, batch: 1000, rate: 2e-3, dropout: 0.33, forgotten: 0.2, seed: 1 }
    }
}
