//! Training instances for other programs: the states of the static oracle, a line each, in the order of its decisions.
//!
//! [`training_instances`] are what a training with the same settings learns from, with its numbers; [`ModelInstances`] have those of a
//! model that was trained. In `MaltParser`'s manner they are what it gives to its learners ([`MaltInstances`]): every decision that is not forced, with
//! numbers in the order in which values are first seen.

mod learned;
mod lines;
mod malt;
mod malt_run;

pub use learned::{ModelInstances, training_instances};
pub use lines::{Format, Lines};
pub use malt::MaltInstances;
pub use malt_run::MaltRun;

use std::io;

/// Who takes lines: one list a classifier. The name is empty where there is but one.
pub trait Output {
    /// Takes a line of a classifier, without its end.
    fn line(&mut self, classifier: &str, line: &str) -> io::Result<()>;
}

impl<F: FnMut(&str, &str) -> io::Result<()>> Output for F {
    fn line(&mut self, classifier: &str, line: &str) -> io::Result<()> {
        self(classifier, line)
    }
}
