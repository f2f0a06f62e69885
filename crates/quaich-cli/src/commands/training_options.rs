//! Options and progress of training, shared by all commands that train.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use anyhow::Context;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Args, Command};
use indicatif::ProgressBar;
use quaich::features::FeatureModel;
use quaich::recipe::Recipe;
use quaich::transform::Specification;
use quaich::transition::spec::SystemSpec;
use quaich::treebank::{Sentence, counted};
use quaich::{DECISIONS, Event, Observer, PRESETS, Settings, TrainingConfig, learners};

use super::integer;
use crate::files_used::FilesUsed;
use crate::training_time::{TrainingTime, about, grouped};
use crate::{feature_models, output, side_files};

/// Settings on the command line, by name and in files.
#[derive(Args)]
#[command(next_help_heading = "Settings")]
pub(crate) struct TrainingOptions {
    /// The preset to start from; other options override its settings
    #[arg(long, default_value = PRESETS[0].name, value_parser = possible_presets())]
    preset: String,

    /// The transition system, e.g. arc-eager, swap-lazy, rtl:planar, arc-eager+lba; see `quaich list systems`
    #[arg(long)]
    system: Option<SystemSpec>,

    /// The learner, optionally with options of its original program, as in "svm -t 1 -d 2". Trains the parser for tagged
    /// words alone, unless you add `--parts all`
    #[arg(long, value_parser = LearnerWithOptions)]
    learner: Option<String>,

    /// The parts of the model: all (raw text, tags, lemmas, trees) or parse (trees for given words and tags) [default: all, or parse if
    /// --learner is given]
    #[arg(long, value_name = "PARTS")]
    parts: Option<String>,

    /// How transitions and labels are predicted
    #[arg(long, value_parser = possible_decisions())]
    decision: Option<String>,

    /// Split the training instances by a feature and train one classifier per value, e.g. b0:p>=1000; values with fewer than N
    /// instances are pooled (linear-svm, svm, memory, mcle)
    #[arg(long, value_name = "FEATURE[>=N]")]
    split: Option<String>,

    /// The feature model: a name from `quaich list features`, or a file (learners that use feature templates)
    #[arg(long, value_name = "FEATURES")]
    features: Option<String>,

    /// The tree transformation: auto, none, or e.g. pseudo-projective:head; see `quaich list transforms`
    #[arg(long)]
    transform: Option<String>,

    /// Read settings from a TOML file (name = value); it may have a feature model in a table [features]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Change a setting; repeatable. See `quaich list settings`
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,

    /// Random seed; with the same seed, data and settings, training gives the same model
    #[arg(long, value_name = "N", value_parser = integer::<u64>, allow_negative_numbers = true)]
    seed: Option<u64>,
}

impl TrainingOptions {
    pub(crate) fn settings(&self) -> anyhow::Result<Settings> {
        let mut settings = self.config()?.settings;
        let system = self.system.map(|system| system.to_string());
        let flags = [
            ("learner", &self.learner),
            ("system", &system),
            ("parts", &self.parts),
            ("decision", &self.decision),
            ("split", &self.split),
            ("transform", &self.transform),
        ];
        for (name, given) in flags {
            if let Some(value) = given {
                settings.set(name, value)?;
            }
        }
        let seed = self.seed.map(|seed| format!("seed={seed}"));
        for assignment in self.set.iter().chain(&seed) {
            settings = settings.with(assignment)?;
        }
        Ok(settings)
    }

    /// The preset with what the configuration file says.
    fn config(&self) -> anyhow::Result<TrainingConfig> {
        let settings = Settings::preset(&self.preset)?;
        let Some(path) = &self.config else { return Ok(TrainingConfig { settings, features: None }) };
        let text = side_files::read(path)?;
        TrainingConfig::parse(&text, &settings).with_context(|| path.display().to_string())
    }

    /// The settings for training the parser alone.
    pub(crate) fn parser_settings(&self) -> anyhow::Result<Settings> {
        let mut settings = self.settings()?;
        if self.parts.as_deref() == Some("all") {
            let message = "found --parts all, but only the parser for tagged words is scored";
            return Err(output::Usage(message.to_owned()).into());
        }
        settings.set("parts", "parse")?;
        Ok(settings)
    }

    /// The feature model, if one is given, as an option or in the configuration file.
    pub(crate) fn features(&self) -> anyhow::Result<Option<FeatureModel>> {
        match &self.features {
            Some(name) => feature_models::by_name_or_file(name).map(Some),
            None => Ok(self.config()?.features),
        }
    }

    /// The files that these options read.
    pub(crate) fn files(&self) -> FilesUsed {
        let features = self.features.as_deref().and_then(feature_models::file);
        FilesUsed::default().reading(&self.config).reading(features)
    }
}

/// With fewer sentences a parser learns little more than the most frequent words and labels.
const ENOUGH_SENTENCES: usize = 100;

/// Warns if there is too little training data.
pub(crate) fn warn_if_few_sentences(sentences: usize) {
    // Training on none is an error.
    if (1..ENOUGH_SENTENCES).contains(&sentences) {
        let found = counted(sentences, "sentence");
        output::note(&format!(
            "warning: only {found} to train on; with fewer than {ENOUGH_SENTENCES}, scores are low and vary by chance"
        ));
    }
}

/// The parsers that the settings describe, with their settings checked.
pub(crate) fn recipe(settings: &Settings) -> anyhow::Result<Recipe> {
    let recipe = Recipe::of(settings).map_err(|error| {
        // If the file is a model, say so.
        let cause = Recipe::file(settings).and_then(|file| side_files::read(&file).err());
        cause.unwrap_or_else(|| error.into())
    })?;
    recipe.settings().iter().try_for_each(Settings::check)?;
    Ok(recipe)
}

/// The files named by the settings and by the settings of their parsers.
pub(crate) fn files_in_settings(settings: &Settings, recipe: &Recipe) -> FilesUsed {
    let mut files = FilesUsed::default().reading(Recipe::file(settings));
    for settings in recipe.settings() {
        let transform = settings.transform().and_then(|transform| transform.parse::<Specification>().ok());
        files = files.reading(transform.iter().flat_map(Specification::files));
    }
    files
}

fn possible_presets() -> PossibleValuesParser {
    PRESETS.iter().map(|preset| PossibleValue::new(preset.name).help(preset.help)).into()
}

/// A learner by name, optionally followed by options.
#[derive(Clone)]
struct LearnerWithOptions;

impl LearnerWithOptions {
    fn names() -> PossibleValuesParser {
        PossibleValuesParser::new(learners().map(|(name, about)| PossibleValue::new(name).help(about)))
    }
}

impl TypedValueParser for LearnerWithOptions {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, clap::Error> {
        let text = value.to_str().unwrap_or_default();
        let name = text.split_whitespace().next().unwrap_or(text);
        Self::names().parse_ref(command, arg, OsStr::new(name))?;
        Ok(text.to_owned())
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let values: Vec<_> = Self::names().possible_values()?.collect();
        Some(Box::new(values.into_iter()))
    }
}

fn possible_decisions() -> PossibleValuesParser {
    DECISIONS.iter().map(|decision| PossibleValue::new(decision.name).help(decision.about)).into()
}

/// Shows the progress of training.
pub(crate) struct ProgressObserver {
    bar: ProgressBar,
    /// Whether to stop early.
    stop: &'static AtomicBool,
    time: TrainingTime,
    /// What is trained, to be printed with the estimated time.
    subject: Mutex<Option<String>>,
}

impl ProgressObserver {
    /// Shows progress on this bar.
    pub(crate) fn new(bar: ProgressBar, stop: &'static AtomicBool, n_parsers: usize) -> Self {
        Self { bar, stop, time: TrainingTime::new(n_parsers), subject: Mutex::default() }
    }

    /// Also prints the estimated time, for this training data.
    pub(crate) fn with_estimate(self, sentences: &[Sentence], n_threads: usize) -> Self {
        let n_tokens = sentences.iter().map(Sentence::n_tokens).sum();
        let (sentences, tokens) = (grouped(sentences.len()), grouped(n_tokens));
        let threads = counted(n_threads, "thread");
        self.set_subject(format!("training on {sentences} sentences ({tokens} tokens) on {threads}"));
        self
    }

    /// Also prints the estimated time, for a text of this many words.
    pub(crate) fn with_text(&self, n_words: usize, n_threads: usize) {
        let (words, threads) = (grouped(n_words), counted(n_threads, "thread"));
        self.set_subject(format!("pretraining on {words} words on {threads}"));
    }

    fn set_subject(&self, subject: String) {
        *self.subject.lock().unwrap_or_else(PoisonError::into_inner) = Some(subject);
    }

    fn add_work(&self, steps: usize) {
        self.bar.set_length(self.time.add_work(Instant::now(), steps) as u64);
    }

    fn step(&self) {
        let estimated = self.time.add_step(Instant::now());
        self.bar.inc(1);
        let Some(total) = estimated else { return };
        if let Some(subject) = &*self.subject.lock().unwrap_or_else(PoisonError::into_inner) {
            output::note(&format!("{subject}: {}", about(total)));
        }
    }

    /// Whether an event is about progress, which the bar shows.
    pub(crate) fn is_progress(event: &Event<'_>) -> bool {
        matches!(event, Event::Work { .. } | Event::Stage { .. } | Event::Step)
    }
}

impl Observer for ProgressObserver {
    fn event(&self, event: &Event<'_>) {
        match event {
            // Parsers of an ensemble are trained in parallel.
            Event::Work { steps } | Event::Member { event: Event::Work { steps }, .. } => {
                self.add_work(*steps);
            }
            // Stages may run in parallel: one bar for all of them.
            Event::Stage { name, .. } => self.bar.set_message(*name),
            Event::Step | Event::Member { event: Event::Step, .. } => self.step(),
            Event::Member { event: Event::Stage { .. }, .. } => {}
            Event::Part { number, .. } => {
                self.time.restart();
                self.bar.reset();
                output::note(&event.to_string());
                self.set_subject(format!("training part {number}"));
            }
            message => {
                if let Event::Member { number, event: Event::Planned(_) } = message {
                    self.time.add_parser(*number);
                }
                output::note(&message.to_string());
            }
        }
    }

    fn stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
