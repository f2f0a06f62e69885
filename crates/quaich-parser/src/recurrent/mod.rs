//! Words in context: a recurrent encoder reads the sentence once, and every decision adds up what a few of its
//! words say.

mod cache;
mod file;
mod lexicon;
mod model;
mod roles;
mod sizes;
mod train;

pub(crate) use file::{NAME, load, read};
pub(crate) use model::MOST_NETWORKS;
pub use model::{RecurrentModel, RecurrentScratch};
pub(crate) use train::{REHEARSAL, RecurrentTraining, learn_together, passes};
