//! What the workspace's tests and benchmarks share: all small trees, strategies for random larger ones,
//! slow definitions to compare fast code with, and made-up treebanks of any size. Not published.

pub mod check;
pub mod generator;
pub mod random;
mod skipped;
pub mod slow;
pub mod strategies;
mod treebanks;
pub mod trees;

pub use skipped::skipped;
pub use treebanks::{scorer_vectors, treebanks};
