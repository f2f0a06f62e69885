//! The options that decide what is searched, shared by `tune` and `tune plan`.

use std::ffi::OsStr;
use std::path::PathBuf;

use anyhow::Context;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Args, Command};
use quaich::treebank::Sentence;
use quaich::tuning::{Budget, Data, MEASURES, Measure, Options};
use quaich::{Settings, TrainingConfig};

use crate::commands::training_options::{TrainingOptions, files_in_settings, recipe};
use crate::commands::{InputOptions, open};
use crate::files_used::FilesUsed;
use crate::output::Usage;
use crate::progress;

/// What is searched.
#[derive(Args)]
pub(super) struct SearchOptions {
    /// What to maximise
    #[arg(long, value_name = "MEASURE", default_value = MEASURES[0].1, value_parser = MeasureByName, ignore_case = true)]
    pub(super) measure: Measure,

    #[command(flatten)]
    pub(super) options: TrainingOptions,

    #[command(flatten)]
    pub(super) input_options: InputOptions,
}

/// A measure by name.
#[derive(Clone)]
struct MeasureByName;

impl TypedValueParser for MeasureByName {
    type Value = Measure;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<Measure, clap::Error> {
        let names = PossibleValuesParser::new(MEASURES.iter().map(|(_, name, _)| *name));
        let name = names.parse_ref(command, arg, value)?;
        let found = MEASURES.iter().find(|(_, known, _)| known.eq_ignore_ascii_case(&name));
        Ok(found.map_or_else(Measure::default, |(measure, ..)| *measure))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(MEASURES.iter().map(|(_, name, help)| PossibleValue::new(*name).help(*help))))
    }
}

impl SearchOptions {
    /// The files to read.
    pub(super) fn files(&self, treebanks: &[PathBuf]) -> FilesUsed {
        self.input_options.files(treebanks).and(self.options.files())
    }

    /// Where the search starts, given all files that the command uses.
    pub(super) fn config(&self, files: &FilesUsed) -> anyhow::Result<TrainingConfig> {
        let settings = self.options.settings()?;
        if settings.ensemble().is_some() {
            let message =
                "an ensemble cannot be tuned: tune a single parser, and set the ensemble when you train";
            return Err(Usage(message.to_owned()).into());
        }
        let recipe = recipe(&settings)?;
        files.clone().and(files_in_settings(&settings, &recipe)).check()?;
        let features = self.options.features()?;
        if features.is_some() {
            settings.check_templates()?;
        }
        Ok(TrainingConfig { settings, features })
    }

    /// The options of the search.
    pub(super) fn options(&self, budget: Budget, settings: &Settings) -> Options {
        Options { measure: self.measure, budget, seed: settings.seed() }
    }
}

/// The names of treebanks, for people.
pub(super) fn names(treebanks: &[PathBuf]) -> Vec<String> {
    treebanks.iter().map(|path| path.display().to_string()).collect()
}

/// Reads treebanks.
pub(super) fn read(treebanks: &[PathBuf], input_options: &InputOptions) -> anyhow::Result<Data> {
    let _bar = progress::step_bar("reading");
    let mut sentences: Vec<Sentence> = Vec::new();
    for (path, options) in treebanks.iter().zip(input_options.options_for(treebanks)?) {
        for sentence in open(path, &options)?.sentences() {
            sentences.push(sentence?);
        }
    }
    Data::new(sentences).with_context(|| names(treebanks).join(", "))
}
