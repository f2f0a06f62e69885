//! Instances → classifiers. This crate knows feature ids and classes; it does not know language,
//! and no other crate of the workspace is needed.

pub mod crammer_singer;
pub mod instances;
pub mod math;
pub mod network;
pub mod perceptron;
mod weights;

pub use instances::Instances;
pub use weights::Weights;
