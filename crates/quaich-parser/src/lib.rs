//! Training and parsing: the two loops and what surrounds them.
//!
//! [`train`](train::train) makes a [`Parser`] of a treebank; [`Parser::parse`] makes a tree of a sentence.
//! Learning itself is in `quaich-learn`, transition systems are in `quaich-transition`, and no file format
//! but the model's own is known here.

pub mod calibration;
pub mod checkpoint;
pub mod collect;
mod development;
pub mod engine;
pub mod error;
mod held_out;
mod index;
mod kernels;
pub mod label_table;
pub mod learners;
pub mod linear;
pub mod memory;
pub mod model;
pub mod model_file;
pub mod network_engine;
mod network_file;
mod online;
pub mod parser;
pub mod plan;
pub mod settings;
mod states;
pub mod stream;
pub mod trace;
pub mod train;
pub mod transition_table;
mod weights;

pub use checkpoint::Checkpoint;
pub use error::{Error, Result};
pub use learners::LEARNERS;
pub use model_file::{Description, LinearDescription, Scores, describe};
pub use network_file::{NetworkDescription, Sizes};
pub use parser::{Parser, Worker};
pub use settings::{PRESETS, Settings};
pub use stream::parse_stream;
pub use train::{Observer, TrainingData, Unobserved, train};
