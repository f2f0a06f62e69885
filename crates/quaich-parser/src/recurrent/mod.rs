//! The learner `recurrent`: decisions over words in context, by an encoder that several parsers can share.

mod file;
mod model;
mod roles;
mod train;

pub(crate) use file::{NAME, load, read};
pub(crate) use model::RecurrentModel;
pub(crate) use train::{Setup, learn, steps, steps_with};
