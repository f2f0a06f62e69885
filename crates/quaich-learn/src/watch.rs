//! Those who watch a course: they show progress, judge passes, interrupt, keep what was done.

use std::cell::OnceCell;

use crate::arrays::Arrays;
use crate::learner::{Classifier, Course};

/// Someone who watches a course.
pub trait Watch: Sync {
    /// Told after every pass; says how good it was and what is to happen.
    fn pass(&self, _pass: &Pass<'_>) -> Verdict {
        Verdict::default()
    }

    /// What was kept of the same course, if it was interrupted before.
    fn kept(&self) -> Option<Arrays> {
        None
    }

    /// Keeps what was done so far, in place of what was kept before.
    fn keep(&self, _state: &Arrays) {}
}

/// Nobody watches.
impl Watch for () {}

/// What is known after a pass.
pub struct Pass<'a> {
    /// How many passes are done.
    pub done: usize,
    /// How many there will be.
    pub of: usize,
    /// The mean loss of the pass, whatever the learner calls so.
    pub loss: f64,
    course: &'a dyn Course,
    classifier: OnceCell<Box<dyn Classifier>>,
}

/// What is to happen after a pass.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Verdict {
    /// How good the classifier is. The best is the result, the later of two equals; without a score,
    /// the last.
    pub score: Option<f64>,
    /// Whether this was the last pass.
    pub stop: bool,
    /// Whether what was done so far is to be kept.
    pub keep: bool,
}

impl<'a> Pass<'a> {
    pub(crate) fn new(done: usize, of: usize, loss: f64, course: &'a dyn Course) -> Self {
        Self { done, of, loss, course, classifier: OnceCell::new() }
    }

    /// What has been learned so far; made when it is first asked for.
    pub fn classifier(&self) -> &dyn Classifier {
        &**self.classifier.get_or_init(|| self.course.classifier())
    }

    pub(crate) fn into_classifier(self) -> Box<dyn Classifier> {
        self.classifier.into_inner().unwrap_or_else(|| self.course.classifier())
    }
}

impl std::fmt::Debug for Pass<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { done, of, loss, .. } = self;
        f.debug_struct("Pass").field("done", done).field("of", of).field("loss", loss).finish_non_exhaustive()
    }
}
