//! One training, whatever command it is of: from its options to a model in a file.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::bail;
use quaich::treebank::{ReadOptions, Sentence};
use quaich::{Checkpoint, HeadDistribution, Model, Settings, Trainer};

use super::keeping::Keeping;
use super::training_options::{ProgressObserver, TrainingOptions, named_in, recipe};
use super::{Threads, open};
use crate::places::FilesUsed;
use crate::{interrupts, places, progress};

/// A training whose options have been checked; nothing has been read yet.
pub(crate) struct TrainingRun<'o> {
    keeping: &'o Keeping,
    output: &'o Path,
    checkpoint: Checkpoint,
    trainer: Trainer<'static>,
    start: Instant,
}

/// What is learned from.
#[derive(Default)]
pub(crate) struct TrainingData {
    pub(crate) sentences: Vec<Sentence>,
    /// What a teacher thinks of them.
    pub(crate) head_distributions: Vec<HeadDistribution>,
    /// Sentences to score on.
    pub(crate) dev: Vec<Sentence>,
}

impl<'o> TrainingRun<'o> {
    /// Checks that the settings go together and that the model can be put in its place, given all files that the command uses.
    pub(crate) fn new(
        options: &TrainingOptions,
        settings: &Settings,
        keeping: &'o Keeping,
        output: &'o Path,
        files: FilesUsed,
    ) -> anyhow::Result<Self> {
        let start = Instant::now();
        let recipe = recipe(settings)?;
        places::check_model(output, &files.and(named_in(settings, &recipe)))?;
        let checkpoint = keeping.checkpoint(output);
        let mut trainer = Trainer::new(settings).checkpoint(checkpoint.clone());
        if let Some(features) = options.features()? {
            recipe.settings().iter().try_for_each(Settings::check_templates)?;
            trainer = trainer.features(features);
        }
        for (name, text) in keeping.notes()? {
            trainer = trainer.note(name, text);
        }
        Ok(Self { keeping, output, checkpoint, trainer: trainer.recipe(recipe), start })
    }

    /// The same with a trainer that is told more.
    pub(crate) fn with(self, tell: impl FnOnce(Trainer<'static>) -> Trainer<'static>) -> Self {
        Self { trainer: tell(self.trainer), ..self }
    }

    /// Trains, and writes the model.
    pub(crate) fn run(self, threads: &Threads, data: &TrainingData) -> anyhow::Result<(Model, ExitCode)> {
        let Self { keeping, output, checkpoint, trainer, start } = self;
        let observer = ProgressObserver { bar: progress::steps("preparing"), told: interrupts::listen() };
        let trainer = trainer.dev(&data.dev).head_distributions(&data.head_distributions).observer(&observer);
        let model = threads.install(|| trainer.train(&data.sentences))??;
        progress::clear();
        let code = keeping.save(&model, output, &checkpoint, start)?;
        Ok((model, code))
    }
}

/// The sentences to learn from, and those to score on, which come last among the options.
pub(crate) fn read_treebanks(
    treebanks: &[PathBuf],
    dev_file: Option<&Path>,
    options: &[ReadOptions],
) -> anyhow::Result<TrainingData> {
    let files = treebanks.iter().map(PathBuf::as_path).chain(dev_file);
    let mut data = TrainingData::default();
    for (number, (path, options)) in files.zip(options).enumerate() {
        let into = if number < treebanks.len() { &mut data.sentences } else { &mut data.dev };
        for sentence in open(path, options)?.sentences() {
            into.push(sentence?);
        }
    }
    if let Some(path) = dev_file {
        let has_tree = |sentence: &Sentence| sentence.heads()[1..].iter().any(|head| head.is_some());
        let wrong = match &data.dev[..] {
            [] => "the file has no sentences",
            dev if !dev.iter().any(has_tree) => "no token has a head",
            _ => return Ok(data),
        };
        bail!("{}: {wrong}, expected a treebank to score on", path.display());
    }
    Ok(data)
}
