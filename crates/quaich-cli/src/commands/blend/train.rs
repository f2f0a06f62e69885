//! `quaich blend train`: a treebank → a model of several parsers.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Context;
use clap::Args;
use quaich_parser::blend::{BlendTrainer, LabelVote, Recipe};

use super::super::keeping::Keeping;
use super::super::train::read_treebanks;
use super::super::training_options::{TrainingOptions, Watch, named_in, warn_of_few};
use super::super::{Reading, Threads};
use crate::output::Usage;
use crate::places::FilesUsed;
use crate::{interrupts, places, progress, side_files};

/// Trains several parsers that vote, and puts them in one model
///
/// The usual blend is of six: three systems, each from left to right and from right to left, over two
/// encoders, each shared by three parsers. A file can name others: a table [[parser]] for each, with the
/// settings that it has in place of those given here; parsers with the same `encoder` share one.
///
/// Beside that every parser is rehearsed without a fifth of the sentences: how it does there, by the coarse
/// tag of a word, is what its votes count. All of the treebank is learned from. With --resume rehearsals are
/// made anew.
#[derive(Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:
  quaich blend train train.conllu -o blend.quaich
  quaich blend train train.conllu -o blend.quaich --dev dev.conllu --preset fast
  quaich blend train train.conllu -o blend.quaich --parsers mine.toml --equal

mine.toml:
  [[parser]]
  system = \"swap-lazy\"
  encoder = 1
  [[parser]]
  system = \"rtl:arc-hybrid\"
  encoder = 1
  [[parser]]
  system = \"rtl:arc-eager\"
  learner = \"linear\""
)]
pub(crate) struct Train {
    /// The treebanks to learn from; `-` for standard input
    #[arg(required = true)]
    treebanks: Vec<PathBuf>,

    /// Where to write the model
    #[arg(long, short, value_name = "MODEL")]
    output: PathBuf,

    /// A treebank to score the blend on; it is not learned from
    #[arg(long, value_name = "FILE")]
    dev: Option<PathBuf>,

    /// Which parsers to blend (TOML: tables [[parser]] of settings)
    #[arg(long, value_name = "FILE")]
    parsers: Option<PathBuf>,

    /// Vote on heads first, then on labels
    #[arg(long)]
    two_step: bool,

    /// Let all votes count the same
    #[arg(long)]
    equal: bool,

    #[command(flatten)]
    options: TrainingOptions,

    #[command(flatten)]
    keeping: Keeping,

    #[command(flatten)]
    threads: Threads,

    #[command(flatten)]
    reading: Reading,
}

impl Train {
    /// What is read and written.
    pub(crate) fn files(&self) -> FilesUsed {
        let treebanks = self.treebanks.iter().chain(&self.dev);
        let files = self.reading.files(treebanks).reading(&self.parsers).and(self.options.files());
        files.and(self.keeping.files(&self.output))
    }

    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let start = Instant::now();
        let recipe = self.recipe()?;
        let files = recipe.settings().iter().map(named_in).fold(self.files(), FilesUsed::and);
        places::check_model(&self.output, &files)?;
        let checkpoint = self.keeping.checkpoint(&self.output);
        let mut trainer = BlendTrainer::new(&recipe).checkpoint(checkpoint.clone()).equal(self.equal);
        if self.two_step {
            trainer = trainer.labels(LabelVote::Afterwards);
        }
        for (name, text) in self.keeping.notes()? {
            trainer = trainer.note(name, text);
        }
        let bar = progress::steps("reading");
        let options = self.reading.options_for(self.treebanks.iter().chain(&self.dev))?;
        let (sentences, dev) = read_treebanks(&self.treebanks, self.dev.as_deref(), &options)?;
        warn_of_few(sentences.len());
        bar.set_message("training");
        let observer = Watch { bar, told: interrupts::listen() };
        let parser = self.threads.install(|| trainer.dev(&dev).train(&sentences, &observer))??;
        progress::clear();
        self.keeping.save(&parser, &self.output, &checkpoint, start)
    }

    fn recipe(&self) -> anyhow::Result<Recipe> {
        let settings = self.options.settings()?;
        if self.parsers.is_none() && settings.system.given().is_some() {
            let message = "found a system, expected none: the parsers of a blend have their own; name them in a file for --parsers";
            return Err(Usage(message.to_owned()).into());
        }
        if self.options.features()?.is_some() {
            let message = "--features: the parsers of a blend have features of their own, those that go with their learners";
            return Err(Usage(message.to_owned()).into());
        }
        let Some(path) = &self.parsers else { return Ok(Recipe::usual(&settings)?) };
        let file = path.display();
        let text = side_files::read(path)?;
        Recipe::from_toml(&text, &settings).with_context(|| file.to_string())
    }
}
