//! `quaich train`: a treebank → a model.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use quaich::ensemble::LabelVote;
use quaich::recipe::{DEFAULT_ENSEMBLE, Recipe};
use quaich::{Model, Settings};

use super::save_options::SaveOptions;
use super::text_options::{TextOptions, split_options};
use super::training_options::{TrainingOptions, warn_if_few_sentences};
use super::training_run::{TrainingRun, read_treebanks};
use super::{InputOptions, Threads, list};
use crate::files_used::FilesUsed;
use crate::output::{self, Usage};
use crate::progress;

const EXAMPLES: &str = "Examples:
  quaich train train.conllu -o english.quaich --dev dev.conllu
  quaich train train.conllu -o fast.quaich --preset fast --parts parse
  quaich train train.conllu -o my.quaich --system arc-eager --set encoder.units=192
  quaich train train.conllu -o six.quaich --ensemble six-over-two
  quaich train news.conllu speech.conllu -o both.quaich
  quaich train train.conllu -o latin.quaich --text books.txt.gz letters.txt
  quaich train huge.conllu.gz -o huge.quaich --learner perceptron --set perceptron.megabytes=200";

/// Train a model on a treebank: tokenizer, tagger, lemmatizer and parser
///
/// The model parses plain text, and treebank files with or without tags. It has up to three parts, as far as the treebank
/// allows: a parser for tagged words; a tagger, lemmatizer and parser for untagged words; and a tokenizer. With
/// `--parts parse`, or if you choose a learner, only the first part is trained.
///
/// Without options, training uses the `balanced` preset. Settings that depend on the treebank (the position of the root,
/// the handling of non-projective trees, the columns to use) are detected from it. The preset `fast` makes the parser for
/// tagged words fast; the other two parts then take most of the training time.
///
/// Ctrl-C or SIGTERM stops training at any stage, saves the model of the finished epochs, and exits with code 130; a second
/// one exits at once. An existing model is kept: the new one is saved as MODEL.interrupted.
#[derive(Args)]
#[command(
    after_help = EXAMPLES,
    after_long_help = format!("{EXAMPLES}\n\n{}", list::settings_help())
)]
pub(crate) struct Train {
    /// Treebanks to train on; `-` for standard input
    #[arg(value_name = "TREEBANK", required_unless_present = "settings")]
    treebanks: Vec<PathBuf>,

    /// Write the model to this file
    #[arg(long, short, value_name = "MODEL", required_unless_present = "settings")]
    output: Option<PathBuf>,

    /// Dev set: keep the epoch that scores best on it, and print scores. Not used as training data
    #[arg(long, value_name = "FILE")]
    dev: Option<PathBuf>,

    /// Print the settings as TOML and exit; needs no treebank
    #[arg(long)]
    settings: bool,

    #[command(flatten)]
    threads: Threads,

    #[command(flatten)]
    options: TrainingOptions,

    #[command(flatten)]
    ensemble_options: EnsembleOptions,

    #[command(flatten)]
    text_options: TextOptions,

    #[command(flatten)]
    save_options: SaveOptions,

    #[command(flatten)]
    input_options: InputOptions,
}

/// How the parsers of an ensemble vote.
#[derive(Args)]
#[command(next_help_heading = "Ensemble options")]
pub(crate) struct EnsembleOptions {
    /// Train an ensemble: a name from `quaich list ensembles`, or a TOML file with one table [[parser]] of settings per parser
    #[arg(long, value_name = "NAME|FILE", visible_alias = "parsers")]
    pub(crate) ensemble: Option<String>,

    /// Vote on heads first, then on labels (ensembles only)
    #[arg(long)]
    two_step: bool,

    /// Give all parsers the same weight (ensembles only)
    #[arg(long)]
    equal: bool,
}

impl EnsembleOptions {
    /// The file that describes the ensemble, if one is given.
    fn file(&self) -> Option<PathBuf> {
        let ensemble = format!("ensemble={}", self.ensemble.as_deref()?);
        Recipe::file(&Settings::default().with(&ensemble).ok()?)
    }
}

impl Train {
    /// Trains an ensemble: the default one if none is named.
    pub(crate) fn of_ensemble(mut self) -> Self {
        self.ensemble_options.ensemble.get_or_insert_with(|| DEFAULT_ENSEMBLE.to_owned());
        self
    }

    /// The files to read and write.
    pub(crate) fn files(&self) -> FilesUsed {
        if self.settings {
            // Nothing else is read or written.
            return self.options.files();
        }
        let output = self.output.as_deref().map(|output| self.save_options.files(output)).unwrap_or_default();
        let files = self
            .input_options
            .files(self.treebanks.iter().chain(&self.dev))
            .reading(self.ensemble_options.file());
        files.and(self.options.files()).and(self.text_options.files()).and(output)
    }

    fn all_settings(&self) -> anyhow::Result<Settings> {
        let mut settings = self.options.settings()?;
        if let Some(ensemble) = &self.ensemble_options.ensemble {
            settings.set("ensemble", ensemble)?;
        }
        if settings.ensemble().is_none() {
            let given =
                [("--two-step", self.ensemble_options.two_step), ("--equal", self.ensemble_options.equal)];
            if let Some((flag, _)) = given.iter().find(|(_, is_given)| *is_given) {
                let message = format!("{flag} is for ensembles only: choose one with --ensemble");
                return Err(Usage(message).into());
            }
        }
        Ok(settings)
    }

    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let settings = self.all_settings()?;
        if self.settings {
            if settings.ensemble().is_none() {
                settings.check()?;
            }
            output::bytes(settings.in_full()?.as_bytes())?;
            return Ok(ExitCode::SUCCESS);
        }
        self.text_options.check(&settings)?;
        // Required without `--settings`.
        let output = self.output.clone().unwrap_or_default();
        let run =
            TrainingRun::new(self.options.features()?, &settings, &self.save_options, &output, self.files())?;
        let labels = if self.ensemble_options.two_step { LabelVote::Afterwards } else { LabelVote::Together };
        let run = run.with(|trainer| trainer.labels(labels).equal(self.ensemble_options.equal));
        let _bar = progress::step_bar("reading");
        let treebanks: Vec<&PathBuf> = self.treebanks.iter().chain(&self.dev).collect();
        let mut options = Vec::new();
        let (options, of_text) =
            split_options(&self.input_options, &treebanks, &self.text_options, &mut options)?;
        let data = read_treebanks(&self.treebanks, self.dev.as_deref(), options)?;
        warn_if_few_sentences(data.sentences.len());
        let dev = self.dev.as_deref().filter(|dev| !self.text_options.drops(dev));
        let dev = dev.map(|file| (file, &data.dev[..]));
        let run = run.pretrained(self.text_options.read(of_text)?, dev);
        let (model, code) = run.run(&self.threads, &data)?;
        if !model.description().interrupted {
            next_steps(&model, &output);
        }
        Ok(code)
    }
}

/// Prints how to use the model.
pub(crate) fn next_steps(model: &Model, file: &Path) {
    let file = output::shell_word(file);
    if model.reads_text() {
        output::note(&format!("next: quaich parse -m {file} TEXT.txt -o PARSED.conllu"));
        output::note(&format!("      quaich parse -m {file} GOLD.conllu -o GOLD-PARSED.conllu"));
    } else {
        output::note(&format!("next: quaich parse -m {file} GOLD.conllu -o GOLD-PARSED.conllu"));
    }
    output::note("      quaich eval GOLD.conllu GOLD-PARSED.conllu");
}
