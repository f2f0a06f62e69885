//! Quaich: a data-driven dependency parser generator. Give it a treebank, get a parser.
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
//! A [`Treebank`] is read, a [`Trainer`] with [`Settings`] makes a [`Model`] of it, a [`Worker`] per thread parses with the model, and
//! what it gives is [`Parsed`]: [`Word`]s with heads, labels and probabilities. An [`Observer`] is told how training goes, and can end it.
//! Everything that fails does so with one [`Error`], which has a [kind](Error::kind) and often a [position](Error::position).
//!
//! Those who need more find it in the modules: treebanks sentence by sentence ([`treebank`]), transformations ([`transform`]), transition
//! systems and their oracles ([`transition`]), feature models ([`features`]), evaluation ([`eval`]), drawing ([`draw`]).

#[doc(hidden)]
pub use quaich_parser::with_checksum_repaired;
pub use quaich_parser::{
    Calibration, Checkpoint, DECISIONS, Decision, Description, EncoderDescription, Error, ErrorKind, Event,
    FORMAT_VERSION, FileDescription, HeadDistribution, MemberDescription, Model, Observer, PRESETS, Parsed, Plan,
    Position, Result, SchemeDescription, Scores, Settings, Streamed, Trainer, Unobserved, Word, Worker,
    coarse_tag, describe, learners, parse_stream, readers,
};
pub use quaich_treebank::{Sentence, Treebank};

pub use quaich_parser::{
    cross_validation, distillation, ensemble, instances, named_trace, recipe, settings, trace,
};

/// Treebank files in and out, byte for byte; trees and their shapes.
pub use quaich_treebank as treebank;

/// Tree transformations and the way back.
pub use quaich_transform as transform;

/// Transition systems, their oracles, and the loop they run in.
pub use quaich_transition as transition;

/// Feature models: what learners may see.
pub use quaich_features as features;

/// Treebanks described and parses judged.
pub use quaich_eval as eval;

/// Trees as pictures, in the terminal or as SVG.
pub use quaich_draw as draw;

pub mod sample;
