//! Text ⇄ [`Sentence`](sentence::Sentence): treebank files in and out with nothing lost, trees in
//! flat arrays, and the shapes of trees.
//!
//! No parsing and no learning happen here, and no other crate of the workspace is needed.

pub mod shape;
pub mod symbols;
pub mod tree;
