//! Parsers of source code: the grammar of a language, a model trained on a code base, and both together.
//!
//! ```text
//! source files ─▶ TrainingFiles ─▶ sentences ─▶ quaich_parser::Trainer ─▶ Model ─▶ CodeModel
//! source file ─▶ CodeParser ─▶ ParsedFile:  grammar ─▶ tree ──────────────┐
//!                                           model ─▶ dependencies ─▶ tree ┴▶ Choice ─▶ tree
//! ```
//!
//! Tokens, trees and their conversion are in `quaich-code`, learning is in `quaich-parser`; this crate knows both.

mod choice;
mod code_model;
mod code_parser;
mod error;
mod examples;
mod head_rule;
pub mod parallel;
mod training_files;
mod trials;

pub use choice::{Choice, Chosen};
pub use code_model::{CodeModel, TrainedOn};
pub use code_parser::{By, CodeParser, MOST_TOKENS, ParsedFile, With};
pub use error::{Error, Result};
pub use examples::retag;
pub use head_rule::head_rule;
pub use training_files::{SentenceOptions, TrainingFiles, sample};
pub use trials::{AnalysedCopy, TrialScores, score_undamaged};
