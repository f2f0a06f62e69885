//! The learner `network`: a feed-forward network whose slots are the positions of instances.
//!
//! A position with several values is the sum of their vectors. A position without any that training
//! knew is [`UNKNOWN`](super::UNKNOWN), which is also what forgotten values become: training prepares
//! for values that it does not know.

use super::Settings;
use super::classifier::NetworkClassifier;
use super::course::NetworkCourse;
use crate::arrays::{Arrays, LoadError};
use crate::instances::Instances;
use crate::learner::{Classifier, Course, Learner, Trainable};
use crate::parameters::{Parameter, ParameterError, Parameters};

/// The learner `network`.
#[derive(Debug)]
pub struct FeedForward;

/// The most hidden units.
pub(super) const MAX_HIDDEN: usize = 4096;
/// The most hidden units for every number of a vector: with more the rows of values, which classifiers work out when
/// they are loaded, would be out of proportion to the file.
pub(super) const MAX_RATIO: usize = 64;

static PARAMETERS: &[Parameter] = &[
    Parameter::count("hidden", 128, (1, MAX_HIDDEN as u64), "how many hidden units there are"),
    Parameter::count("width", 32, (1, 1024), "how long the vectors of values are at most"),
    Parameter::count(
        "passes",
        0,
        (0, 100_000),
        "how often the instances are gone through; 0: by their number",
    ),
    Parameter::count(
        "batch",
        0,
        (0, 1 << 20),
        "instances between two changes of the weights; 0: by their number",
    ),
    Parameter::number("rate", 0.002, (1e-6, 1.0), "the highest learning rate"),
    Parameter::number("dropout", 0.3, (0.0, 0.9), "the part of the hidden units that is left out at random"),
    Parameter::number(
        "forgetting",
        0.1,
        (0.0, 0.9),
        "the part of the values that is taken for unknown at random",
    ),
    Parameter::number(
        "rare",
        2.0,
        (0.0, 1e6),
        "a value seen n times is also forgotten in rare of rare + n cases",
    ),
    Parameter::number(
        "decay",
        0.0,
        (0.0, 1.0),
        "how much of each weight is forgotten at every change, times the rate",
    ),
    Parameter::number(
        "smoothing",
        0.0,
        (0.0, 0.9),
        "the part of what is right that is spread over all classes",
    ),
    Parameter::count("seed", 1, (0, u64::MAX), "fixes all that is random"),
];

impl Learner for FeedForward {
    fn name(&self) -> &'static str {
        "network"
    }

    fn about(&self) -> &'static str {
        "a feed-forward network with one hidden layer over vectors of values (Chen and Manning)"
    }

    fn parameters(&self) -> &'static [Parameter] {
        PARAMETERS
    }

    fn check(&self, given: &Parameters) -> Result<Box<dyn Trainable>, ParameterError> {
        let values = given.checked(PARAMETERS)?;
        if values.size("hidden") > MAX_RATIO * values.size("width") {
            return Err(ParameterError::Invalid {
                name: "hidden",
                found: values.size("hidden").to_string(),
                expected: format!("at most {MAX_RATIO} for each number of `width`"),
            });
        }
        Ok(Box::new(Design {
            hidden: values.size("hidden"),
            width: values.size("width"),
            rare: values.float("rare"),
            settings: Settings {
                passes: values.size("passes"),
                batch: values.size("batch"),
                rate: values.float("rate"),
                dropout: values.float("dropout"),
                forgetting: values.float("forgetting"),
                decay: values.float("decay"),
                smoothing: values.float("smoothing"),
                seed: values.count("seed"),
            },
        }))
    }

    fn load(&self, arrays: &Arrays) -> Result<Box<dyn Classifier>, LoadError> {
        Ok(Box::new(NetworkClassifier::load(arrays)?))
    }
}

/// What a network is to be like, and how it is trained.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Design {
    /// How many hidden units there are.
    pub(super) hidden: usize,
    /// How long vectors are, unless there are fewer values.
    pub(super) width: usize,
    /// A value seen `n` times is forgotten with probability `rare / (rare + n)`.
    pub(super) rare: f32,
    /// How it is trained; no passes and a batch of none are left to the number of instances.
    pub(super) settings: Settings,
}

/// As many changes of the weights as there are at least, whatever the number of instances.
const LEAST_STEPS: usize = 2000;

impl Design {
    /// How a network is trained on so many instances.
    pub(super) fn settings_for(&self, n_instances: usize) -> Settings {
        let batch = match self.settings.batch {
            0 => (n_instances / 256).clamp(16, 512),
            batch => batch,
        };
        let passes = match self.settings.passes {
            0 => LEAST_STEPS.div_ceil(n_instances.div_ceil(batch).max(1)).clamp(8, 100),
            passes => passes,
        };
        Settings { passes, batch, ..self.settings }
    }
}

impl Trainable for Design {
    fn learner(&self) -> &'static dyn Learner {
        &FeedForward
    }

    fn start<'a>(&self, instances: &'a Instances) -> Box<dyn Course + 'a> {
        Box::new(NetworkCourse::new(self, instances))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_instances_are_gone_through_more_often() {
        let design = Design {
            hidden: 1,
            width: 1,
            rare: 0.0,
            settings: Settings { passes: 0, ..Settings::default() },
        };
        let check = |n_instances: usize, passes: usize, batch: usize| {
            let settings = design.settings_for(n_instances);
            assert_eq!((settings.passes, settings.batch), (passes, batch), "{n_instances} instances");
        };
        check(0, 100, 16);
        check(100, 100, 16);
        check(2000, 16, 16);
        check(50_000, 8, 195);
        check(1_000_000, 8, 512);
    }

    #[test]
    fn defaults_can_be_checked_and_nonsense_is_refused() {
        assert!(FeedForward.check(&Parameters::default()).is_ok());
        let error = FeedForward.check(&Parameters::default().with("hidden", "0")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the parameter `hidden` cannot be `0`; it is a whole number from 1 to 4096"
        );
    }
}
