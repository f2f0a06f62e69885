//! A linear classifier with Crammer and Singer's multiclass support vector machine, trained in the dual, one instance at a time (Keerthi
//! et al. 2008; LIBLINEAR's `-s 4`).
//!
//! Features are binary, so x·x is their number. One traversal of an instance's features updates all classes, and a step changes only the
//! weights of classes near the margin: with thousands of classes nearly all weights stay 0 and are not stored.
//!
//! An instance's weight multiplies the cost. If any of several classes is correct, the one with the highest score is used; of a
//! distribution, the most probable.

mod solver;
mod subproblem;

use std::cell::Cell;

use solver::{Care, Solver};

use crate::instances::Instances;
use crate::weights::Weights;

/// The parameters of training.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CrammerSingerParameters {
    /// The cost parameter C.
    pub c: f32,
    /// The number of epochs.
    pub epochs: usize,
    /// The random seed for the order of the instances.
    pub seed: u64,
}

impl Default for CrammerSingerParameters {
    fn default() -> Self {
        Self { c: 0.01, epochs: 8, seed: 1 }
    }
}

/// Trains weights. `go_on` is called after every epoch, `stops` more often: when it returns true, training ends. `None` if that is before
/// the end of the first epoch.
pub fn train(
    instances: &Instances,
    parameters: &CrammerSingerParameters,
    go_on: &dyn Fn() -> bool,
    stops: &dyn Fn() -> bool,
) -> Option<Weights> {
    let (n_features, n_classes) = (instances.n_features(), instances.n_classes());
    let is_dense = n_classes <= MOST_DENSE_CLASSES && n_features * n_classes <= MOST_DENSE_WEIGHTS;
    let mut solver = if is_dense {
        Solver::new(instances, parameters, Weights::dense(n_features, n_classes), Care::FEW_CLASSES)
    } else {
        Solver::new(instances, parameters, Weights::sparse(n_features, n_classes), Care::MANY_CLASSES)
    };
    for epoch in 0..parameters.epochs {
        let ended_early = Cell::new(false);
        solver.epoch(&|| {
            ended_early.set(ended_early.get() || stops());
            ended_early.get()
        });
        if ended_early.get() && epoch == 0 {
            return None;
        }
        if !go_on() {
            break;
        }
    }
    Some(solver.into_weights())
}

/// With more classes than this, rows are sparse. Measured with `benches/linear.rs`: at about this number both take the same time, and
/// dense rows more memory.
const MOST_DENSE_CLASSES: usize = 200;
/// Rows are also sparse with more weights than this, which take 600 MB.
const MOST_DENSE_WEIGHTS: usize = 150_000_000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::positions::Positions;
    use crate::targets::Right;

    /// The first value determines the class; the others are noise, often with repeated values.
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

    fn solve<'a>(
        instances: &'a Instances,
        parameters: &CrammerSingerParameters,
        weights: Weights,
        care: Care,
    ) -> Solver<'a> {
        let mut solver = Solver::new(instances, parameters, weights, care);
        for _ in 0..parameters.epochs {
            solver.epoch(&|| false);
        }
        solver
    }

    #[test]
    fn both_ways_to_keep_weights_come_to_the_same() {
        for n_classes in [1, 2, 3, 5, 8, 9, 40, 300] {
            for (c, care) in [(0.02, Care::FEW_CLASSES), (1.0, Care::FEW_CLASSES), (1.0, Care::MANY_CLASSES)]
            {
                let instances = toy(1000, n_classes);
                let parameters = CrammerSingerParameters { c, ..CrammerSingerParameters::default() };
                let (n_features, n_classes) = (instances.n_features(), instances.n_classes());
                let dense = solve(&instances, &parameters, Weights::dense(n_features, n_classes), care);
                let sparse = solve(&instances, &parameters, Weights::sparse(n_features, n_classes), care);
                // Sums are computed in the same order, so there are no rounding differences.
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
        let weights = train(
            &instances,
            &CrammerSingerParameters { c: 1.0, ..CrammerSingerParameters::default() },
            &|| true,
            &|| false,
        )
        .unwrap();
        let n_weights: usize =
            (0u32..).take(weights.n_features()).map(|i| weights.row(i).pairs().count()).sum();
        assert!(n_weights * 10 < weights.n_features() * weights.n_classes(), "{n_weights}");
    }

    #[test]
    fn a_stopped_run_visits_some_instances_only() {
        let instances = toy(3 * solver::VISITS_BEFORE_STOP, 3);
        let parameters = CrammerSingerParameters::default();
        assert!(train(&instances, &parameters, &|| true, &|| true).is_none(), "less than an epoch");
        // Three asks per epoch: stopped in the second one.
        let asked = Cell::new(0);
        let stops = || {
            asked.set(asked.get() + 1);
            asked.get() > 4
        };
        let weights = train(&instances, &parameters, &|| asked.get() < 4, &stops).unwrap();
        assert_eq!(asked.get(), 5);
        let mut solver = Solver::new(
            &instances,
            &parameters,
            Weights::dense(instances.n_features(), instances.n_classes()),
            Care::FEW_CLASSES,
        );
        solver.epoch(&|| false);
        assert_ne!(solver.weights(), &weights);
        let asked = Cell::new(0);
        solver.epoch(&|| {
            asked.set(asked.get() + 1);
            asked.get() == 2
        });
        assert_eq!(solver.weights(), &weights);
    }

    #[test]
    fn what_can_be_separated_is_separated() {
        for n_classes in [2, 3, 10, 250] {
            let instances = toy(2000, n_classes);
            let weights = train(
                &instances,
                &CrammerSingerParameters { c: 1.0, ..CrammerSingerParameters::default() },
                &|| true,
                &|| false,
            )
            .unwrap();
            let mut scores = vec![0.0; n_classes as usize];
            for i in 0..instances.len() {
                weights.score(instances.row(i), &mut scores);
                let best = (0..n_classes).max_by(|&a, &b| scores[a as usize].total_cmp(&scores[b as usize]));
                assert_eq!(instances.right(i), Right::Class(best.unwrap()));
            }
        }
    }
}
