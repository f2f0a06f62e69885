//! Quaich is a dependency parser generator: give it a treebank, get a parser.
//!
//! ```no_run
//! use quaich::{Model, Trainer, Treebank};
//!
//! fn main() -> quaich::Result<()> {
//!     Trainer::default().train(&Treebank::read("train.conllu")?)?.save("en.quaich")?;
//!     let model = Model::load("en.quaich")?; // cheap to clone, Send + Sync
//!     for word in model.worker().parse_words(["Cats", "sleep", "."])?.words() {
//!         println!("{} {} {} {:.2}", word.form(), word.head(), word.label(), word.probability());
//!     }
//!     Ok(())
//! }
//! ```
//!
//! - [`Treebank`]: read and write treebanks.
//! - [`Trainer`]: train a [`Model`], configured by [`Settings`]. An [`Observer`] receives progress events and can stop training early.
//! - [`pretraining`]: pretrain encoders on text without annotation, from which a [`Trainer`] starts.
//! - [`adaptation`]: adapt a model to text of another domain.
//! - [`Worker`]: parse with a model; create one per thread. The result is [`Parsed`]: [`Word`]s with heads, labels and probabilities.
//! - [`Error`]: the only error type, with a [kind](Error::kind) and often a [position](Error::position).
//!
//! The modules contain the lower-level interfaces: reading treebanks sentence by sentence ([`treebank`]), tree transformations
//! ([`transform`]), transition systems and their oracles ([`transition`]), feature models ([`features`]), evaluation ([`eval`]) and drawing
//! ([`draw`]).

#[doc(hidden)]
pub use quaich_parser::with_checksum_repaired;
pub use quaich_parser::{
    Calibration, Checkpoint, DECISIONS, Decision, Description, EncoderDescription, Error, ErrorKind, Event,
    FORMAT_VERSION, FileDescription, Flow, HeadDistribution, Keep, MemberDescription, Model, Observer,
    PRESETS, ParseOptions, Parsed, Plan, Position, RawTextOptions, Result, SchemeDescription, Scores,
    SetAfterwards, Settings, Streamed, TextMode, TextSentences, Trainer, TrainingConfig, Unobserved, Word,
    Worker, check_layout, coarse_tag, describe, is_model, learners, parse_raw_text, parse_stream, readers,
};
pub use quaich_treebank::{Sentence, Treebank};

pub use quaich_parser::{
    cross_validation, distillation, ensemble, instances, named_trace, pretraining, recipe, settings, trace,
};

/// Reading and writing treebanks, byte for byte; trees and their properties.
pub use quaich_treebank as treebank;

/// Raw text: the text of treebanks, tokens, sentences, multiword tokens, edit rules.
pub use quaich_text as text;

/// Domain adaptation: a parser for another domain, from text of it without trees.
pub use quaich_adapt as adaptation;

/// Tree transformations and their inverses.
pub use quaich_transform as transform;

/// Transition systems, their oracles, and the parsing loop.
pub use quaich_transition as transition;

/// Feature models: the templates of learners.
pub use quaich_features as features;

/// Evaluation of parses and statistics of treebanks.
pub use quaich_eval as eval;

/// Source code and bracketed treebanks as dependency treebanks, and back.
#[cfg(feature = "code")]
pub use quaich_code as code;

/// Parsers of source code: the grammar of a language, a model trained on a code base, and both together.
#[cfg(feature = "code")]
pub use quaich_code_parser as code_parser;

/// Tuning: settings, transition system and feature model chosen by trials, within a budget.
pub use quaich_tune as tuning;

/// Drawing trees, in the terminal or as SVG.
pub use quaich_draw as draw;

pub mod sample;
