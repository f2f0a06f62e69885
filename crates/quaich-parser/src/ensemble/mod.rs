//! Ensembles: several parsers that vote on a tree.
//!
//! ```text
//!   trees of a sentence ─▶ Vote: proposals, each weighted by its votes ─▶ maximum spanning tree ─▶ one tree
//!                             ▲ ▲
//!   probabilities of heads     │ │
//!   from encoders: HeadVotes ──┘ Weights per parser and coarse tag ◀─ TagScores on held-out text
//! ```
//!
//! Parsers can share an encoder, which then encodes each sentence only once.

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
