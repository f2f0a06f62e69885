//! The dual subproblem of one instance, with all others fixed.
//!
//! With αₘ the dual variable of class m, A = x·x and Bₘ the gradient without the instance's own part,
//!
//! ```text
//!   minimise  Σ ½ A αₘ² + Bₘ αₘ     where  Σ αₘ = 0,  αₘ ≤ Cₘ     (Cₘ: C for the correct class, else 0)
//! ```
//!
//! is solved by αₘ = min(Cₘ, (β − Bₘ) / A) for the one β that makes them sum to 0 (Crammer and Singer
//! 2001, Keerthi et al. 2008). With Dₘ = Bₘ + A Cₘ that condition says
//!
//! ```text
//!   Σ max(0, Dₘ − β) = A C
//! ```
//!
//! No term of a sum of non-negative numbers exceeds the sum, so max D − β ≤ A C. Only classes with Dₘ > β differ from their limit, and
//! all of these have Dₘ > max D − A C: of thousands of classes only those close to the best one need any work.

use crate::rows::Entry;

/// Smaller steps are skipped.
const MIN_STEP: f32 = 1e-9;

/// The subproblem of an instance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subproblem<'a> {
    /// Indexed by class: B; −∞ for classes that must not change.
    pub(super) gradient: &'a [f32],
    /// The correct class.
    pub(super) right: u32,
    /// C.
    pub(super) c: f32,
    /// A.
    pub(super) square: f32,
    /// The current nonzero dual variables.
    pub(super) duals: &'a [Entry],
}

/// The solution, and buffers to compute it.
#[derive(Clone, Debug, Default)]
pub(super) struct Space {
    competitors: Vec<Competitor>,
    /// The new nonzero dual variables.
    pub(super) alphas: Vec<Entry>,
    /// The changes of the dual variables.
    pub(super) steps: Vec<Entry>,
}

/// A class that may differ from its limit.
#[derive(Clone, Copy, Debug)]
struct Competitor {
    class: u32,
    /// D.
    d: f32,
}

impl Subproblem<'_> {
    /// Solves the subproblem; at most `newcomers` classes without a dual variable get one.
    pub(super) fn solve(&self, newcomers: usize, space: &mut Space) {
        let Space { competitors, alphas, steps } = space;
        if newcomers < self.gradient.len() {
            self.find_few_competitors(newcomers, competitors);
        } else {
            self.find_competitors(competitors);
        }
        let beta = self.beta(competitors);
        alphas.clear();
        steps.clear();
        // Both are sorted by class.
        let mut classes = competitors.iter().map(|competitor| competitor.class).peekable();
        let mut duals = self.duals.iter().peekable();
        while let Some(class) =
            classes.peek().copied().into_iter().chain(duals.peek().map(|dual| dual.class)).min()
        {
            classes.next_if_eq(&class);
            let old = duals.next_if(|dual| dual.class == class).map_or(0.0, |dual| dual.value);
            let mut new = self.alpha(class, beta);
            if (new - old).abs() > MIN_STEP {
                steps.push(Entry { class, value: new - old });
            } else {
                new = old;
            }
            if new != 0.0 {
                alphas.push(Entry { class, value: new });
            }
        }
    }

    /// The classes that may differ from their limit, sorted; always includes the correct one, which does not start at its limit.
    fn find_competitors(&self, competitors: &mut Vec<Competitor>) {
        let lowest = self.lowest();
        competitors.clear();
        for (class, &d) in (0u32..).zip(self.gradient) {
            if class == self.right {
                competitors.push(Competitor { class, d: self.of_right() });
            } else if d >= lowest {
                competitors.push(Competitor { class, d });
            }
        }
    }

    /// Of these classes, the correct one, those with a dual variable, and at most `newcomers` others: those with the highest D, the first
    /// ones if several are equal.
    fn find_few_competitors(&self, newcomers: usize, competitors: &mut Vec<Competitor>) {
        competitors.clear();
        competitors.push(Competitor { class: self.right, d: self.of_right() });
        let known = self.duals.iter().map(|dual| dual.class).filter(|&class| class != self.right);
        competitors.extend(known.map(|class| Competitor { class, d: self.gradient[class as usize] }));
        let n_known = competitors.len();
        let has_dual = |class| self.duals.binary_search_by_key(&class, |dual| dual.class).is_ok();
        let mut floor = self.lowest().next_down();
        for (class, &d) in (0u32..).zip(self.gradient) {
            if d > floor && class != self.right && !has_dual(class) {
                competitors.push(Competitor { class, d });
                // Insertion into a short sorted list is fast.
                competitors[n_known..].sort_by(|a, b| b.d.total_cmp(&a.d));
                competitors.truncate(n_known + newcomers);
                if competitors.len() == n_known + newcomers {
                    floor = competitors.last().map_or(floor, |last| last.d);
                }
            }
        }
        competitors.sort_unstable_by_key(|competitor| competitor.class);
    }

    /// D of the correct class.
    fn of_right(&self) -> f32 {
        self.gradient[self.right as usize] + self.square * self.c
    }

    /// The lower bound of D for classes that may differ from their limit.
    fn lowest(&self) -> f32 {
        highest(self.gradient).max(self.of_right()) - self.square * self.c
    }

    /// β if only these classes may differ from their limits.
    ///
    /// Starts with β for all of them; removing those that then do not differ increases β, and so on until nothing changes (Michelot
    /// 1986).
    fn beta(&self, competitors: &[Competitor]) -> f32 {
        let room = f64::from(self.square * self.c);
        let (mut beta, mut n_before) = (f32::NEG_INFINITY, usize::MAX);
        loop {
            let (mut sum, mut n, mut counted) = (-room, 0, 0.0);
            for competitor in competitors.iter().filter(|competitor| competitor.d > beta) {
                sum += f64::from(competitor.d);
                n += 1;
                counted += 1.0;
            }
            // More classes than before, or none at all, are rounding errors.
            if n >= n_before || n == 0 {
                return beta;
            }
            n_before = n;
            #[allow(clippy::cast_possible_truncation, reason = "as precise as weights are")]
            let higher = (sum / counted) as f32;
            beta = higher;
        }
    }

    /// The dual variable of a class.
    fn alpha(&self, class: u32, beta: f32) -> f32 {
        ((beta - self.gradient[class as usize]) / self.square).min(self.limit(class))
    }

    /// The upper limit of a class's dual variable.
    fn limit(&self, class: u32) -> f32 {
        if class == self.right { self.c } else { 0.0 }
    }
}

/// The maximum, with several accumulators for instruction-level parallelism.
pub(super) fn highest(numbers: &[f32]) -> f32 {
    let max = |a: f32, b: f32| if b > a { b } else { a };
    let (groups, rest) = numbers.as_chunks::<8>();
    let mut highest = [f32::NEG_INFINITY; 8];
    for group in groups {
        for (highest, &number) in highest.iter_mut().zip(group) {
            *highest = max(*highest, number);
        }
    }
    highest.iter().chain(rest).copied().fold(f32::NEG_INFINITY, max)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Solves the condition on β by bisection.
    fn slow(problem: &Subproblem<'_>) -> f32 {
        let limit = |class| f64::from(problem.limit(class));
        let alphas = |beta: f64| {
            let alpha = |(class, &b): (u32, &f32)| {
                ((beta - f64::from(b)) / f64::from(problem.square)).min(limit(class))
            };
            (0u32..).zip(problem.gradient).map(alpha).sum::<f64>()
        };
        let (mut low, mut high) = (-100.0, 100.0);
        for _ in 0..100 {
            let middle = f64::midpoint(low, high);
            if alphas(middle) < 0.0 { low = middle } else { high = middle }
        }
        #[allow(clippy::cast_possible_truncation)]
        let beta = low as f32;
        beta
    }

    #[test]
    fn few_classes_are_enough() {
        let mut state = 3u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f32::from(u16::try_from(state >> 16).unwrap()) / 65_536.0
        };
        let (mut competitors, mut n_competitors) = (Vec::new(), 0);
        for _ in 0..1000 {
            let gradient: Vec<f32> = (0..100).map(|_| 4.0 * random() - 2.0).collect();
            let problem = Subproblem {
                gradient: &gradient,
                right: 7,
                c: 0.1 * random() + 0.001,
                square: 5.0,
                duals: &[],
            };
            problem.find_competitors(&mut competitors);
            let beta = problem.beta(&competitors);
            assert!((beta - slow(&problem)).abs() < 1e-5, "{beta} {}", slow(&problem));
            // All other classes are at their limits.
            for class in (0..100).filter(|class| competitors.iter().all(|other| other.class != *class)) {
                assert!((problem.alpha(class, beta) - problem.limit(class)).abs() < 1e-6);
            }
            n_competitors += competitors.len();
        }
        assert!(n_competitors < 20_000);
    }

    #[test]
    fn few_competitors_are_the_strongest() {
        let gradient = [0.5, 0.9, 0.1, 0.9, 0.3, 0.9, 0.2, 0.8];
        let duals = [2, 6].map(|class| Entry { class, value: -0.1 });
        let problem = Subproblem { gradient: &gradient, right: 4, c: 1.0, square: 1.0, duals: &duals };
        let mut competitors = Vec::new();
        for (newcomers, expected) in [(2, &[1, 2, 3, 4, 6][..]), (4, &[1, 2, 3, 4, 5, 6, 7])] {
            problem.find_few_competitors(newcomers, &mut competitors);
            let classes: Vec<u32> = competitors.iter().map(|competitor| competitor.class).collect();
            assert_eq!(classes, expected);
        }
    }

    #[test]
    fn a_cost_too_small_to_tell_leaves_the_best() {
        let problem = Subproblem { gradient: &[1e6, 0.0], right: 1, c: 1e-9, square: 1.0, duals: &[] };
        let mut competitors = Vec::new();
        problem.find_competitors(&mut competitors);
        assert_eq!(problem.beta(&competitors).to_bits(), 1e6f32.to_bits());
    }
}
