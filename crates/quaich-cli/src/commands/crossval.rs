//! `quaich crossval`: cross-validation and learning curves.

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
use super::training_options::{ProgressObserver, TrainingOptions, files_in_settings, recipe};
use super::{InputOptions, Threads, integer, open};
use crate::files_used::FilesUsed;
use crate::table_style::{Rows, TableStyle};
use crate::{interrupts, output, progress};

/// Cross-validate: train and score one parser per fold of a treebank
///
/// Sentence i is in fold i mod N. Each fold is parsed by a parser trained on the other folds, or on a part of them
/// (`--curve`). Prints the mean over folds, the standard deviation, the minimum, the maximum and the score of all
/// folds together. The settings are those of `quaich train`.
///
/// Ctrl-C stops it, prints the scores of the finished folds and exits with code 130.
#[derive(Args)]
#[command(after_help = "Examples:
  quaich crossval train.conllu
  quaich crossval train.conllu --folds 5 --preset fast
  quaich crossval train.conllu --curve 10,25,50,100 --learner linear
  quaich crossval train.conllu --system swap-lazy --json")]
pub(crate) struct Crossval {
    /// Treebanks to split into folds; `-` for standard input
    #[arg(value_name = "TREEBANK", required = true)]
    treebanks: Vec<PathBuf>,

    /// Number of folds
    #[arg(long, value_name = "N", default_value = "10", value_parser = integer::<NonZeroUsize>, allow_negative_numbers = true)]
    folds: NonZeroUsize,

    /// Learning curve: train on these percentages of the other folds, separated by commas
    #[arg(long, value_name = "PERCENT", value_delimiter = ',', default_value = "100", value_parser = percent, allow_negative_numbers = true)]
    curve: Vec<f64>,

    /// Whether to score punctuation
    #[arg(long, value_name = "RULE", default_value = PunctuationRule::Keep.name(), value_parser = punctuation_rules())]
    punct: PunctuationRule,

    /// Table style
    #[arg(long, value_name = "STYLE", default_value = TableStyle::Text.name(), value_parser = TableStyle::parser(), conflicts_with = "json")]
    to: TableStyle,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    threads: Threads,

    #[command(flatten)]
    options: TrainingOptions,

    #[command(flatten)]
    input_options: InputOptions,
}

/// Parses a percentage as a fraction.
fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_end_matches('%').parse::<f64>().ok();
    let part = number.filter(|number| *number > 0.0 && *number <= 100.0).map(|number| number / 100.0);
    part.ok_or_else(|| "expected a number above 0 and at most 100".to_owned())
}

impl Crossval {
    /// The files to read and write.
    pub(crate) fn files(&self) -> FilesUsed {
        self.input_options.files(&self.treebanks).and(self.options.files())
    }

    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let settings = self.options.parser_settings()?;
        let recipe = recipe(&settings)?;
        self.files().and(files_in_settings(&settings, &recipe)).check()?;
        if self.folds.get() < 2 {
            return Err(output::Usage("--folds 1: expected at least two folds".to_owned()).into());
        }
        let mut trainer = Trainer::new(&settings);
        if let Some(features) = self.options.features()? {
            recipe.settings().iter().try_for_each(Settings::check_templates)?;
            trainer = trainer.features(features);
        }
        let n_parsers = recipe.settings().len();
        trainer = trainer.recipe(recipe);
        let bar = progress::step_bar("reading");
        let sentences = self.read()?;
        let folds = self.folds.get();
        if folds > sentences.len() {
            bail!(
                "found {} for {folds} folds, expected at least one per fold",
                counted(sentences.len(), "sentence")
            );
        }
        let plan = CrossValidation {
            folds,
            parts: self.curve.clone(),
            punctuation: self.punct,
            seed: settings.seed(),
        };
        let observer = ProgressOnly(ProgressObserver::new(bar, interrupts::stop_flag(), n_parsers));
        let mut outcomes = Vec::new();
        let report = |fold: &Fold| {
            output::note(&fold_line(fold, folds));
            outcomes.push(*fold);
            ControlFlow::Continue(())
        };
        self.threads.install(|| plan.run(&trainer, &sentences, &observer, report))??;
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
            output::note(&format!("interrupted: {n} of {all} training runs are finished"));
            return Ok(ExitCode::from(interrupts::INTERRUPTED));
        }
        Ok(ExitCode::SUCCESS)
    }

    /// The sentences that have tokens.
    fn read(&self) -> anyhow::Result<Vec<Sentence>> {
        let mut sentences = Vec::new();
        for (path, options) in self.treebanks.iter().zip(self.input_options.options_for(&self.treebanks)?) {
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

/// The scores of a fold, as one line.
fn fold_line(fold: &Fold, n_folds: usize) -> String {
    let scores = MEASURES
        .iter()
        .take(2)
        .map(|measure| format!("{} {}", measure.name, (measure.share)(&fold.score).percent()));
    let scores = scores.collect::<Vec<_>>().join(", ");
    format!("fold {} of {n_folds}, trained on {} sentences: {scores}", fold.fold + 1, fold.sentences)
}

/// Shows the progress of training without its messages.
struct ProgressOnly(ProgressObserver);

impl Observer for ProgressOnly {
    fn event(&self, event: &quaich::Event<'_>) {
        if ProgressObserver::is_progress(event) {
            self.0.event(event);
        }
    }

    fn stop(&self) -> bool {
        self.0.stop()
    }
}

/// The results.
struct Summary<'a> {
    plan: &'a CrossValidation,
    sentences: usize,
    tokens: usize,
    outcomes: &'a [Fold],
}

impl Summary<'_> {
    /// The results of one training set size.
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
            let title = format!("trained on {:.0} %", 100.0 * part);
            let mut rows = vec![text(&[&title, "mean", "deviation", "min", "max", "all folds"])];
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

/// One measure over folds.
struct Measured {
    folds: Vec<f64>,
    /// The score of all folds together.
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
