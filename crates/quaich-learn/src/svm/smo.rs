//! Sequential minimal optimisation for one pair of classes, after Fan, Chen and Lin (2005), "Working set selection using second order
//! information for training support vector machines", with the shrinking, the stopping criterion and the bias of Chang and Lin (2011),
//! "LIBSVM: a library for support vector machines".
//!
//! ```text
//!   min ½ αᵀQα − Σα    0 ≤ αᵢ ≤ Cᵢ,  Σ yᵢαᵢ = 0,  Q = yᵢyⱼK(xᵢ, xⱼ)
//! ```
//!
//! With the loose tolerance that parsers use, the result depends on the path of the search. So it follows LIBSVM's path to the last
//! digit: kernels rounded to single precision, sums in the same order, the last of several equal elements, the same swaps for shrinking.
//! The differences are in the cost:
//!
//! * A row of the kernel matrix is a row of codes of one byte each, computed with the [`Index`]; tables indexed by code replace products.
//! * Instead of the gradient G it maintains its negative −yG, called the *value*: elements that can go up should have a low one, elements
//!   that can go down a high one. Extremes are stored per chunk of elements, so that most chunks need no second visit.
//! * The contribution of elements at their bounds to the gradient is computed when shrunk elements are reactivated, which often never
//!   happens.

use std::ops::Range;

use super::cache::Cache;
use super::index::{Count, Index, TABLE};
use super::kernel::{Form, Kernel};
use super::problem::Problem;
use crate::kernels::{CHUNK, extremes};

/// Replaces non-positive curvature (as in LIBSVM).
const TAU: f64 = 1e-12;

/// The maximum number of iterations is the larger of the first number and the second number per element (as in LIBSVM).
const MAX_ITERATIONS: (usize, usize) = (10_000_000, 100);

/// The maximum number of iterations between two shrinking steps (as in LIBSVM).
const SHRINKING_INTERVAL: usize = 1000;

/// A solver for all pairs of classes.
#[derive(Clone, Debug)]
pub(super) struct Smo<'a> {
    problem: &'a Problem,
    index: &'a Index,
    kernel: Kernel,
    parameters: SolverParameters,
    /// The kernel by code, rounded to single precision.
    rounded: Vec<f64>,
    n_codes: usize,
}

/// The parameters of the solver.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct SolverParameters {
    /// The tolerance of the stopping criterion.
    pub(super) epsilon: f64,
    /// Whether to use shrinking.
    pub(super) shrinking: bool,
    /// The size of the kernel cache.
    pub(super) cache_bytes: usize,
}

/// The solution for a pair of classes.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Solution {
    /// Instances with their coefficients, negative for those of the second class.
    pub(super) coefficients: Vec<(u32, f64)>,
    /// The threshold of the decision function.
    pub(super) rho: f64,
    /// The sum of the hinge losses.
    pub(super) loss: f64,
}

impl<'a> Smo<'a> {
    pub(super) fn new(
        problem: &'a Problem,
        index: &'a Index,
        kernel: Kernel,
        parameters: SolverParameters,
    ) -> Self {
        let mut rounded = kernel.table(problem.max_length);
        for value in &mut rounded {
            #[allow(clippy::cast_possible_truncation, reason = "as in LIBSVM")]
            let single = *value as f32;
            *value = f64::from(single);
        }
        let n_codes = rounded.len();
        rounded.resize(n_codes.max(TABLE), 0.0);
        Self { problem, index, kernel, parameters, rounded, n_codes }
    }

    /// Whether codes fit into bytes.
    pub(super) fn fits_bytes(&self) -> bool {
        self.n_codes <= 256
    }

    /// Solves the problem of two classes.
    pub(super) fn solve<T: Count>(&self, space: &mut Space<T>, pair: (usize, usize)) -> Solution {
        let ranges = [self.problem.range(pair.0), self.problem.range(pair.1)];
        Search::new(self, space, ranges).run()
    }

    /// Computes the row of codes of an instance.
    fn make_row<T: Count>(&self, instance: usize, ranges: &[Range<usize>; 2], codes: &mut [T]) {
        let row = self.problem.rows.get(instance);
        let (first, second) = codes.split_at_mut(ranges[0].len());
        for (range, codes) in ranges.iter().zip([first, second]) {
            self.index.count(row, range.clone(), codes);
            if self.kernel.form == Form::Rbf {
                for (code, other) in codes.iter_mut().zip(range.clone()) {
                    *code = T::of(row.len() + self.problem.rows.get(other).len() - 2 * code.place());
                }
            }
        }
    }
}

/// The buffers of a search, reused for several searches.
#[derive(Debug, Default)]
pub(super) struct Space<T> {
    cache: Cache<T>,
    /// Indexed by element, like all following arrays: −yG.
    values: Vec<f64>,
    alphas: Vec<f64>,
    costs: Vec<f64>,
    /// The diagonal of the kernel matrix.
    diagonals: Vec<f64>,
    /// 1 for elements of the first class, −1 for those of the second.
    signs: Vec<f64>,
    /// Whether yα can go up or down: 1 or 0.
    up: Vec<u8>,
    down: Vec<u8>,
    /// The original position, before shrinking swapped elements.
    origins: Vec<u32>,
    /// One per chunk: the highest value of elements that can go up, the lowest of those that can go down.
    highest: Vec<f64>,
    lowest: Vec<f64>,
    /// Codes in the order of elements.
    gathered: [Vec<T>; 2],
    /// The two tables of a step.
    steps: [Vec<f64>; 2],
    /// The origins that reached or left their bounds, and the change of yα.
    events: Vec<(u32, f64)>,
    /// Indexed by origin: the contribution of the first `n_summed` events to its value.
    bounded: Vec<f64>,
    n_summed: usize,
}

/// A search in progress.
struct Search<'a, T> {
    smo: &'a Smo<'a>,
    space: &'a mut Space<T>,
    ranges: [Range<usize>; 2],
    n: usize,
    /// Elements from here on are shrunk.
    n_active: usize,
    /// Whether elements are still in their original order.
    in_order: bool,
    /// Whether all elements were reactivated once near the end.
    taken_back: bool,
}

/// The two elements to change: the one whose yα goes up and the one whose yα goes down, and the cache place of the first's row.
struct Pair {
    up: usize,
    down: usize,
    place: usize,
}

impl<'a, T: Count> Search<'a, T> {
    fn new(smo: &'a Smo<'a>, space: &'a mut Space<T>, ranges: [Range<usize>; 2]) -> Self {
        let n = ranges[0].len() + ranges[1].len();
        let n_first = ranges[0].len();
        let sign = |element: usize| if element < n_first { 1.0 } else { -1.0 };
        space.cache.reset(n, smo.parameters.cache_bytes);
        refill(&mut space.values, (0..n).map(sign));
        refill(&mut space.signs, (0..n).map(sign));
        refill(&mut space.alphas, std::iter::repeat_n(0.0, n));
        let instances = || ranges[0].clone().chain(ranges[1].clone());
        refill(&mut space.costs, instances().map(|i| smo.problem.costs[i]));
        let itself = |i: usize| smo.kernel.of_itself(smo.problem.rows.get(i).len());
        refill(&mut space.diagonals, instances().map(itself));
        refill(&mut space.up, (0..n).map(|element| u8::from(element < n_first)));
        refill(&mut space.down, (0..n).map(|element| u8::from(element >= n_first)));
        refill(&mut space.origins, (0u32..).take(n));
        for steps in &mut space.steps {
            refill(steps, std::iter::repeat_n(0.0, smo.rounded.len()));
        }
        space.events.clear();
        space.bounded.clear();
        space.n_summed = 0;
        Self { smo, space, ranges, n, n_active: n, in_order: true, taken_back: false }
    }

    fn run(mut self) -> Solution {
        let interval = self.n.min(SHRINKING_INTERVAL);
        let max_iterations = MAX_ITERATIONS.0.max(self.n.saturating_mul(MAX_ITERATIONS.1));
        let mut until_shrinking = interval + 1;
        self.find_extremes();
        for _ in 0..max_iterations {
            until_shrinking -= 1;
            if until_shrinking == 0 {
                until_shrinking = interval;
                if self.smo.parameters.shrinking {
                    self.shrink();
                }
            }
            let mut pair = self.select();
            if pair.is_none() && self.n_active < self.n {
                // The active elements are optimal; check all of them.
                self.take_back();
                pair = self.select();
                until_shrinking = 1;
            }
            let Some(pair) = pair else { break };
            self.step(&pair);
        }
        self.take_back();
        self.solution()
    }

    /// The cache place of an element's row, which is computed if necessary.
    fn find_row(&mut self, element: usize) -> usize {
        let origin = self.space.origins[element] as usize;
        self.find_origin_row(origin)
    }

    fn find_origin_row(&mut self, origin: usize) -> usize {
        let n_first = self.ranges[0].len();
        let instance = if origin < n_first {
            self.ranges[0].start + origin
        } else {
            self.ranges[1].start + origin - n_first
        };
        self.space.cache.find(origin, |codes| self.smo.make_row(instance, &self.ranges, codes))
    }

    /// Puts a row in the order of elements, unless it is already.
    fn gather(&mut self, which: usize, place: usize) {
        if !self.in_order {
            let row = self.space.cache.at(place);
            let active = &self.space.origins[..self.n_active];
            refill(&mut self.space.gathered[which], active.iter().map(|&origin| row[origin as usize]));
        }
    }

    fn codes(&self, which: usize, place: usize) -> &[T] {
        if self.in_order {
            &self.space.cache.at(place)[..self.n_active]
        } else {
            &self.space.gathered[which][..self.n_active]
        }
    }

    /// The highest value of elements that can go up and the lowest of those that can go down.
    fn bounds(&self) -> (f64, f64) {
        let n_chunks = self.n_active.div_ceil(CHUNK);
        let highest = self.space.highest[..n_chunks].iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let lowest = self.space.lowest[..n_chunks].iter().copied().fold(f64::INFINITY, f64::min);
        (highest, lowest)
    }

    /// The pair with the largest expected improvement; `None` if all values agree to within epsilon.
    fn select(&mut self) -> Option<Pair> {
        let (highest, lowest) = self.bounds();
        // Also true for NaN, which kernels that overflow can produce.
        if highest - lowest < self.smo.parameters.epsilon || !(highest - lowest).is_finite() {
            return None;
        }
        let space = &*self.space;
        let n_chunks = self.n_active.div_ceil(CHUNK);
        #[allow(clippy::float_cmp, reason = "the extreme is one of the values")]
        let up = {
            let chunk = space.highest[..n_chunks].iter().rposition(|&high| high == highest)?;
            let elements = chunk * CHUNK..self.n_active.min((chunk + 1) * CHUNK);
            elements.rev().find(|&k| space.up[k] != 0 && space.values[k] == highest)?
        };
        let place = self.find_row(up);
        self.gather(0, place);
        let space = &*self.space;
        let codes = self.codes(0, place);
        let rounded = &self.smo.rounded[..];
        let diagonal = space.diagonals[up];
        let (mut best, mut found) = (0.0, None);
        for chunk in (0..n_chunks).filter(|&chunk| space.lowest[chunk] < highest) {
            let elements = chunk * CHUNK..self.n_active.min((chunk + 1) * CHUNK);
            let values = &space.values[elements.clone()];
            let down = &space.down[elements.clone()];
            let diagonals = &space.diagonals[elements.clone()];
            let codes = &codes[elements.clone()];
            for k in 0..values.len() {
                let difference = highest - values[k];
                if down[k] == 0 || difference <= 0.0 {
                    continue;
                }
                let curvature = diagonal + diagonals[k] - 2.0 * rounded[codes[k].place()];
                let curvature = if curvature > 0.0 { curvature } else { TAU };
                // Divisions are slow, so only candidates for the best are divided.
                let square = difference * difference;
                if square >= best * curvature * (1.0 - 1e-12) && square / curvature >= best {
                    best = square / curvature;
                    found = Some(elements.start + k);
                }
            }
        }
        Some(Pair { up, down: found?, place })
    }

    /// Changes a pair as far as it improves the objective and the bounds allow.
    fn step(&mut self, pair: &Pair) {
        let (i, j) = (pair.up, pair.down);
        let second = self.find_row(j);
        self.gather(1, second);
        let code = self.codes(0, pair.place)[j];
        let space = &mut *self.space;
        let curvature = space.diagonals[i] + space.diagonals[j] - 2.0 * self.smo.rounded[code.place()];
        let wanted = (space.values[i] - space.values[j]) / if curvature > 0.0 { curvature } else { TAU };
        let before = [space.alphas[i], space.alphas[j]];
        let signs = [space.signs[i], space.signs[j]];
        let after = within_bounds(before, signs, [space.costs[i], space.costs[j]], wanted);
        for ((element, alpha), (before, sign)) in
            [i, j].into_iter().zip(after).zip(before.into_iter().zip(signs))
        {
            let cost = space.costs[element];
            space.alphas[element] = alpha;
            let (rises, falls) = (u8::from(alpha < cost), u8::from(alpha > 0.0));
            (space.up[element], space.down[element]) =
                if sign > 0.0 { (rises, falls) } else { (falls, rises) };
            if (alpha >= cost) != (before >= cost) {
                let change = if alpha >= cost { sign * cost } else { -sign * cost };
                space.events.push((space.origins[element], change));
            }
        }
        for which in 0..2 {
            let change = signs[which] * (after[which] - before[which]);
            let table = self.smo.rounded[..self.smo.n_codes].iter();
            for (step, value) in space.steps[which].iter_mut().zip(table) {
                *step = value * change;
            }
        }
        let tables = [&space.steps[0][..], &space.steps[1][..]];
        let values = &mut space.values[..self.n_active];
        if self.in_order {
            let codes = [pair.place, second].map(|place| &space.cache.at(place)[..self.n_active]);
            T::descend(values, codes, tables);
        } else {
            T::descend(values, [&space.gathered[0], &space.gathered[1]], tables);
        }
        self.find_extremes();
    }

    fn find_extremes(&mut self) {
        let (n, space) = (self.n_active, &mut *self.space);
        let n_chunks = n.div_ceil(CHUNK);
        space.highest.resize(n_chunks, 0.0);
        space.lowest.resize(n_chunks, 0.0);
        let masks = [&space.up[..n], &space.down[..n]];
        extremes(&space.values[..n], masks, &mut space.highest, &mut space.lowest);
    }

    /// Shrinks elements that are at a bound and likely to stay there.
    fn shrink(&mut self) {
        let (highest, lowest) = self.bounds();
        if !self.taken_back && highest - lowest <= self.smo.parameters.epsilon * 10.0 {
            self.taken_back = true;
            self.take_back();
        }
        let stays = |space: &Space<T>, k: usize| {
            (space.up[k] != 0 || space.values[k] <= highest)
                && (space.down[k] != 0 || space.values[k] >= lowest)
        };
        let mut element = 0;
        while element < self.n_active {
            if !stays(self.space, element) {
                self.n_active -= 1;
                while self.n_active > element {
                    if stays(self.space, self.n_active) {
                        self.swap(element, self.n_active);
                        break;
                    }
                    self.n_active -= 1;
                }
            }
            element += 1;
        }
        self.find_extremes();
    }

    fn swap(&mut self, a: usize, b: usize) {
        let space = &mut *self.space;
        self.in_order = false;
        for numbers in
            [&mut space.values, &mut space.alphas, &mut space.costs, &mut space.diagonals, &mut space.signs]
        {
            numbers.swap(a, b);
        }
        space.up.swap(a, b);
        space.down.swap(a, b);
        space.origins.swap(a, b);
    }

    /// Reactivates all shrunk elements: recomputes their values.
    fn take_back(&mut self) {
        if self.n_active == self.n {
            return;
        }
        self.space.bounded.resize(self.n, 0.0);
        for event in self.space.n_summed..self.space.events.len() {
            let (origin, change) = self.space.events[event];
            let place = self.find_origin_row(origin as usize);
            let space = &mut *self.space;
            for (sum, code) in space.bounded.iter_mut().zip(space.cache.at(place)) {
                *sum -= change * self.smo.rounded[code.place()];
            }
        }
        self.space.n_summed = self.space.events.len();
        let space = &mut *self.space;
        for k in self.n_active..self.n {
            space.values[k] = space.bounded[space.origins[k] as usize] + space.signs[k];
        }
        for k in 0..self.n_active {
            let alpha = self.space.alphas[k];
            if alpha > 0.0 && alpha < self.space.costs[k] {
                let place = self.find_row(k);
                let space = &mut *self.space;
                let row = space.cache.at(place);
                let change = alpha * space.signs[k];
                for other in self.n_active..self.n {
                    let code = row[space.origins[other] as usize];
                    space.values[other] -= change * self.smo.rounded[code.place()];
                }
            }
        }
        self.n_active = self.n;
        self.find_extremes();
    }

    fn solution(self) -> Solution {
        let space = self.space;
        let (mut sum, mut n_free) = (0.0, 0.0);
        for k in 0..self.n {
            if space.up[k] != 0 && space.down[k] != 0 {
                sum -= space.values[k];
                n_free += 1.0;
            }
        }
        let rho = if n_free > 0.0 {
            sum / n_free
        } else {
            // Without an instance on the margin, takes the middle of the feasible interval.
            let at_most = (0..self.n).filter(|&k| space.up[k] != 0).map(|k| -space.values[k]);
            let at_least = (0..self.n).filter(|&k| space.down[k] != 0).map(|k| -space.values[k]);
            f64::midpoint(at_most.fold(f64::INFINITY, f64::min), at_least.fold(f64::NEG_INFINITY, f64::max))
        };
        let loss = (0..self.n).map(|k| (space.signs[k] * (space.values[k] + rho)).max(0.0)).sum();
        let mut weights = vec![0.0; self.n];
        for k in 0..self.n {
            weights[space.origins[k] as usize] = space.signs[k] * space.alphas[k];
        }
        let instances = (0u32..).zip(weights).filter(|&(_, weight)| weight != 0.0);
        let n_first = self.ranges[0].len();
        let starts = [&self.ranges[0], &self.ranges[1]]
            .map(|range| u32::try_from(range.start).expect("instances have numbers of 32 bits"));
        let n_first = u32::try_from(n_first).expect("instances have numbers of 32 bits");
        let coefficients = instances
            .map(|(origin, weight)| {
                let instance =
                    if origin < n_first { starts[0] + origin } else { starts[1] + (origin - n_first) };
                (instance, weight)
            })
            .collect();
        Solution { coefficients, rho, loss }
    }
}

/// The new alphas of two elements when yα of the first goes up and that of the second down by `wanted`, or as far as the bounds allow
/// (Chang and Lin 2011, sections 4.1.4 and 6). Their weighted sum does not change.
fn within_bounds(before: [f64; 2], signs: [f64; 2], costs: [f64; 2], wanted: f64) -> [f64; 2] {
    let [mut first, mut second] = [before[0] + signs[0] * wanted, before[1] - signs[1] * wanted];
    if signs[0] * signs[1] < 0.0 {
        // Along the line with a constant difference.
        let difference = before[0] - before[1];
        if difference > 0.0 && second < 0.0 {
            (first, second) = (difference, 0.0);
        } else if difference <= 0.0 && first < 0.0 {
            (first, second) = (0.0, -difference);
        }
        if difference > costs[0] - costs[1] && first > costs[0] {
            (first, second) = (costs[0], costs[0] - difference);
        } else if difference <= costs[0] - costs[1] && second > costs[1] {
            (first, second) = (costs[1] + difference, costs[1]);
        }
    } else {
        // Along the line with a constant sum.
        let sum = before[0] + before[1];
        if sum > costs[0] && first > costs[0] {
            (first, second) = (costs[0], sum - costs[0]);
        } else if sum <= costs[0] && second < 0.0 {
            (first, second) = (sum, 0.0);
        }
        if sum > costs[1] && second > costs[1] {
            (first, second) = (sum - costs[1], costs[1]);
        } else if sum <= costs[1] && first < 0.0 {
            (first, second) = (0.0, sum);
        }
    }
    [first, second]
}

fn refill<N>(numbers: &mut Vec<N>, with: impl Iterator<Item = N>) {
    numbers.clear();
    numbers.extend(with);
}
