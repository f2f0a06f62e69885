//! One against the rest: one hyperplane per class, trained on all instances; the class with the highest decision value wins. Two classes
//! share one hyperplane.

use rayon::prelude::*;

use super::classifier::LinearSvmClassifier;
use super::hinge::{self, Hinge};
use super::lanes::{Block, LANES};
use super::logistic;
use super::problem::Problem;
use crate::arrays::Arrays;
use crate::fit::EpochTrainer;
use crate::learner::{Classifier, Learner};
use crate::step_rng::StepRng;

/// The loss of the hyperplanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Loss {
    /// A support vector machine.
    Hinge(Hinge),
    /// Logistic regression.
    Logistic,
}

/// Blocks of hyperplanes per epoch, trained in parallel. Training can only be interrupted between epochs.
const BLOCKS_PER_EPOCH: usize = 4;

/// Hyperplanes in training.
#[derive(Debug)]
pub(super) struct OneVsRest<'a> {
    problem: Problem<'a>,
    loss: Loss,
    epsilon: f64,
    seed: u64,
    blocks: Vec<Block>,
    /// One per finished block: its hyperplanes.
    done: Vec<Vec<Column>>,
}

/// The weights of a hyperplane by feature, followed by the bias.
type Column = Vec<f32>;

impl<'a> OneVsRest<'a> {
    pub(super) fn new(problem: Problem<'a>, loss: Loss, epsilon: f64, seed: u64) -> Self {
        let n_ranks = problem.classes().len();
        // Classes with similar frequencies need similar numbers of iterations, so they are trained together.
        let counts = problem.counts();
        let mut ranks: Vec<u32> = (0u32..).take(n_ranks).collect();
        ranks.sort_by_key(|&rank| std::cmp::Reverse(counts[rank as usize]));
        if n_ranks <= 2 {
            // Two classes share the hyperplane of the first; a single class needs none.
            ranks = if n_ranks == 2 { vec![0] } else { vec![] };
        }
        let blocks = ranks.chunks(LANES).map(|ranks| Block::new(ranks, n_ranks)).collect();
        Self { problem, loss, epsilon, seed, blocks, done: Vec::new() }
    }

    /// The hyperplanes of a block, and the maximum violation.
    fn solve(&self, number: usize) -> (Vec<Column>, f64) {
        let block = &self.blocks[number];
        let generator = StepRng::new(self.seed, 0).stream(number as u64);
        let (planes, left) = match self.loss {
            Loss::Hinge(hinge) => hinge::solve(&self.problem, hinge, self.epsilon, block, generator),
            Loss::Logistic => logistic::solve(&self.problem, self.epsilon, block, generator),
        };
        ((0..block.ranks().len()).map(|lane| planes.column(lane)).collect(), left)
    }
}

impl EpochTrainer for OneVsRest<'_> {
    type Model = Box<dyn Classifier>;

    fn n_epochs(&self) -> usize {
        self.blocks.len().div_ceil(BLOCKS_PER_EPOCH).max(1)
    }

    fn epoch(&mut self, _stop: &dyn Fn() -> bool) -> f64 {
        let first = self.done.len();
        let blocks = first..self.blocks.len().min(first + BLOCKS_PER_EPOCH);
        let found: Vec<_> = blocks.into_par_iter().map(|number| self.solve(number)).collect();
        let left = found.iter().map(|(_, left)| *left).fold(0.0, f64::max);
        self.done.extend(found.into_iter().map(|(columns, _)| columns));
        left
    }

    fn model(&self) -> Box<dyn Classifier> {
        let instances = self.problem.instances();
        let size = (instances.n_features(), instances.n_classes());
        let none = vec![0.0; instances.n_features() + 1];
        if let [class] = *self.problem.classes() {
            return Box::new(LinearSvmClassifier::new(size, [(class, &none[..])].into_iter()));
        }
        if let ([first, second], [columns]) = (self.problem.classes(), &self.done[..])
            && let [column] = &columns[..]
        {
            let negative: Column = column.iter().map(|weight| -weight).collect();
            // Ties go to the second class, as in LIBLINEAR.
            let columns = [(*second, &negative[..]), (*first, &column[..])];
            return Box::new(LinearSvmClassifier::new(size, columns.into_iter()));
        }
        let ranks = self.blocks.iter().zip(&self.done);
        let mut planes: Vec<(u32, &[f32])> = ranks
            .flat_map(|(block, columns)| block.ranks().iter().copied().zip(columns.iter().map(Vec::as_slice)))
            .collect();
        planes.sort_unstable_by_key(|&(rank, _)| rank);
        let columns =
            planes.into_iter().map(|(rank, column)| (self.problem.classes()[rank as usize], column));
        Box::new(LinearSvmClassifier::new(size, columns))
    }

    fn save(&self, arrays: &mut Arrays) {
        arrays.set("columns", &self.done.iter().flatten().flatten().copied().collect::<Vec<f32>>());
        arrays.set_one("n_blocks", self.done.len() as u64);
    }

    fn restore(&mut self, arrays: &Arrays) -> bool {
        let (Ok(n_blocks), Ok(weights)) = (arrays.one::<u64>("n_blocks"), arrays.get::<f32>("columns"))
        else {
            return false;
        };
        let Some(blocks) = usize::try_from(n_blocks).ok().and_then(|n| self.blocks.get(..n)) else {
            return false;
        };
        let n_rows = self.problem.instances().n_features() + 1;
        if weights.len() != n_rows * blocks.iter().map(|block| block.ranks().len()).sum::<usize>() {
            return false;
        }
        let mut columns = weights.chunks_exact(n_rows).map(<[f32]>::to_vec);
        self.done = blocks.iter().map(|block| columns.by_ref().take(block.ranks().len()).collect()).collect();
        true
    }

    fn load_model(&self, from: &Arrays) -> Option<Box<dyn Classifier>> {
        super::LinearSvm.load(from).ok()
    }
}
