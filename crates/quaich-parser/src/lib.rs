//! Training and parsing.
//!
//! A [`Trainer`] trains a [`Model`] on a treebank; a [`Worker`] parses sentences with the model. Classifiers and encoders are in
//! `quaich-learn`, transition systems in `quaich-transition`. This crate reads and writes no file formats except model files.

mod calibration;
mod checkpoint;
mod checksum;
mod classifiers;
mod collect;
mod columns;
mod completion;
mod consumers;
mod container;
mod corpus;
pub mod cross_validation;
mod decisions;
mod decoder;
mod description;
mod dictionary;
pub mod distillation;
mod encoder;
pub mod ensemble;
mod error;
mod evaluation;
mod file;
pub mod folds;
mod given;
mod guide;
mod head_distribution;
mod huge_pages;
pub mod instances;
mod kernels;
mod learner;
mod learners;
mod likely_labels;
mod linear;
mod long_derivations;
mod mixed;
mod model;
pub mod named_trace;
mod network;
mod observer;
mod parsed;
mod part;
mod partial;
mod plan;
pub mod pretraining;
mod raw_text;
pub mod recipe;
mod recurrent;
mod scheme;
mod scorer;
mod sentence_weights;
pub mod settings;
mod spans;
mod stream;
mod task;
mod tokenizer;
pub mod trace;
mod train;
mod training_config;
mod vote_weights;
mod worker;

pub use calibration::Calibration;
pub use checkpoint::Checkpoint;
pub use checksum::FORMAT_VERSION;
pub use decisions::{DECISIONS, Decision};
pub use description::{Description, Scores};
pub use error::{Error, ErrorKind, Position, Result};
#[doc(hidden)]
pub use file::with_checksum_repaired;
pub use file::{EncoderDescription, FileDescription, MemberDescription, describe, is_model};
pub use head_distribution::HeadDistribution;
pub use learners::{learners, readers};
pub use model::Model;
pub use observer::{Event, Observer, Unobserved};
pub use parsed::{Parsed, Word};
pub use plan::Plan;
pub use raw_text::{RawTextOptions, TextSentences, parse_raw_text};
pub use scheme::{SchemeDescription, coarse_tag};
pub use settings::{PRESETS, Settings};
pub use stream::{Flow, ParseOptions, SetAfterwards, Streamed, check_layout, parse_stream};
pub use train::{Trainer, train};
pub use training_config::TrainingConfig;
pub use worker::{Keep, Worker};

pub use quaich_text::segmenter::TextMode;
