//! Training: an independent problem per pair of classes, solved in parallel.

use rayon::prelude::*;

use super::coordinate_descent::{CoordinateDescent, Features};
use super::expanded::Expand;
use super::index::{Count, Index};
use super::kernel::Kernel;
use super::machine::Machine;
use super::problem::Problem;
use super::smo::{Smo, Solution, SolverParameters, Space};
use super::{Algorithm, Svm};
use crate::arrays::Arrays;
use crate::fit::EpochTrainer;
use crate::instances::Instances;
use crate::learner::{Classifier, ClassifierTrainer, Learner, Trainable};

/// Checked settings.
#[derive(Clone, Debug)]
pub(super) struct SvmParameters {
    /// A γ of 0 stands for one over the number of values.
    pub(super) kernel: Kernel,
    pub(super) c: f64,
    pub(super) parameters: SolverParameters,
    pub(super) trainer: Algorithm,
    pub(super) expand: Expand,
}

impl Trainable for SvmParameters {
    fn learner(&self) -> &'static dyn Learner {
        &Svm
    }

    fn start<'a>(&self, instances: &'a Instances) -> Box<ClassifierTrainer<'a>> {
        Box::new(Training { settings: self.clone(), instances, machine: None })
    }
}

/// A training run of one epoch: a machine with only some pairs is useless.
#[derive(Debug)]
struct Training<'a> {
    settings: SvmParameters,
    instances: &'a Instances,
    machine: Option<Machine>,
}

impl Training<'_> {
    fn train(&self) -> (Machine, f64) {
        let settings = &self.settings;
        let mut kernel = settings.kernel;
        #[allow(clippy::cast_precision_loss, reason = "numbers of values are small enough")]
        if kernel.gamma == 0.0 {
            kernel.gamma = 1.0 / self.instances.n_features().max(1) as f64;
        }
        let problem = Problem::new(self.instances, settings.c);
        let solutions = match settings.trainer {
            Algorithm::Smo => {
                let index = Index::new(&problem.rows, problem.n_features);
                let smo = Smo::new(&problem, &index, kernel, settings.parameters);
                if smo.fits_bytes() { solve::<u8>(&problem, &smo) } else { solve::<u16>(&problem, &smo) }
            }
            Algorithm::CoordinateDescent => {
                let features = Features::new(&problem, kernel);
                let descent = CoordinateDescent::new(&problem, &features, settings.parameters.epsilon);
                in_parallel(&problem, Vec::new, |space, pair| descent.solve(space, pair))
            }
        };
        // In the order of pairs, so that the sum does not depend on threads.
        let loss: f64 = solutions.iter().map(|solution| solution.loss).sum();
        let n_instances = problem.rows.len() * problem.n_ranks().saturating_sub(1);
        #[allow(clippy::cast_precision_loss, reason = "the mean is only reported")]
        let mean = loss / n_instances.max(1) as f64;
        let machine = Machine::new(&problem, kernel, &solutions, settings.expand);
        (machine, if mean.is_finite() { mean } else { 0.0 })
    }
}

fn solve<T: Count>(problem: &Problem, smo: &Smo<'_>) -> Vec<Solution> {
    in_parallel(problem, Space::<T>::default, |space, pair| smo.solve(space, pair))
}

/// The solutions of all pairs, in order. Large pairs are solved first, to balance the threads.
fn in_parallel<S: Send>(
    problem: &Problem,
    space: impl Fn() -> S + Sync + Send,
    solve: impl Fn(&mut S, (usize, usize)) -> Solution + Sync + Send,
) -> Vec<Solution> {
    let pairs: Vec<(usize, usize)> = problem.pairs().collect();
    let size = |&at: &usize| problem.range(pairs[at].0).len() + problem.range(pairs[at].1).len();
    let mut order: Vec<usize> = (0..pairs.len()).collect();
    order.sort_by_key(|at| std::cmp::Reverse(size(at)));
    let solved: Vec<Solution> =
        order.par_iter().with_max_len(1).map_init(space, |space, &at| solve(space, pairs[at])).collect();
    let mut solutions: Vec<(usize, Solution)> = order.into_iter().zip(solved).collect();
    solutions.sort_unstable_by_key(|(at, _)| *at);
    solutions.into_iter().map(|(_, solution)| solution).collect()
}

impl EpochTrainer for Training<'_> {
    type Model = Box<dyn Classifier>;

    fn n_epochs(&self) -> usize {
        1
    }

    fn epoch(&mut self, _stop: &dyn Fn() -> bool) -> f64 {
        let (machine, loss) = self.train();
        self.machine = Some(machine);
        loss
    }

    fn model(&self) -> Box<dyn Classifier> {
        Box::new(self.machine.clone().unwrap_or_else(|| self.train().0))
    }

    fn finish(self: Box<Self>) -> Box<dyn Classifier> {
        match self.machine {
            Some(machine) => Box::new(machine),
            None => self.model(),
        }
    }

    fn load_model(&self, from: &Arrays) -> Option<Box<dyn Classifier>> {
        Svm.load(from).ok()
    }
}
