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
/// First it is where it would be if none of them were at its limit; without those that then are, it is higher,
/// and so on until nothing changes (Michelot 1986).
pub(super) fn beta(candidates: &[Candidate], square: f64, cost: f64) -> f64 {
    let (mut beta, mut n_before) = (f64::NEG_INFINITY, usize::MAX);
    loop {
        let (mut sum, mut n, mut counted) = (-square * cost, 0, 0.0);
        for candidate in candidates {
            let d = candidate.at_limit(square);
            if d > beta {
                sum += d;
                n += 1;
                counted += 1.0;
            }
        }
        // More than before, or none at all, can only be left by rounding.
        if n >= n_before || n == 0 {
            return beta;
        }
        (beta, n_before) = (sum / counted, n);
    }
}
