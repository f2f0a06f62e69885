//! A linear model and networks that decide together.

mod file;
mod model;
mod train;

pub(crate) use file::{NAME, load};
pub use model::{Mixed, MixedScratch};
pub(crate) use train::learn;
