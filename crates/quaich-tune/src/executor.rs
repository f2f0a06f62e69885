//! Running trials: here, several at a time, or on other machines.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use quaich_parser::Observer;

use crate::budget::Meter;
use crate::data::Data;
use crate::error::Error;
use crate::journal::Journal;
use crate::measure::Measure;
use crate::trial::{Outcome, Trial};

/// Why a search ends.
#[derive(Debug)]
pub(crate) enum Halt {
    /// The budget is spent.
    Spent,
    /// The observer stopped it.
    Interrupted,
    /// These trials have to be run on other machines before it can go on.
    Pending(Vec<Trial>),
    /// An error.
    Failed(Error),
}

impl From<Error> for Halt {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Runs trials.
pub(crate) trait Executor {
    /// Runs all of these trials, or says why not. What is finished is passed to `done`, in any order.
    fn run(
        &mut self,
        trials: &[Trial],
        meter: &Meter,
        is_dry_run: bool,
        done: &(dyn Fn(usize, &Outcome) + Sync),
    ) -> Result<Vec<Outcome>, Halt>;
}

/// Runs one trial at a time; called from several threads.
pub trait Runner: Sync {
    /// The result of a trial with this number of threads; none if `stop` ended it.
    fn run(&self, trial: &Trial, threads: usize, stop: &(dyn Fn() -> bool + Sync)) -> Option<Outcome>;
}

/// Runs trials in this process. In programs that abort when they panic, a trial that panics ends all of them: a [`Runner`] that starts
/// a process per trial keeps them apart.
#[derive(Debug)]
pub struct InProcess<'d> {
    data: &'d Data,
    measure: Measure,
}

impl<'d> InProcess<'d> {
    /// Trials on a treebank.
    pub fn new(data: &'d Data, measure: Measure) -> Self {
        Self { data, measure }
    }
}

impl Runner for InProcess<'_> {
    fn run(&self, trial: &Trial, threads: usize, stop: &(dyn Fn() -> bool + Sync)) -> Option<Outcome> {
        let key = trial.key(self.data, self.measure);
        match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
            Ok(pool) => pool.install(|| trial.run(self.data, self.measure, &StopWith(stop))),
            Err(error) => Some(Outcome::failed(key, error.to_string())),
        }
    }
}

/// Stops training when the search is stopped.
struct StopWith<'e>(&'e (dyn Fn() -> bool + Sync));

impl Observer for StopWith<'_> {
    fn stop(&self) -> bool {
        (self.0)()
    }
}

/// Runs several trials at a time on this machine.
pub(crate) struct Local<'e> {
    pub(crate) runner: &'e dyn Runner,
    pub(crate) jobs: usize,
    pub(crate) journal: &'e mut Journal,
    pub(crate) stop: &'e (dyn Fn() -> bool + Sync),
}

impl Executor for Local<'_> {
    fn run(
        &mut self,
        trials: &[Trial],
        meter: &Meter,
        is_dry_run: bool,
        done: &(dyn Fn(usize, &Outcome) + Sync),
    ) -> Result<Vec<Outcome>, Halt> {
        let n_workers = self.jobs.min(trials.len()).max(1);
        // A few trials share all threads.
        let threads = (self.jobs / n_workers).max(1);
        let outcomes: Vec<Mutex<Option<Outcome>>> = trials.iter().map(|_| Mutex::new(None)).collect();
        let next = AtomicUsize::new(0);
        let journal = Mutex::new((&mut *self.journal, Ok(())));
        let (runner, stop) = (self.runner, self.stop);
        // A trial that takes longer than expected ends with the budget.
        let is_over = || stop() || meter.is_over(is_dry_run);
        let work = || {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(trial) = trials.get(index).filter(|_| !is_over()) else { return };
                if !meter.allows(trial, threads, is_dry_run) {
                    return;
                }
                let Some(mut outcome) = runner.run(trial, threads, &is_over) else { return };
                outcome.finished = meter.now();
                let mut journal = lock(&journal);
                if journal.1.is_ok() {
                    journal.1 = journal.0.append(&outcome);
                }
                drop(journal);
                done(index, &outcome);
                *lock(&outcomes[index]) = Some(outcome);
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..n_workers {
                scope.spawn(work);
            }
        });
        let written = std::mem::replace(&mut lock(&journal).1, Ok(()));
        written?;
        let outcomes: Option<Vec<Outcome>> =
            outcomes.into_iter().map(|outcome| outcome.into_inner().unwrap_or(None)).collect();
        match outcomes {
            Some(outcomes) => Ok(outcomes),
            None if stop() => Err(Halt::Interrupted),
            None => Err(Halt::Spent),
        }
    }
}

/// Hands trials to other machines.
pub(crate) struct Elsewhere;

impl Executor for Elsewhere {
    fn run(
        &mut self,
        trials: &[Trial],
        _: &Meter,
        _: bool,
        _: &(dyn Fn(usize, &Outcome) + Sync),
    ) -> Result<Vec<Outcome>, Halt> {
        Err(Halt::Pending(trials.to_vec()))
    }
}

/// Takes what has been run, and runs nothing.
pub(crate) struct Nowhere;

impl Executor for Nowhere {
    fn run(
        &mut self,
        _: &[Trial],
        _: &Meter,
        _: bool,
        _: &(dyn Fn(usize, &Outcome) + Sync),
    ) -> Result<Vec<Outcome>, Halt> {
        Err(Halt::Interrupted)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
