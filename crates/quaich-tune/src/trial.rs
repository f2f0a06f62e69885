//! Trials: one parser, trained on a part of the treebank and scored on another. The scores of a trial depend only on the trial and
//! the treebank; only its times differ between runs.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use quaich_parser::{Model, Observer, Settings, Trainer, Worker};
use quaich_treebank::{Label, Sentence};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::candidate::Candidate;
use crate::data::{Data, Part};
use crate::error::{Error, Result};
use crate::key::Fingerprint;
use crate::measure::Measure;

/// A trial.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Trial {
    /// What the parser is trained with.
    pub candidate: Candidate,
    /// What it is scored on.
    pub part: Part,
    /// The share of the training sentences that it learns from.
    pub share: f64,
    /// How much of the training of an encoder is done.
    pub fidelity: Fidelity,
}

/// How much of the training of an encoder a trial does. What it leaves out is the same for all candidates of a comparison, and nothing
/// that the comparison is about.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Fidelity {
    /// The share of the epochs.
    pub epochs: f64,
    /// Whether all networks are trained; otherwise one.
    pub all_networks: bool,
}

impl Fidelity {
    /// Training as `quaich train` does it.
    pub const FULL: Self = Self { epochs: 1.0, all_networks: true };
    /// The least of it: with fewer epochs, candidates that learn fast would win.
    pub const LEAST: Self = Self { epochs: 0.3, all_networks: false };
}

impl std::fmt::Display for Fidelity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.epochs < 1.0, self.all_networks) {
            (false, true) => f.write_str("in full"),
            (false, false) => f.write_str("one network"),
            (true, true) => write!(f, "{:.0} % of the epochs", 100.0 * self.epochs),
            (true, false) => write!(f, "one network, {:.0} % of the epochs", 100.0 * self.epochs),
        }
    }
}

/// What came of a trial.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// The key of the trial.
    pub key: String,
    /// The scores, or why there are none.
    pub result: Result<Scores, String>,
    /// How long the trial took, in seconds.
    pub seconds: f64,
    /// The number of threads that it could use.
    pub threads: usize,
    /// When it was finished, in seconds since the search started.
    #[serde(default)]
    pub finished: f64,
}

/// The scores of a trial.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Scores {
    /// By sentence: right units and all units of the measure.
    pub counts: Vec<(u32, u32)>,
    /// How long training took, in seconds.
    pub training: f64,
    /// Parsed words per second.
    pub speed: f64,
}

impl Outcome {
    /// The outcome of a trial that failed before it could be measured.
    pub fn failed(key: String, reason: String) -> Self {
        Self { key, result: Err(reason), seconds: 0.0, threads: 1, finished: 0.0 }
    }
}

impl Trial {
    /// The name of the trial, which is that of all trials with the same scores on the same treebank.
    pub fn key(&self, data: &Data, measure: Measure) -> String {
        let text = serde_json::to_string(&(self, measure)).unwrap_or_default();
        data.fingerprint().with(&text).to_string()
    }

    /// Runs the trial with the current thread pool. None if the observer stopped it.
    ///
    /// A panic is a failure of the trial, except in programs that are compiled to abort.
    pub fn run(&self, data: &Data, measure: Measure, observer: &dyn Observer) -> Option<Outcome> {
        let start = Instant::now();
        let trained = catch_unwind(AssertUnwindSafe(|| self.scores(data, measure, observer)));
        let result = match trained {
            Ok(Ok(scores)) => Ok(scores?),
            Ok(Err(error)) => Err(error.to_string()),
            Err(panic) => {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
                Err(format!("panicked: {text}"))
            }
        };
        let (key, threads) = (self.key(data, measure), rayon::current_num_threads());
        Some(Outcome { key, result, seconds: start.elapsed().as_secs_f64(), threads, finished: 0.0 })
    }

    /// The scores; none if the observer stopped training.
    fn scores(&self, data: &Data, measure: Measure, observer: &dyn Observer) -> Result<Option<Scores>> {
        let (train, test) = data.split(self.part, self.share);
        let config = self.candidate.config()?;
        let n_tokens = train.iter().map(Sentence::n_tokens).sum();
        let settings = self.settings(&config.settings, n_tokens)?;
        let mut trainer = Trainer::new(&settings).observer(observer);
        if let Some(features) = config.features {
            trainer = trainer.features(features);
        }
        let start = Instant::now();
        let model = match trainer.train(&train) {
            Err(quaich_parser::Error::Stopped) => return Ok(None),
            trained => trained?,
        };
        let training = start.elapsed().as_secs_f64();
        if observer.stop() {
            return Ok(None);
        }
        let n_words: usize = test.iter().map(|sentence| sentence.n_tokens()).sum();
        let start = Instant::now();
        let counts = count(&model, &test, measure);
        #[allow(clippy::cast_precision_loss, reason = "a number of words")]
        let speed = n_words as f64 / start.elapsed().as_secs_f64().max(1e-9);
        Ok(Some(Scores { counts, training, speed }))
    }

    /// The settings of the training run: the parser for tagged words alone, and nothing held out to calibrate probabilities, because
    /// they are not scored.
    fn settings(&self, settings: &Settings, n_tokens: usize) -> Result<Settings> {
        let mut settings = settings.clone();
        settings.set("parts", "parse")?;
        if !settings.is_given("held-out") {
            settings.set("held-out", "no")?;
        }
        if self.fidelity != Fidelity::FULL && has_encoder(&settings) {
            // Sizes are those of training on all sentences.
            #[allow(
                clippy::cast_precision_loss,
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "numbers of words and epochs"
            )]
            let n_all = (n_tokens as f64 / self.share) as usize;
            let known: BTreeMap<String, String> = settings.with_encoder_for(n_all)?.into();
            let epochs: BTreeMap<String, String> = settings.with_encoder_for(n_tokens)?.into();
            let epochs: f64 = epochs[EPOCHS].parse().unwrap_or(1.0);
            settings.set(UNITS, &known[UNITS])?;
            settings.set(NETWORKS, if self.fidelity.all_networks { &known[NETWORKS] } else { "1" })?;
            settings.set(EPOCHS, &(epochs * self.fidelity.epochs).ceil().to_string())?;
        }
        settings.check().map_err(Error::from)?;
        Ok(settings)
    }

    /// How much longer the trial takes than others: by the size of its encoder and the sentences that it learns from.
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a number of words"
    )]
    pub(crate) fn work(&self, n_tokens: usize) -> f64 {
        let n_tokens = (n_tokens as f64 * self.share) as usize;
        let work = || {
            let settings = self.settings(&self.candidate.config().ok()?.settings, n_tokens).ok()?;
            if has_encoder(&settings) { settings.encoder_work(n_tokens).ok() } else { None }
        };
        work().unwrap_or(self.share)
    }
}

/// The settings of an encoder that depend on the treebank.
const UNITS: &str = "encoder.units";
const NETWORKS: &str = "encoder.networks";
const EPOCHS: &str = "encoder.epochs";

/// Whether the learner has an encoder, whose training budget can be reduced.
pub(crate) fn has_encoder(settings: &Settings) -> bool {
    quaich_parser::readers("encoder").contains(&settings.learner().as_str())
}

fn count(model: &Model, test: &[&Sentence], measure: Measure) -> Vec<(u32, u32)> {
    let one = |worker: &mut Worker, gold: &&Sentence| {
        let tree = worker.parse(gold);
        let text = |label: Label| if label.is_none() { "_" } else { model.labels().text(label) };
        let labels: Vec<&str> = tree.labels().iter().map(|&label| text(label)).collect();
        measure.count(gold, tree.heads(), &labels)
    };
    test.par_iter().map_init(|| model.worker(), one).collect()
}

/// The seed of random choices that belong to a text.
pub(crate) fn seed_of(seed: u64, text: &str) -> u64 {
    Fingerprint::default().with(&seed.to_string()).with(text).seed()
}
