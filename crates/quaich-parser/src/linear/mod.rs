//! The linear model: trained as a support vector machine or online; at inference, weights are in hash tables.

mod file;
mod index;
mod model;
mod narrow;
pub(crate) mod online;
mod prune;
mod states;
mod train;
mod weights;
mod wide;

pub(crate) use file::{NAME, load, read};
pub(crate) use model::{Linear, LinearScratch};
pub(crate) use train::{Setup, learn, n_folds, steps};
