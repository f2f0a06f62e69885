//! Training and parsing: the two loops and what surrounds them.
//!
//! [`train`](train::train) makes a [`Parser`] of a treebank; a [`Worker`] of the parser makes a tree of a sentence.
//! Learning itself is in `quaich-learn`, transition systems are in `quaich-transition`, and no file format
//! but the model's own is known here.

mod apprentice;
pub mod blend;
pub mod calibration;
pub mod checkpoint;
mod classifiers;
pub mod collect;
mod columns;
pub mod cross_validation;
pub mod decider;
mod deciders;
pub mod decisions;
mod development;
mod dictionary;
pub mod distillation;
pub mod error;
mod guide;
mod held_out;
pub mod instances;
pub mod learners;
pub mod linear;
mod member;
pub mod memory;
pub mod mixed;
pub mod model;
pub mod model_file;
pub mod named_trace;
pub mod network;
pub mod observer;
pub mod parser;
pub mod part;
pub mod plan;
pub mod prepare;
pub mod recurrent;
pub mod settings;
pub mod stream;
pub mod trace;
pub mod train;

pub use checkpoint::Checkpoint;
pub use decisions::{DECISIONS, Decision};
pub use error::{Error, Result};
pub use learners::learners;
pub use member::MemberDescription;
#[doc(hidden)]
pub use model_file::with_checksum_repaired;
pub use model_file::{Description, FileDescription, Scores, describe};
pub use observer::{Event, Observer, Unobserved};
pub use parser::{Parser, Worker};
pub use settings::{PRESETS, Settings};
pub use stream::{Streamed, parse_stream};
pub use train::{Trainer, train};
