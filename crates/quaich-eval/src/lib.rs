//! Judging: what a treebank is like.
//!
//! Reads sentences and counts; changes none, and knows nothing of how they were parsed.

pub mod describe;
pub mod punctuation;
