//! Mixtures of a linear model and a network.

mod file;
mod model;
mod train;

pub(crate) use file::{WITH_NETWORK, WITH_RECURRENT, load_with_network, load_with_recurrent};
pub(crate) use train::{learn_with_network, learn_with_recurrent, steps_with_network, steps_with_recurrent};
