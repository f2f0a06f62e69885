//! Kernel support vector machines: LIBSVM's C-SVC with its parameters and its results (Chang and Lin 2011), for binary features.
//!
//! ```text
//!   Instances ─▶ Problem ─▶ one solution per pair of classes ─▶ Machine ─▶ votes ─▶ scores
//!                Index      Smo, or CoordinateDescent         Expanded, Tournament
//! ```
//!
//! Each pair of classes has a decision function, a weighted sum of kernels with support vectors. It votes for one of the two classes, and
//! the class with the most votes wins.

mod cache;
mod coordinate_descent;
mod expanded;
mod index;
mod kernel;
mod keys;
mod machine;
mod problem;
mod smo;
mod tournament;
mod training;

use crate::arrays::{Arrays, LoadError};
use crate::learner::{Classifier, FeatureStyle, Learner, Trainable};
use crate::setting::{Assignments, Setting, SettingError, Values};
use expanded::{EXPAND, Expand};
use kernel::{FORMS, Form, Kernel};
pub use machine::{Machine, Sizes};
use smo::SolverParameters;
use training::SvmParameters;

/// The learner `svm`.
#[derive(Debug)]
pub struct Svm;

/// The algorithm that solves each pair's problem.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Algorithm {
    Smo,
    CoordinateDescent,
}

static SETTINGS: &[Setting] = &[
    // The defaults are the baseline of the MaltParser papers.
    Setting::choice("kernel", &["polynomial", "linear", "rbf"], "kernel function")
        .option("-t", &[("0", "linear"), ("1", "polynomial"), ("2", "rbf")]),
    Setting::count("degree", 2, (0, 20), "degree d of the polynomial kernel (γ x·y + r)^d").option("-d", &[]),
    Setting::number("gamma", 0.2, (0.0, 1e6), "factor γ of the kernel; 0 for one over the number of values")
        .option("-g", &[]),
    Setting::number("coef0", 0.0, (-1e6, 1e6), "constant r of the polynomial kernel").option("-r", &[]),
    Setting::number("c", 0.5, (1e-9, 1e9), "cost parameter C").option("-c", &[]),
    Setting::number("epsilon", 1.0, (1e-12, 1e9), "tolerance of the stopping criterion").option("-e", &[]),
    Setting::count("cache", 100, (0, 1 << 20), "kernel cache in megabytes per thread").option("-m", &[]),
    Setting::choice("shrinking", &["yes", "no"], "whether to use the shrinking heuristics")
        .option("-h", &[("0", "no"), ("1", "yes")]),
    Setting::choice(
        "trainer",
        &["auto", "smo", "coordinate-descent"],
        "training algorithm; coordinate-descent regularises the bias and needs a kernel of degree 2 at most",
    ),
    Setting::choice(
        "expand",
        &["auto", "yes", "no"],
        "whether to expand kernels into weights of pairs of values",
    ),
];

impl Learner for Svm {
    fn name(&self) -> &'static str {
        "svm"
    }

    fn about(&self) -> &'static str {
        "kernel support vector machines, one per pair of classes (LIBSVM's C-SVC)"
    }

    fn settings(&self) -> &'static [Setting] {
        SETTINGS
    }

    fn feature_style(&self) -> FeatureStyle {
        FeatureStyle::Values
    }

    fn check(&self, given: &Assignments) -> Result<Box<dyn Trainable>, SettingError> {
        Ok(Box::new(settings(&given.read(SETTINGS)?)?))
    }

    fn load(&self, arrays: &Arrays) -> Result<Box<dyn Classifier>, LoadError> {
        Ok(Box::new(Machine::load(arrays)?))
    }
}

fn settings(values: &Values) -> Result<SvmParameters, SettingError> {
    let named = |name: &str| FORMS.iter().find(|(word, _)| *word == name);
    let kernel = Kernel {
        form: named(values.choice("kernel")).map_or(Form::Polynomial, |&(_, form)| form),
        degree: u32::try_from(values.count("degree")).unwrap_or(u32::MAX),
        gamma: values.rounded("gamma"),
        coef0: values.rounded("coef0"),
    };
    let trainer = match values.choice("trainer") {
        "coordinate-descent" => Algorithm::CoordinateDescent,
        // `auto` is `smo`: it is faster with as many instances as treebanks have, and equals LIBSVM.
        _ => Algorithm::Smo,
    };
    let can_expand = kernel.expansion().is_some_and(|expansion| expansion.is_kernel());
    if trainer == Algorithm::CoordinateDescent && !can_expand {
        return Err(SettingError::Invalid {
            name: "trainer".to_owned(),
            found: values.choice("trainer").to_owned(),
            expected: "`auto` or `smo` unless the kernel is linear or a polynomial of degree 1 or 2 \
                       whose `coef0` is not negative"
                .to_owned(),
        });
    }
    let expand = EXPAND.iter().find(|(word, _)| *word == values.choice("expand"));
    Ok(SvmParameters {
        kernel,
        c: values.rounded("c"),
        parameters: SolverParameters {
            epsilon: values.rounded("epsilon"),
            shrinking: values.choice("shrinking") == "yes",
            cache_bytes: values.size("cache") << 20,
        },
        trainer,
        expand: expand.map_or(Expand::Auto, |&(_, expand)| expand),
    })
}

#[cfg(test)]
mod tests;
