//! What a search did: its steps, everything that was tried, the dry run.

use quaich_treebank::counted;
use serde::Serialize;

use crate::budget::Budget;
use crate::candidate::Candidate;
use crate::compare::{Difference, Scored};
use crate::data::{Data, Facts};
use crate::measure::Measure;
use crate::phases::Phase;
use crate::search::Options;
use crate::trial::{Fidelity, Outcome, Scores};

/// The record of a search.
#[derive(Clone, Debug, Serialize)]
pub struct Log {
    /// What is maximised.
    pub measure: Measure,
    /// The seed.
    pub seed: u64,
    /// What the treebank says.
    pub facts: Facts,
    /// The number of folds.
    pub folds: usize,
    /// The number of sentences of the dry run.
    pub held_out: usize,
    /// Where the search started.
    pub start: Candidate,
    /// What it found: the start, if nothing was better.
    pub best: Candidate,
    /// The decisions, accepted or not.
    pub steps: Vec<Step>,
    /// All candidates, once per rung.
    pub tried: Vec<Tried>,
    /// The scores on the held-out sentences.
    pub dry_runs: Vec<DryRun>,
    /// How much of the training of an encoder the dry run did.
    pub dry_fidelity: Fidelity,
    /// How long the first trial took, in seconds; none if it was not finished.
    pub trial_seconds: Option<f64>,
    /// The budget with which something could be compared, if nothing could.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shortage: Option<Shortage>,
    /// Why the result of the search was not kept, if it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept_instead: Option<&'static str>,
    /// The number of training runs.
    pub n_trials: usize,
    /// The budget in trials or seconds.
    pub budget: BudgetRecord,
    /// The wall-clock time in seconds.
    pub seconds: f64,
}

/// The budget.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BudgetRecord {
    /// Trials.
    Trials(usize),
    /// Seconds.
    Seconds(f64),
}

/// The least budget that is enough for a first comparison.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Shortage {
    /// Trials.
    Trials(usize),
    /// Seconds, approximately.
    Seconds(f64),
    /// Unknown, because not even the first trial was finished.
    Unknown,
}

/// A decision.
#[derive(Clone, Debug, Serialize)]
pub struct Step {
    /// The phase.
    pub phase: Phase,
    /// What was changed, or would have been.
    pub change: String,
    /// The score with the change, in percent.
    pub score: f64,
    /// The score without, in percent; none if that failed.
    pub before: Option<f64>,
    /// The difference on the same sentences.
    pub difference: Option<Difference>,
    /// The probability of the difference by chance, corrected for the number of finalists.
    pub p: Option<f64>,
    /// The number of folds that were scored.
    pub folds: usize,
    /// Words per second.
    pub speed: f64,
    /// The number of candidates.
    pub tried: usize,
    /// Whether the change was accepted.
    pub is_accepted: bool,
    /// Whether the budget ended before the candidates could be compared on all folds.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_undecided: bool,
    /// The configuration after the step, if it was accepted.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_toml")]
    pub config: Option<Candidate>,
}

/// Writes a configuration as the text of its file.
#[allow(clippy::ref_option, reason = "as serde calls it")]
fn as_toml<S: serde::Serializer>(config: &Option<Candidate>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_some(&config.as_ref().and_then(|config| config.to_toml().ok()))
}

/// A candidate on a rung.
#[derive(Clone, Debug, Serialize)]
pub struct Tried {
    /// The phase.
    pub phase: Phase,
    /// How it differs from the best at that time.
    pub change: String,
    /// The candidate.
    #[serde(skip)]
    pub candidate: Candidate,
    /// The number of folds.
    pub folds: usize,
    /// How much of the training of an encoder the trials did.
    pub fidelity: Fidelity,
    /// The score in percent; none if a trial failed.
    pub score: Option<f64>,
    /// The score of the best at that time on the same folds.
    pub base: f64,
    /// How much better it is: points, or percent of speed.
    pub gain: Option<f64>,
    /// Seconds of training.
    pub training: f64,
    /// Words per second.
    pub speed: f64,
    /// Why a trial failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A score on the held-out sentences.
#[derive(Clone, Debug, Serialize)]
pub struct DryRun {
    /// `default`, `start` or `tuned`.
    pub name: &'static str,
    /// What was trained.
    #[serde(skip)]
    pub candidate: Candidate,
    /// The score in percent; none if training failed.
    pub score: Option<f64>,
    /// Seconds of training.
    pub training: f64,
    /// Words per second.
    pub speed: f64,
    /// How much better `tuned` is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<Difference>,
    #[serde(skip)]
    scored: Option<Scored>,
}

/// An event of a search.
#[derive(Debug)]
pub enum Event<'a> {
    /// A phase compares candidates.
    Phase {
        /// The phase.
        phase: Phase,
        /// The number of candidates.
        candidates: usize,
        /// The seconds that are left, if time is the budget.
        meter: Option<f64>,
    },
    /// A trial was run.
    Trial {
        /// The number of trials before its batch.
        n_used: usize,
        /// The number of trials in its batch.
        of: usize,
        /// How its candidate differs from the best so far.
        change: &'a str,
        /// What came of it.
        outcome: &'a Outcome,
    },
    /// A candidate was compared with the best so far.
    Tried(&'a Tried),
    /// A decision.
    Step(&'a Step),
    /// The result was scored on the held-out sentences.
    DryRun(&'a Log),
}

/// A time for people, rounded up.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time of less than a few years")]
fn about(seconds: f64) -> String {
    let (number, unit) = if seconds < 90.0 { (seconds, "second") } else { (seconds / 60.0, "minute") };
    counted(number.ceil() as usize, unit)
}

impl Step {
    /// What was decided, in a word or two.
    pub fn verdict(&self) -> &'static str {
        if self.is_accepted {
            "accepted"
        } else if self.is_undecided {
            "undecided, because the budget ended"
        } else {
            "rejected"
        }
    }
}

impl Log {
    pub(crate) fn new(start: &Candidate, data: &Data, options: &Options) -> Self {
        Self {
            measure: options.measure,
            seed: options.seed,
            facts: data.facts().clone(),
            folds: data.n_folds(),
            held_out: data.n_held_out(),
            start: start.clone(),
            best: start.clone(),
            steps: Vec::new(),
            tried: Vec::new(),
            dry_runs: Vec::new(),
            dry_fidelity: Fidelity::FULL,
            trial_seconds: None,
            shortage: None,
            kept_instead: None,
            n_trials: 0,
            budget: match options.budget {
                Budget::Trials(n) => BudgetRecord::Trials(n),
                Budget::Time(time) => BudgetRecord::Seconds(time.as_secs_f64()),
            },
            seconds: 0.0,
        }
    }

    /// The accepted steps.
    pub fn accepted(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().filter(|step| step.is_accepted)
    }

    /// If nothing could be compared within the budget: what happened, and what would be enough.
    pub fn shortage_in_words(&self) -> Vec<String> {
        let Some(shortage) = self.shortage else { return Vec::new() };
        let mut parts = vec!["nothing could be compared within the budget".to_owned()];
        parts.extend(self.trial_seconds.map(|seconds| format!("the first trial took {}", about(seconds))));
        parts.push(match shortage {
            Shortage::Trials(n) => format!("a first comparison needs {n} trials"),
            Shortage::Seconds(seconds) => {
                format!("a first comparison needs a budget of about {}", about(seconds))
            }
            Shortage::Unknown => "not even the first trial was finished".to_owned(),
        });
        parts
    }

    /// The score of a dry run, by its name.
    pub fn dry_run(&self, name: &str) -> Option<&DryRun> {
        self.dry_runs.iter().find(|run| run.name == name)
    }

    pub(crate) fn add_dry_run(&mut self, name: &'static str, candidate: Candidate, scores: Option<&Scores>) {
        let scored = scores.map(|scores| Scored::over([scores]));
        self.dry_runs.push(DryRun {
            name,
            candidate,
            score: scored.as_ref().map(Scored::percent),
            training: scored.as_ref().map_or(0.0, |scored| scored.training),
            speed: scored.as_ref().map_or(0.0, |scored| scored.speed),
            difference: None,
            scored,
        });
    }

    /// Compares the last dry run with those before. Returns the best of those, if it is better.
    pub(crate) fn finish_dry_run(&mut self, measure: Measure, seed: u64) -> Option<Candidate> {
        let (tuned, baselines) = self.dry_runs.split_last_mut()?;
        let own = tuned.scored.clone();
        for baseline in baselines.iter_mut() {
            if let (Some(scored), Some(own)) = (&baseline.scored, &own) {
                baseline.difference = Some(scored.compare(own, seed));
            }
        }
        let loss = |baseline: &&DryRun| match (baseline.difference, measure) {
            // A faster parser may be a little worse.
            (Some(difference), Measure::SpeedAtLas) => difference.points < 0.0 && difference.p <= 0.05,
            (Some(difference), _) => difference.points < 0.0,
            (None, _) => baseline.score.is_some(),
        };
        let best = baselines.iter().max_by(|a, b| {
            let score = |run: &DryRun| run.score.unwrap_or(f64::NEG_INFINITY);
            // The first of equals.
            score(a).total_cmp(&score(b)).then(std::cmp::Ordering::Greater)
        });
        let best = best.filter(loss)?;
        self.kept_instead = Some(best.name);
        Some(best.candidate.clone())
    }

    /// The step of a phase whose candidates were all dropped before the last rung.
    pub(crate) fn rejected(&self, phase: Phase, best: Option<usize>, tried: usize) -> Step {
        let best = best.map(|index| &self.tried[index]);
        Step {
            phase,
            change: best.map_or_else(|| "all trials failed".to_owned(), |best| best.change.clone()),
            score: best.and_then(|best| best.score).unwrap_or(0.0),
            before: best.map(|best| best.base),
            difference: None,
            p: None,
            folds: best.map_or(0, |best| best.folds),
            speed: best.map_or(0.0, |best| best.speed),
            tried,
            is_accepted: false,
            is_undecided: false,
            config: None,
        }
    }
}
