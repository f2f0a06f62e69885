//! `quaich train`: a treebank → a model.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::Args;
use quaich_parser::Trainer;
use quaich_treebank::{ReadOptions, Sentence};

use super::keeping::Keeping;
use super::training_options::{TrainingOptions, Watch, named_in, warn_of_few};
use super::{Reading, Threads, list, open};
use crate::places::FilesUsed;
use crate::{interrupts, output, places, progress};

const EXAMPLES: &str = "Examples:
  quaich train train.conllu -o english.quaich --dev dev.conllu
  quaich train train.conllu -o fast.quaich --preset fast
  quaich train train.conllu -o my.quaich --system swap-lazy --set passes=10 --set folds=4
  quaich train news.conllu speech.conllu -o both.quaich
  quaich train huge.conllu.gz -o huge.quaich --learner perceptron --set table-megabytes=200";

/// Trains a parser on a treebank
///
/// With nothing but a treebank the best settings we know are used, and what depends on the language
/// (where roots are, how non-projective trees are handled, which columns there are) is read off the
/// treebank.
///
/// Ctrl-C, or a signal to end, ends training early and keeps what has been learned so far; a second one
/// gives up. The status is then 130, and a model that was there before is kept: what was learned
/// goes to MODEL.interrupted.
#[derive(Args)]
#[command(
    verbatim_doc_comment,
    after_help = EXAMPLES,
    after_long_help = format!("{EXAMPLES}\n\n{}", list::settings_help())
)]
pub(crate) struct Train {
    /// The treebanks to learn from; `-` for standard input
    #[arg(required_unless_present = "settings")]
    treebanks: Vec<PathBuf>,

    /// Where to write the model
    #[arg(long, short, value_name = "MODEL", required_unless_present = "settings")]
    output: Option<PathBuf>,

    /// A treebank to score the parser on; it is not learned from
    #[arg(long, value_name = "FILE")]
    dev: Option<PathBuf>,

    #[command(flatten)]
    options: TrainingOptions,

    #[command(flatten)]
    keeping: Keeping,

    /// Print the settings that would be used, and stop; no treebank is needed
    #[arg(long)]
    settings: bool,

    #[command(flatten)]
    threads: Threads,

    #[command(flatten)]
    reading: Reading,
}

impl Train {
    /// What is read and written.
    pub(crate) fn files(&self) -> FilesUsed {
        if self.settings {
            // Nothing else is read, and nothing is written.
            return self.options.files();
        }
        let output = self.output.as_deref().map(|output| self.keeping.files(output)).unwrap_or_default();
        self.reading.files(self.treebanks.iter().chain(&self.dev)).and(self.options.files()).and(output)
    }

    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let start = Instant::now();
        let settings = self.options.settings()?;
        if self.settings {
            output::bytes(settings.to_toml().as_bytes())?;
            return Ok(ExitCode::SUCCESS);
        }
        // Without `--settings` it is there.
        let output = self.output.clone().unwrap_or_default();
        places::check_model(&output, &self.files().and(named_in(&settings)))?;
        let checkpoint = self.keeping.checkpoint(&output);
        let mut trainer = Trainer::new(&settings).checkpoint(checkpoint.clone());
        if let Some(features) = self.options.features()? {
            trainer = trainer.features(features);
        }
        for (name, text) in self.keeping.notes()? {
            trainer = trainer.note(name, text);
        }
        let bar = progress::steps("reading");
        let options = self.reading.options_for(self.treebanks.iter().chain(&self.dev))?;
        let (sentences, dev) = read_treebanks(&self.treebanks, self.dev.as_deref(), &options)?;
        warn_of_few(sentences.len());
        bar.set_message("preparing");
        let observer = Watch { bar, told: interrupts::listen() };
        let parser = self.threads.install(|| trainer.dev(&dev).train(&sentences, &observer))??;
        progress::clear();
        self.keeping.save(&parser, &output, &checkpoint, start)
    }
}

/// The sentences to learn from, and those to score on, which come last among the options.
pub(super) fn read_treebanks(
    treebanks: &[PathBuf],
    dev_file: Option<&Path>,
    options: &[ReadOptions],
) -> anyhow::Result<(Vec<Sentence>, Vec<Sentence>)> {
    let files = treebanks.iter().map(PathBuf::as_path).chain(dev_file);
    let (mut sentences, mut dev) = (Vec::new(), Vec::new());
    for (number, (path, options)) in files.zip(options).enumerate() {
        let into = if number < treebanks.len() { &mut sentences } else { &mut dev };
        for sentence in open(path, options)?.sentences() {
            into.push(sentence?);
        }
    }
    if let Some(path) = dev_file {
        let has_tree = |sentence: &Sentence| sentence.heads()[1..].iter().any(|head| head.is_some());
        let wrong = match &dev[..] {
            [] => "the file has no sentences",
            dev if !dev.iter().any(has_tree) => "no token has a head",
            _ => return Ok((sentences, dev)),
        };
        anyhow::bail!("{}: {wrong}, expected a treebank to score on", path.display());
    }
    Ok((sentences, dev))
}
