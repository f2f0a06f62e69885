//! `quaich crossval`: how well parsers do on what they have not learned from, fold by fold; learning curves.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use clap::Args;
use quaich::cross_validation::{CrossValidation, Fold, Spread};
use quaich::eval::PunctuationRule;
use quaich::eval::measures::MEASURES;
use quaich::treebank::{Sentence, counted};
use quaich::{Observer, Settings, Trainer};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::eval::punctuation_rules;
use super::training_options::{ProgressObserver, TrainingOptions, named_in, recipe};
use super::{Reading, Threads, open, whole};
use crate::places::FilesUsed;
use crate::table_style::{Rows, TableStyle};
use crate::{interrupts, output, progress};

/// Cross-validates: trains and scores a parser for every fold of a treebank
///
/// Sentence i is in fold i mod N. Every fold is parsed by a parser that has learned from the others, or from parts of
/// them (`--curve`). What is shown is the mean over folds, how far they are from it (standard deviation), and the
/// score of all folds together. Settings are those of `quaich train`.
///
/// Ctrl-C ends it with what the folds until then have shown, and exit code 130.
#[derive(Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:
  quaich crossval train.conllu
  quaich crossval train.conllu --folds 5 --preset fast
  quaich crossval train.conllu --curve 10,25,50,100 --learner linear
  quaich crossval train.conllu --system swap-lazy --json"
)]
pub(crate) struct Crossval {
    /// The treebanks to cut into folds; `-` for standard input
    #[arg(required = true)]
    treebanks: Vec<PathBuf>,

    /// How many folds
    #[arg(long, value_name = "N", default_value = "10", value_parser = whole::<NonZeroUsize>, allow_negative_numbers = true)]
    folds: NonZeroUsize,

    /// A learning curve: which parts of the other folds are learned from, in percent, separated by commas
    #[arg(long, value_name = "PERCENT", value_delimiter = ',', default_value = "100", value_parser = percent, allow_negative_numbers = true)]
    curve: Vec<f64>,

    /// Whether punctuation is scored
    #[arg(long, value_name = "RULE", default_value = PunctuationRule::Keep.name(), value_parser = punctuation_rules())]
    punct: PunctuationRule,

    /// How tables are written
    #[arg(long, value_name = "STYLE", default_value = TableStyle::Text.name(), value_parser = TableStyle::parser(), conflicts_with = "json")]
    to: TableStyle,

    /// Print JSON: one object
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    options: TrainingOptions,

    #[command(flatten)]
    threads: Threads,

    #[command(flatten)]
    reading: Reading,
}

/// Reads a percentage as a part.
fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_end_matches('%').parse::<f64>().ok();
    let part = number.filter(|number| *number > 0.0 && *number <= 100.0).map(|number| number / 100.0);
    part.ok_or_else(|| "expected a number above 0 and at most 100".to_owned())
}

impl Crossval {
    /// What is read and written.
    pub(crate) fn files(&self) -> FilesUsed {
        self.reading.files(&self.treebanks).and(self.options.files())
    }

    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let settings = self.options.settings()?;
        let recipe = recipe(&settings)?;
        self.files().and(named_in(&settings, &recipe)).check()?;
        if self.folds.get() < 2 {
            return Err(output::Usage(
                "--folds 1: expected two folds at least, one to learn from".to_owned(),
            )
            .into());
        }
        let mut trainer = Trainer::new(&settings);
        if let Some(features) = self.options.features()? {
            recipe.settings().iter().try_for_each(Settings::check_templates)?;
            trainer = trainer.features(features);
        }
        trainer = trainer.recipe(recipe);
        let bar = progress::steps("reading");
        let sentences = self.read()?;
        let folds = self.folds.get();
        if folds > sentences.len() {
            bail!(
                "found {} for {folds} folds, expected one for each at least",
                counted(sentences.len(), "sentence")
            );
        }
        let plan = CrossValidation {
            folds,
            parts: self.curve.clone(),
            punctuation: self.punct,
            seed: settings.seed(),
        };
        let observer = Quiet(ProgressObserver { bar, told: interrupts::listen() });
        let mut outcomes = Vec::new();
        let tell = |fold: &Fold| {
            output::note(&told(fold, folds));
            outcomes.push(*fold);
            ControlFlow::Continue(())
        };
        self.threads.install(|| plan.run(&trainer, &sentences, &observer, tell))??;
        progress::clear();
        let interrupted = outcomes.len() < folds * self.curve.len();
        let tokens = sentences.iter().map(Sentence::n_tokens).sum();
        let summary = Summary { plan: &plan, sentences: sentences.len(), tokens, outcomes: &outcomes };
        if self.json {
            output::json(&summary)?;
        } else if !outcomes.is_empty() {
            output::text(&self.to.tables(&summary.tables()))?;
        }
        if interrupted {
            let (n, all) = (outcomes.len(), folds * self.curve.len());
            output::note(&format!("interrupted: {n} of {all} trainings were done"));
            return Ok(ExitCode::from(interrupts::INTERRUPTED));
        }
        Ok(ExitCode::SUCCESS)
    }

    /// The sentences that have tokens.
    fn read(&self) -> anyhow::Result<Vec<Sentence>> {
        let mut sentences = Vec::new();
        for (path, options) in self.treebanks.iter().zip(self.reading.options_for(&self.treebanks)?) {
            for sentence in open(path, &options)?.sentences() {
                let sentence = sentence?;
                if sentence.n_tokens() > 0 {
                    sentences.push(sentence);
                }
            }
        }
        Ok(sentences)
    }
}

/// A fold in a line.
fn told(fold: &Fold, n_folds: usize) -> String {
    let scores = MEASURES
        .iter()
        .take(2)
        .map(|measure| format!("{} {}", measure.name, (measure.share)(&fold.score).percent()));
    let scores = scores.collect::<Vec<_>>().join(", ");
    format!("fold {} of {n_folds}, {} sentences learned from: {scores}", fold.fold + 1, fold.sentences)
}

/// Shows the work of trainings, and not what each of them has to tell.
struct Quiet(ProgressObserver);

impl Observer for Quiet {
    fn event(&self, event: &quaich::Event<'_>) {
        if ProgressObserver::is_work(event) {
            self.0.event(event);
        }
    }

    fn stop(&self) -> bool {
        self.0.stop()
    }
}

/// What was found.
struct Summary<'a> {
    plan: &'a CrossValidation,
    sentences: usize,
    tokens: usize,
    outcomes: &'a [Fold],
}

impl Summary<'_> {
    /// The outcomes of a part that was learned from.
    fn of_part(&self, part: f64) -> Vec<&Fold> {
        self.outcomes.iter().filter(|fold| (fold.part - part).abs() < f64::EPSILON).collect()
    }

    fn tables(&self) -> Vec<Rows> {
        let text = |cells: &[&str]| cells.iter().map(|&cell| cell.to_owned()).collect::<Vec<_>>();
        let sizes = vec![
            text(&["folds", &self.plan.folds.to_string()]),
            text(&["sentences", &self.sentences.to_string()]),
            text(&["tokens", &self.tokens.to_string()]),
        ];
        let mut tables = vec![sizes];
        for &part in &self.plan.parts {
            let folds = self.of_part(part);
            let title = format!("learned from {:.0} %", 100.0 * part);
            let mut rows = vec![text(&[&title, "mean", "deviation", "least", "most", "all folds"])];
            rows.extend(MEASURES.iter().map(|measure| {
                let measured = Measured::new(&folds, measure);
                let spread = Spread::of(&measured.folds);
                let shown =
                    |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.2}"));
                let extreme = |choose: fn(f64, f64) -> f64| measured.folds.iter().copied().reduce(choose);
                vec![
                    measure.name.to_owned(),
                    shown(spread.map(|spread| spread.mean)),
                    shown(spread.and_then(|spread| spread.deviation)),
                    shown(extreme(f64::min)),
                    shown(extreme(f64::max)),
                    shown(measured.all),
                ]
            }));
            tables.push(rows);
        }
        tables
    }
}

/// A measure over folds.
struct Measured {
    folds: Vec<f64>,
    /// Of all folds together.
    all: Option<f64>,
}

impl Measured {
    fn new(folds: &[&Fold], measure: &quaich::eval::measures::Measure) -> Self {
        let mut all = quaich::eval::Score::default();
        for fold in folds {
            all.absorb(&fold.score);
        }
        Self {
            folds: folds.iter().filter_map(|fold| (measure.share)(&fold.score).percent().known()).collect(),
            all: (measure.share)(&all).percent().known(),
        }
    }
}

impl Serialize for Measured {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let spread = Spread::of(&self.folds);
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("mean", &spread.map(|spread| spread.mean))?;
        map.serialize_entry("deviation", &spread.and_then(|spread| spread.deviation))?;
        map.serialize_entry("all", &self.all)?;
        map.serialize_entry("folds", &self.folds)?;
        map.end()
    }
}

impl Serialize for Summary<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("folds", &self.plan.folds)?;
        map.serialize_entry("sentences", &self.sentences)?;
        map.serialize_entry("tokens", &self.tokens)?;
        map.serialize_entry("punct", &self.plan.punctuation)?;
        let points: Vec<Point<'_>> =
            self.plan.parts.iter().map(|&part| Point { part, folds: self.of_part(part) }).collect();
        map.serialize_entry("curve", &points)?;
        map.end()
    }
}

/// A point of the learning curve.
struct Point<'a> {
    part: f64,
    folds: Vec<&'a Fold>,
}

impl Serialize for Point<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("percent", &(100.0 * self.part))?;
        let sizes: Vec<usize> = self.folds.iter().map(|fold| fold.sentences).collect();
        map.serialize_entry("training_sentences", &sizes)?;
        for measure in MEASURES {
            map.serialize_entry(measure.key, &Measured::new(&self.folds, measure))?;
        }
        map.end()
    }
}
