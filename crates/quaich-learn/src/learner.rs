//! What a learner is: settings → trainable → course → classifier.
//!
//! ```text
//!   Learner     an entry of LEARNERS          name, help, settings
//!   Trainable   with its settings checked     cannot be invalid
//!   EpochTrainer      learning from instances       epoch by epoch, can be saved between two
//!   Classifier  what was learned              scores for all classes, can be saved
//! ```
//!
//! A learner says these four things and nothing else: progress, interruption, resuming and the
//! choice of the best epoch are in [`fit`](crate::fit()), once for all.

use std::any::Any;
use std::fmt::Debug;

use crate::arrays::{Arrays, LoadError};
use crate::fit::{EpochTrainer, Persist, Supervisor, fit};
use crate::instances::Instances;
use crate::scratch::Scratch;
use crate::setting::{Assignments, Setting, SettingError};

/// What rows a learner does best with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FeatureStyle {
    /// Values and conjunctions of them: it cannot find out by itself what goes together.
    Conjunctions,
    /// Single values, as many as say something.
    Values,
    /// So few values that whole rows are met again.
    Few,
}

/// A way to make classifiers: an entry of [`LEARNERS`](crate::LEARNERS).
pub trait Learner: Debug + Sync {
    /// The name, as on the command line and in model files.
    fn name(&self) -> &'static str;

    /// One line of help.
    fn about(&self) -> &'static str;

    /// What it can be told.
    fn settings(&self) -> &'static [Setting];

    /// What rows it does best with.
    fn feature_style(&self) -> FeatureStyle {
        FeatureStyle::Conjunctions
    }

    /// Takes what it is told, or says what is wrong with it. [`Assignments::read`] does most of it.
    fn check(&self, given: &Assignments) -> Result<Box<dyn Trainable>, SettingError>;

    /// A classifier that was saved. Whatever the arrays hold, this does not panic, nor does the
    /// classifier later.
    fn load(&self, arrays: &Arrays) -> Result<Box<dyn Classifier>, LoadError>;
}

/// Learning from instances.
pub type ClassifierTrainer<'a> = dyn EpochTrainer<Model = Box<dyn Classifier>> + 'a;

/// A learner with checked settings.
pub trait Trainable: Debug + Send + Sync {
    /// Whose settings they are.
    fn learner(&self) -> &'static dyn Learner;

    /// Whether rows of so many positions can be learned from with these settings.
    fn fits(&self, _n_positions: usize) -> Result<(), SettingError> {
        Ok(())
    }

    /// Begins to learn.
    fn start<'a>(&self, instances: &'a Instances) -> Box<ClassifierTrainer<'a>>;
}

/// Learns from instances. The result is the classifier of the epoch that the supervisor finds best, or of the last.
pub fn learn(
    trainable: &dyn Trainable,
    instances: &Instances,
    supervisor: &mut dyn Supervisor<Box<dyn Classifier>>,
) -> Box<dyn Classifier> {
    fit(|| trainable.start(instances), supervisor)
}

impl Persist for Box<dyn Classifier> {
    fn save(&self, into: &mut Arrays) {
        (**self).save(into);
    }
}

/// What was learned.
pub trait Classifier: Any + Debug + Send + Sync {
    /// The number of classes.
    fn n_classes(&self) -> usize;

    /// The score of every class for a row of values; the highest wins. Values that training did not
    /// know are as if they were not there.
    ///
    /// # Panics
    /// When there is not one score a class.
    fn scores(&self, row: &[u32], scratch: &mut Scratch, scores: &mut [f32]);

    /// The scores of the two best of the `wanted` classes, which is what a decision and its margin need: no other of them
    /// has a higher score than it should, nor one as high as theirs unless it should. Classifiers for which that is less work than to score all classes say how.
    ///
    /// # Panics
    /// When there is not one score a class, or a class is wanted that there is not.
    fn leading_scores(&self, row: &[u32], _wanted: &[u32], scratch: &mut Scratch, scores: &mut [f32]) {
        self.scores(row, scratch, scores);
    }

    /// Saves everything, for [`Learner::load`].
    fn save(&self, arrays: &mut Arrays);
}
