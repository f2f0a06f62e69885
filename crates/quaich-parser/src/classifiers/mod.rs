//! Any instance-based learner of `quaich-learn` as a parser's decoder: symbolic features, and one classifier per question, or several if
//! the data are split by a feature. Slower than the other learners, but works with every one of `quaich-learn`.

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
