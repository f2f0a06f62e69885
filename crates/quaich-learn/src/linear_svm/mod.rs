//! The learner `linear-svm`: linear classifiers with LIBLINEAR's parameters and its answers.
//!
//! ```text
//!   Problem ─┬─▶ CrammerSinger   all classes at once: subproblem.rs
//!            └─▶ OneVsRest       a plane a class, eight at a time: lanes.rs
//!                 ├─ hinge.rs     support vector machines
//!                 └─ logistic.rs  logistic regression
//! ```
//!
//! What is minimised has one optimum, so it does not matter whether it is sought in the primal or the dual: here it is
//! always the dual, which takes less time. The solvers are those of the papers; each file says which.
//!
//! The learner [`linear`](crate::linear) has Crammer and Singer's problem as well, but stops after
//! some passes, wherever it is then; this one stops at the optimum.

mod classifier;
mod crammer_singer;
mod hinge;
mod lanes;
mod logistic;
mod one_vs_rest;
mod problem;
mod subproblem;

use classifier::LinearSvmClassifier;
use crammer_singer::CrammerSinger;
use hinge::Hinge;
use one_vs_rest::{Loss, OneVsRest};
use problem::Problem;

use crate::arrays::{Arrays, LoadError};
use crate::instances::Instances;
use crate::learner::{Classifier, Course, Learner, Trainable};
use crate::parameters::{Parameter, ParameterError, Parameters};

/// The learner.
#[derive(Debug)]
pub struct LinearSvm;

static PARAMETERS: &[Parameter] = &[
    Parameter::choice("solver", &["crammer-singer", "l2-svm", "l1-svm", "logistic"], "what is minimised")
        .option(
            "-s",
            &[
                ("0", "logistic"),
                ("1", "l2-svm"),
                ("2", "l2-svm"),
                ("3", "l1-svm"),
                ("4", "crammer-singer"),
                ("7", "logistic"),
            ],
        ),
    Parameter::number("c", 0.1, (1e-9, 1e9), "the cost of an error").option("-c", &[]),
    Parameter::number("epsilon", 0.1, (1e-9, 1e9), "how far from the optimum training may stop")
        .option("-e", &[]),
    Parameter::number("bias", -1.0, (-1e9, 1e9), "the value of a feature that is always on; below 0, none")
        .option("-B", &[]),
    Parameter::count("seed", 1, (0, u64::MAX), "fixes the order of the instances"),
];

/// What LIBLINEAR has and this has not.
const NOT_HERE: &str = "LIBLINEAR's -s 0, 1, 2, 3, 4 and 7; not those that make weights few, -s 5 and 6, nor \
                        regression, -s 11, 12 and 13";

impl Learner for LinearSvm {
    fn name(&self) -> &'static str {
        "linear-svm"
    }

    fn about(&self) -> &'static str {
        "linear support vector machines and logistic regression, as LIBLINEAR has them"
    }

    fn parameters(&self) -> &'static [Parameter] {
        PARAMETERS
    }

    fn check(&self, given: &Parameters) -> Result<Box<dyn Trainable>, ParameterError> {
        let values = given.checked(PARAMETERS).map_err(|error| match error {
            ParameterError::Invalid { name: "solver", found, expected } => ParameterError::Invalid {
                name: "solver",
                found,
                expected: format!("{expected} ({NOT_HERE})"),
            },
            error => error,
        })?;
        Ok(Box::new(Settings {
            solver: match values.choice("solver") {
                "l2-svm" => Solver::OneVsRest(Loss::Hinge(Hinge::L2)),
                "l1-svm" => Solver::OneVsRest(Loss::Hinge(Hinge::L1)),
                "logistic" => Solver::OneVsRest(Loss::Logistic),
                _ => Solver::CrammerSinger,
            },
            c: values.number("c"),
            epsilon: values.number("epsilon"),
            bias: values.number("bias"),
            seed: values.count("seed"),
        }))
    }

    fn load(&self, arrays: &Arrays) -> Result<Box<dyn Classifier>, LoadError> {
        Ok(Box::new(LinearSvmClassifier::load(arrays)?))
    }
}

/// What is minimised.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Solver {
    /// A problem for all classes.
    CrammerSinger,
    /// One for each.
    OneVsRest(Loss),
}

/// Checked parameters.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Settings {
    solver: Solver,
    c: f64,
    epsilon: f64,
    bias: f64,
    seed: u64,
}

impl Trainable for Settings {
    fn learner(&self) -> &'static dyn Learner {
        &LinearSvm
    }

    fn start<'a>(&self, instances: &'a Instances) -> Box<dyn Course + 'a> {
        let problem = Problem::new(instances, self.c, self.bias.max(0.0));
        match self.solver {
            Solver::CrammerSinger => Box::new(CrammerSinger::new(problem, self.epsilon, self.seed)),
            Solver::OneVsRest(loss) => Box::new(OneVsRest::new(problem, loss, self.epsilon, self.seed)),
        }
    }
}
