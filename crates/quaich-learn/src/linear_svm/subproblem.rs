//! The dual problem of one instance, all others held fixed, for some of the classes.
//!
//! With αₘ the dual variable of class m, A = x·x and Bₘ the gradient without the instance's own part,
//!
//! ```text
//!   minimise  Σ ½ A αₘ² + Bₘ αₘ     where  Σ αₘ = 0,  αₘ ≤ Cₘ     (Cₘ: C for the right class, else 0)
//! ```
//!
//! is solved by αₘ = min(Cₘ, (β − Bₘ) / A) for the one β that makes them sum to 0 (Keerthi et al. 2008). With
//! Dₘ = Bₘ + A Cₘ that says Σ max(0, Dₘ − β) = A C, for whichever classes are not held at their limits.

/// A class that may move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Candidate {
    /// The rank of the class.
    pub(super) rank: u32,
    /// Its dual variable.
    pub(super) alpha: f64,
    /// What it cannot exceed.
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

    /// The dual variable as it should be.
    pub(super) fn best(&self, square: f64, beta: f64) -> f64 {
        ((beta - self.others(square)) / square).min(self.limit)
    }
}

/// β for these classes; `square` is A.
///
/// D is gone through from the highest on, as long as β, the mean of those so far less A C, is below the next. That is LIBLINEAR's order
/// of additions: whether a variable ends at its limit, and so what becomes of its class, can depend on the last digit.
pub(super) fn beta(candidates: &[Candidate], square: f64, cost: f64, sorted: &mut Vec<f64>) -> f64 {
    // Only those above the mean of all less A C can count, and mostly they are few.
    let all = || candidates.iter().map(|candidate| candidate.at_limit(square));
    let (sum, n) = all().fold((-square * cost, 0.0), |(sum, n), d| (sum + d, n + 1.0));
    let mean = sum / n;
    sorted.clear();
    // Rounding is no matter within this.
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
