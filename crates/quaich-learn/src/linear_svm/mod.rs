//! The learner `linear-svm`: linear classifiers with LIBLINEAR's parameters and results.
//!
//! ```text
//!   Problem ─┬─▶ CrammerSinger   all classes at once: subproblem.rs
//!            └─▶ OneVsRest       one hyperplane per class, eight at a time: lanes.rs
//!                 ├─ hinge.rs     support vector machines
//!                 └─ logistic.rs  logistic regression
//! ```
//!
//! The objective has a single optimum, so primal and dual solvers are equivalent; these are dual solvers, which are faster. They follow
//! the papers named in each file.
//!
//! [`crammer_singer`](crate::crammer_singer) solves Crammer and Singer's problem as well, but stops after a number of epochs; this one
//! stops at the optimum.

mod classifier;
mod crammer_singer;
mod hinge;
mod lanes;
mod logistic;
mod one_vs_rest;
mod order;
mod problem;
mod subproblem;
#[cfg(test)]
mod testing;

use classifier::LinearSvmClassifier;
use crammer_singer::CrammerSinger;
use hinge::Hinge;
use one_vs_rest::{Loss, OneVsRest};
use problem::Problem;

use crate::arrays::{Arrays, LoadError};
use crate::instances::Instances;
use crate::learner::{Classifier, ClassifierTrainer, Learner, Trainable};
use crate::setting::{Assignments, Setting, SettingError};

/// The learner.
#[derive(Debug)]
pub struct LinearSvm;

static SETTINGS: &[Setting] = &[
    Setting::choice("solver", &["crammer-singer", "l2-svm", "l1-svm", "logistic"], "objective and solver")
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
    Setting::number("c", 0.1, (1e-9, 1e9), "cost parameter C").option("-c", &[]),
    Setting::number("epsilon", 0.1, (1e-9, 1e9), "tolerance of the stopping criterion").option("-e", &[]),
    Setting::number("bias", -1.0, (-1e9, 1e9), "value of a constant feature, for the bias; none if negative")
        .option("-B", &[]),
    Setting::count("seed", 1, (0, u64::MAX), "random seed for the order of the instances"),
];

/// The solvers of LIBLINEAR that are available.
const NOT_HERE: &str = "LIBLINEAR's -s 0, 1, 2, 3, 4 and 7; not those that make weights few, -s 5 and 6, nor \
                        regression, -s 11, 12 and 13";

impl Learner for LinearSvm {
    fn name(&self) -> &'static str {
        "linear-svm"
    }

    fn about(&self) -> &'static str {
        "linear support vector machines and logistic regression (LIBLINEAR)"
    }

    fn settings(&self) -> &'static [Setting] {
        SETTINGS
    }

    fn check(&self, given: &Assignments) -> Result<Box<dyn Trainable>, SettingError> {
        let values = given.read(SETTINGS).map_err(|error| match error {
            SettingError::Invalid { name, found, expected } if name == "solver" => {
                SettingError::Invalid { name, found, expected: format!("{expected} ({NOT_HERE})") }
            }
            error => error,
        })?;
        Ok(Box::new(LinearSvmParameters {
            solver: match values.choice("solver") {
                "l2-svm" => Solver::OneVsRest(Loss::Hinge(Hinge::L2)),
                "l1-svm" => Solver::OneVsRest(Loss::Hinge(Hinge::L1)),
                "logistic" => Solver::OneVsRest(Loss::Logistic),
                _ => Solver::CrammerSinger,
            },
            c: values.rounded("c"),
            epsilon: values.rounded("epsilon"),
            bias: values.rounded("bias"),
            seed: values.count("seed"),
        }))
    }

    fn load(&self, arrays: &Arrays) -> Result<Box<dyn Classifier>, LoadError> {
        Ok(Box::new(LinearSvmClassifier::load(arrays)?))
    }
}

/// The objective and its solver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Solver {
    /// One problem for all classes.
    CrammerSinger,
    /// One problem per class.
    OneVsRest(Loss),
}

/// Checked settings.
#[derive(Clone, Copy, PartialEq, Debug)]
struct LinearSvmParameters {
    solver: Solver,
    c: f64,
    epsilon: f64,
    bias: f64,
    seed: u64,
}

impl Trainable for LinearSvmParameters {
    fn learner(&self) -> &'static dyn Learner {
        &LinearSvm
    }

    fn start<'a>(&self, instances: &'a Instances) -> Box<ClassifierTrainer<'a>> {
        let problem = Problem::new(instances, self.c, self.bias.max(0.0));
        match self.solver {
            Solver::CrammerSinger => Box::new(CrammerSinger::new(problem, self.epsilon, self.seed)),
            Solver::OneVsRest(loss) => Box::new(OneVsRest::new(problem, loss, self.epsilon, self.seed)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::{Epoch, Next, Supervisor};
    use crate::learner::learn;
    use crate::positions::Positions;
    use crate::scratch::Scratch;
    use crate::targets::Right;

    const SOLVERS: [&str; 4] = ["-s 4", "-s 1", "-s 3", "-s 7"];

    fn trainable(options: &str) -> Box<dyn Trainable> {
        let given = Assignments::from_options(options, SETTINGS).expect("options that there are");
        LinearSvm.check(&given).expect("values that can be")
    }

    fn train(options: &str, instances: &Instances) -> Box<dyn Classifier> {
        learn(&*trainable(options), instances, &mut ()).unwrap()
    }

    fn scores(classifier: &dyn Classifier, row: &[u32]) -> Vec<f32> {
        let mut scores = vec![f32::NAN; classifier.n_classes()];
        classifier.scores(row, &mut Scratch::default(), &mut scores);
        assert!(scores.iter().all(|score| score.is_finite()), "{scores:?}");
        scores
    }

    fn best(classifier: &dyn Classifier, row: &[u32]) -> u32 {
        let scores = scores(classifier, row);
        (0u32..).zip(scores).reduce(|best, next| if next.1 > best.1 { next } else { best }).unwrap().0
    }

    fn saved(classifier: &dyn Classifier) -> Arrays {
        let mut arrays = Arrays::default();
        classifier.save(&mut arrays);
        arrays
    }

    fn instances(n_features: u32, n_classes: usize, rows: &[(&[u32], u32)]) -> Instances {
        let mut instances = Instances::new(Positions::one(n_features), n_classes);
        for &(row, class) in rows {
            instances.push(row, Right::Class(class), 1.0);
        }
        instances
    }

    fn check_error(options: &str, expected: &str) {
        let given = Assignments::from_options(options, SETTINGS).expect("options that there are");
        assert_eq!(LinearSvm.check(&given).unwrap_err().to_string(), expected);
    }

    #[test]
    fn settings_are_those_of_liblinear() {
        assert_eq!(format!("{:?}", trainable("")), format!("{:?}", trainable("-s 4 -c 0.1 -e 0.1 -B -1")));
        assert_eq!(format!("{:?}", trainable("-s 2")), format!("{:?}", trainable("-s l2-svm")));
        assert_eq!(format!("{:?}", trainable("-s 0")), format!("{:?}", trainable("-s 7")));
        for solver in ["5", "6", "11", "12", "13"] {
            let expected = format!(
                "the setting `solver` must be one of crammer-singer, l2-svm, l1-svm, logistic ({NOT_HERE}); found `{solver}`"
            );
            check_error(&format!("-s {solver}"), &expected);
        }
        check_error("-c 0", "the setting `c` must be a number from 1e-9 to 1e9; found `0`");
    }

    #[test]
    fn small_problems_come_out_as_on_paper() {
        // Two orthogonal instances; their variables are independent.
        let instances = instances(2, 2, &[(&[0], 0), (&[1], 1)]);
        let weight = |options: &str| {
            let classifier = train(options, &instances);
            let scores = [0, 1].map(|feature| scores(&*classifier, &[feature]));
            assert_eq!(scores[0], [scores[1][1], scores[1][0]]);
            assert_eq!(scores[0][0].to_bits(), (-scores[0][1]).to_bits());
            f64::from(scores[0][0])
        };
        let check = |options: &str, expected: f64| {
            let found = weight(options);
            assert!((found - expected).abs() < 1e-6, "{options}: {found}, not {expected}");
        };
        // α at its upper bound.
        check("-s 3 -c 0.1 -e 1e-9", 0.1);
        // At a margin of 1.
        check("-s 3 -c 5 -e 1e-9", 1.0);
        // α (1 + 1 / 2C) = 1.
        check("-s 1 -c 0.1 -e 1e-9", 1.0 / 6.0);
        check("-s 2 -c 5 -e 1e-9", 1.0 / 1.1);
        // Both classes have the margin, so half of it is enough for each.
        check("-s 4 -c 0.1 -e 1e-9", 0.1);
        check("-s 4 -c 5 -e 1e-9", 0.5);
        // α + ln(α / (C − α)) = 0.
        let alpha = weight("-s 7 -c 3 -e 1e-9");
        assert!((alpha + (alpha / (3.0 - alpha)).ln()).abs() < 1e-6, "{alpha}");
        // Only a bias: two against one, at a margin of 1.
        let one = super::tests::instances(0, 2, &[(&[], 1), (&[], 1), (&[], 0)]);
        let scores = scores(&*train("-s 3 -c 100 -e 1e-9 -B 3", &one), &[]);
        assert!((scores[1] - 1.0).abs() < 1e-6, "{scores:?}");
    }

    #[test]
    fn what_can_be_separated_is_separated() {
        for solver in SOLVERS {
            for n_classes in [2, 3, 9, 40] {
                let instances = testing::separable(600, n_classes);
                let classifier = train(&format!("{solver} -c 10"), &instances);
                for i in 0..instances.len() {
                    let found = best(&*classifier, instances.row(i));
                    assert_eq!(instances.right(i), Right::Class(found), "{solver}");
                }
            }
        }
    }

    #[test]
    fn any_number_of_threads_gives_the_same_bytes() {
        let instances = testing::random(3, 500, 30);
        for solver in SOLVERS {
            let with = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| saved(&*train(solver, &instances)))
            };
            let one = with(1);
            assert_eq!(with(2), one, "{solver}");
            assert_eq!(with(4), one, "{solver}");
        }
    }

    #[test]
    fn classes_that_did_not_appear_never_win() {
        // Class 0 has an instance with zero weight.
        let mut some = instances(4, 5, &[(&[2], 3), (&[1], 1), (&[2, 3], 3), (&[3], 4)]);
        some.push(&[0], Right::Class(0), 0.0);
        for solver in SOLVERS {
            let classifier = train(solver, &some);
            for row in [&[0][..], &[], &[1, 2, 3], &[7]] {
                assert!([1, 3, 4].contains(&best(&*classifier, row)), "{solver}: {row:?}");
            }
            // A row without known features gets the class that occurred first.
            assert_eq!(best(&*classifier, &[]), 3, "{solver}");
            let scores = scores(&*classifier, &[]);
            assert!(scores[0] < -1e11 && scores[2] < -1e11, "{scores:?}");
        }
    }

    #[test]
    fn of_two_classes_the_second_wins_on_the_plane() {
        let two = instances(2, 2, &[(&[1], 1), (&[0], 0)]);
        for solver in &SOLVERS[1..] {
            assert_eq!(best(&*train(solver, &two), &[]), 0, "{solver}");
        }
        assert_eq!(best(&*train("-s 4", &two), &[]), 1);
    }

    #[test]
    fn little_is_enough() {
        for solver in SOLVERS {
            for options in [solver.to_owned(), format!("{solver} -B 1"), format!("{solver} -B 0")] {
                let none = train(&options, &instances(3, 2, &[]));
                assert_eq!(scores(&*none, &[0, 2]), [0.0, 0.0], "{options}");
                let one = train(&options, &instances(3, 4, &[(&[1], 2), (&[], 2), (&[0, 1], 2)]));
                assert_eq!([&[][..], &[0], &[2]].map(|row| best(&*one, row)), [2; 3], "{options}");
                let empty = train(&options, &instances(0, 3, &[(&[], 2), (&[], 1), (&[], 2), (&[], 0)]));
                assert_eq!(best(&*empty, &[]), 2, "{options}");
            }
        }
    }

    /// Stops after an epoch and keeps the checkpoint.
    struct Interrupting {
        after: usize,
        kept: Option<Arrays>,
    }

    impl Supervisor<Box<dyn Classifier>> for Interrupting {
        fn epoch(&mut self, epoch: &Epoch<'_, Box<dyn Classifier>>) -> Next {
            Next { score: None, stop: epoch.done == self.after }
        }

        fn stored(&self) -> Option<Arrays> {
            self.kept.clone()
        }

        fn stores(&self) -> bool {
            true
        }

        fn store(&mut self, state: &Arrays) {
            self.kept = Some(state.clone());
        }
    }

    #[test]
    fn an_interrupted_run_resumes_with_the_same_result() {
        // More blocks of hyperplanes than are trained per epoch.
        let instances = testing::separable(600, 150);
        for solver in SOLVERS {
            let trainable = trainable(&format!("{solver} -e 0.001"));
            let whole = saved(&*learn(&*trainable, &instances, &mut ()).unwrap());
            let mut supervisor = Interrupting { after: 1, kept: None };
            let part = saved(&*learn(&*trainable, &instances, &mut supervisor).unwrap());
            assert_ne!(part, whole, "{solver} takes more than an epoch");
            supervisor.after = usize::MAX;
            assert_eq!(saved(&*learn(&*trainable, &instances, &mut supervisor).unwrap()), whole, "{solver}");
        }
    }
}
