//! Raw text → tokens, sentences, words and lemmas.
//!
//! Reads characters and treebanks; does not know tags or trees.

pub mod edit_rules;
pub mod multiword;
pub mod raw_text;
pub mod segmenter;
pub mod surface;
