//! Crammer and Singer's support vector machine for all classes at once, in the dual, one instance at a time
//! (Keerthi et al. 2008, and LIBLINEAR's `-s 4`).
//!
//! The weights minimise
//!
//! ```text
//!   ½ Σ wₘ·wₘ + C Σ max(0, 1 + wₘ·x − wᵣ·x)      over instances, r the right class, m the worst other
//! ```
//!
//! An instance has a dual variable for every class, αₘ, and wₘ = Σ αₘ x. What is left of the optimum is, for each
//! instance, by how much the highest gradient exceeds the lowest of a variable below its limit.
//!
//! Classes at their limits whose gradient is below that lowest one are left out until the rest is close to
//! the optimum. Then all are looked at again, and so on until that finds nothing more than ε.
//!
//! Departing from LIBLINEAR, no more than a few classes at a time get a dual variable that had none: at
//! first all wrong classes score the same, and each would get a share that it soon loses again. The optimum is the same.

use rand::seq::SliceRandom;

use super::classifier::LinearSvmClassifier;
use super::problem::Problem;
use super::subproblem::{Candidate, beta};
use crate::arrays::{Arrays, LoadError};
use crate::chance::Chance;
use crate::learner::{Classifier, Course};
use crate::rows::{Entry, Rows};

/// How often the instances are gone through in a pass: rarely enough to save what was done after each.
const ROUNDS_A_PASS: usize = 10;
/// More rounds are never made, as in LIBLINEAR.
const MOST_ROUNDS: u64 = 100_000;
/// How many classes may get a dual variable that have none.
const NEWCOMERS: usize = 8;
/// A step that is not worth making.
const SHORTEST: f64 = 1e-12;
/// Weights that are added up at a time.
const PART: usize = 8;

/// Weights and dual variables on their way to the optimum.
#[derive(Debug)]
pub(super) struct CrammerSinger<'a> {
    problem: Problem<'a>,
    epsilon: f64,
    seed: u64,
    weights: Weights,
    /// By instance: the dual variables that may move; of an instance that all classes may move for, those that are not 0.
    duals: Rows<f64>,
    /// By instance: whether there are classes that are left out.
    is_narrow: Vec<u8>,
    /// First the instances that are gone through.
    order: Vec<u32>,
    n_active: usize,
    /// Below this all is looked at again.
    near: f64,
    was_complete: bool,
    n_rounds: u64,
    is_done: bool,
    gradient: Vec<f64>,
    candidates: Vec<Candidate>,
    entries: Vec<Entry<f64>>,
    steps: Vec<(u32, f64)>,
}

/// By feature, and at last for the feature that is always on: a weight for every class.
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
        // With one class there is nothing to tell apart.
        let order = if problem.classes().len() > 1 { problem.movable().to_vec() } else { Vec::new() };
        Self {
            weights: Weights::new(&problem),
            epsilon,
            seed,
            duals: Rows::new(n_instances),
            is_narrow: vec![0; n_instances],
            n_active: order.len(),
            order,
            near: (10.0 * epsilon).max(1.0),
            was_complete: true,
            n_rounds: 0,
            is_done: false,
            gradient: vec![0.0; problem.classes().len().next_multiple_of(PART)],
            candidates: Vec::new(),
            entries: Vec::new(),
            steps: Vec::new(),
            problem,
        }
    }

    /// Goes through the active instances once; returns the most that was left of the optimum.
    fn round(&mut self) -> f64 {
        let round = usize::try_from(self.n_rounds).unwrap_or(usize::MAX);
        let mut generator = Chance::new(self.seed, round).stream(0);
        let mut order = std::mem::take(&mut self.order);
        order[..self.n_active].shuffle(&mut generator);
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
            self.is_narrow.fill(0);
            self.near = (self.near / 2.0).max(self.epsilon);
            self.was_complete = true;
        }
        left
    }

    /// Solves the problem of one instance; returns how much was left of the optimum, or nothing if the instance
    /// can be left out.
    fn visit(&mut self, instance: u32) -> Option<f64> {
        let problem = &self.problem;
        let (row, right, cost) = (problem.row(instance), problem.rank(instance), problem.cost(instance));
        let square = problem.square(row);
        let limit = |rank: u32| if rank == right { cost } else { 0.0 };
        let was_narrow = self.is_narrow[instance as usize] != 0;
        let duals = self.duals.get(instance as usize);
        self.candidates.clear();
        let (highest, lowest);
        let mut is_narrow = true;
        if was_narrow {
            let candidate = |dual: &Entry<f64>| {
                let margin = if dual.class == right { 0.0 } else { 1.0 };
                let gradient = margin + self.weights.product(row, dual.class);
                Candidate { rank: dual.class, alpha: dual.value, limit: limit(dual.class), gradient }
            };
            self.candidates.extend(duals.iter().map(candidate));
            highest =
                self.candidates.iter().map(|candidate| candidate.gradient).fold(f64::NEG_INFINITY, f64::max);
            let below = self.candidates.iter().filter(|candidate| candidate.alpha < candidate.limit);
            lowest = below.map(|candidate| candidate.gradient).fold(f64::INFINITY, f64::min);
            // The right class stays: its limit is not 0, so its variable would be lost.
            self.candidates.retain(|candidate| candidate.rank == right || candidate.gradient >= lowest);
        } else {
            let n_ranks = problem.classes().len();
            self.weights.products(row, &mut self.gradient);
            let gradient = &mut self.gradient[..n_ranks];
            for gradient in &mut *gradient {
                *gradient += 1.0;
            }
            gradient[right as usize] -= 1.0;
            highest = self::highest(gradient);
            let of_right = duals.iter().find(|dual| dual.class == right).map_or(0.0, |dual| dual.value);
            let mut low = if of_right < cost { gradient[right as usize] } else { f64::INFINITY };
            for dual in duals.iter().filter(|dual| dual.value < 0.0) {
                low = low.min(gradient[dual.class as usize]);
            }
            lowest = low;
            let mut known = duals.iter().peekable();
            let mut n_newcomers = 0;
            for (rank, &gradient) in (0u32..).zip(&*gradient) {
                if gradient < lowest && rank != right {
                    // Variables below their limits have no lower gradient than the lowest.
                    continue;
                }
                while known.next_if(|dual| dual.class < rank).is_some() {}
                let alpha = known.next_if(|dual| dual.class == rank).map_or(0.0, |dual| dual.value);
                let candidate = Candidate { rank, alpha, limit: limit(rank), gradient };
                n_newcomers += usize::from(alpha >= candidate.limit && rank != right);
                self.candidates.push(candidate);
            }
            if n_newcomers > NEWCOMERS {
                is_narrow = false;
                keep_highest(&mut self.candidates, right, NEWCOMERS);
            }
        }
        let violation = highest - lowest;
        if violation > SHORTEST {
            let beta = beta(&self.candidates, square, cost);
            self.steps.clear();
            for candidate in &mut self.candidates {
                let best = candidate.best(square, beta);
                let step = best - candidate.alpha;
                if step.abs() >= SHORTEST {
                    candidate.alpha = best;
                    self.steps.push((candidate.rank, step));
                }
            }
            self.weights.add(row, &self.steps);
        }
        self.entries.clear();
        let entries = self.candidates.iter().filter(|candidate| is_narrow || candidate.alpha != 0.0);
        self.entries.extend(entries.map(|candidate| Entry { class: candidate.rank, value: candidate.alpha }));
        let is_kept = self.duals.replace(instance as usize, &self.entries);
        assert!(is_kept, "memory ends before 2³² dual variables do");
        self.is_narrow[instance as usize] = u8::from(is_narrow);
        // Alone, a variable cannot move.
        let can_move =
            |candidate: &&Candidate| candidate.alpha < candidate.limit || candidate.gradient >= lowest;
        (!is_narrow || self.candidates.iter().filter(can_move).count() > 1).then_some(violation.max(0.0))
    }

    fn load(&mut self, arrays: &Arrays) -> Result<(), LoadError> {
        let n_instances = self.problem.instances().len();
        let duals = Rows::load(&arrays.part("duals"), self.problem.classes().len())?;
        let mut order: Vec<u32> = arrays.get_exactly("order", self.order.len())?;
        let n_active = usize::try_from(arrays.one::<u64>("n_active")?).unwrap_or(usize::MAX);
        let values = arrays.get_exactly("weights", self.weights.values.len())?;
        let is_narrow = arrays.get_exactly("is_narrow", n_instances)?;
        let mut sorted = order.clone();
        sorted.sort_unstable();
        if sorted != self.problem.movable() && !sorted.is_empty()
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
        (self.duals, self.is_narrow, self.n_active) = (duals, is_narrow, n_active);
        Ok(())
    }
}

impl Course for CrammerSinger<'_> {
    fn n_passes(&self) -> usize {
        let n_rounds = if self.is_done { self.n_rounds } else { MOST_ROUNDS };
        usize::try_from(n_rounds).unwrap_or(usize::MAX).div_ceil(ROUNDS_A_PASS)
    }

    fn pass(&mut self) -> f64 {
        let mut left = 0.0;
        for _ in 0..ROUNDS_A_PASS {
            if !self.is_done {
                left = self.round();
            }
        }
        left
    }

    fn classifier(&self) -> Box<dyn Classifier> {
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
        arrays.set("is_narrow", &self.is_narrow);
        arrays.set_one("near", self.near);
        arrays.set_one("state", [u8::from(self.was_complete), u8::from(self.is_done)]);
        arrays.set_one("n_rounds", self.n_rounds);
    }

    fn restore(&mut self, arrays: &Arrays) -> bool {
        self.load(arrays).is_ok()
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

    /// The scores of all classes.
    fn products(&self, row: &[u32], sums: &mut [f64]) {
        let of_bias = &self.values[self.n_features * self.n_parts..];
        let (sums, _) = sums.as_chunks_mut::<PART>();
        for (part, sums) in sums.iter_mut().enumerate() {
            let mut held = of_bias[part].map(|weight| self.bias * weight);
            for &feature in row {
                for (sum, weight) in held.iter_mut().zip(&self.values[feature as usize * self.n_parts + part])
                {
                    *sum += weight;
                }
            }
            *sums = held;
        }
    }

    /// The score of one class.
    #[inline]
    fn product(&self, row: &[u32], rank: u32) -> f64 {
        let (part, place) = (rank as usize / PART, rank as usize % PART);
        let weight = |feature: usize| self.values[feature * self.n_parts + part][place];
        row.iter().fold(self.bias * weight(self.n_features), |sum, &feature| sum + weight(feature as usize))
    }

    /// Adds an instance to the weights of some classes, so many times.
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

    /// The weights of a class, by feature; at last what is always added.
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

/// The highest of some numbers.
fn highest(numbers: &[f64]) -> f64 {
    let max = |a: f64, b: f64| if b > a { b } else { a };
    let (groups, rest) = numbers.as_chunks::<PART>();
    let mut highest = [f64::NEG_INFINITY; PART];
    for group in groups {
        for (highest, &number) in highest.iter_mut().zip(group) {
            *highest = max(*highest, number);
        }
    }
    highest.iter().chain(rest).copied().fold(f64::NEG_INFINITY, max)
}

/// Of the wrong classes at their limits keeps so many: those with the highest gradient, of equals the first.
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

    /// The primal objective less the dual one, and the primal one.
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
            solver.weights.products(row, &mut scores);
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
        for (seed, n_classes) in (0..12).zip([2, 3, 5, 30].into_iter().cycle()) {
            // With more classes than may come in at a time.
            let instances = random(seed, 80, n_classes);
            for (c, bias) in [(0.1, 0.0), (1.0, 0.0), (10.0, 1.0)] {
                let problem = Problem::new(&instances, c, bias);
                let mut solver = CrammerSinger::new(problem, 1e-7, seed);
                while !solver.is_done && solver.n_rounds < MOST_ROUNDS {
                    solver.round();
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
