//! Shared code of the workspace's tests and benchmarks: all small trees, strategies for random larger ones, slow
//! reference implementations, and generated treebanks of any size. Not published.

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
