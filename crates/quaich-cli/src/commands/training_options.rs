//! What a training can be told, wherever one is started; and how it is shown while it runs.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Args, Command};
use indicatif::ProgressBar;
use quaich::features::FeatureModel;
use quaich::recipe::Recipe;
use quaich::transform::Specification;
use quaich::transition::spec::SystemSpec;
use quaich::treebank::counted;
use quaich::{DECISIONS, Event, Observer, PRESETS, Settings, learners};

use super::whole;
use crate::places::FilesUsed;
use crate::{feature_models, output, side_files};

/// Settings by name, and files they are in.
#[derive(Args)]
pub(crate) struct TrainingOptions {
    /// Where to start from
    #[arg(long, default_value = PRESETS[0].name, value_parser = possible_presets())]
    preset: String,

    /// The transition system, e.g. arc-eager, swap-lazy, rtl:planar, arc-eager+lba; `quaich list systems` has them all
    #[arg(long)]
    system: Option<SystemSpec>,

    /// The learner; behind its name may stand options of the program that it is known from, as in "svm -t 1 -d 2"
    #[arg(long, value_parser = LearnerWithOptions)]
    learner: Option<String>,

    /// How transitions and labels are decided
    #[arg(long, value_parser = possible_decisions())]
    decision: Option<String>,

    /// Split the data by a feature's value, with one classifier per value, e.g. b0:p>=1000; smaller parts are pooled
    /// (learners from instances: linear-svm, svm, memory, mcle)
    #[arg(long, value_name = "FEATURE[>=N]")]
    split: Option<String>,

    /// A feature model: a file of templates, or a name of `quaich list features` (learners that read templates)
    #[arg(long, value_name = "FEATURES")]
    features: Option<String>,

    /// The tree transformation: auto, none, or e.g. pseudo-projective:head
    #[arg(long)]
    transform: Option<String>,

    /// A file of settings (TOML: name = value)
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// One setting; can be given several times. `quaich list settings` has them all
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,

    /// Fixes every random choice
    #[arg(long, value_name = "N", value_parser = whole::<u64>, allow_negative_numbers = true)]
    seed: Option<u64>,
}

impl TrainingOptions {
    pub(crate) fn settings(&self) -> anyhow::Result<Settings> {
        let mut settings = Settings::preset(&self.preset)?;
        if let Some(path) = &self.config {
            let file = path.display();
            let text = side_files::read(path)?;
            settings = settings.with_toml(&text).with_context(|| file.to_string())?;
        }
        let system = self.system.map(|system| system.to_string());
        let flags = [
            ("learner", &self.learner),
            ("system", &system),
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

    /// The feature model, where one is given.
    pub(crate) fn features(&self) -> anyhow::Result<Option<FeatureModel>> {
        self.features.as_deref().map(feature_models::by_name_or_file).transpose()
    }

    /// What would be read as files.
    pub(crate) fn files(&self) -> FilesUsed {
        let features = self.features.as_deref().and_then(feature_models::file);
        FilesUsed::default().reading(&self.config).reading(features)
    }
}

/// With fewer sentences a parser learns the most frequent words and labels, if that.
const ENOUGH_SENTENCES: usize = 100;

/// Warns where there is too little to learn from.
pub(crate) fn warn_of_few(sentences: usize) {
    if sentences < ENOUGH_SENTENCES {
        let found = counted(sentences, "sentence");
        output::note(&format!(
            "warning: found {found} to learn from; the parser will make mistakes in most words with fewer than {ENOUGH_SENTENCES}"
        ));
    }
}

/// The parsers that settings ask for, each with settings that go together.
pub(crate) fn recipe(settings: &Settings) -> anyhow::Result<Recipe> {
    let recipe = Recipe::of(settings).map_err(|error| {
        // A model in the place of the file is said to be one.
        let why = Recipe::file(settings).and_then(|file| side_files::read(&file).err());
        why.unwrap_or_else(|| error.into())
    })?;
    recipe.settings().iter().try_for_each(Settings::check)?;
    Ok(recipe)
}

/// The files that settings name, and those of the parsers that they ask for.
pub(crate) fn named_in(settings: &Settings, recipe: &Recipe) -> FilesUsed {
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

/// The name of a learner, which has to be one of those that there are, and perhaps options.
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

/// Shows how training goes.
pub(crate) struct ProgressObserver {
    pub(crate) bar: ProgressBar,
    /// Whether to end.
    pub(crate) told: &'static AtomicBool,
}

impl ProgressObserver {
    /// Whether an event is about work that is done, which the bar shows.
    pub(crate) fn is_work(event: &Event<'_>) -> bool {
        matches!(event, Event::Work { .. } | Event::Stage { .. } | Event::Step)
    }
}

impl Observer for ProgressObserver {
    fn event(&self, event: &Event<'_>) {
        match event {
            Event::Work { steps } => self.bar.set_length(*steps as u64),
            // Stages may run side by side: one bar for all of them.
            Event::Stage { name, .. } => self.bar.set_message(*name),
            Event::Step | Event::Member { event: Event::Step, .. } => self.bar.inc(1),
            // Parsers of an ensemble learn side by side.
            Event::Member { event: Event::Work { steps }, .. } => self.bar.inc_length(*steps as u64),
            Event::Member { event: Event::Stage { .. }, .. } => {}
            told => output::note(&told.to_string()),
        }
    }

    fn stop(&self) -> bool {
        self.told.load(Ordering::Relaxed)
    }
}
