//! The budget: a number of trials, or wall-clock time.

use std::time::{Duration, Instant};

use crate::trial::{Fidelity, Outcome, Trial};

/// What a search may use.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Budget {
    /// Trials, each of them one training run.
    Trials(usize),
    /// Wall-clock time.
    Time(Duration),
}

impl Default for Budget {
    fn default() -> Self {
        Self::Time(Duration::from_mins(30))
    }
}

/// A trial takes at most this many times what similar ones took.
const SLACK: f64 = 1.25;

/// The least share of a time budget that is kept for the dry run.
const LEAST_RESERVE: f64 = 0.1;
/// A dry run may take this many times the budget: without it, the result would not be compared with the defaults.
const OVERTIME: f64 = 1.1;

/// What is left of a budget.
///
/// A resumed search replays its earlier trials. Until the first new trial, the clock stands at the time when the last replayed trial was
/// finished, so a replayed search makes the same decisions as before.
#[derive(Clone, Debug)]
pub(crate) struct Meter {
    budget: Budget,
    jobs: usize,
    n_used: usize,
    /// Trials, or seconds, that are kept for the dry run.
    reserved: f64,
    /// The time of the last replayed trial.
    replayed: f64,
    started: Option<Instant>,
    /// The number of tokens of the treebank.
    n_tokens: usize,
    /// Thread-seconds per work of a trial, by share and fidelity.
    rates: Vec<((f64, Fidelity), f64)>,
}

impl Meter {
    pub(crate) fn new(budget: Budget, jobs: usize, n_tokens: usize) -> Self {
        Self {
            budget,
            jobs,
            n_used: 0,
            reserved: 0.0,
            replayed: 0.0,
            started: None,
            n_tokens,
            rates: Vec::new(),
        }
    }

    /// The seconds since the search started, without the time between an interruption and the next run.
    pub(crate) fn now(&self) -> f64 {
        self.replayed + self.started.map_or(0.0, |started| started.elapsed().as_secs_f64())
    }

    /// Starts the clock, unless it is running.
    pub(crate) fn start(&mut self) {
        self.started.get_or_insert_with(Instant::now);
    }

    /// Counts a trial that is finished.
    pub(crate) fn count(&mut self, trial: &Trial, outcome: &Outcome) {
        self.n_used += 1;
        if self.started.is_none() {
            self.replayed = self.replayed.max(outcome.finished);
        }
        #[allow(clippy::cast_precision_loss, reason = "a number of threads")]
        let rate =
            outcome.seconds * outcome.threads as f64 / trial.work(self.n_tokens).max(f64::MIN_POSITIVE);
        let class = (trial.share, trial.fidelity);
        match self.rates.iter_mut().find(|(known, _)| *known == class) {
            Some((_, known)) => *known = 0.5 * (*known + rate),
            None => self.rates.push((class, rate)),
        }
    }

    /// The number of threads.
    #[allow(clippy::cast_precision_loss, reason = "a number of threads")]
    pub(crate) fn threads(&self) -> f64 {
        self.jobs as f64
    }

    /// The number of finished trials.
    pub(crate) fn n_used(&self) -> usize {
        self.n_used
    }

    /// Keeps a part of the budget for the dry run: these trials.
    pub(crate) fn reserve(&mut self, trials: &[Trial]) {
        #[allow(clippy::cast_precision_loss, reason = "a number of trials")]
        let (n, jobs) = (trials.len() as f64, self.jobs as f64);
        self.reserved = match self.budget {
            Budget::Trials(_) => n,
            Budget::Time(time) => {
                let seconds: f64 = trials.iter().map(|trial| self.cost(trial) / jobs).sum();
                (seconds * SLACK).max(LEAST_RESERVE * time.as_secs_f64())
            }
        };
    }

    /// The expected thread-seconds of a trial, once another one is known.
    pub(crate) fn cost(&self, trial: &Trial) -> f64 {
        let class = (trial.share, trial.fidelity);
        let same = self.rates.iter().find(|(known, _)| *known == class).or(self.rates.first());
        same.map_or(0.0, |(_, rate)| rate * trial.work(self.n_tokens))
    }

    /// Whether these trials are expected to end too late, without a reserve.
    pub(crate) fn exceeds(&self, trials: &[Trial]) -> bool {
        let Budget::Time(time) = self.budget else { return false };
        #[allow(clippy::cast_precision_loss, reason = "a number of threads")]
        let expected = trials.iter().map(|trial| self.cost(trial)).sum::<f64>() / self.jobs as f64;
        self.now() + expected > time.as_secs_f64()
    }

    /// The number of trials like this one that are affordable.
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "numbers of trials"
    )]
    pub(crate) fn affordable(&self, like: &Trial) -> usize {
        match self.budget {
            Budget::Trials(n) => (n as f64 - self.n_used as f64 - self.reserved).max(0.0) as usize,
            Budget::Time(time) => {
                let left = (time.as_secs_f64() - self.now() - self.reserved).max(0.0);
                let cost = self.cost(like).max(1e-3);
                (left * self.jobs as f64 / cost) as usize
            }
        }
    }

    /// Whether a trial may be started: it is expected to be finished in time. `n_running` others share the machine.
    pub(crate) fn allows(&self, trial: &Trial, threads: usize, ignores_reserve: bool) -> bool {
        let Budget::Time(time) = self.budget else { return true };
        let reserved = if ignores_reserve { 0.0 } else { self.reserved };
        #[allow(clippy::cast_precision_loss, reason = "a number of threads")]
        let expected = self.cost(trial) / threads as f64 * SLACK;
        self.now() + expected + reserved <= time.as_secs_f64()
    }

    /// Whether trials that are still running have to be stopped.
    pub(crate) fn is_over(&self, is_dry_run: bool) -> bool {
        let overtime = if is_dry_run { OVERTIME } else { 1.0 };
        matches!(self.budget, Budget::Time(time) if self.now() > overtime * time.as_secs_f64())
    }

    /// The seconds that are left, if time is the budget.
    pub(crate) fn seconds_left(&self) -> Option<f64> {
        match self.budget {
            Budget::Trials(_) => None,
            Budget::Time(time) => Some((time.as_secs_f64() - self.now()).max(0.0)),
        }
    }
}
