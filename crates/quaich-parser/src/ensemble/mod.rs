//! Ensembles: several parsers that vote on a tree.
//!
//! ```text
//!   trees of a sentence ─▶ Vote: proposals, each worth the votes of its parsers ─▶ maximum spanning tree ─▶ one tree
//!                             ▲ ▲
//!   how likely encoders find  │ │
//!   each head: HeadVotes ─────┘ Weights, by parser and coarse tag ◀─ TagScores on held-out text
//! ```
//!
//! Parsers can share an encoder: the sentence is encoded once for all that do.

mod certainty;
mod spanning_tree;
mod vote;
pub(crate) mod voting;
mod weights;

pub use certainty::Certainty;
pub use spanning_tree::{Candidates, Roots, SpanningTrees, Weight};
pub use vote::{HeadVotes, LabelVote, Rules, Vote};
pub use voting::EnsembleDescription;
pub use weights::{FULL_VOTE, TagScores, Weights};
