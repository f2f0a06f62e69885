//! A linear classifier by Crammer and Singer's multi-class support vector machine, trained in the
//! dual, one instance at a time (Keerthi et al. 2008; LIBLINEAR's `-s 4`).
//!
//! The features are binary, so x·x is their number. One sweep over an instance's features serves
//! every class, and a step changes only the weights of classes near the margin: with thousands of
//! classes nearly all weights stay 0, and nothing is kept for them.
//!
//! An instance counts by its weight: that times the cost. Where any of several classes is right, it
//! is the one that scores best when the instance is visited; of a distribution, the most probable.

mod solver;
mod subproblem;

use solver::{Care, Solver};

use crate::arrays::Arrays;
use crate::driver::learn;
use crate::instances::Instances;
use crate::learner::{Classifier, Course, Learner, Trainable};
use crate::linear::{Linear, LinearClassifier};
use crate::watch::Watch;
use crate::weights::Weights;

/// What the learner can be told.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settings {
    /// The cost of a violated margin.
    pub c: f32,
    /// How often the instances are gone through.
    pub passes: usize,
    /// Fixes the order of the instances.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { c: 0.01, passes: 8, seed: 1 }
    }
}

/// Learns weights.
///
/// # Panics
/// Never: the learner's classifier is a linear one.
pub fn train(instances: &Instances, settings: &Settings, watch: &dyn Watch) -> Weights {
    let classifier: Box<dyn std::any::Any> = learn(settings, instances, watch);
    let linear = classifier.downcast::<LinearClassifier>();
    linear.expect("what the course makes and what the learner loads is linear").into_weights()
}

impl Trainable for Settings {
    fn learner(&self) -> &'static dyn Learner {
        &Linear
    }

    fn start<'a>(&self, instances: &'a Instances) -> Box<dyn Course + 'a> {
        let (n_features, n_classes) = (instances.n_features(), instances.n_classes());
        let is_dense = n_classes <= MOST_DENSE_CLASSES && n_features * n_classes <= MOST_DENSE_WEIGHTS;
        let solver = if is_dense {
            Solver::new(instances, self, Weights::dense(n_features, n_classes), Care::FEW_CLASSES)
        } else {
            Solver::new(instances, self, Weights::sparse(n_features, n_classes), Care::MANY_CLASSES)
        };
        Box::new(Training { solver, n_passes: self.passes })
    }
}

/// With more classes than this, rows hold only the weights that there are. Measured with
/// `benches/linear.rs`: about here both take the same time, and dense rows more memory.
const MOST_DENSE_CLASSES: usize = 200;
/// With more weights than this as well: 600 MB are what a computer can spare.
const MOST_DENSE_WEIGHTS: usize = 150_000_000;

/// The solver under way.
#[derive(Debug)]
struct Training<'a> {
    solver: Solver<'a>,
    n_passes: usize,
}

impl Course for Training<'_> {
    fn n_passes(&self) -> usize {
        self.n_passes
    }

    fn pass(&mut self) -> f64 {
        self.solver.pass()
    }

    fn classifier(&self) -> Box<dyn Classifier> {
        Box::new(LinearClassifier::new(self.solver.weights().clone()))
    }

    fn finish(self: Box<Self>) -> Box<dyn Classifier> {
        Box::new(LinearClassifier::new(self.solver.into_weights()))
    }

    fn save(&self, arrays: &mut Arrays) {
        self.solver.save(arrays);
    }

    fn restore(&mut self, arrays: &Arrays) -> bool {
        self.solver.restore(arrays).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::positions::Positions;
    use crate::targets::Right;

    /// Class = the first value; the others are noise, some of them often the same.
    fn toy(n: usize, n_classes: u32) -> Instances {
        let mut instances = Instances::new(Positions::one(n_classes + 40), n_classes as usize);
        let mut state = 7u32;
        for _ in 0..n {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let class = (state >> 16) % n_classes;
            let noise = [(state >> 8) % 17, 17 + (state >> 20) % 23];
            instances.push(&[class, n_classes + noise[0], n_classes + noise[1]], Right::Class(class), 1.0);
        }
        instances
    }

    fn solve<'a>(instances: &'a Instances, settings: &Settings, weights: Weights, care: Care) -> Solver<'a> {
        let mut solver = Solver::new(instances, settings, weights, care);
        for _ in 0..settings.passes {
            solver.pass();
        }
        solver
    }

    #[test]
    fn both_ways_to_keep_weights_come_to_the_same() {
        for n_classes in [1, 2, 3, 5, 8, 9, 40, 300] {
            for (c, care) in [(0.02, Care::FEW_CLASSES), (1.0, Care::FEW_CLASSES), (1.0, Care::MANY_CLASSES)]
            {
                let instances = toy(1000, n_classes);
                let settings = Settings { c, ..Settings::default() };
                let (n_features, n_classes) = (instances.n_features(), instances.n_classes());
                let dense = solve(&instances, &settings, Weights::dense(n_features, n_classes), care);
                let sparse = solve(&instances, &settings, Weights::sparse(n_features, n_classes), care);
                // Sums are made in the same order, so not even rounding differs.
                assert_eq!(dense.weights(), sparse.weights());
                // Dual variables sum to 0, and so do the weights of a feature.
                for feature in (0u32..).take(n_features) {
                    let sum: f32 = sparse.weights().row(feature).pairs().map(|(_, weight)| weight).sum();
                    assert!(sum.abs() < 1e-4, "{sum}");
                }
            }
        }
    }

    #[test]
    fn with_many_classes_most_weights_stay_away() {
        let instances = toy(5000, 1000);
        let weights = train(&instances, &Settings { c: 1.0, ..Settings::default() }, &());
        let n_weights: usize =
            (0u32..).take(weights.n_features()).map(|i| weights.row(i).pairs().count()).sum();
        assert!(n_weights * 10 < weights.n_features() * weights.n_classes(), "{n_weights}");
    }

    #[test]
    fn what_can_be_separated_is_separated() {
        for n_classes in [2, 3, 10, 250] {
            let instances = toy(2000, n_classes);
            let weights = train(&instances, &Settings { c: 1.0, ..Settings::default() }, &());
            let mut scores = vec![0.0; n_classes as usize];
            for i in 0..instances.len() {
                weights.score(instances.row(i), &mut scores);
                let best = (0..n_classes).max_by(|&a, &b| scores[a as usize].total_cmp(&scores[b as usize]));
                assert_eq!(instances.right(i), Right::Class(best.unwrap()));
            }
        }
    }
}
