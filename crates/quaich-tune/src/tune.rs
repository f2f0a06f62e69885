//! The interface of tuning: options in, the best configuration and the record of the search out.

use std::path::Path;

use quaich_parser::TrainingConfig;

use crate::candidate::Candidate;
use crate::data::Data;
use crate::error::Result;
use crate::executor::{Elsewhere, Executor, Halt, InProcess, Local, Nowhere, Runner};
use crate::journal::Journal;
use crate::key::Fingerprint;
use crate::log::{Event, Log};
use crate::search::{Options, Search};
use crate::trial::{Outcome, Trial};

/// A search for the best configuration.
pub struct Tuner<'t> {
    data: &'t Data,
    options: Options,
    start: Candidate,
    jobs: usize,
    runner: Option<&'t dyn Runner>,
    stop: &'t (dyn Fn() -> bool + Sync),
    report: &'t (dyn Fn(&Event<'_>) + Sync),
}

impl std::fmt::Debug for Tuner<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tuner")
            .field("options", &self.options)
            .field("start", &self.start)
            .finish_non_exhaustive()
    }
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct Tuned {
    /// What was done and found.
    pub log: Log,
    /// Whether it was stopped before the budget was spent.
    pub is_interrupted: bool,
}

impl<'t> Tuner<'t> {
    /// A search that starts from a configuration.
    ///
    /// # Errors
    /// If the configuration cannot be trained, or the measure has no meaning for the treebank.
    pub fn new(data: &'t Data, start: &TrainingConfig, options: Options) -> Result<Self> {
        start.settings.check()?;
        if start.features.is_some() {
            start.settings.check_templates()?;
        }
        options.measure.check(data.facts())?;
        let start = Candidate::of(start);
        Ok(Self { data, options, start, jobs: 1, runner: None, stop: &|| false, report: &|_| {} })
    }

    /// The number of trials that run at the same time.
    #[must_use]
    pub fn jobs(self, jobs: usize) -> Self {
        Self { jobs: jobs.max(1), ..self }
    }

    /// Runs trials in another way than in this process.
    #[must_use]
    pub fn runner(self, runner: &'t dyn Runner) -> Self {
        Self { runner: Some(runner), ..self }
    }

    /// Ends the search as soon as this is true.
    #[must_use]
    pub fn stop_if(self, stop: &'t (dyn Fn() -> bool + Sync)) -> Self {
        Self { stop, ..self }
    }

    /// Receives the events of the search.
    #[must_use]
    pub fn report(self, report: &'t (dyn Fn(&Event<'_>) + Sync)) -> Self {
        Self { report, ..self }
    }

    /// The journal of this search in a file: a new one, or one that is continued.
    pub fn journal(&self, path: &Path, resumes: bool) -> Result<Journal> {
        let name = self.name();
        if resumes { Journal::resume(path, &name) } else { Journal::create(path, &name) }
    }

    /// What makes the trials of this search those of no other. The budget is no part of it: a search can be resumed with more.
    fn name(&self) -> String {
        let start = serde_json::to_string(&self.start).unwrap_or_default();
        let name = Fingerprint::default().with(&self.data.fingerprint().to_string()).with(&start);
        name.with(self.options.measure.name()).with(&self.options.seed.to_string()).to_string()
    }

    /// Searches, running trials on this machine.
    pub fn run(&self, journal: &mut Journal) -> Result<Tuned> {
        let known = journal.known();
        let own = InProcess::new(self.data, self.options.measure);
        let mut executor =
            Local { runner: self.runner.unwrap_or(&own), jobs: self.jobs, journal, stop: self.stop };
        let (log, halt) = self.search(known, &mut executor);
        match halt {
            Halt::Failed(error) => Err(error),
            halt => Ok(Tuned { log, is_interrupted: matches!(halt, Halt::Interrupted) }),
        }
    }

    /// The trials to run before the search can go on; none if it is finished.
    pub fn plan(&self, journal: &Journal) -> Result<Vec<Trial>> {
        match self.search(journal.known(), &mut Elsewhere).1 {
            Halt::Failed(error) => Err(error),
            Halt::Pending(trials) => Ok(trials),
            Halt::Spent | Halt::Interrupted => Ok(Vec::new()),
        }
    }

    /// The result of the trials that are known. It is interrupted if there are others to run.
    pub fn collect(&self, journal: &Journal) -> Tuned {
        let (log, halt) = self.search(journal.known(), &mut Nowhere);
        Tuned { log, is_interrupted: matches!(halt, Halt::Interrupted) }
    }

    /// The name of a trial.
    pub fn key(&self, trial: &Trial) -> String {
        trial.key(self.data, self.options.measure)
    }

    /// Runs a trial in this process; none if it was stopped.
    pub fn run_trial(&self, trial: &Trial) -> Option<Outcome> {
        InProcess::new(self.data, self.options.measure).run(trial, self.jobs, self.stop)
    }

    fn search(
        &self,
        known: std::collections::BTreeMap<String, Outcome>,
        executor: &mut dyn Executor,
    ) -> (Log, Halt) {
        let start = (self.start.clone(), self.jobs);
        Search::new(self.data, self.options.clone(), start, known, executor, self.report).run()
    }
}

impl Tuned {
    /// The best configuration as a file for `quaich train --config`.
    pub fn config(&self) -> Result<String> {
        self.log.best.to_toml()
    }
}
