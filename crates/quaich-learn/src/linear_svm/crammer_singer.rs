//! Crammer and Singer's support vector machine for all classes at once, in the dual, one instance at a time (Keerthi et al. 2008, and
//! LIBLINEAR's `-s 4`).
//!
//! The weights minimise
//!
//! ```text
//!   ½ Σ wₘ·wₘ + C Σ max(0, 1 + wₘ·x − wᵣ·x)      over instances, r the correct class, m the worst other
//! ```
//!
//! An instance has one dual variable αₘ per class, and wₘ = Σ αₘ x. The violation of an instance is the difference between the highest
//! gradient and the lowest gradient of a variable below its limit.
//!
//! Shrinking: classes at their limits with a gradient below that lowest one are skipped until the rest is close to the optimum. Then all
//! are checked again, until no violation exceeds ε.
//!
//! Training stops before the optimum, and where it stops depends on the path. So it follows LIBLINEAR step by step: the order of
//! instances, the shrinking of classes and instances, and the checks of all of them.
//!
//! One difference: with very many classes, only a few at a time get a new dual variable. Initially all wrong classes have the same score,
//! and each would get a share that it soon loses again. The optimum is the same.

use super::classifier::LinearSvmClassifier;
use super::order::Shuffler;
use super::problem::Problem;
use super::subproblem::{Candidate, beta};
use crate::arrays::{Arrays, LoadError};
use crate::fit::EpochTrainer;
use crate::learner::{Classifier, Learner};
use crate::rows::{Entry, Rows};

/// Iterations per epoch: checkpoints are stored only between epochs.
const ITERATIONS_PER_EPOCH: usize = 10;
/// The maximum number of iterations, as in LIBLINEAR.
const MAX_ITERATIONS: u64 = 100_000;
/// With more classes than this, only [`NEWCOMERS`] of those without a dual variable get one per visit.
const MANY_CLASSES: usize = 256;
const NEWCOMERS: usize = 8;
/// Smaller steps are skipped.
const MIN_STEP: f64 = 1e-12;
/// Weights that are summed together.
const PART: usize = 8;

/// The active classes of an instance: all, those that have not been shrunk, or those without the correct one, which has been shrunk as
/// well.
const WHOLE: u8 = 0;
const NARROW: u8 = 1;
const WRONG_ONES: u8 = 2;

/// Weights and dual variables during training.
#[derive(Debug)]
pub(super) struct CrammerSinger<'a> {
    problem: Problem<'a>,
    epsilon: f64,
    shuffler: Shuffler,
    weights: Weights,
    /// One row per instance: the dual variables of active classes and of the correct class; if all classes are active, the nonzero ones.
    duals: Rows<f64>,
    /// One per instance: [`WHOLE`], [`NARROW`] or [`WRONG_ONES`].
    scopes: Vec<u8>,
    /// Starts with the active instances.
    order: Vec<u32>,
    n_active: usize,
    /// All classes and instances are checked again when violations are below this.
    near: f64,
    was_complete: bool,
    n_rounds: u64,
    is_done: bool,
    gradient: Vec<f64>,
    candidates: Vec<Candidate>,
    sorted: Vec<f64>,
    entries: Vec<Entry<f64>>,
    steps: Vec<(u32, f64)>,
}

/// Indexed by feature, with the constant feature last: one weight per class.
#[derive(Debug)]
struct Weights {
    values: Vec<[f64; PART]>,
    n_parts: usize,
    n_features: usize,
    bias: f64,
}

impl<'a> CrammerSinger<'a> {
    pub(super) fn new(problem: Problem<'a>, epsilon: f64, seed: u64) -> Self {
        let n_instances = problem.instances().len();
        // A single class needs no training.
        let mut order = if problem.classes().len() > 1 { problem.counted() } else { Vec::new() };
        // Grouped by class, as in LIBLINEAR.
        order.sort_by_key(|&instance| problem.rank(instance));
        Self {
            weights: Weights::new(&problem),
            epsilon,
            shuffler: Shuffler::new(seed),
            duals: Rows::new(n_instances),
            scopes: vec![WHOLE; n_instances],
            n_active: order.len(),
            order,
            near: (10.0 * epsilon).max(1.0),
            was_complete: true,
            n_rounds: 0,
            is_done: false,
            gradient: vec![0.0; problem.classes().len().next_multiple_of(PART)],
            candidates: Vec::new(),
            sorted: Vec::new(),
            entries: Vec::new(),
            steps: Vec::new(),
            problem,
        }
    }

    /// Visits the active instances once; returns the maximum violation.
    fn iterate(&mut self) -> f64 {
        let mut order = std::mem::take(&mut self.order);
        self.shuffler.shuffle(&mut order[..self.n_active]);
        let (mut at, mut left) = (0, 0.0);
        while at < self.n_active {
            if let Some(violation) = self.visit(order[at]) {
                left = f64::max(left, violation);
                at += 1;
            } else {
                self.n_active -= 1;
                order.swap(at, self.n_active);
            }
        }
        self.order = order;
        self.n_rounds += 1;
        if left >= self.near {
            self.was_complete = false;
        } else if left < self.epsilon && self.was_complete {
            self.is_done = true;
        } else {
            self.n_active = self.order.len();
            self.scopes.fill(WHOLE);
            self.near = (self.near / 2.0).max(self.epsilon);
            self.was_complete = true;
        }
        left
    }

    /// Solves the subproblem of one instance; returns its violation, or `None` if the instance can be skipped.
    fn visit(&mut self, instance: u32) -> Option<f64> {
        let problem = &self.problem;
        let (row, right, cost) = (problem.row(instance), problem.rank(instance), problem.cost(instance));
        let square = problem.square(row);
        if square <= 0.0 {
            return Some(0.0);
        }
        let is_many = problem.classes().len() > MANY_CLASSES;
        let scope = self.scopes[instance as usize];
        self.candidates.clear();
        if scope == WHOLE {
            self.see_all(instance);
        } else {
            let duals = self.duals.get(instance as usize);
            let seen = duals.iter().filter(|dual| scope == NARROW || dual.class != right);
            self.candidates.extend(seen.map(|dual| {
                let (margin, limit) = if dual.class == right { (0.0, cost) } else { (1.0, 0.0) };
                let gradient = self.weights.product(margin, row, dual.class);
                Candidate { rank: dual.class, alpha: dual.value, limit, gradient }
            }));
        }
        let highest = self.candidates.iter().map(|it| it.gradient).fold(f64::NEG_INFINITY, f64::max);
        let below = self.candidates.iter().filter(|it| it.alpha < it.limit);
        let lowest = below.map(|it| it.gradient).fold(f64::INFINITY, f64::min);
        let violation = highest - lowest;
        // At its limit, the correct class has all of the cost.
        let mut of_right = if scope == WRONG_ONES { Some(cost) } else { None };
        self.candidates.retain(|it| {
            let stays = it.alpha < it.limit || it.gradient >= lowest;
            if !stays && it.rank == right {
                of_right = Some(it.alpha);
            }
            stays
        });
        let mut is_whole = false;
        if is_many && scope == WHOLE {
            let is_new = |it: &&Candidate| it.rank != right && it.alpha >= it.limit;
            if self.candidates.iter().filter(is_new).count() > NEWCOMERS {
                is_whole = true;
                keep_highest(&mut self.candidates, right, NEWCOMERS);
            }
        }
        // A single variable cannot move.
        let can_move = self.candidates.len() > 1;
        if can_move && violation > MIN_STEP {
            let beta = beta(&self.candidates, square, cost, &mut self.sorted);
            self.steps.clear();
            for candidate in &mut self.candidates {
                let best = candidate.best(square, beta);
                let step = best - candidate.alpha;
                candidate.alpha = best;
                if step.abs() >= MIN_STEP {
                    self.steps.push((candidate.rank, step));
                }
            }
            self.weights.add(row, &self.steps);
        }
        self.entries.clear();
        let entries = self.candidates.iter().filter(|it| !is_whole || it.alpha != 0.0);
        self.entries.extend(entries.map(|it| Entry { class: it.rank, value: it.alpha }));
        if let Some(value) = of_right {
            let at = self.entries.partition_point(|entry| entry.class < right);
            self.entries.insert(at, Entry { class: right, value });
        }
        let is_kept = self.duals.replace(instance as usize, &self.entries);
        assert!(is_kept, "memory ends before 2³² dual variables do");
        self.scopes[instance as usize] = match (is_whole, of_right) {
            (true, _) => WHOLE,
            (false, None) => NARROW,
            (false, Some(_)) => WRONG_ONES,
        };
        can_move.then_some(violation.max(0.0))
    }

    /// Turns all classes of an instance into candidates.
    fn see_all(&mut self, instance: u32) {
        let problem = &self.problem;
        let (row, right, cost) = (problem.row(instance), problem.rank(instance), problem.cost(instance));
        self.gradient.fill(1.0);
        self.gradient[right as usize] = 0.0;
        self.weights.add_products(row, &mut self.gradient);
        let mut known = self.duals.get(instance as usize).iter().peekable();
        for (rank, &gradient) in (0u32..).zip(&self.gradient[..problem.classes().len()]) {
            let alpha = known.next_if(|dual| dual.class == rank).map_or(0.0, |dual| dual.value);
            let limit = if rank == right { cost } else { 0.0 };
            self.candidates.push(Candidate { rank, alpha, limit, gradient });
        }
    }

    fn load(&mut self, arrays: &Arrays) -> Result<(), LoadError> {
        let n_instances = self.problem.instances().len();
        let duals = Rows::load(&arrays.part("duals"), self.problem.classes().len())?;
        let mut order: Vec<u32> = arrays.get_exactly("order", self.order.len())?;
        let n_active = usize::try_from(arrays.one::<u64>("n_active")?).unwrap_or(usize::MAX);
        let values = arrays.get_exactly("weights", self.weights.values.len())?;
        let scopes = arrays.get_exactly("scopes", n_instances)?;
        let shuffler = Shuffler::load(arrays)?;
        let mut sorted = order.clone();
        sorted.sort_unstable();
        if sorted != self.problem.counted() && !sorted.is_empty()
            || n_active > order.len()
            || duals.len() != n_instances
        {
            return Err(LoadError::unfit("order", "belongs to other instances"));
        }
        self.near = arrays.one("near")?;
        let [was_complete, is_done]: [u8; 2] = arrays.one("state")?;
        (self.was_complete, self.is_done) = (was_complete != 0, is_done != 0);
        self.n_rounds = arrays.one("n_rounds")?;
        self.weights.values = values;
        std::mem::swap(&mut self.order, &mut order);
        (self.duals, self.scopes, self.n_active, self.shuffler) = (duals, scopes, n_active, shuffler);
        Ok(())
    }
}

impl EpochTrainer for CrammerSinger<'_> {
    type Model = Box<dyn Classifier>;

    fn n_epochs(&self) -> usize {
        let n_rounds = if self.is_done { self.n_rounds } else { MAX_ITERATIONS };
        usize::try_from(n_rounds).unwrap_or(usize::MAX).div_ceil(ITERATIONS_PER_EPOCH)
    }

    fn epoch(&mut self, _stop: &dyn Fn() -> bool) -> f64 {
        let mut left = 0.0;
        for _ in 0..ITERATIONS_PER_EPOCH {
            if !self.is_done {
                left = self.iterate();
            }
        }
        left
    }

    fn model(&self) -> Box<dyn Classifier> {
        let instances = self.problem.instances();
        let columns: Vec<Vec<f32>> =
            (0u32..).zip(self.problem.classes()).map(|(rank, _)| self.weights.column(rank)).collect();
        let columns = self.problem.classes().iter().copied().zip(columns.iter().map(Vec::as_slice));
        Box::new(LinearSvmClassifier::new((instances.n_features(), instances.n_classes()), columns))
    }

    fn save(&self, arrays: &mut Arrays) {
        let mut duals = Arrays::default();
        self.duals.save(&mut duals);
        arrays.nest("duals", duals);
        arrays.set("order", &self.order);
        arrays.set_one("n_active", self.n_active as u64);
        arrays.set("weights", &self.weights.values);
        arrays.set("scopes", &self.scopes);
        self.shuffler.save(arrays);
        arrays.set_one("near", self.near);
        arrays.set_one("state", [u8::from(self.was_complete), u8::from(self.is_done)]);
        arrays.set_one("n_rounds", self.n_rounds);
    }

    fn restore(&mut self, arrays: &Arrays) -> bool {
        self.load(arrays).is_ok()
    }

    fn load_model(&self, from: &Arrays) -> Option<Box<dyn Classifier>> {
        super::LinearSvm.load(from).ok()
    }
}

impl Weights {
    fn new(problem: &Problem<'_>) -> Self {
        let (n_parts, n_features) =
            (problem.classes().len().div_ceil(PART), problem.instances().n_features());
        Self {
            values: vec![[0.0; PART]; (n_features + 1) * n_parts],
            n_parts,
            n_features,
            bias: problem.bias(),
        }
    }

    /// Adds the scores of all classes, in LIBLINEAR's order of additions.
    fn add_products(&self, row: &[u32], sums: &mut [f64]) {
        let of_bias = &self.values[self.n_features * self.n_parts..];
        let (sums, _) = sums.as_chunks_mut::<PART>();
        for (part, sums) in sums.iter_mut().enumerate() {
            let mut held = *sums;
            for &feature in row {
                for (sum, weight) in held.iter_mut().zip(&self.values[feature as usize * self.n_parts + part])
                {
                    *sum += weight;
                }
            }
            for (sum, weight) in held.iter_mut().zip(&of_bias[part]) {
                *sum += self.bias * weight;
            }
            *sums = held;
        }
    }

    /// A margin plus the score of one class.
    #[inline]
    fn product(&self, margin: f64, row: &[u32], rank: u32) -> f64 {
        let (part, place) = (rank as usize / PART, rank as usize % PART);
        let weight = |feature: usize| self.values[feature * self.n_parts + part][place];
        let sum = row.iter().fold(margin, |sum, &feature| sum + weight(feature as usize));
        sum + self.bias * weight(self.n_features)
    }

    /// Adds multiples of an instance to the weights of some classes.
    fn add(&mut self, row: &[u32], steps: &[(u32, f64)]) {
        for &feature in row {
            let weights = self.values[feature as usize * self.n_parts..][..self.n_parts].as_flattened_mut();
            for &(rank, step) in steps {
                weights[rank as usize] += step;
            }
        }
        if self.bias > 0.0 {
            let weights = self.values[self.n_features * self.n_parts..].as_flattened_mut();
            for &(rank, step) in steps {
                weights[rank as usize] += self.bias * step;
            }
        }
    }

    /// The weights of a class by feature, followed by the bias.
    fn column(&self, rank: u32) -> Vec<f32> {
        let (part, place) = (rank as usize / PART, rank as usize % PART);
        #[allow(clippy::cast_possible_truncation, reason = "as precise as classifiers are")]
        let single = |weight: f64| weight as f32;
        let mut column: Vec<f32> = self
            .values
            .iter()
            .skip(part)
            .step_by(self.n_parts)
            .map(|weights| single(weights[place]))
            .collect();
        if let Some(last) = column.last_mut() {
            *last = single(f64::from(*last) * self.bias);
        }
        column
    }
}

/// Keeps only the wrong classes at their limits with the highest gradients, the first ones if several are equal.
fn keep_highest(candidates: &mut Vec<Candidate>, right: u32, n: usize) {
    let is_at_limit = |candidate: &Candidate| candidate.rank != right && candidate.alpha >= candidate.limit;
    let mut gradients: Vec<f64> =
        candidates.iter().filter(|it| is_at_limit(it)).map(|it| it.gradient).collect();
    let (_, &mut lowest, _) = gradients.select_nth_unstable_by(n - 1, |a, b| b.total_cmp(a));
    let mut room = n - gradients.iter().filter(|&&gradient| gradient > lowest).count();
    candidates.retain(|candidate| {
        if !is_at_limit(candidate) || candidate.gradient > lowest {
            return true;
        }
        let is_kept = candidate.gradient >= lowest && room > 0;
        room -= usize::from(is_kept);
        is_kept
    });
}

#[cfg(test)]
mod tests {
    use super::super::testing::random;
    use super::*;

    /// The duality gap, and the primal objective.
    fn gap(solver: &CrammerSinger<'_>) -> (f64, f64) {
        let problem = &solver.problem;
        let n_ranks = problem.classes().len();
        let mut weights = Weights::new(problem);
        let (mut losses, mut gains) = (0.0, 0.0);
        let mut scores = vec![0.0; n_ranks.next_multiple_of(PART)];
        for &instance in problem.movable() {
            let (row, right, cost) = (problem.row(instance), problem.rank(instance), problem.cost(instance));
            let duals = solver.duals.get(instance as usize);
            let sum: f64 = duals.iter().map(|dual| dual.value).sum();
            assert!(sum.abs() < 1e-9, "{sum}");
            for dual in duals {
                let limit = if dual.class == right { cost } else { 0.0 };
                assert!(dual.value <= limit, "{dual:?}");
                weights.add(row, &[(dual.class, dual.value)]);
                gains -= if dual.class == right { 0.0 } else { dual.value };
            }
            scores.fill(0.0);
            solver.weights.add_products(row, &mut scores);
            let right = right as usize;
            let lack = |rank: usize| if rank == right { 0.0 } else { 1.0 } + scores[rank] - scores[right];
            losses += cost * (0..n_ranks).map(lack).fold(0.0, f64::max);
        }
        let weights = weights.values.as_flattened().iter();
        for (found, expected) in solver.weights.values.as_flattened().iter().zip(weights) {
            assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        }
        let square: f64 = solver.weights.values.as_flattened().iter().map(|weight| weight * weight).sum();
        (square / 2.0 + losses - (gains - square / 2.0), square / 2.0 + losses)
    }

    #[test]
    fn the_optimum_is_reached() {
        for (seed, n_classes) in (0..12).zip([2, 3, 30, 300].into_iter().cycle()) {
            // With more classes than can enter at a time.
            let instances = random(seed, if n_classes > 100 { 700 } else { 80 }, n_classes);
            for (c, bias) in [(0.1, 0.0), (1.0, 0.0), (10.0, 1.0)] {
                let problem = Problem::new(&instances, c, bias);
                let mut solver = CrammerSinger::new(problem, 1e-7, seed);
                while !solver.is_done && solver.n_rounds < MAX_ITERATIONS {
                    solver.iterate();
                }
                let (gap, objective) = gap(&solver);
                assert!(
                    gap.abs() < 1e-4 * objective,
                    "{gap} of {objective} with {n_classes} classes and {c}"
                );
            }
        }
    }
}
