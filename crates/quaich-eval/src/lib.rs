//! Judging: what a treebank is like, and how well one analysis of it agrees with another.
//!
//! Reads sentences and counts; changes none, and knows nothing of how they were parsed.
//!
//! Two trees are scored with a [`Score`]; two files, with break-downs, by an [`Evaluator`] that is fed by
//! [`Pairs`]:
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
//! Not here: parsing, and how scores are shown.

pub mod agreement;
pub mod analysis;
pub mod attachment;
pub mod brackets;
pub mod breakdowns;
pub mod derivation;
pub mod describe;
pub mod error;
pub mod evaluator;
mod frames;
pub mod measures;
pub mod nonprojective;
pub mod pairs;
pub mod panel;
pub mod percent;
pub mod punctuation;
pub mod score;
pub mod scorers;
pub mod side_by_side;
pub mod significance;
pub mod tree_measures;

pub use analysis::{Analysis, Arcs, Verdict};
pub use error::{Error, Result};
pub use evaluator::{Evaluation, Evaluator};
pub use pairs::Pairs;
pub use panel::{Panel, PanelSentence};
pub use percent::Percent;
pub use punctuation::PunctuationRule;
pub use score::Score;
pub use side_by_side::SideBySide;
