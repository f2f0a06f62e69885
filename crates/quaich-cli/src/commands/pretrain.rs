//! `quaich pretrain`: text → an encoder from which models are trained.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Context;
use clap::Args;
use quaich::pretraining::{PretrainedEncoder, Pretraining};
use quaich::{Model, Settings};

use super::save_options::SaveOptions;
use super::text_options::{InputKind, text_files};
use super::training_options::ProgressObserver;
use super::{InputOptions, Threads, integer};
use crate::files_used::{FilesUsed, check_model_output};
use crate::{interrupts, output, progress, side_files};

/// Pretrain an encoder on text: it learns to predict hidden words
///
/// Models that start from it, with `quaich train --encoder ENCODER`, parse untagged words more accurately, above all if the
/// treebank is small. One encoder serves any number of treebanks of a language.
///
/// The text is plain text, tokens, or treebank files, whose trees are ignored. With --model, the tokenizer of that model
/// splits plain text into words as its treebank does; without, words end at the word boundaries of Unicode.
///
/// Ctrl-C stops early and saves the encoder trained so far, with exit code 130.
#[derive(Args)]
#[command(after_help = "Examples:
  quaich pretrain news.txt.gz books.txt -o english.encoder --model english.quaich
  quaich pretrain tokens.txt -o latin.encoder --input tokens --drop-overlap test.conllu
  quaich pretrain web.txt -o small.encoder --set encoder.units=128 --set text.effort=0.5")]
pub(crate) struct Pretrain {
    /// Files of text; `-` for standard input
    #[arg(value_name = "TEXT", required = true)]
    text: Vec<PathBuf>,

    /// Write the encoder to this file
    #[arg(long, short, value_name = "ENCODER")]
    output: PathBuf,

    /// Split plain text with the tokenizer of this model
    #[arg(long, short, value_name = "MODEL")]
    model: Option<PathBuf>,

    /// Train this encoder further, for example on text of another domain
    #[arg(long, value_name = "ENCODER")]
    encoder: Option<PathBuf>,

    /// The kind of the text instead of detecting it: text; paragraphs (one per line); lines (one sentence per line); tokens (one
    /// sentence per line, tokens separated by spaces); conllu (a treebank file)
    #[arg(long, value_enum, value_name = "KIND", hide_possible_values = true)]
    input: Option<InputKind>,

    /// Leave out sentences of the text that share four words in a row with these treebank files
    #[arg(long, value_name = "TREEBANK", num_args = 1..)]
    drop_overlap: Vec<PathBuf>,

    /// Read settings from a TOML file (name = value)
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Change a setting; repeatable. Only seed, encoder.units and the settings that start with `text.` are used
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,

    /// Random seed; with the same seed, text and settings, training gives the same encoder
    #[arg(long, value_name = "N", value_parser = integer::<u64>, allow_negative_numbers = true)]
    seed: Option<u64>,

    #[command(flatten)]
    threads: Threads,

    #[command(flatten)]
    save_options: SaveOptions,

    #[command(flatten)]
    input_options: InputOptions,
}

impl Pretrain {
    /// The files to read and write.
    pub(crate) fn files(&self) -> FilesUsed {
        let files = self.input_options.files(self.text.iter().chain(&self.drop_overlap));
        let files = files.reading(&self.model).reading(&self.encoder).reading(&self.config);
        files.and(self.save_options.files(&self.output))
    }

    fn settings(&self) -> anyhow::Result<Settings> {
        let mut settings = Settings::default();
        if let Some(path) = &self.config {
            let text = side_files::read(path)?;
            settings = settings.with_toml(&text).with_context(|| path.display().to_string())?;
        }
        let seed = self.seed.map(|seed| format!("seed={seed}"));
        for assignment in self.set.iter().chain(&seed) {
            settings = settings.with(assignment)?;
        }
        check_settings(settings.given().map(|(name, _)| name))?;
        Ok(settings)
    }

    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let start = Instant::now();
        let settings = self.settings()?;
        check_model_output(&self.output, &self.files())?;
        let notes: Vec<(String, String)> =
            self.save_options.notes()?.into_iter().map(|(name, text)| (name.into(), text.into())).collect();
        let options = self.input_options.options_for(self.text.iter().chain(&self.drop_overlap))?;
        let text = text_files((&self.text, self.input), &self.drop_overlap, &options)?;
        let model = self.model.as_ref().map(Model::load).transpose()?;
        if let (Some(model), Some(file)) = (&model, &self.model)
            && !model.reads_text()
        {
            anyhow::bail!(
                "{}: found a model without a tokenizer, expected one that reads text",
                file.display()
            );
        }
        let before = self.encoder.as_ref().map(PretrainedEncoder::load).transpose()?;
        let checkpoint = self.save_options.checkpoint(&self.output);
        let bar = progress::step_bar("reading the text");
        let observer = ProgressObserver::new(bar, interrupts::stop_flag(), 1);
        let encoder = self.threads.install(|| {
            let words = text.read(model.as_ref(), settings.max_text_words(), &observer)?.words;
            observer.with_text(words.n_words(), self.threads.number());
            let run = Pretraining::new(&settings).checkpoint(checkpoint.clone()).observer(&observer);
            match &before {
                Some(before) => run.continuing(before).run(&words),
                None => run.run(&words),
            }
        })??;
        let encoder = encoder.with_notes(notes);
        progress::clear();
        let interrupted = encoder.description().interrupted;
        let save = |place: &Path| encoder.save(place);
        let code = self.save_options.save_as(interrupted, save, &self.output, &checkpoint, start)?;
        if !interrupted {
            let file = output::shell_word(&self.output);
            output::note(&format!("next: quaich train TREEBANK.conllu -o MODEL --encoder {file}"));
        }
        Ok(code)
    }
}

/// Fails if settings are given that pretraining does not read.
fn check_settings<'s>(given: impl Iterator<Item = &'s str>) -> anyhow::Result<()> {
    for name in given {
        if !(name.starts_with("text.") || ["seed", "encoder.units"].contains(&name)) {
            let message = format!(
                "pretraining does not read the setting `{name}`; it reads seed, encoder.units and those that start with `text.`"
            );
            return Err(output::Usage(message).into());
        }
    }
    Ok(())
}
