//! A training run of any command: from options to a model file.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::bail;
use quaich::features::FeatureModel;
use quaich::pretraining::{Overlap, TextFiles};
use quaich::treebank::{ReadOptions, Sentence};
use quaich::{Checkpoint, HeadDistribution, Model, Settings, Trainer};

use super::save_options::SaveOptions;
use super::text_options::Pretrained;
use super::training_options::{ProgressObserver, files_in_settings, recipe};
use super::{Threads, open};
use crate::files_used::{FilesUsed, check_model_output};
use crate::{interrupts, progress};

/// A training run whose options have been checked; no data has been read yet.
pub(crate) struct TrainingRun<'o> {
    save_options: &'o SaveOptions,
    output: &'o Path,
    checkpoint: Checkpoint,
    n_parsers: usize,
    trainer: Trainer<'static>,
    text: Option<TextFiles>,
    start: Instant,
}

/// Training data.
#[derive(Default)]
pub(crate) struct TrainingData {
    pub(crate) sentences: Vec<Sentence>,
    /// The teacher's distribution over their heads.
    pub(crate) head_distributions: Vec<HeadDistribution>,
    /// The dev set.
    pub(crate) dev: Vec<Sentence>,
}

impl<'o> TrainingRun<'o> {
    /// Checks that the settings are consistent and that the model can be written, given all files that the command uses.
    pub(crate) fn new(
        features: Option<FeatureModel>,
        settings: &Settings,
        save_options: &'o SaveOptions,
        output: &'o Path,
        files: FilesUsed,
    ) -> anyhow::Result<Self> {
        let start = Instant::now();
        let recipe = recipe(settings)?;
        check_model_output(output, &files.and(files_in_settings(settings, &recipe)))?;
        let checkpoint = save_options.checkpoint(output);
        let mut trainer = Trainer::new(settings).checkpoint(checkpoint.clone());
        if let Some(features) = features {
            recipe.settings().iter().try_for_each(Settings::check_templates)?;
            trainer = trainer.features(features);
        }
        for (name, text) in save_options.notes()? {
            trainer = trainer.note(name, text);
        }
        let n_parsers = recipe.settings().len();
        Ok(Self { save_options, output, checkpoint, n_parsers, trainer, text: None, start })
    }

    /// Configures the trainer.
    pub(crate) fn with(self, configure: impl FnOnce(Trainer<'static>) -> Trainer<'static>) -> Self {
        Self { trainer: configure(self.trainer), ..self }
    }

    /// Pretrains encoders on text, or starts from a pretrained one. What the text has in common with the dev set is reported.
    pub(crate) fn pretrained(
        self,
        Pretrained { text, encoder }: Pretrained,
        dev: Option<(&Path, &[Sentence])>,
    ) -> Self {
        let text = text.map(|text| match dev {
            Some((file, sentences)) => text.reporting(Overlap::of(file.display().to_string(), sentences)),
            None => text,
        });
        let run = Self { text, ..self };
        match encoder {
            Some(encoder) => run.with(|trainer| trainer.encoder(encoder)),
            None => run,
        }
    }

    /// The trainer, the number of its parsers, and what is left to do when a model is trained.
    pub(crate) fn into_parts(self) -> (Trainer<'static>, usize, Saving<'o>) {
        let Self { save_options, output, checkpoint, n_parsers, trainer, start, .. } = self;
        (trainer, n_parsers, Saving { save_options, output, checkpoint, start })
    }

    /// Trains and writes the model.
    pub(crate) fn run(self, threads: &Threads, data: &TrainingData) -> anyhow::Result<(Model, ExitCode)> {
        let (model, saving) = self.train(threads, data)?;
        let code = saving.save(&model)?;
        Ok((model, code))
    }

    /// Trains the model.
    pub(crate) fn train(self, threads: &Threads, data: &TrainingData) -> anyhow::Result<(Model, Saving<'o>)> {
        let Self { save_options, output, checkpoint, n_parsers, trainer, text, start } = self;
        let bar = progress::step_bar("preparing");
        let observer = ProgressObserver::new(bar, interrupts::stop_flag(), n_parsers)
            .with_estimate(&data.sentences, threads.number());
        let trainer = match &text {
            Some(text) => trainer.text(text),
            None => trainer,
        };
        let trainer = trainer.dev(&data.dev).head_distributions(&data.head_distributions).observer(&observer);
        let model = threads.install(|| trainer.train(&data.sentences))??;
        progress::clear();
        Ok((model, Saving { save_options, output, checkpoint, start }))
    }
}

/// What is left to do when a model is trained.
pub(crate) struct Saving<'o> {
    save_options: &'o SaveOptions,
    output: &'o Path,
    checkpoint: Checkpoint,
    start: Instant,
}

impl Saving<'_> {
    /// Writes a model that is complete, though what led to it may have been interrupted.
    pub(crate) fn save_as(&self, model: &Model, interrupted: bool) -> anyhow::Result<ExitCode> {
        let save = |place: &Path| model.save(place);
        self.save_options.save_as(interrupted, save, self.output, &self.checkpoint, self.start)
    }

    /// Writes the model.
    pub(crate) fn save(&self, model: &Model) -> anyhow::Result<ExitCode> {
        self.save_options.save(model, self.output, &self.checkpoint, self.start)
    }
}

/// Reads the training data and the dev set; the options of the dev set come last.
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
        let problem = match &data.dev[..] {
            [] => "the file has no sentences",
            dev if !dev.iter().any(has_tree) => "no token has a head",
            _ => return Ok(data),
        };
        bail!("{}: {problem}, expected a dev treebank with trees", path.display());
    }
    Ok(data)
}
