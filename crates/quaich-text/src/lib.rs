//! Tokenization, sentence splitting, multiword tokens and edit rules for lemmas.
//!
//! This crate works on characters and treebanks. It does not handle tags or trees.

pub mod edit_rules;
pub mod multiword;
pub mod raw_text;
pub mod segmenter;
pub mod surface;
