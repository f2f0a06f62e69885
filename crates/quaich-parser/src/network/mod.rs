//! The feed-forward network: trained on slots; inference uses integer arithmetic.

pub(crate) mod attributes;
mod bundles;
mod file;
mod model;
pub(crate) mod slots;
mod train;

pub(crate) use file::{NAME, load, read};
pub(crate) use model::NetworkModel;
pub(crate) use train::{Setup, learn, steps, steps_with};
