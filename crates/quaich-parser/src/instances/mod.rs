//! Training instances for other programs: the states of the static oracle, one line per state, in the order of its decisions.
//!
//! [`training_instances`] outputs what a training run with the same settings learns from, with the same numbers; [`ModelInstances`]
//! outputs the instances of a trained model. [`MaltInstances`] outputs what `MaltParser` passes to its learners: every decision that is
//! not forced, with values numbered by first occurrence.

mod learned;
mod lines;
mod malt;
mod malt_run;

pub use learned::{ModelInstances, training_instances};
pub use lines::{Format, Lines};
pub use malt::MaltInstances;
pub use malt_run::MaltRun;

use std::io;

/// Receives lines; each classifier has its own list. The name is empty if there is only one.
pub trait Output {
    /// Receives a line of a classifier, without the line end.
    fn line(&mut self, classifier: &str, line: &str) -> io::Result<()>;
}

impl<F: FnMut(&str, &str) -> io::Result<()>> Output for F {
    fn line(&mut self, classifier: &str, line: &str) -> io::Result<()> {
        self(classifier, line)
    }
}
