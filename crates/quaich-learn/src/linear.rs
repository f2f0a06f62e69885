//! Linear classifiers: a weight for every value and class; the scores are sums of weights.

use crate::arrays::{Arrays, LoadError};
use crate::crammer_singer;
use crate::learner::{Classifier, Learner, Trainable};
use crate::parameters::{Parameter, ParameterError, Parameters};
use crate::scratch::Scratch;
use crate::weights::Weights;

/// The learner `linear`: a support vector machine by [`crammer_singer`].
#[derive(Debug)]
pub struct Linear;

static PARAMETERS: &[Parameter] = &[
    Parameter::number("c", 0.01, (1e-9, 1e9), "the cost of a violated margin"),
    Parameter::count("passes", 8, (1, 100_000), "how often the instances are gone through"),
    Parameter::count("seed", 1, (0, u64::MAX), "fixes the order of the instances"),
];

impl Learner for Linear {
    fn name(&self) -> &'static str {
        "linear"
    }

    fn about(&self) -> &'static str {
        "a linear support vector machine for all classes at once (Crammer and Singer)"
    }

    fn parameters(&self) -> &'static [Parameter] {
        PARAMETERS
    }

    fn check(&self, given: &Parameters) -> Result<Box<dyn Trainable>, ParameterError> {
        let values = given.checked(PARAMETERS)?;
        Ok(Box::new(crammer_singer::Settings {
            c: values.float("c"),
            passes: values.size("passes"),
            seed: values.count("seed"),
        }))
    }

    fn load(&self, arrays: &Arrays) -> Result<Box<dyn Classifier>, LoadError> {
        Ok(Box::new(LinearClassifier::new(Weights::load(arrays)?)))
    }
}

/// Weights as a classifier.
#[derive(Clone, PartialEq, Debug)]
pub struct LinearClassifier {
    weights: Weights,
}

impl LinearClassifier {
    /// A classifier with these weights.
    pub fn new(weights: Weights) -> Self {
        Self { weights }
    }

    /// Its weights.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// Its weights.
    pub fn into_weights(self) -> Weights {
        self.weights
    }
}

impl Classifier for LinearClassifier {
    fn n_classes(&self) -> usize {
        self.weights.n_classes()
    }

    fn scores(&self, row: &[u32], _scratch: &mut Scratch, scores: &mut [f32]) {
        self.weights.score(row, scores);
    }

    fn save(&self, arrays: &mut Arrays) {
        self.weights.save(arrays);
    }
}
