//! One class against the rest: a plane for every class, found from all instances; the class wins on whose
//! side of its plane an instance lies farthest. With two classes one plane tells them apart.

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

/// What makes a plane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Loss {
    /// A support vector machine.
    Hinge(Hinge),
    /// Logistic regression.
    Logistic,
}

/// How many blocks of planes a pass finds, in parallel. Training can be interrupted only in between.
const BLOCKS_PER_EPOCH: usize = 4;

/// Planes being found.
#[derive(Debug)]
pub(super) struct OneVsRest<'a> {
    problem: Problem<'a>,
    loss: Loss,
    epsilon: f64,
    seed: u64,
    blocks: Vec<Block>,
    /// By block that is done, its planes.
    done: Vec<Vec<Column>>,
}

/// The weights of a plane, by feature; at last what is always added.
type Column = Vec<f32>;

impl<'a> OneVsRest<'a> {
    pub(super) fn new(problem: Problem<'a>, loss: Loss, epsilon: f64, seed: u64) -> Self {
        let n_ranks = problem.classes().len();
        // Classes that are as frequent take as many passes, so they go together.
        let counts = problem.counts();
        let mut ranks: Vec<u32> = (0u32..).take(n_ranks).collect();
        ranks.sort_by_key(|&rank| std::cmp::Reverse(counts[rank as usize]));
        if n_ranks <= 2 {
            // The plane of the first class serves for the second; and what is alone needs none.
            ranks = if n_ranks == 2 { vec![0] } else { vec![] };
        }
        let blocks = ranks.chunks(LANES).map(|ranks| Block::new(ranks, n_ranks)).collect();
        Self { problem, loss, epsilon, seed, blocks, done: Vec::new() }
    }

    /// The planes of a block; and the most that is left of the optimum.
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
            // What lies on the plane goes to the second, as in LIBLINEAR.
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
