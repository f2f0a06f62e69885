//! Any learner of `quaich-learn` as a parser's decoder: features by name, a classifier per question, or several
//! where the data are split by a feature's value. Not the fastest way to parse, but the one that every learner has.

mod file;
mod model;
mod split;
mod states;
mod train;

pub(crate) use file::load;
pub(crate) use model::{Classifiers, ClassifiersScratch, QuestionClassifiers};
pub(crate) use split::{MASTER, Parts};
pub(crate) use states::{Instance, States, SymbolicRecorder};
pub(crate) use train::{learn, steps};
