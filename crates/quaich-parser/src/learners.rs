//! The learners by name: what the setting `learner` can be.

use quaich_transition::systems::System;

use crate::calibration::Calibration;
use crate::collect::Example;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::online;
use crate::train::Trainer;

/// A way to make a parser's engine from trees.
#[derive(Debug)]
pub struct Learner {
    /// The name.
    pub name: &'static str,
    /// One line of help.
    pub about: &'static str,
    /// Learns, and says how sure the engine may be of what it does.
    pub(crate) train: Train,
}

type Train = fn(&Trainer<'_>, &dyn System, &[&Example]) -> Result<(Engine, Calibration)>;

/// The learners, in the order help shows them.
pub static LEARNERS: &[Learner] = &[
    Learner {
        name: "linear+network",
        about: "the default: a linear model and a network decide together",
        train: |trainer, system, examples| trainer.linear_and_network(system, examples),
    },
    Learner {
        name: "linear",
        about: "a linear model: a support vector machine on all states, also explored ones",
        train: |trainer, system, examples| trainer.linear_alone(system, examples),
    },
    Learner {
        name: "perceptron",
        about: "a linear model learned online: no state is kept, so little memory is enough",
        train: online::train,
    },
    Learner {
        name: "network",
        about: "a feed-forward network: the fastest parser",
        train: |trainer, system, examples| trainer.network_alone(system, examples),
    },
];

/// The learner of this name.
pub(crate) fn by_name(name: &str) -> Result<&'static Learner> {
    LEARNERS
        .iter()
        .find(|learner| learner.name == name)
        .ok_or_else(|| Error::unknown_name("learner", name, LEARNERS.iter().map(|learner| learner.name)))
}
