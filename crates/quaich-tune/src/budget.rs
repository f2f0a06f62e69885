//! The budget: a number of trials, or wall-clock time.

use std::time::{Duration, Instant};

use crate::trial::{Outcome, Trial};

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
    /// Thread-seconds of a trial, by effort and share.
    costs: Vec<((f64, f64), f64)>,
}

impl Meter {
    pub(crate) fn new(budget: Budget, jobs: usize) -> Self {
        Self { budget, jobs, n_used: 0, reserved: 0.0, replayed: 0.0, started: None, costs: Vec::new() }
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
        let cost = outcome.seconds * outcome.threads as f64;
        let class = (trial.effort, trial.share);
        match self.costs.iter_mut().find(|(known, _)| *known == class) {
            Some((_, known)) => *known = 0.5 * (*known + cost),
            None => self.costs.push((class, cost)),
        }
    }

    /// The number of finished trials.
    pub(crate) fn n_used(&self) -> usize {
        self.n_used
    }

    /// Keeps a part of the budget for the dry run: a number of trials, which take this many seconds each.
    pub(crate) fn reserve(&mut self, trials: usize, seconds: f64) {
        #[allow(clippy::cast_precision_loss, reason = "a number of trials")]
        let trials = trials as f64;
        self.reserved = match self.budget {
            Budget::Trials(_) => trials,
            // The result may be slower to train than what it is compared with.
            Budget::Time(time) => (trials * seconds * SLACK).max(LEAST_RESERVE * time.as_secs_f64()),
        };
    }

    /// The expected thread-seconds of a trial, once a similar one is known.
    fn cost(&self, trial: &Trial) -> Option<f64> {
        let class = (trial.effort, trial.share);
        self.costs.iter().find(|(known, _)| *known == class).map(|(_, cost)| *cost)
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
                let cost = self.cost(like).unwrap_or(0.0).max(1e-3);
                (left * self.jobs as f64 / cost) as usize
            }
        }
    }

    /// Whether a trial may be started: it is expected to be finished in time. `n_running` others share the machine.
    pub(crate) fn allows(&self, trial: &Trial, threads: usize, ignores_reserve: bool) -> bool {
        let Budget::Time(time) = self.budget else { return true };
        let reserved = if ignores_reserve { 0.0 } else { self.reserved };
        #[allow(clippy::cast_precision_loss, reason = "a number of threads")]
        let expected = self.cost(trial).unwrap_or(0.0) / threads as f64 * SLACK;
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
