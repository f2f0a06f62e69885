//! Training and parsing: the two loops and what surrounds them.
//!
//! [`train`](train::train) makes a [`Model`] of a treebank; a [`Worker`] of the model makes a tree of a sentence.
//! Learning itself is in `quaich-learn`, transition systems are in `quaich-transition`, and no file format
//! but the model's own is known here.

pub mod calibration;
pub mod checkpoint;
mod checksum;
mod classifiers;
pub mod collect;
mod columns;
mod corpus;
pub mod cross_validation;
pub mod decisions;
pub mod decoder;
mod description;
mod dictionary;
pub mod distillation;
pub mod encoder;
pub mod ensemble;
pub mod error;
mod file;
mod folds;
mod guide;
mod head_shares;
pub mod instances;
mod judge;
mod kernels;
mod learners;
mod lesson;
pub mod linear;
mod long_derivations;
pub mod memory;
pub mod mixed;
mod model;
pub mod named_trace;
pub mod network;
pub mod observer;
mod parsed;
pub mod part;
pub mod plan;
pub mod recipe;
pub mod recurrent;
pub mod scheme;
pub mod scorer;
pub mod settings;
pub mod stream;
pub mod task;
pub mod trace;
pub mod train;
mod weigh;
mod worker;

pub use checkpoint::Checkpoint;
pub use checksum::FORMAT_VERSION;
pub use decisions::{DECISIONS, Decision};
pub use description::{Description, Scores};
pub use error::{Error, Result};
#[doc(hidden)]
pub use file::with_checksum_repaired;
pub use file::{EncoderDescription, FileDescription, MemberDescription, describe};
pub use head_shares::HeadShares;
pub use judge::JudgedArc;
pub use learners::{learners, readers};
pub use model::Model;
pub use observer::{Event, Observer, Unobserved};
pub use parsed::{Parsed, Word};
pub use settings::{PRESETS, Settings};
pub use stream::{Streamed, parse_stream};
pub use train::{Trainer, train};
pub use worker::Worker;
