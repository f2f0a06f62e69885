//! What a learner is: parameters → trainable → course → classifier.
//!
//! ```text
//!   Learner     an entry of LEARNERS          name, help, parameters
//!   Trainable   with its parameters checked   cannot be invalid
//!   Course      learning from instances       pass by pass, can be saved between two
//!   Classifier  what was learned              scores for all classes, can be saved
//! ```
//!
//! A learner says these four things and nothing else: progress, interruption, resuming and the
//! choice of the best pass are in [`learn`](crate::learn()), once for all.

use std::any::Any;
use std::fmt::Debug;

use crate::arrays::{Arrays, LoadError};
use crate::instances::Instances;
use crate::parameters::{Parameter, ParameterError, Parameters};
use crate::scratch::Scratch;

/// What rows a learner does best with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Appetite {
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
    fn parameters(&self) -> &'static [Parameter];

    /// What rows it does best with.
    fn appetite(&self) -> Appetite {
        Appetite::Conjunctions
    }

    /// Takes what it is told, or says what is wrong with it. [`Parameters::checked`] does most of it.
    fn check(&self, given: &Parameters) -> Result<Box<dyn Trainable>, ParameterError>;

    /// A classifier that was saved. Whatever the arrays hold, this does not panic, nor does the
    /// classifier later.
    fn load(&self, arrays: &Arrays) -> Result<Box<dyn Classifier>, LoadError>;
}

/// A learner with checked parameters.
pub trait Trainable: Debug + Send + Sync {
    /// Whose parameters they are.
    fn learner(&self) -> &'static dyn Learner;

    /// Whether rows of so many positions can be learned from with these parameters.
    fn fits(&self, _n_positions: usize) -> Result<(), ParameterError> {
        Ok(())
    }

    /// Begins to learn.
    fn start<'a>(&self, instances: &'a Instances) -> Box<dyn Course + 'a>;
}

/// Learning under way.
///
/// The same instances and parameters lead to the same classifier, whatever the number of threads,
/// and whether or not the course was saved and restored in between.
pub trait Course {
    /// How many passes there will be. A course that finds itself done may say fewer than before.
    fn n_passes(&self) -> usize {
        1
    }

    /// Goes through the instances once; returns the mean loss, whatever the learner calls so.
    fn pass(&mut self) -> f64;

    /// What has been learned so far.
    fn classifier(&self) -> Box<dyn Classifier>;

    /// What has been learned, when nothing more will be: need not copy anything.
    fn finish(self: Box<Self>) -> Box<dyn Classifier> {
        self.classifier()
    }

    /// Saves all that another course with the same parameters and instances needs to go on from here.
    fn save(&self, _arrays: &mut Arrays) {}

    /// Goes on from where a course was saved; says whether it can. What cannot starts again.
    fn restore(&mut self, _arrays: &Arrays) -> bool {
        false
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
