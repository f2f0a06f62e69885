//! `quaich train`: a treebank → a model.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::Context;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use indicatif::ProgressBar;
use quaich_features::FeatureModel;
use quaich_parser::{Checkpoint, LEARNERS, Observer, Settings, TrainingData};
use quaich_treebank::{Reader, Sentence};

use super::{Reading, Threads};
use crate::{output, progress};

/// Trains a parser on a treebank
///
/// With nothing but a treebank the best settings we know are used, and what depends on the language
/// (where roots are, how non-projective trees are handled, which columns there are) is read off the
/// treebank.
///
/// Ctrl-C ends training early and keeps what has been learned so far; a second one gives up.
///
/// Examples:
///   quaich train train.conllu -o english.quaich --dev dev.conllu
///   quaich train train.conllu -o fast.quaich --preset fast
///   quaich train train.conllu -o my.quaich --set passes=10 --set folds=4
///   quaich train huge.conllu.gz -o huge.quaich --learner perceptron --set table-megabytes=200
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Train {
    /// The treebank to learn from; `-` for standard input
    treebank: PathBuf,

    /// Where to write the model
    #[arg(long, short, value_name = "MODEL")]
    output: PathBuf,

    /// A treebank to score the parser on; it is not learned from
    #[arg(long, value_name = "FILE")]
    dev: Option<PathBuf>,

    /// Where to start from: balanced (the default), fast or best
    #[arg(long, default_value = "balanced")]
    preset: String,

    /// The transition system, e.g. arc-eager, swap-lazy, arc-eager+lba
    #[arg(long)]
    system: Option<String>,

    /// The learner
    #[arg(long, value_parser = learners())]
    learner: Option<String>,

    /// A file of feature templates
    #[arg(long, value_name = "FILE")]
    features: Option<PathBuf>,

    /// The tree transformation: auto, none, or e.g. pseudo-projective:head
    #[arg(long)]
    transform: Option<String>,

    /// A file of settings (TOML: name = value)
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// One setting; may be given several times. `quaich train --settings -o - -` lists them
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,

    /// Fixes every random choice
    #[arg(long)]
    seed: Option<u64>,

    /// Keep what is done in files beside the model, MODEL.*.part, and go on from them if they are
    /// there: a training that was interrupted comes to the same end as one that was not
    #[arg(long)]
    resume: bool,

    /// Something to note in the model, e.g. date=2026-11-15 or licence="CC BY-SA 4.0"
    #[arg(long, value_name = "NAME=TEXT")]
    note: Vec<String>,

    /// Print the settings that would be used, and stop
    #[arg(long)]
    settings: bool,

    #[command(flatten)]
    threads: Threads,

    #[command(flatten)]
    reading: Reading,
}

fn learners() -> PossibleValuesParser {
    LEARNERS.iter().map(|learner| PossibleValue::new(learner.name).help(learner.about)).into()
}

impl Train {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let start = Instant::now();
        let settings = self.settings()?;
        if self.settings {
            output::text(&settings.to_toml())?;
            return Ok(ExitCode::SUCCESS);
        }
        let features = self.features.as_ref().map(|path| -> anyhow::Result<FeatureModel> {
            let file = path.display();
            let text = std::fs::read_to_string(path).with_context(|| file.to_string())?;
            FeatureModel::parse(&text).with_context(|| file.to_string())
        });
        let mut notes = Vec::new();
        for note in &self.note {
            let (name, text) =
                note.split_once('=').with_context(|| format!("found note `{note}`, expected name=text"))?;
            notes.push((name.to_owned(), text.to_owned()));
        }
        let checkpoint = if self.resume { Checkpoint::beside(&self.output) } else { Checkpoint::default() };
        let data = TrainingData {
            sentences: self.read(&self.treebank)?,
            dev: self.dev.as_ref().map(|dev| self.read(dev)).transpose()?.unwrap_or_default(),
            features: features.transpose()?,
            notes,
            checkpoint: checkpoint.clone(),
        };
        let interrupted = progress::interrupted();
        let observer = Watch { bar: progress::steps(), interrupted };
        let parser = self.threads.install(|| quaich_parser::train(data, &settings, &observer))??;
        observer.bar.finish_and_clear();
        parser.save(&self.output)?;
        if !interrupted.load(Ordering::Relaxed) {
            checkpoint.remove();
        } else if self.resume {
            output::note(
                "interrupted: the model holds what was learned until then; the same command goes on",
            );
        } else {
            output::note("interrupted: the model holds what was learned until then");
        }
        let size = std::fs::metadata(&self.output).map_or(0, |file| file.len());
        #[allow(clippy::cast_precision_loss, reason = "a size for people")]
        let megabytes = size as f64 / 1e6;
        let memory = progress::peak_memory()
            .map_or(String::new(), |megabytes| format!(" and at most {megabytes} MB of memory"));
        let seconds = start.elapsed().as_secs();
        output::note(&format!(
            "wrote {} ({megabytes:.1} MB) after {seconds} s{memory}",
            self.output.display()
        ));
        Ok(ExitCode::SUCCESS)
    }

    fn settings(&self) -> anyhow::Result<Settings> {
        let mut settings = Settings::preset(&self.preset)?;
        if let Some(path) = &self.config {
            let file = path.display();
            let text = std::fs::read_to_string(path).with_context(|| file.to_string())?;
            settings = settings.with_toml(&text).with_context(|| file.to_string())?;
        }
        let named = [("system", &self.system), ("learner", &self.learner), ("transform", &self.transform)];
        for (name, value) in named {
            if let Some(value) = value {
                settings = settings.with(&format!("{name}={value}"))?;
            }
        }
        if let Some(seed) = self.seed {
            settings = settings.with(&format!("seed={seed}"))?;
        }
        for assignment in &self.set {
            settings = settings.with(assignment)?;
        }
        Ok(settings)
    }

    fn read(&self, path: &PathBuf) -> anyhow::Result<Vec<Sentence>> {
        let reader = Reader::open(path, &self.reading.options()?)?;
        Ok(reader.sentences().collect::<Result<Vec<_>, _>>()?)
    }
}

/// Shows how training goes.
struct Watch {
    bar: ProgressBar,
    interrupted: &'static AtomicBool,
}

impl Observer for Watch {
    fn stage(&self, name: &str, steps: usize) {
        // Stages may run side by side: one bar for all of them.
        self.bar.inc_length(steps as u64);
        self.bar.set_message(name.to_owned());
    }

    fn step(&self) {
        self.bar.inc(1);
    }

    fn note(&self, message: &str) {
        self.bar.suspend(|| output::note(message));
    }

    fn stop(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }
}
