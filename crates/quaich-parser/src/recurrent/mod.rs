//! The learner `recurrent`: decisions over encoded words. Several parsers can share the encoder.

mod file;
mod heads;
mod model;
mod roles;
mod train;

pub(crate) use file::{NAME, load, read};
pub(crate) use heads::learn_heads;
pub(crate) use model::RecurrentModel;
pub(crate) use train::{Setup, learn, steps, steps_with};
