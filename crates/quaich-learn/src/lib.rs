//! Training classifiers from instances. This crate knows only numbered values and classes, no language, and depends on no other crate of
//! the workspace.
//!
//! ```text
//!   Assignments ─▶ Learner ─▶ Trainable ─▶ EpochTrainer ─▶ Classifier ─▶ scores
//!                            Instances ──▶   ▲
//!                                   learn, Supervisor
//! ```
//!
//! To add a learner, copy `_template.rs` to `NAME.rs`, and add its `mod` line and its entry in [`LEARNERS`].

mod adam;
mod arrays;
#[cfg(test)]
mod conformance;
pub mod crammer_singer;
pub mod encoder;
mod fit;
mod instances;
mod kernels;
mod learner;
pub mod linear_svm;
mod lists;
mod loss;
pub mod math;
pub mod mcle;
pub mod memory;
pub mod network;
mod output;
pub mod perceptron;
mod positions;
mod rows;
mod scratch;
mod setting;
mod step_rng;
pub mod svm;
mod targets;
mod weights;

pub use arrays::{Arrays, LoadError};
pub use fit::{Epoch, EpochTrainer, Next, Persist, Supervisor, fit};
pub use instances::Instances;
pub use learner::{Classifier, ClassifierTrainer, FeatureStyle, Learner, Trainable, learn};
pub use positions::Positions;
pub use rows::Entry;
pub use scratch::Scratch;
pub use setting::{Assignments, Kind, Scale, Setting, SettingError, Value, Values};
pub use targets::{Right, Targets};
pub use weights::{Row, Weights};

/// The learners, in the order that help shows them.
pub static LEARNERS: &[&dyn Learner] = &[&linear_svm::LinearSvm, &svm::Svm, &memory::Memory, &mcle::Mcle];

/// Looks up a learner by name.
pub fn learner(name: &str) -> Option<&'static dyn Learner> {
    LEARNERS.iter().copied().find(|learner| learner.name() == name)
}
