//! Logistic regression, one class against the rest, in the dual (Yu, Huang and Lin 2011).
//!
//! With y = ±1 and the cost C of an instance, a hyperplane w minimises
//!
//! ```text
//!   ½ w·w + C Σ ln(1 + exp(−y w·x))
//! ```
//!
//! The dual has one variable α per instance, between 0 and C, and w = Σ α y x. With the others fixed it is optimal where
//!
//! ```text
//!   y w·x + ln(α / (C − α)) = 0        w with the new α
//! ```
//!
//! The paper solves this with Newton's method in α, which needs a logarithm per step and care near the bounds. Here the unknown is u =
//! ln(α / (C − α)): it has no bounds, it is stored, so that no function is computed where nothing changes, and with α = C / (1 + exp(−u))
//! the left side has a slope of at least 1. So the distance to the root is at most the absolute value of the left side; a Newton step
//! that leaves the interval known to contain the root is replaced by bisection.

use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;

use super::lanes::{Block, LANES, Lanes, Planes, lanes};
use super::problem::Problem;
use crate::math::{exp_of_double, ln};

/// The maximum number of iterations, as in LIBLINEAR.
const MAX_ITERATIONS: usize = 1000;
/// The maximum number of steps per instance; bisection alone converges within this.
const MAX_STEPS: usize = 100;
/// The initial α, as a fraction of C.
const START: f64 = 0.001;

/// The hyperplanes of a block of classes, and the maximum violation.
pub(super) fn solve(
    problem: &Problem<'_>,
    epsilon: f64,
    block: &Block,
    generator: Pcg64Mcg,
) -> (Planes, f64) {
    let mut solver = Solver::new(problem, block, epsilon);
    let left = solver.solve(epsilon, generator);
    (solver.planes, left)
}

/// The variables of an instance.
#[derive(Clone, Copy, Debug)]
struct Dual {
    /// α.
    alphas: Lanes,
    /// u.
    logits: Lanes,
}

/// Hyperplanes in training.
struct Solver<'a> {
    problem: &'a Problem<'a>,
    block: &'a Block,
    /// Smaller values count as 0.
    tolerance: f64,
    planes: Planes,
    /// One per instance.
    duals: Vec<Dual>,
    /// The largest gradient of an iteration.
    seen: Lanes,
    /// 1 for hyperplanes that are not done.
    is_open: Lanes,
}

impl<'a> Solver<'a> {
    fn new(problem: &'a Problem<'a>, block: &'a Block, epsilon: f64) -> Self {
        let start = Dual { alphas: [0.0; LANES], logits: [ln(START / (1.0 - START)); LANES] };
        let (mut planes, mut duals) = (Planes::new(problem), vec![start; problem.instances().len()]);
        for &instance in problem.movable() {
            let alpha = START * problem.cost(instance);
            duals[instance as usize].alphas = [alpha; LANES];
            let signs = block.signs(problem.rank(instance));
            planes.add(problem.row(instance), &signs.map(|sign| sign * alpha));
        }
        Self {
            problem,
            block,
            // Precise enough that convergence to ε depends on iterations, not on steps.
            tolerance: (0.1 * epsilon).min(0.01),
            planes,
            duals,
            seen: [0.0; LANES],
            is_open: lanes(|lane| if lane < block.ranks().len() { 1.0 } else { 0.0 }),
        }
    }

    /// Iterates until every hyperplane is done; returns the maximum violation.
    fn solve(&mut self, epsilon: f64, mut generator: Pcg64Mcg) -> f64 {
        let mut order = self.problem.movable().to_vec();
        let mut left = 0.0;
        for _ in 0..MAX_ITERATIONS {
            order.shuffle(&mut generator);
            self.seen = [0.0; LANES];
            for &instance in &order {
                self.visit(instance);
            }
            left = self.seen.iter().copied().fold(0.0, f64::max);
            for (is_open, seen) in self.is_open.iter_mut().zip(self.seen) {
                if seen < epsilon {
                    *is_open = 0.0;
                }
            }
            if self.is_open.iter().all(|&is_open| is_open == 0.0) {
                break;
            }
        }
        left
    }

    /// Finds the best α of an instance for every hyperplane.
    #[inline]
    fn visit(&mut self, instance: u32) {
        let row = self.problem.row(instance);
        let signs = self.block.signs(self.problem.rank(instance));
        let products = self.planes.products(row);
        let dual = &mut self.duals[instance as usize];
        let gradient = lanes(|lane| signs[lane] * products[lane] + dual.logits[lane]);
        let mut farthest = 0.0;
        for ((gradient, seen), is_open) in gradient.iter().zip(&mut self.seen).zip(self.is_open) {
            let size = gradient.abs() * is_open;
            *seen = if size > *seen { size } else { *seen };
            farthest = if size > farthest { size } else { farthest };
        }
        if farthest < self.tolerance {
            return;
        }
        // Hyperplanes that are done need no work.
        let gradient = lanes(|lane| gradient[lane] * self.is_open[lane]);
        let one = One { square: self.problem.square(row), cost: self.problem.cost(instance) };
        let new = one.solve(dual, &gradient, self.tolerance);
        let steps = lanes(|lane| (new.alphas[lane] - dual.alphas[lane]) * signs[lane]);
        *dual = new;
        self.planes.add(row, &steps);
    }
}

/// The subproblem of one instance.
#[derive(Clone, Copy, Debug)]
struct One {
    square: f64,
    cost: f64,
}

impl One {
    /// The optimal variables, from the current ones and their gradient.
    #[inline]
    #[allow(clippy::needless_bitwise_bool, reason = "a branch in a lane would keep the others waiting")]
    fn solve(self, from: &Dual, gradient: &Lanes, tolerance: f64) -> Dual {
        let Self { square, cost } = self;
        let mut low =
            lanes(
                |lane| {
                    if gradient[lane] > 0.0 { from.logits[lane] - gradient[lane] } else { from.logits[lane] }
                },
            );
        let mut high =
            lanes(
                |lane| {
                    if gradient[lane] > 0.0 { from.logits[lane] } else { from.logits[lane] - gradient[lane] }
                },
            );
        let mut at = *from;
        let mut value = *gradient;
        for _ in 0..MAX_STEPS {
            let mut farthest = 0.0;
            for lane in 0..LANES {
                let (u, alpha) = (at.logits[lane], at.alphas[lane]);
                let slope = 1.0 + square * alpha * (1.0 - alpha / cost);
                let newton = u - value[lane] / slope;
                let is_within = (newton >= low[lane]) & (newton <= high[lane]);
                let next = if is_within { newton } else { 0.5 * (low[lane] + high[lane]) };
                // Lanes that do not move keep their α exactly.
                let moves = gradient[lane] != 0.0;
                let alpha = if moves { cost / (1.0 + exp_of_double(-next)) } else { alpha };
                let next = if moves { next } else { u };
                let here = gradient[lane] + square * (alpha - from.alphas[lane]) + (next - from.logits[lane]);
                low[lane] = if here > 0.0 { low[lane] } else { next };
                high[lane] = if here > 0.0 { next } else { high[lane] };
                at.logits[lane] = next;
                at.alphas[lane] = alpha;
                value[lane] = here;
                let size = here.abs();
                farthest = if size > farthest { size } else { farthest };
            }
            if farthest < tolerance {
                break;
            }
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::super::testing::{self, random};
    use super::*;

    fn gaps(solver: &Solver<'_>) -> Vec<(f64, f64)> {
        let alphas = |instance: u32| solver.duals[instance as usize].alphas;
        let parts = |cost: f64, alpha: f64, margin: f64| {
            assert!(alpha > 0.0 && alpha < cost, "{alpha} of {cost}");
            let gain = cost * cost.ln() - alpha * alpha.ln() - (cost - alpha) * (cost - alpha).ln();
            (cost * (-margin).exp().ln_1p(), gain)
        };
        testing::gaps(solver.problem, solver.block, &solver.planes, alphas, parts)
    }

    #[test]
    fn the_optimum_is_reached() {
        for (seed, n_classes) in (0..12).zip([2, 3, 8].into_iter().cycle()) {
            let instances = random(seed, 100, n_classes);
            for (c, bias) in [(0.1, 0.0), (1.0, 0.0), (30.0, 1.0)] {
                let problem = Problem::new(&instances, c, bias);
                let ranks: Vec<u32> = (0u32..).take(problem.classes().len()).collect();
                let block = Block::new(&ranks, ranks.len());
                let mut solver = Solver::new(&problem, &block, 1e-6);
                let left = solver.solve(1e-6, Pcg64Mcg::seed_from_u64(seed));
                for (gap, objective) in gaps(&solver) {
                    assert!(gap.abs() < 1e-6 * objective, "{gap} of {objective}, {left} left with {c}");
                }
            }
        }
    }

    #[test]
    fn one_instance_is_solved_wherever_it_begins() {
        for square in [0.5, 3.0, 200.0] {
            for cost in [1e-3, 1.0, 1e4] {
                for product in [-1e3, -20.0, -0.5, 0.0, 3.0, 700.0] {
                    for start in [-30.0, -5.0, 0.0, 8.0] {
                        let alpha = cost / (1.0 + f64::exp(-start));
                        let from = Dual { alphas: [alpha; LANES], logits: [start; LANES] };
                        let mut gradient = [product + start; LANES];
                        gradient[2] = 0.0;
                        let to = One { square, cost }.solve(&from, &gradient, 1e-6);
                        let rest = product + square * (to.alphas[0] - alpha) + to.logits[0];
                        assert!(rest.abs() < 1e-6, "{rest}: {square} {cost} {product} {start}");
                        assert_eq!(to.alphas[2].to_bits(), alpha.to_bits());
                    }
                }
            }
        }
    }
}
