//! Quaich: a data-driven dependency parser generator. Give it a treebank, get a parser.
//!
//! This crate gathers the others in the order in which data flow through them.
//!
//! ```
//! use quaich::parser::{Settings, Unobserved, train};
//! use quaich::treebank::{ReadOptions, Reader, Sentence, Source};
//!
//! let source = Source::from_stream(quaich::sample::TRAIN.as_bytes(), "sample".into(), None)?;
//! let sentences = Reader::new(source, &ReadOptions::default())?.sentences().collect::<Result<Vec<_>, _>>()?;
//!
//! let settings = Settings::default().with("learner=linear")?.with("passes=2")?.with("folds=0")?;
//! let parser = train(&sentences, &settings, &Unobserved)?;
//!
//! let sentence = Sentence::from_words(sentences[0].layout(), ["The", "harbour", "sleeps", "."])?;
//! let mut worker = parser.worker();
//! let tree = worker.parse(&sentence);
//! assert!(tree.is_well_formed());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

/// Treebank files in and out, byte for byte; trees and their shapes.
pub use quaich_treebank as treebank;

/// Tree transformations and the way back.
pub use quaich_transform as transform;

/// Transition systems, their oracles, and the loop they run in.
pub use quaich_transition as transition;

/// What a model may see: templates of features.
pub use quaich_features as features;

/// Learners and classifiers, which know nothing of parsing.
pub use quaich_learn as learn;

/// Training and parsing.
pub use quaich_parser as parser;

/// Treebanks described and parses judged.
pub use quaich_eval as eval;

/// Trees as pictures, in the terminal or as SVG.
pub use quaich_draw as draw;

pub mod sample;
