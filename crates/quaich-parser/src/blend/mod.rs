//! Blends: several parsers that vote on a tree.
//!
//! ```text
//!   trees of a sentence ─▶ Vote: proposals, each worth the votes of its parsers ─▶ maximum spanning tree ─▶ one tree
//!                             ▲ ▲
//!   how likely encoders find  │ │
//!   each head: HeadVotes ─────┘ Weights, by parser and coarse tag ◀─ TagScores on held-out text
//! ```
//!
//! Parsers can share an encoder: the sentence is read once for all that do.

mod blended;
mod certainty;
mod election;
mod recipe;
mod spanning_tree;
mod train;
mod vote;
mod weights;

pub(crate) use blended::{Blend, BlendWorker};
pub use blended::{BlendDescription, coarse_tag};
pub use certainty::Certainty;
pub use recipe::Recipe;
pub use spanning_tree::{Candidates, Roots, SpanningTrees, Weight};
pub use train::BlendTrainer;
pub use vote::{HeadVotes, LabelVote, Rules, Vote};
pub use weights::{FULL_VOTE, TagScores, Weights};
