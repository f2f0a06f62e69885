//! The interface of a learner: settings → trainable → trainer → classifier.
//!
//! ```text
//!   Learner       an entry of LEARNERS        name, help, settings
//!   Trainable     a learner with settings      always valid
//!   EpochTrainer  trains on instances          can be saved between epochs
//!   Classifier    the trained model            scores all classes, can be saved
//! ```
//!
//! Learners implement only these four; progress, interruption, resuming and choosing the best epoch are implemented once in
//! [`fit`](crate::fit()).

use std::any::Any;
use std::fmt::Debug;

use crate::arrays::{Arrays, LoadError};
use crate::fit::{EpochTrainer, Persist, Supervisor, fit};
use crate::instances::Instances;
use crate::scratch::Scratch;
use crate::setting::{Assignments, Setting, SettingError};

/// The kind of rows that suits a learner.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FeatureStyle {
    /// Values and conjunctions of them: it cannot combine features by itself.
    Conjunctions,
    /// Single values, as many as are informative.
    Values,
    /// So few values that whole rows recur.
    Few,
}

/// A learning algorithm for classifiers: an entry of [`LEARNERS`](crate::LEARNERS).
pub trait Learner: Debug + Sync {
    /// The name, as on the command line and in model files.
    fn name(&self) -> &'static str;

    /// One line of help.
    fn about(&self) -> &'static str;

    /// Its settings.
    fn settings(&self) -> &'static [Setting];

    /// The kind of rows that suits it.
    fn feature_style(&self) -> FeatureStyle {
        FeatureStyle::Conjunctions
    }

    /// Checks settings. [`Assignments::read`] does most of the work.
    fn check(&self, given: &Assignments) -> Result<Box<dyn Trainable>, SettingError>;

    /// Loads a classifier. For any content of the arrays, neither this nor the classifier panics.
    fn load(&self, arrays: &Arrays) -> Result<Box<dyn Classifier>, LoadError>;
}

/// A trainer of classifiers.
pub type ClassifierTrainer<'a> = dyn EpochTrainer<Model = Box<dyn Classifier>> + 'a;

/// A learner with checked settings.
pub trait Trainable: Debug + Send + Sync {
    /// The learner.
    fn learner(&self) -> &'static dyn Learner;

    /// Checks that rows with this number of positions can be learned with these settings.
    fn fits(&self, _n_positions: usize) -> Result<(), SettingError> {
        Ok(())
    }

    /// Starts training.
    fn start<'a>(&self, instances: &'a Instances) -> Box<ClassifierTrainer<'a>>;
}

/// Trains on instances. Returns the classifier of the best epoch according to the supervisor, or of the last one; `None` if training was
/// stopped before the end of the first epoch.
pub fn learn(
    trainable: &dyn Trainable,
    instances: &Instances,
    supervisor: &mut dyn Supervisor<Box<dyn Classifier>>,
) -> Option<Box<dyn Classifier>> {
    fit(|| Some(trainable.start(instances)), supervisor)
}

impl Persist for Box<dyn Classifier> {
    fn save(&self, into: &mut Arrays) {
        (**self).save(into);
    }
}

/// A trained classifier.
pub trait Classifier: Any + Debug + Send + Sync {
    /// The number of classes.
    fn n_classes(&self) -> usize;

    /// Scores every class for a row of values; the highest wins. Values that were unknown in training are ignored.
    ///
    /// # Panics
    /// If `scores` does not have one entry per class.
    fn scores(&self, row: &[u32], scratch: &mut Scratch, scores: &mut [f32]);

    /// Scores only the two best of the `wanted` classes, which is enough for a choice and its margin: no other wanted class gets a higher
    /// score than its own, or one as high as theirs unless it is a tie. Classifiers for which this is faster than scoring all classes
    /// override it.
    ///
    /// # Panics
    /// If `scores` does not have one entry per class, or a wanted class does not exist.
    fn leading_scores(&self, row: &[u32], _wanted: &[u32], scratch: &mut Scratch, scores: &mut [f32]) {
        self.scores(row, scratch, scores);
    }

    /// Saves everything, for [`Learner::load`].
    fn save(&self, arrays: &mut Arrays);
}
