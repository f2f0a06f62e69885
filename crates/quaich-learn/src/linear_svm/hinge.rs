//! Support vector machines, one class against the rest, in the dual (Hsieh et al. 2008).
//!
//! With y = ±1 and the cost C of an instance, a hyperplane w minimises
//!
//! ```text
//!   ½ w·w + C Σ max(0, 1 − y w·x)ᵖ        p = 1 or 2
//! ```
//!
//! The dual has one variable α per instance, from 0 to U, and w = Σ α y x. With the others fixed, α becomes α − G / (x·x + D), clipped to
//! its bounds, where
//!
//! ```text
//!   G = y w·x − 1 + D α        p = 1: D = 0, U = C        p = 2: D = 1 / 2C, U = ∞
//! ```
//!
//! Shrinking: variables at a bound are skipped for a while if their G points out of the bounds by more than any G within them in the last
//! iteration. The violation is the range of all G that point into the bounds; a hyperplane is done when it is below ε over all instances.

use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;

use super::lanes::{Block, LANES, Lanes, Planes, lanes};
use super::problem::Problem;

/// The loss that is minimised.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Hinge {
    /// The hinge loss.
    L1,
    /// The squared hinge loss.
    L2,
}

/// The maximum number of iterations, as in LIBLINEAR.
const MAX_ITERATIONS: usize = 1000;
/// The number of iterations that hyperplanes wait for the others of their block before all instances are checked again.
const MAX_WAIT: usize = 10;

/// The hyperplanes of a block of classes, and the maximum violation.
pub(super) fn solve(
    problem: &Problem<'_>,
    hinge: Hinge,
    epsilon: f64,
    block: &Block,
    generator: Pcg64Mcg,
) -> (Planes, f64) {
    let mut solver = Solver::new(problem, hinge, block);
    let left = solver.solve(epsilon, MAX_ITERATIONS, generator);
    (solver.planes, left)
}

/// A range of gradients per hyperplane.
#[derive(Clone, Copy, Debug)]
struct Range {
    low: Lanes,
    high: Lanes,
}

impl Range {
    const WIDEST: Self = Self { low: [f64::NEG_INFINITY; LANES], high: [f64::INFINITY; LANES] };
    const NONE: Self = Self { low: [f64::INFINITY; LANES], high: [f64::NEG_INFINITY; LANES] };

    /// The limits beyond which variables are skipped in the next iteration.
    fn as_limits(&self) -> Self {
        Self {
            low: self.low.map(|low| if low < 0.0 { low } else { f64::NEG_INFINITY }),
            high: self.high.map(|high| if high > 0.0 { high } else { f64::INFINITY }),
        }
    }
}

/// Hyperplanes in training.
struct Solver<'a> {
    problem: &'a Problem<'a>,
    hinge: Hinge,
    block: &'a Block,
    planes: Planes,
    /// One per instance.
    alphas: Vec<Lanes>,
    limits: Range,
    /// The gradients of the last iteration that point into the bounds.
    seen: Range,
    /// 1 for hyperplanes that are not done.
    is_open: Lanes,
}

impl<'a> Solver<'a> {
    fn new(problem: &'a Problem<'a>, hinge: Hinge, block: &'a Block) -> Self {
        Self {
            problem,
            hinge,
            block,
            planes: Planes::new(problem),
            alphas: vec![[0.0; LANES]; problem.instances().len()],
            limits: Range::WIDEST,
            seen: Range::NONE,
            is_open: lanes(|lane| if lane < block.ranks().len() { 1.0 } else { 0.0 }),
        }
    }

    /// Iterates until every hyperplane is done; returns the maximum violation.
    fn solve(&mut self, epsilon: f64, max_iterations: usize, mut generator: Pcg64Mcg) -> f64 {
        let mut order = self.problem.movable().to_vec();
        let mut active = order.len();
        let (mut left, mut waited) = (0.0, 0);
        for _ in 0..max_iterations {
            order[..active].shuffle(&mut generator);
            let was_complete = active == order.len();
            active = self.iterate(&mut order, active);
            // Hyperplanes that are done, and those of an empty problem, have no range.
            let width = |lane| {
                if self.is_open[lane] > 0.0 { self.seen.high[lane] - self.seen.low[lane] } else { 0.0 }
            };
            let widths = lanes(width);
            left = widths.iter().copied().fold(0.0, f64::max);
            if was_complete {
                for (is_open, width) in self.is_open.iter_mut().zip(widths) {
                    if width <= epsilon {
                        *is_open = 0.0;
                    }
                }
            }
            if self.is_open.iter().all(|&is_open| is_open == 0.0) {
                break;
            }
            let is_content = |(is_open, width): (&f64, f64)| *is_open > 0.0 && width <= epsilon;
            waited += usize::from(self.is_open.iter().zip(widths).any(is_content));
            if left <= epsilon || waited > MAX_WAIT {
                // The active instances are optimal; check all of them.
                (active, waited) = (order.len(), 0);
                self.limits = Range::WIDEST;
            } else {
                self.limits = self.seen.as_limits();
            }
        }
        left
    }

    /// Visits the first `active` instances of the order; returns the number of instances that stay active, which are moved to the front.
    fn iterate(&mut self, order: &mut [u32], mut active: usize) -> usize {
        self.seen = Range::NONE;
        let mut at = 0;
        while at < active {
            if self.visit(order[at]) {
                at += 1;
            } else {
                active -= 1;
                order.swap(at, active);
            }
        }
        active
    }

    /// Finds the best α of an instance for every hyperplane; returns whether any hyperplane needs it again.
    #[inline]
    #[allow(clippy::needless_bitwise_bool, reason = "a branch in a lane would keep the others waiting")]
    fn visit(&mut self, instance: u32) -> bool {
        let row = self.problem.row(instance);
        let cost = self.problem.cost(instance);
        let (diagonal, upper) = match self.hinge {
            Hinge::L1 => (0.0, cost),
            Hinge::L2 => (0.5 / cost, f64::INFINITY),
        };
        let inverse = 1.0 / (self.problem.square(row) + diagonal);
        let signs = self.block.signs(self.problem.rank(instance));
        let products = self.planes.products(row);
        let alphas = &mut self.alphas[instance as usize];
        let mut steps = [0.0; LANES];
        let (mut needs, mut moves) = (false, false);
        for lane in 0..LANES {
            let alpha = alphas[lane];
            let gradient = signs[lane] * products[lane] - 1.0 + diagonal * alpha;
            // Gradients that point out of the bounds count as 0.
            let floor = if alpha >= upper { 0.0 } else { f64::NEG_INFINITY };
            let ceiling = if alpha <= 0.0 { 0.0 } else { f64::INFINITY };
            let inward = max(min(gradient, ceiling), floor);
            self.seen.high[lane] = max(self.seen.high[lane], inward);
            self.seen.low[lane] = min(self.seen.low[lane], inward);
            let sticks = (alpha <= 0.0) & (gradient > self.limits.high[lane])
                | (alpha >= upper) & (gradient < self.limits.low[lane]);
            let is_open = self.is_open[lane] > 0.0;
            needs |= is_open & !sticks;
            let best = min(max(alpha - gradient * inverse, 0.0), upper);
            let new = if is_open { best } else { alpha };
            alphas[lane] = new;
            steps[lane] = (new - alpha) * signs[lane];
            moves |= steps[lane] != 0.0;
        }
        if moves {
            self.planes.add(row, &steps);
        }
        needs
    }
}

/// Compiles to one instruction, unlike the standard library's.
#[inline]
fn max(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// Compiles to one instruction, unlike the standard library's.
#[inline]
fn min(a: f64, b: f64) -> f64 {
    if b < a { b } else { a }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::super::testing::{self, random};
    use super::*;

    fn gaps(solver: &Solver<'_>) -> Vec<(f64, f64)> {
        let alphas = |instance: u32| solver.alphas[instance as usize];
        let parts = |cost: f64, alpha: f64, margin: f64| {
            let lack = (1.0 - margin).max(0.0);
            assert!(alpha >= 0.0);
            match solver.hinge {
                Hinge::L1 => {
                    assert!(alpha <= cost);
                    (cost * lack, alpha)
                }
                Hinge::L2 => (cost * lack * lack, alpha - alpha * alpha / (4.0 * cost)),
            }
        };
        testing::gaps(solver.problem, solver.block, &solver.planes, alphas, parts)
    }

    #[test]
    fn the_optimum_is_reached() {
        for (seed, n_classes) in (0..12).zip([2, 3, 8].into_iter().cycle()) {
            let instances = random(seed, 100, n_classes);
            for (hinge, c, bias) in
                [(Hinge::L1, 0.1, 0.0), (Hinge::L1, 1.0, 2.0), (Hinge::L2, 0.5, 0.0), (Hinge::L2, 2.0, 1.0)]
            {
                let problem = Problem::new(&instances, c, bias);
                let ranks: Vec<u32> = (0u32..).take(problem.classes().len()).collect();
                let block = Block::new(&ranks, ranks.len());
                let mut solver = Solver::new(&problem, hinge, &block);
                let left = solver.solve(1e-5, 20_000, Pcg64Mcg::seed_from_u64(seed));
                for (gap, objective) in gaps(&solver) {
                    assert!(
                        gap.abs() < 1e-3 * objective,
                        "{gap} of {objective}, {left} left of {hinge:?} with {c}"
                    );
                }
            }
        }
    }
}
