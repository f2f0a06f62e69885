//! The search: phase after phase, candidates are compared with the best so far, by successive halving.
//!
//! ```text
//!   candidates ─▶ 1 fold each ─▶ the best third on 3 folds ─▶ the best of them on 9 ─▶ better beyond noise? ─▶ the best so far
//! ```
//!
//! The rounds of successive halving are called rungs here.
//!
//! Every decision depends only on the scores of trials, so a search is a function of the treebank, the options and the seed. A
//! search resumes by being replayed: trials that are known are not run again.

mod race;

use std::collections::{BTreeMap, BTreeSet};

use quaich_features::{FeatureModel, NamedModel};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::budget::{Budget, Meter};
use crate::candidate::Candidate;
use crate::compare::Scored;
use crate::data::{Data, Part};
use crate::executor::{Executor, Halt};
use crate::log::{Event, Log, Shortage, Tried};
use crate::measure::Measure;
use crate::parzen::{Observation, propose};
use crate::phases::{KEPT, Phase, SIZES};
use crate::selection::{self, Change};
use crate::space::{Dimension, dimensions};
use crate::trial::{Fidelity, Outcome, Trial, has_encoder, seed_of};

/// The options that decide what a search finds.
#[derive(Clone, PartialEq, Debug)]
pub struct Options {
    /// What is maximised.
    pub measure: Measure,
    /// What the search may use.
    pub budget: Budget,
    /// The seed of proposals and tests, and of the training runs.
    pub seed: u64,
}

/// The most candidates of a generation of learner settings.
const GENERATION: usize = 9;
/// Generations of learner settings per visit of the phase.
const GENERATIONS: usize = 3;
/// The share of a time budget for all trials of the dry run.
const DRY_RUN: f64 = 0.35;

/// A running search.
pub(crate) struct Search<'s> {
    data: &'s Data,
    options: Options,
    executor: &'s mut dyn Executor,
    report: &'s (dyn Fn(&Event<'_>) + Sync),
    meter: Meter,
    known: BTreeMap<String, Outcome>,
    used: BTreeSet<String>,
    start: Candidate,
    best: Candidate,
    has_encoder: bool,
    /// What encoders are trained with in the trials of the current phase.
    fidelity: Fidelity,
    log: Log,
}

impl<'s> Search<'s> {
    pub(crate) fn new(
        data: &'s Data,
        options: Options,
        (start, jobs): (Candidate, usize),
        known: BTreeMap<String, Outcome>,
        executor: &'s mut dyn Executor,
        report: &'s (dyn Fn(&Event<'_>) + Sync),
    ) -> Self {
        let start = start.with("seed", &options.seed.to_string());
        let has_encoder = start.config().is_ok_and(|config| has_encoder(&config.settings));
        Self {
            data,
            meter: Meter::new(options.budget, jobs, data.facts().tokens),
            executor,
            report,
            known,
            used: BTreeSet::new(),
            best: start.clone(),
            log: Log::new(&start, data, &options),
            start,
            has_encoder,
            fidelity: if has_encoder { Fidelity::LEAST } else { Fidelity::FULL },
            options,
        }
    }

    /// Searches until something ends it, and returns what was found and why it ended.
    pub(crate) fn run(mut self) -> (Log, Halt) {
        let mut halt = self.search().err().unwrap_or(Halt::Spent);
        if matches!(halt, Halt::Spent) {
            halt = self.dry_run().err().unwrap_or(Halt::Spent);
        }
        self.log.best = self.best.clone();
        self.log.seconds = self.meter.now();
        self.log.n_trials = self.used.len();
        if self.log.steps.is_empty() && matches!(halt, Halt::Spent) {
            self.log.shortage = Some(self.shortage());
        }
        (self.log, halt)
    }

    fn search(&mut self) -> Result<(), Halt> {
        self.prepare()?;
        let phases = self.phases();
        let mut visited: BTreeMap<Phase, Candidate> = BTreeMap::new();
        loop {
            let n_before = self.used.len();
            for (number, &phase) in phases.iter().enumerate() {
                // Nothing new would come of a phase that starts from the same as before.
                if phase != Phase::Learner && visited.get(&phase) == Some(&self.best) {
                    continue;
                }
                // In the first cycle every phase gets its share of the budget.
                let share = if visited.len() < phases.len() { phases.len() - number } else { 2 };
                self.phase(phase, share)?;
                visited.insert(phase, self.best.clone());
            }
            if self.used.len() == n_before {
                return Ok(());
            }
        }
    }

    /// The phases that have something to try.
    fn phases(&self) -> Vec<Phase> {
        let has_candidates = |phase: &Phase| match phase {
            Phase::Features => self.reads_templates(),
            Phase::Learner => true,
            _ => !phase.candidates(&self.best, self.data.facts()).is_empty(),
        };
        Phase::order(self.has_encoder).into_iter().filter(has_candidates).collect()
    }

    fn reads_templates(&self) -> bool {
        self.best.config().is_ok_and(|config| config.settings.check_templates().is_ok())
    }

    /// The first trials: they tell how long others take, and the dry run what the start is worth.
    fn prepare(&mut self) -> Result<(), Halt> {
        let start = self.start.clone();
        let first = self.trial(&start, 0, self.rungs(0)[0]);
        let outcome = self.evaluate(std::slice::from_ref(&first), false)?.swap_remove(0);
        let scored = outcome.result.as_ref().map(|scores| Scored::over([scores])).map_err(Clone::clone);
        let gain = scored.is_ok().then_some(0.0);
        self.log_tried(Phase::Start, &start, &start, (1, &scored, &scored, gain));
        self.log.trial_seconds = Some(outcome.seconds);
        let baselines = self.baselines();
        if let (Budget::Time(time), true) = (self.options.budget, self.has_encoder) {
            self.log.dry_fidelity = self.dry_fidelity(time.as_secs_f64(), baselines.len() + 1);
        }
        let trials: Vec<Trial> = baselines.iter().map(|(_, candidate)| self.dry_trial(candidate)).collect();
        // As many trials of the start as there are results to score.
        let reserved: Vec<Trial> =
            [self.dry_trial(&start)].into_iter().chain(trials.iter().cloned()).collect();
        self.meter.reserve(&reserved);
        for ((name, candidate), trial) in baselines.into_iter().zip(trials) {
            let outcome = self.evaluate(&[trial], true)?.swap_remove(0);
            self.log.add_dry_run(name, candidate, outcome.result.as_ref().ok());
        }
        self.meter.reserve(&reserved[..1]);
        Ok(())
    }

    /// How much of the training of an encoder the dry run does, of this number of parsers: everything, if that leaves enough time for the
    /// search.
    fn dry_fidelity(&self, seconds: f64, n_parsers: usize) -> Fidelity {
        #[allow(clippy::cast_precision_loss, reason = "two or three")]
        let each = DRY_RUN * seconds * self.meter.threads() / n_parsers as f64;
        let full = self.meter.cost(&self.dry_trial(&self.start)).max(1e-9);
        let affordable = (each / full * 10.0).round() / 10.0;
        Fidelity { epochs: affordable.clamp(Fidelity::LEAST.epochs, 1.0), ..Fidelity::FULL }
    }

    /// What is missing to compare anything: the time or the number of trials that would be enough.
    fn shortage(&self) -> Shortage {
        let parsers = self.baselines().len() + 1;
        // The start and one candidate in all rounds, then the dry run.
        let mut compared: Vec<Trial> = Vec::new();
        for rung in self.rungs(0) {
            for trial in (0..rung.folds).map(|fold| self.trial(&self.start, fold, rung)) {
                if !compared.contains(&trial) {
                    compared.push(trial);
                }
            }
        }
        match self.options.budget {
            Budget::Trials(_) => Shortage::Trials(2 * compared.len() + parsers),
            Budget::Time(_) if self.log.trial_seconds.is_none() => Shortage::Unknown,
            Budget::Time(_) => {
                let least = Fidelity { epochs: Fidelity::LEAST.epochs, ..Fidelity::FULL };
                let fidelity = if self.has_encoder { least } else { Fidelity::FULL };
                let dry = self.meter.cost(&Trial { fidelity, ..self.dry_trial(&self.start) });
                let compared: f64 = compared.iter().map(|trial| self.meter.cost(trial)).sum();
                #[allow(clippy::cast_precision_loss, reason = "small numbers")]
                let seconds = parsers as f64 * dry + 2.0 * compared;
                // Candidates may take longer than the start.
                Shortage::Seconds(1.5 * seconds / self.meter.threads())
            }
        }
    }

    /// What the result is compared with at the end: the learner's defaults, and the start if it is something else.
    fn baselines(&self) -> Vec<(&'static str, Candidate)> {
        let mut default = self.start.clone().with_features(None);
        default.settings.retain(|name, _| KEPT.contains(&name.as_str()));
        let mut baselines = vec![("default", default)];
        if self.start != baselines[0].1 {
            baselines.push(("start", self.start.clone()));
        }
        baselines
    }

    fn dry_trial(&self, candidate: &Candidate) -> Trial {
        Trial {
            candidate: candidate.clone(),
            part: Part::DryRun,
            share: 1.0,
            fidelity: self.log.dry_fidelity,
        }
    }

    /// Scores the result once on the held-out sentences, and keeps a baseline that is better there.
    fn dry_run(&mut self) -> Result<(), Halt> {
        let best = self.best.clone();
        if self.log.dry_run("default").is_none_or(|run| run.candidate == best) {
            return Ok(());
        }
        let outcome = self.evaluate(&[self.dry_trial(&best)], true)?.swap_remove(0);
        self.log.add_dry_run("tuned", best, outcome.result.as_ref().ok());
        let seed = seed_of(self.options.seed, "dry run");
        if let Some(better) = self.log.finish_dry_run(self.options.measure, seed) {
            self.best = better;
        }
        (self.report)(&Event::DryRun(&self.log));
        Ok(())
    }

    fn phase(&mut self, phase: Phase, share: usize) -> Result<(), Halt> {
        if self.has_encoder {
            self.fidelity = phase.fidelity();
            self.fidelity.all_networks |= phase == Phase::Start && self.start.get(SIZES[0]).is_some();
        }
        match phase {
            Phase::Features => self.features(share),
            Phase::Learner => self.learner(share),
            _ => {
                let mut candidates = phase.candidates(&self.best, self.data.facts());
                if self.options.measure == Measure::SpeedAtLas && phase == Phase::Sizes {
                    // Smaller ones first.
                    candidates.reverse();
                }
                self.race(phase, candidates, share, |_, _| Vec::new())
            }
        }
    }

    /// Built-in feature models, then backward and forward selection; each of them starts from the best so far.
    fn features(&mut self, share: usize) -> Result<(), Halt> {
        self.race(Phase::Features, selection::built_in(&self.best), share + 2, |_, _| Vec::new())?;
        for (is_backward, share) in [(true, share + 1), (false, share)] {
            let Some(model) = self.model() else { return Ok(()) };
            let changes = if is_backward { selection::backward(&model) } else { selection::forward(&model) };
            let best = self.best.clone();
            let with = |changes: &[&Change]| best.with_features(Some(selection::apply(&model, changes)));
            let candidates: Vec<Candidate> = changes.iter().map(|change| with(&[change])).collect();
            // Groups that gain one by one are tried together.
            let combined = |better: &[&Candidate], n: usize| -> Vec<Candidate> {
                let of = |candidate: &&Candidate| {
                    let place = candidates.iter().position(|known| known == *candidate);
                    place.map(|place| &changes[place])
                };
                let gaining: Vec<&Change> = better.iter().filter_map(of).collect();
                let is_new = |size: &usize| *size > 1 && *size <= gaining.len();
                let sizes: BTreeSet<usize> = [2, 4, 8, gaining.len()].into_iter().filter(is_new).collect();
                sizes.into_iter().take(n).map(|size| with(&gaining[..size])).collect()
            };
            self.race(Phase::Features, candidates.clone(), share, combined)?;
        }
        Ok(())
    }

    /// The feature model of the best configuration.
    fn model(&self) -> Option<FeatureModel> {
        let config = self.best.config().ok()?;
        config.features.or_else(|| {
            let name = config.settings.default_features().ok().flatten()?;
            Some(NamedModel::by_name(name).ok()?.model())
        })
    }

    /// Generations of proposals around the best so far.
    fn learner(&mut self, share: usize) -> Result<(), Halt> {
        let Ok(config) = self.best.config() else { return Ok(()) };
        let dimensions = dimensions(&self.start, &config.settings);
        if dimensions.is_empty() {
            return Ok(());
        }
        for generation in 0..GENERATIONS {
            let is_first = generation == 0 && self.observations(&dimensions).is_empty();
            let candidates =
                if is_first { self.neighbours(&dimensions) } else { self.proposals(&dimensions) };
            let n_before = self.used.len();
            let share = share + GENERATIONS - 1 - generation;
            self.race(Phase::Learner, candidates, share, |_, _| Vec::new())?;
            if self.used.len() == n_before {
                break;
            }
        }
        Ok(())
    }

    /// Candidates with one setting changed by a step: first those upwards, then those downwards.
    fn neighbours(&self, dimensions: &[Dimension]) -> Vec<Candidate> {
        let known: BTreeMap<String, String> = match self.best.config() {
            Ok(config) if self.has_encoder => {
                let known = config.settings.with_encoder_for(self.data.facts().tokens);
                known.map_or_else(|_| BTreeMap::new(), Into::into)
            }
            _ => BTreeMap::new(),
        };
        // The learner's own settings come before those that all learners have.
        let is_general = |dimension: &&Dimension| !dimension.name.contains('.');
        let (general, own): (Vec<&Dimension>, Vec<&Dimension>) = dimensions.iter().partition(is_general);
        let mut directions = [Vec::new(), Vec::new()];
        for dimension in own.into_iter().chain(general) {
            let name = &dimension.name;
            let value = self.best.get(name).filter(|value| *value != "auto").map(str::to_owned);
            let Some(value) = value.or_else(|| known.get(name).cloned()).or_else(|| dimension.default())
            else {
                continue;
            };
            for (candidates, values) in directions.iter_mut().zip(dimension.neighbours(&value)) {
                candidates.extend(values.iter().map(|value| self.best.with(name, value)));
            }
        }
        let is_valid = |candidate: &Candidate| {
            candidate != &self.best && candidate.config().is_ok_and(|config| config.settings.check().is_ok())
        };
        directions.into_iter().flatten().filter(is_valid).collect()
    }

    /// Candidates with some settings changed.
    fn proposals(&self, dimensions: &[Dimension]) -> Vec<Candidate> {
        let observations = self.observations(dimensions);
        let name = format!("proposals {}", self.log.tried.len());
        let mut random = Pcg64Mcg::seed_from_u64(seed_of(self.options.seed, &name));
        #[allow(clippy::cast_precision_loss, reason = "a number of settings")]
        let rate = (2.0 / dimensions.len() as f64).clamp(0.2, 0.7);
        let mut candidates = Vec::new();
        // Settings with few values may give the same candidate more than once.
        for _ in 0..10 * GENERATION {
            if candidates.len() == GENERATION {
                break;
            }
            let mut candidate = self.best.clone();
            let always = random.random_range(0..dimensions.len());
            for (index, dimension) in dimensions.iter().enumerate() {
                if index != always && random.random::<f64>() >= rate {
                    continue;
                }
                let place = propose(dimension, index, &observations, &mut random);
                candidate = candidate.with(&dimension.name, &dimension.value(place));
            }
            let is_valid = candidate.config().is_ok_and(|config| config.settings.check().is_ok());
            if is_valid && candidate != self.best && !candidates.contains(&candidate) {
                candidates.push(candidate);
            }
        }
        candidates
    }

    /// What was tried of the learner's settings.
    fn observations(&self, dimensions: &[Dimension]) -> Vec<Observation> {
        let tried = self.log.tried.iter().filter(|tried| tried.phase == Phase::Learner);
        let observation = |tried: &Tried| {
            let place = |dimension: &Dimension| {
                let value = tried.candidate.get(&dimension.name).map(str::to_owned);
                value.or_else(|| dimension.default()).and_then(|value| dimension.place(&value))
            };
            // Failures are worse than everything. Candidates on different folds are compared by what they gain there.
            let score = tried.gain.unwrap_or(-100.0);
            Observation { places: dimensions.iter().map(place).collect(), score }
        };
        tried.map(observation).collect()
    }
}
