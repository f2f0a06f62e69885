//! The dual subproblem of one instance, with all others fixed, for some of the classes.
//!
//! With αₘ the dual variable of class m, A = x·x and Bₘ the gradient without the instance's own part,
//!
//! ```text
//!   minimise  Σ ½ A αₘ² + Bₘ αₘ     where  Σ αₘ = 0,  αₘ ≤ Cₘ     (Cₘ: C for the correct class, else 0)
//! ```
//!
//! is solved by αₘ = min(Cₘ, (β − Bₘ) / A) for the one β that makes them sum to 0 (Keerthi et al. 2008). With Dₘ = Bₘ + A Cₘ that
//! condition says Σ max(0, Dₘ − β) = A C, over the classes that are not fixed at their limits.

/// An active class.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Candidate {
    /// The rank of the class.
    pub(super) rank: u32,
    /// Its dual variable.
    pub(super) alpha: f64,
    /// Its upper limit.
    pub(super) limit: f64,
    /// Its gradient.
    pub(super) gradient: f64,
}

impl Candidate {
    /// B.
    fn others(&self, square: f64) -> f64 {
        self.gradient - square * self.alpha
    }

    /// D.
    fn at_limit(&self, square: f64) -> f64 {
        self.others(square) + square * self.limit
    }

    /// The new dual variable.
    pub(super) fn best(&self, square: f64, beta: f64) -> f64 {
        ((beta - self.others(square)) / square).min(self.limit)
    }
}

/// β for these classes; `square` is A.
///
/// Traverses D in descending order while β, the mean so far minus A C, is below the next value. This is LIBLINEAR's order of additions:
/// the last digit can decide whether a variable reaches its limit, and so whether its class is skipped.
pub(super) fn beta(candidates: &[Candidate], square: f64, cost: f64, sorted: &mut Vec<f64>) -> f64 {
    // Only values above the mean of all, minus A C, can contribute, and mostly they are few.
    let all = || candidates.iter().map(|candidate| candidate.at_limit(square));
    let (sum, n) = all().fold((-square * cost, 0.0), |(sum, n), d| (sum + d, n + 1.0));
    let mean = sum / n;
    sorted.clear();
    // Allows for rounding.
    sorted.extend(all().filter(|&d| d >= mean - 1e-9 * mean.abs().max(1.0)));
    sorted.sort_unstable_by(|a, b| b.total_cmp(a));
    let Some((&highest, rest)) = sorted.split_first() else { return mean };
    let (mut sum, mut n) = (highest - square * cost, 1.0);
    for &d in rest {
        if sum >= n * d {
            break;
        }
        sum += d;
        n += 1.0;
    }
    sum / n
}
