//! Dual coordinate descent in the explicit feature space of values and pairs of values, after Hsieh et al. (2008), "A dual coordinate
//! descent method for large-scale linear SVM", and Chang et al. (2010), "Training and testing low-degree polynomial data mappings via
//! linear SVM".
//!
//! ```text
//!   min ½ αᵀQα − Σα    0 ≤ αᵢ ≤ Cᵢ,  Q = yᵢyⱼ(K(xᵢ, xⱼ) + 1)
//! ```
//!
//! This is the problem that [`Smo`](super::smo) solves, except for the bias: here the bias is one more regularised weight, while LIBSVM's
//! is not regularised, which adds the condition Σ yα = 0. Without the condition, one α can change at a time, and a step costs as much as
//! one row has pairs, independent of the number of instances.
//!
//! Most pairs of values occur in only one instance. They do not affect other instances, so they need no weight, but only contribute to
//! the instance's kernel with itself.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg32;
use rayon::prelude::*;

use super::kernel::{Expansion, Kernel};
use super::keys::{Keys, pairs};
use super::problem::Problem;
use super::smo::Solution;
use crate::lists::Lists;

/// The maximum number of iterations over a pair's instances.
const MAX_PASSES: usize = 1000;

/// Pairs of values as features.
#[derive(Debug)]
pub(super) struct Features {
    expansion: Expansion,
    /// One list per instance: the numbers of its pairs that other instances share.
    pairs: Lists<u32>,
    n_pairs: usize,
    /// One per instance: the kernel with itself.
    itself: Vec<f64>,
    /// One per instance: the part of that which only it has.
    alone: Vec<f64>,
}

impl Features {
    pub(super) fn new(problem: &Problem, kernel: Kernel) -> Self {
        let expansion = kernel.expansion().unwrap_or(Expansion { constant: 0.0, single: 0.0, pair: 0.0 });
        let rows = || (0..problem.rows.len()).map(|i| problem.rows.get(i));
        let mut keys = Keys::new();
        if expansion.pair > 0.0 {
            let mut all: Vec<u64> = rows().flat_map(pairs).collect();
            all.par_sort_unstable();
            all.chunk_by(|a, b| a == b).filter(|same| same.len() > 1).for_each(|same| {
                keys.insert(same[0]);
            });
        }
        let (mut numbers, mut itself, mut alone) = (Lists::default(), Vec::new(), Vec::new());
        let mut shared = Vec::new();
        for row in rows() {
            shared.clear();
            shared.extend(pairs(row).filter_map(|key| keys.get(key)));
            numbers.push(&shared);
            let n_all = row.len() * row.len().saturating_sub(1) / 2;
            #[allow(clippy::cast_precision_loss, reason = "rows are short")]
            alone.push(expansion.pair * (n_all - shared.len().min(n_all)) as f64);
            itself.push(kernel.of_itself(row.len()));
        }
        if expansion.pair == 0.0 {
            alone.fill(0.0);
        }
        Self { expansion, pairs: numbers, n_pairs: keys.len(), itself, alone }
    }
}

/// A solver for all pairs of classes.
#[derive(Debug)]
pub(super) struct CoordinateDescent<'a> {
    problem: &'a Problem,
    features: &'a Features,
    epsilon: f64,
}

impl<'a> CoordinateDescent<'a> {
    pub(super) fn new(problem: &'a Problem, features: &'a Features, epsilon: f64) -> Self {
        Self { problem, features, epsilon }
    }

    /// Solves the problem of two classes. `space` has the weights, which are zero before and after.
    pub(super) fn solve(&self, space: &mut Vec<f64>, pair: (usize, usize)) -> Solution {
        let n_values = self.problem.n_features;
        space.resize(n_values + self.features.n_pairs, 0.0);
        let instances: Vec<usize> = self.problem.range(pair.0).chain(self.problem.range(pair.1)).collect();
        let n_first = self.problem.range(pair.0).len();
        let sign = |k: usize| if k < n_first { 1.0 } else { -1.0 };
        let mut alphas = vec![0.0; instances.len()];
        // Sums of yα, for the bias and the constant of the kernel.
        let mut total = 0.0;
        let mut active: Vec<usize> = (0..instances.len()).collect();
        let mut random = Pcg32::seed_from_u64((pair.0 as u64) << 32 | pair.1 as u64);
        let mut limits = (f64::INFINITY, f64::NEG_INFINITY);
        for _ in 0..MAX_PASSES {
            active.shuffle(&mut random);
            let (mut highest, mut lowest) = (f64::NEG_INFINITY, f64::INFINITY);
            let mut n_active = 0;
            for at in 0..active.len() {
                let k = active[at];
                let (instance, cost) = (instances[k], self.problem.costs[instances[k]]);
                let gradient = sign(k) * self.decision(space, instance, total)
                    + self.features.alone[instance] * alphas[k]
                    - 1.0;
                // Shrinking: variables at a bound with a large gradient are skipped for now.
                let (at_zero, at_cost) = (alphas[k] <= 0.0, alphas[k] >= cost);
                if at_zero && gradient > limits.0 || at_cost && gradient < limits.1 {
                    continue;
                }
                active[n_active] = k;
                n_active += 1;
                let projected = if at_zero {
                    gradient.min(0.0)
                } else if at_cost {
                    gradient.max(0.0)
                } else {
                    gradient
                };
                highest = highest.max(projected);
                lowest = lowest.min(projected);
                if projected.abs() > 1e-12 {
                    let curvature = self.features.itself[instance] + 1.0;
                    let alpha = (alphas[k] - gradient / curvature).clamp(0.0, cost);
                    let change = sign(k) * (alpha - alphas[k]);
                    alphas[k] = alpha;
                    total += change;
                    self.weights(instance, |weight| space[weight] += change);
                }
            }
            active.truncate(n_active);
            // Without active instances, there is nothing to solve.
            let is_solved = active.is_empty() || highest - lowest <= self.epsilon;
            if is_solved && active.len() == instances.len() {
                break;
            } else if is_solved {
                // The active instances are solved; check all of them.
                active.clear();
                active.extend(0..instances.len());
                limits = (f64::INFINITY, f64::NEG_INFINITY);
            } else {
                limits.0 = if highest > 0.0 { highest } else { f64::INFINITY };
                limits.1 = if lowest < 0.0 { lowest } else { f64::NEG_INFINITY };
            }
        }
        let margin = |k: usize| {
            let own = self.features.alone[instances[k]] * alphas[k];
            sign(k) * self.decision(space, instances[k], total) + own
        };
        let loss = (0..instances.len()).map(|k| (1.0 - margin(k)).max(0.0)).sum();
        let mut coefficients = Vec::new();
        for (k, &instance) in instances.iter().enumerate().filter(|&(k, _)| alphas[k] > 0.0) {
            let number = u32::try_from(instance).expect("instances have numbers of 32 bits");
            coefficients.push((number, sign(k) * alphas[k]));
            self.weights(instance, |weight| space[weight] = 0.0);
        }
        // Clears the weights of variables that returned to zero.
        for &instance in &instances {
            self.weights(instance, |weight| space[weight] = 0.0);
        }
        Solution { coefficients, rho: -total, loss }
    }

    /// The decision value of an instance, without its own pairs.
    fn decision(&self, space: &[f64], instance: usize, total: f64) -> f64 {
        let n_values = self.problem.n_features;
        let Expansion { constant, single, pair } = self.features.expansion;
        let values: f64 = self.problem.rows.get(instance).iter().map(|&value| space[value as usize]).sum();
        let pairs = self.features.pairs.get(instance).iter();
        let pairs: f64 = pairs.map(|&number| space[n_values + number as usize]).sum();
        single * values + pair * pairs + (constant + 1.0) * total
    }

    /// Calls `each` with every weight of an instance.
    fn weights(&self, instance: usize, mut each: impl FnMut(usize)) {
        let n_values = self.problem.n_features;
        self.problem.rows.get(instance).iter().for_each(|&value| each(value as usize));
        self.features.pairs.get(instance).iter().for_each(|&number| each(n_values + number as usize));
    }
}
