//! Evaluation: properties of treebanks, and the agreement of analyses.
//!
//! Reads and counts sentences; does not change them, and does not depend on how they were parsed.
//!
//! Score two trees with a [`Score`]; score two files, with breakdowns, with an [`Evaluator`] and a [`PairReader`]:
//!
//! ```
//! use quaich_eval::Score;
//! use quaich_treebank::Tree;
//!
//! let mut score = Score::default();
//! score.add(&Tree::from_heads(&[2, 0, 2]), &Tree::from_heads(&[2, 0, 1]), |_| false);
//! assert_eq!(score.uas().to_string(), "66.67");
//! ```
//!
//! Parsing and the display of scores are in other crates.

pub mod agreement;
pub mod analysis;
pub mod attachment;
pub mod brackets;
pub mod breakdowns;
pub mod comparison_reader;
pub mod derivation;
pub mod describe;
pub mod error;
pub mod evaluator;
mod frames;
pub mod measures;
pub mod nonprojective;
pub mod pair_reader;
pub mod parallel_reader;
pub mod percent;
pub mod punctuation;
pub mod score;
pub mod scorers;
pub mod significance;
pub mod tree_measures;

pub use analysis::{Analysis, Arcs, TokenMatch};
pub use comparison_reader::{ComparedSentence, ComparisonReader};
pub use error::{Error, Result};
pub use evaluator::{Evaluation, Evaluator};
pub use pair_reader::PairReader;
pub use parallel_reader::ParallelReader;
pub use percent::Percent;
pub use punctuation::PunctuationRule;
pub use score::Score;
