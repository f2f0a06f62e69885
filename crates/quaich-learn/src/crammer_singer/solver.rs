//! The dual solver, one instance at a time.

use bytemuck::{Pod, Zeroable};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;

use super::CrammerSingerParameters;
use super::subproblem::{Space, Subproblem, highest};
use crate::instances::Instances;
use crate::rows::Rows;
use crate::targets::Right;
use crate::weights::Weights;

/// Weights and dual variables during training.
#[derive(Debug)]
pub(super) struct Solver<'a> {
    instances: &'a Instances,
    c: f32,
    care: Care,
    weights: Weights,
    /// One row per instance: its nonzero dual variables.
    duals: Rows<f32>,
    order: Vec<u32>,
    generator: Pcg64Mcg,
    patience: Vec<Patience>,
    gradient: Vec<f32>,
    space: Space,
}

/// The precision of each visit of an instance.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Care {
    /// The maximum number of classes that get a dual variable per visit.
    pub(super) newcomers: usize,
    /// Smaller violations of the optimality condition are ignored.
    pub(super) tolerance: f32,
}

impl Care {
    /// With few classes every subproblem is solved exactly.
    pub(super) const FEW_CLASSES: Self = Self { newcomers: usize::MAX, tolerance: 1e-3 };

    /// With many classes, nearly all have the same score for most instances, namely zero, and the exact solution would give each of them
    /// a tiny share of what the correct class gains, so that all weights would be nonzero. So a visit only adds the classes with the
    /// largest violations, as `LaRank` does (Bordes et al. 2007); remaining violations are found later if they exceed LIBLINEAR's own
    /// tolerance.
    pub(super) const MANY_CLASSES: Self = Self { newcomers: 4, tolerance: 0.1 };
}

/// How often an epoch asks whether to stop, in visits: some hundredths of a second.
pub(super) const VISITS_BEFORE_STOP: usize = 1 << 12;

/// How long an instance is skipped.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
struct Patience {
    /// The number of epochs to skip.
    calm: u8,
    /// The number of epochs still to skip.
    pause: u8,
}

impl<'a> Solver<'a> {
    /// `weights` must be zero.
    pub(super) fn new(
        instances: &'a Instances,
        parameters: &CrammerSingerParameters,
        weights: Weights,
        care: Care,
    ) -> Self {
        Self {
            instances,
            c: parameters.c,
            care,
            duals: Rows::new(instances.len()),
            order: (0u32..).take(instances.len()).collect(),
            generator: Pcg64Mcg::seed_from_u64(parameters.seed),
            patience: vec![Patience::default(); instances.len()],
            gradient: vec![0.0; weights.n_classes()],
            space: Space::default(),
            weights,
        }
    }

    #[cfg(test)]
    pub(super) fn weights(&self) -> &Weights {
        &self.weights
    }

    pub(super) fn into_weights(self) -> Weights {
        self.weights
    }

    /// Visits the instances once, in random order, or only some of them when `stops` returns true; returns the mean hinge loss of those
    /// that were visited.
    pub(super) fn epoch(&mut self, stops: &dyn Fn() -> bool) -> f64 {
        self.order.shuffle(&mut self.generator);
        let order = std::mem::take(&mut self.order);
        let (mut loss, mut total) = (0.0, 0.0);
        for (visited, &instance) in order.iter().enumerate() {
            if visited.is_multiple_of(VISITS_BEFORE_STOP) && stops() {
                break;
            }
            let instance = instance as usize;
            let weight = self.instances.weight(instance);
            total += f64::from(weight);
            let Patience { pause, .. } = &mut self.patience[instance];
            if *pause > 0 {
                *pause -= 1;
                continue;
            }
            let (lack, changed) = self.visit(instance, weight);
            loss += f64::from(lack * weight);
            let Patience { calm, pause } = &mut self.patience[instance];
            if changed {
                *calm = 0;
            } else {
                // Without a violation now, there will hardly be one in the next epoch.
                *calm = (*calm + 1).min(3);
                *pause = *calm - 1;
            }
        }
        self.order = order;
        loss / total.max(1.0)
    }

    /// Solves the subproblem of one instance; returns its hinge loss and whether anything changed.
    fn visit(&mut self, instance: usize, weight: f32) -> (f32, bool) {
        let row = self.instances.row(instance);
        self.weights.score(row, &mut self.gradient);
        let right = self.require_margins(instance);
        let best = highest(&self.gradient);
        let lack = best - self.gradient[right as usize];
        let c = self.c * weight;
        if row.is_empty() || c <= 0.0 {
            return (lack, false);
        }
        // A nonzero variable is below its limit, except that of the correct class at its limit.
        let duals = self.duals.get(instance);
        let of_right = duals.iter().find(|dual| dual.class == right).map_or(0.0, |dual| dual.value);
        let mut lowest = if of_right < c { self.gradient[right as usize] } else { f32::INFINITY };
        for dual in duals.iter().filter(|dual| dual.class != right) {
            lowest = lowest.min(self.gradient[dual.class as usize]);
        }
        if best - lowest <= self.care.tolerance {
            return (lack, false);
        }
        #[allow(clippy::cast_precision_loss, reason = "instances have some hundred features")]
        let square = row.len() as f32;
        for dual in duals {
            self.gradient[dual.class as usize] -= square * dual.value;
        }
        let problem = Subproblem { gradient: &self.gradient, right, c, square, duals };
        problem.solve(self.care.newcomers, &mut self.space);
        if self.space.steps.is_empty() {
            return (lack, false);
        }
        assert!(self.duals.replace(instance, &self.space.alphas), "memory ends before 2³² dual variables do");
        self.weights.add(row, &self.space.steps);
        (lack, true)
    }

    /// Turns scores into the gradient by adding 1 for wrong classes. Of several correct classes, uses the one with the highest score and
    /// ignores the others. Returns the correct class.
    fn require_margins(&mut self, instance: usize) -> u32 {
        let target = self.instances.right(instance);
        let right = target.best(&self.gradient);
        let score = self.gradient[right as usize];
        for gradient in &mut self.gradient {
            *gradient += 1.0;
        }
        if let Right::AnyOf(classes) = target {
            for &class in classes {
                self.gradient[class as usize] = f32::NEG_INFINITY;
            }
        }
        self.gradient[right as usize] = score;
        right
    }
}
