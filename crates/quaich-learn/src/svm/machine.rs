//! The trained machine: support vectors with their weights in each duel, and the vote.

use std::sync::OnceLock;

use super::expanded::{EXPAND, Expand, Expanded};
use super::index::{Count, Index};
use super::kernel::{Form, Kernel};
use super::problem::Problem;
use super::smo::Solution;
use super::tournament::{Tournament, duel};
use crate::arrays::{Arrays, LoadError};
use crate::learner::Classifier;
use crate::lists::Lists;
use crate::scratch::Scratch;

/// The sign of smaller decision values can depend on the order of additions.
const CLOSE: f64 = 1e-10;

/// Marks classes without instances.
const NO_RANK: u32 = u32::MAX;

/// The score of classes that cannot win.
const NEVER: f32 = -1.0;

/// The size of a machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sizes {
    /// Support vectors: distinct rows with a weight in at least one duel.
    pub n_vectors: usize,
    /// Their weights, over all duels.
    pub n_weights: usize,
    /// The size of the index that compares rows with all vectors, in bytes.
    pub index_bytes: usize,
    /// The size of the expanded kernels in bytes: summed weights per pair of values, and the rest; `None` without expansion.
    pub expanded_bytes: Option<(usize, usize)>,
}

/// A trained machine. Classes are known by their ranks, the order of their first occurrence; a *duel* is the binary classifier of a pair
/// of ranks, numbered (0, 1), (0, 2), …, (1, 2), ….
#[derive(Clone, Debug)]
pub struct Machine {
    kernel: Kernel,
    /// Indexed by class: its rank or [`NO_RANK`].
    ranks: Vec<u32>,
    n_ranks: usize,
    /// One per duel: the threshold above which the first class wins.
    rhos: Vec<f64>,
    pub(super) vectors: Vectors,
    n_features: usize,
    expand: Expand,
    // The following fields are derived.
    index: Index,
    /// The kernel by code.
    table: Vec<f64>,
    max_length: usize,
    /// Computed when all duels are needed: the votes of the best classes need few.
    expanded: OnceLock<Option<Expanded>>,
    /// One list per duel: the vectors with weights in it.
    by_duel: Lists<(u32, f64)>,
    /// All ranks by decreasing number of weights in their duels: frequent classes, which win often, come first.
    by_strength: Vec<u32>,
}

/// Support vectors: distinct rows, each with its weights in some duels.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Vectors {
    /// One row per vector.
    pub(super) rows: Lists<u32>,
    /// One list per vector: duels and its weights in them.
    pub(super) weights: Lists<(u32, f64)>,
}

impl Vectors {
    /// Merges solutions. Instances with the same values become one support vector, even if their classes differ.
    fn new(problem: &Problem, solutions: &[Solution]) -> Self {
        let mut starts = vec![0usize; problem.rows.len() + 1];
        let all = || (0u32..).zip(solutions);
        for (instance, _) in all().flat_map(|(_, solution)| &solution.coefficients) {
            starts[*instance as usize + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut weights = vec![(0u32, 0.0); starts[starts.len() - 1]];
        let mut filled = starts.clone();
        for (duel, solution) in all() {
            for &(instance, weight) in &solution.coefficients {
                let at = &mut filled[instance as usize];
                weights[*at] = (duel, weight);
                *at += 1;
            }
        }
        let mut instances: Vec<usize> =
            (0..problem.rows.len()).filter(|&i| starts[i] < starts[i + 1]).collect();
        instances.sort_by_key(|&i| problem.rows.get(i));
        let mut vectors = Self::default();
        let mut merged: Vec<(u32, f64)> = Vec::new();
        for same in instances.chunk_by(|&a, &b| problem.rows.get(a) == problem.rows.get(b)) {
            merged.clear();
            merged.extend(same.iter().flat_map(|&i| &weights[starts[i]..starts[i + 1]]));
            // Ties keep the order of instances, so sums do not depend on the sorting algorithm.
            merged.sort_by_key(|&(duel, _)| duel);
            merged.dedup_by(|next, kept| {
                let is_same = next.0 == kept.0;
                if is_same {
                    kept.1 += next.1;
                }
                is_same
            });
            merged.retain(|&(_, weight)| weight != 0.0);
            if !merged.is_empty() {
                vectors.rows.push(problem.rows.get(same[0]));
                vectors.weights.push(&merged);
            }
        }
        vectors
    }

    /// The number of vectors.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// One list per duel: vectors in ascending order, and their weights in it.
    fn by_duel(&self, n_duels: usize) -> Lists<(u32, f64)> {
        let weights = || (0u32..).take(self.len()).zip((0..self.len()).map(|at| self.weights.get(at)));
        let mut ends = vec![0usize; n_duels];
        weights().flat_map(|(_, weights)| weights).for_each(|&(duel, _)| ends[duel as usize] += 1);
        let mut filled = ends.clone();
        let mut end = 0;
        for (filled, n) in filled.iter_mut().zip(&mut ends) {
            *filled = end;
            end += *n;
            *n = end;
        }
        let mut items = vec![(0, 0.0); end];
        for (vector, weights) in weights() {
            for &(duel, weight) in weights {
                items[filled[duel as usize]] = (vector, weight);
                filled[duel as usize] += 1;
            }
        }
        Lists::from_parts(items, ends)
    }
}

impl Machine {
    pub(super) fn new(problem: &Problem, kernel: Kernel, solutions: &[Solution], expand: Expand) -> Self {
        let mut ranks = vec![NO_RANK; problem.n_classes];
        for (rank, &class) in (0u32..).zip(&problem.classes) {
            ranks[class as usize] = rank;
        }
        let rhos = solutions.iter().map(|solution| solution.rho).collect();
        let vectors = Vectors::new(problem, solutions);
        Self::of_parts(kernel, ranks, problem.n_ranks(), rhos, vectors, problem.n_features, expand)
    }

    fn of_parts(
        kernel: Kernel,
        ranks: Vec<u32>,
        n_ranks: usize,
        rhos: Vec<f64>,
        vectors: Vectors,
        n_features: usize,
        expand: Expand,
    ) -> Self {
        let index = Index::new(&vectors.rows, n_features);
        let max_length = (0..vectors.len()).map(|i| vectors.rows.get(i).len()).max().unwrap_or(0);
        let table = kernel.table(max_length);
        let by_duel = vectors.by_duel(rhos.len());
        let by_strength = by_strength(n_ranks, &by_duel);
        Self {
            kernel,
            ranks,
            n_ranks,
            rhos,
            vectors,
            n_features,
            expand,
            index,
            table,
            max_length,
            expanded: OnceLock::new(),
            by_duel,
            by_strength,
        }
    }

    /// Its size.
    pub fn sizes(&self) -> Sizes {
        Sizes {
            n_vectors: self.vectors.len(),
            n_weights: (0..self.vectors.len()).map(|vector| self.vectors.weights.get(vector).len()).sum(),
            index_bytes: self.index.n_bytes(),
            expanded_bytes: self.expanded().map(Expanded::n_bytes),
        }
    }

    fn expanded(&self) -> Option<&Expanded> {
        let expanded = || Expanded::new(self.kernel, &self.vectors, self.rhos.len(), self.expand);
        self.expanded.get_or_init(expanded).as_ref()
    }

    /// The same machine with another kernel expansion.
    #[cfg(test)]
    pub(super) fn with_expand(self, expand: Expand) -> Self {
        let Self { kernel, ranks, n_ranks, rhos, vectors, n_features, .. } = self;
        Self::of_parts(kernel, ranks, n_ranks, rhos, vectors, n_features, expand)
    }

    /// The decision value of each duel; the first class wins if it is positive.
    pub(super) fn decide<'s>(&self, row: &[u32], space: &'s mut Space) -> &'s [f64] {
        space.sums.clear();
        space.sums.extend(self.rhos.iter().map(|rho| -rho));
        match self.expanded() {
            Some(expanded) => {
                expanded.add_to(&self.vectors, row, &mut space.expanded, &mut space.sums);
                self.decide_close_ones(space);
            }
            None if self.max_length < 256 => self.add_kernels(row, &mut space.bytes, &mut space.sums),
            None => self.add_kernels(row, &mut space.words, &mut space.sums),
        }
        &space.sums
    }

    /// Expanded kernels are summed in another order. Where that could change the sign, the value is recomputed from kernels.
    fn decide_close_ones(&self, space: &mut Space) {
        for (duel, (sum, rho)) in space.sums.iter_mut().zip(&self.rhos).enumerate() {
            // A sum without contributions is exact.
            if sum.abs() < CLOSE && (*sum != 0.0 || *rho != 0.0) {
                *sum = -rho;
                for &(vector, weight) in self.by_duel.get(duel) {
                    let code = space.expanded.shared(self.vectors.rows.get(vector as usize));
                    *sum += self.value(code) * weight;
                }
            }
        }
    }

    /// The kernel by code. Rows longer than all training rows can have codes outside the table.
    fn value(&self, code: usize) -> f64 {
        self.table.get(code).copied().unwrap_or_else(|| self.kernel.value(code))
    }

    fn add_kernels<T: Count>(&self, row: &[u32], counts: &mut Vec<T>, sums: &mut [f64]) {
        counts.clear();
        counts.resize(self.vectors.len(), T::default());
        self.index.count(row, 0..self.vectors.len(), counts);
        let length = self.length(row);
        for (vector, &count) in counts.iter().enumerate() {
            let kernel = self.kernel_with(vector, length, count);
            if kernel != 0.0 {
                for &(duel, weight) in self.vectors.weights.get(vector) {
                    sums[duel as usize] += kernel * weight;
                }
            }
        }
    }

    /// The two ranks with the most votes among `wanted`, with their votes.
    fn leaders<T: Count>(
        &self,
        row: &[u32],
        wanted: &[u32],
        counts: &mut Vec<T>,
        tournament: &mut Tournament,
    ) -> [Option<(u32, u32)>; 2] {
        counts.resize(self.vectors.len(), T::default());
        self.index.count(row, 0..self.vectors.len(), counts);
        let length = self.length(row);
        tournament.leaders(&self.by_strength, wanted, |duel| {
            let (weights, rho) = (self.by_duel.get(duel), self.rhos[duel]);
            if self.kernel.form != Form::Rbf {
                let sum = sum_in_four(weights, |vector| self.value(counts[vector as usize].place())) - rho;
                if sum.abs() >= CLOSE {
                    return sum > 0.0;
                }
            }
            // Close sums are recomputed in the reference order, which decides.
            let value = |vector: u32| self.kernel_with(vector as usize, length, counts[vector as usize]);
            weights.iter().fold(-rho, |sum, &(vector, weight)| sum + value(vector) * weight) > 0.0
        })
    }

    /// The number of known values of a row.
    fn length(&self, row: &[u32]) -> usize {
        row.iter().filter(|&&value| (value as usize) < self.n_features).count()
    }

    /// The kernel of a row of this length with a vector, given the number of shared values.
    #[inline]
    fn kernel_with<T: Count>(&self, vector: usize, length: usize, shared: T) -> f64 {
        let mut code = shared.place();
        if self.kernel.form == Form::Rbf {
            code = (length + self.vectors.rows.get(vector).len()).saturating_sub(2 * code);
        }
        self.value(code)
    }

    /// Votes as a score: a fraction of a vote breaks ties in favour of the class that occurred first in training.
    #[allow(clippy::cast_precision_loss, reason = "votes and ranks are small enough")]
    fn score(&self, rank: u32, votes: u32) -> f32 {
        votes as f32 + 1.0 - (rank + 1) as f32 / (self.n_ranks + 1) as f32
    }

    pub(super) fn load(arrays: &Arrays) -> Result<Self, LoadError> {
        let kernel = Kernel::load(arrays)?;
        let expand = usize::try_from(arrays.one::<u64>("expand")?).ok().and_then(|at| EXPAND.get(at));
        let &(_, expand) = expand.ok_or_else(|| LoadError::unfit("expand", "is unknown"))?;
        let ranks: Vec<u32> = arrays.get("ranks")?;
        let rhos: Vec<f64> = arrays.get("rhos")?;
        let mut by_rank: Vec<u32> = ranks.iter().copied().filter(|&rank| rank != NO_RANK).collect();
        let n_ranks = by_rank.len();
        by_rank.sort_unstable();
        if !(0u32..).zip(&by_rank).all(|(expected, &rank)| rank == expected) {
            return Err(LoadError::unfit("ranks", "does not number all classes"));
        }
        if n_ranks.checked_mul(n_ranks.saturating_sub(1)).map(|n| n / 2) != Some(rhos.len()) {
            return Err(LoadError::unfit("rhos", "does not have one number per pair of classes"));
        }
        let duels: Vec<u32> = arrays.get("duels")?;
        let numbers: Vec<f64> = arrays.get_exactly("weights", duels.len())?;
        if duels.iter().any(|&duel| duel as usize >= rhos.len()) {
            return Err(LoadError::unfit("duels", "refers to a pair of classes that does not exist"));
        }
        let weights = duels.into_iter().zip(numbers).collect();
        let weights = lists(arrays, "duel_ends", weights)?;
        // The vectors of each value.
        let holders: Vec<u32> = arrays.get("vectors")?;
        let by_value = lists(arrays, "vector_ends", holders)?;
        let n_features = by_value.len();
        let mut rows = vec![Vec::new(); weights.len()];
        for (value, number) in (0..n_features).zip(0u32..) {
            for &vector in by_value.get(value) {
                let row = rows.get_mut(vector as usize);
                row.ok_or_else(|| LoadError::unfit("vectors", "refers to a vector that does not exist"))?
                    .push(number);
            }
        }
        let mut vectors = Vectors { rows: Lists::default(), weights };
        for row in rows {
            vectors.rows.push(&row);
        }
        Ok(Self::of_parts(kernel, ranks, n_ranks, rhos, vectors, n_features, expand))
    }
}

/// A weighted sum with four independent accumulators.
#[inline]
fn sum_in_four(weights: &[(u32, f64)], value: impl Fn(u32) -> f64) -> f64 {
    let (fours, rest) = weights.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for four in fours {
        for (sum, &(vector, weight)) in sums.iter_mut().zip(four) {
            *sum += value(vector) * weight;
        }
    }
    rest.iter().fold(sums.iter().sum::<f64>(), |sum, &(vector, weight)| sum + value(vector) * weight)
}

/// All ranks by decreasing number of weights in their duels.
fn by_strength(n_ranks: usize, by_duel: &Lists<(u32, f64)>) -> Vec<u32> {
    let mut strengths = vec![0; n_ranks];
    for second in 0..n_ranks {
        for first in 0..second {
            let n_weights = by_duel.get(duel(n_ranks, first, second)).len();
            strengths[first] += n_weights;
            strengths[second] += n_weights;
        }
    }
    let mut ranks: Vec<u32> = (0u32..).take(n_ranks).collect();
    ranks.sort_by_key(|&rank| std::cmp::Reverse(strengths[rank as usize]));
    ranks
}

/// Lists with their ends in an array.
fn lists<T: Copy>(arrays: &Arrays, name: &str, items: Vec<T>) -> Result<Lists<T>, LoadError> {
    let ends: Vec<u64> = arrays.get(name)?;
    let ends = ends.into_iter().map(usize::try_from).collect::<Result<Vec<usize>, _>>().ok();
    let fit = |ends: &Vec<usize>| ends.is_sorted() && ends.last().copied().unwrap_or(0) == items.len();
    match ends.filter(fit) {
        Some(ends) => Ok(Lists::from_parts(items, ends)),
        None => Err(LoadError::unfit(name, "does not fit the lists")),
    }
}

/// The buffers of a decision.
#[derive(Debug, Default)]
pub(super) struct Space {
    bytes: Vec<u8>,
    words: Vec<u16>,
    sums: Vec<f64>,
    votes: Vec<u32>,
    wanted: Vec<u32>,
    tournament: Tournament,
    expanded: super::expanded::Space,
}

impl Classifier for Machine {
    fn n_classes(&self) -> usize {
        self.ranks.len()
    }

    /// Scores are votes. Classes without instances come last.
    fn scores(&self, row: &[u32], scratch: &mut Scratch, scores: &mut [f32]) {
        assert_eq!(scores.len(), self.ranks.len(), "one score per class");
        let space = scratch.of::<Space>();
        let mut votes = std::mem::take(&mut space.votes);
        votes.clear();
        votes.resize(self.n_ranks, 0);
        let mut sums = self.decide(row, space);
        for first in 0..self.n_ranks {
            let (duels, rest) = sums.split_at(self.n_ranks - 1 - first);
            let (of_first, of_others) = votes[first..].split_at_mut(1);
            for (&sum, of_second) in duels.iter().zip(of_others) {
                let wins = u32::from(sum > 0.0);
                of_first[0] += wins;
                *of_second += 1 - wins;
            }
            sums = rest;
        }
        for (score, &rank) in scores.iter_mut().zip(&self.ranks) {
            *score = votes.get(rank as usize).map_or(NEVER, |&votes| self.score(rank, votes));
        }
        space.votes = votes;
    }

    /// Only computes the duels that determine the two best classes.
    fn leading_scores(&self, row: &[u32], wanted: &[u32], scratch: &mut Scratch, scores: &mut [f32]) {
        assert_eq!(scores.len(), self.ranks.len(), "one score per class");
        let space = scratch.of::<Space>();
        space.wanted.clear();
        let ranks = wanted.iter().map(|&class| self.ranks[class as usize]);
        space.wanted.extend(ranks.filter(|&rank| rank != NO_RANK));
        let Space { wanted, bytes, words, tournament, .. } = space;
        let leaders = if self.max_length < 256 {
            self.leaders(row, wanted, bytes, tournament)
        } else {
            self.leaders(row, wanted, words, tournament)
        };
        scores.fill(NEVER);
        // At most two classes have scores; searching for them avoids a table of classes by rank.
        for (rank, votes) in leaders.into_iter().flatten() {
            for (score, _) in scores.iter_mut().zip(&self.ranks).filter(|(_, of)| **of == rank) {
                *score = self.score(rank, votes);
            }
        }
    }

    fn save(&self, arrays: &mut Arrays) {
        self.kernel.save(arrays);
        let expand = EXPAND.iter().position(|&(_, expand)| expand == self.expand);
        arrays.set_one("expand", expand.unwrap_or_default() as u64);
        arrays.set("ranks", &self.ranks);
        arrays.set("rhos", &self.rhos);
        let (mut duels, mut weights, mut duel_ends) = (Vec::new(), Vec::new(), Vec::new());
        let mut by_value = vec![Vec::new(); self.n_features];
        for (vector, number) in (0..self.vectors.len()).zip(0u32..) {
            for &(duel, weight) in self.vectors.weights.get(vector) {
                duels.push(duel);
                weights.push(weight);
            }
            duel_ends.push(duels.len() as u64);
            for &value in self.vectors.rows.get(vector) {
                by_value[value as usize].push(number);
            }
        }
        arrays.set("duels", &duels);
        arrays.set("weights", &weights);
        arrays.set("duel_ends", &duel_ends);
        let mut end = 0;
        let ends = by_value.iter().map(|vectors| {
            end += vectors.len() as u64;
            end
        });
        arrays.set("vector_ends", &ends.collect::<Vec<u64>>());
        arrays.set("vectors", &by_value.concat());
    }
}
