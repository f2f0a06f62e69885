//! `quaich train`: a treebank → a model.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use quaich::Settings;
use quaich::ensemble::LabelVote;
use quaich::recipe::{DEFAULT_ENSEMBLE, Recipe};

use super::keeping::Keeping;
use super::training_options::{TrainingOptions, warn_of_few};
use super::training_run::{TrainingRun, read_treebanks};
use super::{Reading, Threads, list};
use crate::output::{self, Usage};
use crate::places::FilesUsed;
use crate::progress;

const EXAMPLES: &str = "Examples:
  quaich train train.conllu -o english.quaich --dev dev.conllu
  quaich train train.conllu -o fast.quaich --preset fast
  quaich train train.conllu -o my.quaich --system arc-eager --set encoder.units=192
  quaich train train.conllu -o six.quaich --ensemble six-over-two
  quaich train news.conllu speech.conllu -o both.quaich
  quaich train huge.conllu.gz -o huge.quaich --learner perceptron --set perceptron.megabytes=200";

/// Trains a parser on a treebank
///
/// With nothing but a treebank the best settings we know are used. What depends on the language (where roots
/// are, how non-projective trees are handled, which columns there are) is detected from the treebank.
///
/// Ctrl-C or SIGTERM ends training early and keeps what has been learned so far; a second one gives up.
/// The exit code is then 130, and an existing model is kept: what was learned goes to MODEL.interrupted.
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
    voting: Voting,

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

/// How the parsers of an ensemble vote.
#[derive(Args)]
pub(crate) struct Voting {
    /// Train parsers that vote: an ensemble of `quaich list ensembles`, or a TOML file with a table [[parser]] of settings
    /// for each parser
    #[arg(long, value_name = "NAME|FILE", visible_alias = "parsers")]
    pub(crate) ensemble: Option<String>,

    /// Vote on heads first, then on labels (ensembles)
    #[arg(long)]
    two_step: bool,

    /// Let all votes count the same (ensembles)
    #[arg(long)]
    equal: bool,
}

impl Voting {
    /// The file that describes the ensemble, if it is one.
    fn file(&self) -> Option<PathBuf> {
        let ensemble = format!("ensemble={}", self.ensemble.as_deref()?);
        Recipe::file(&Settings::default().with(&ensemble).ok()?)
    }
}

impl Train {
    /// The same as an ensemble: the default one, if none is named.
    pub(crate) fn of_ensemble(mut self) -> Self {
        self.voting.ensemble.get_or_insert_with(|| DEFAULT_ENSEMBLE.to_owned());
        self
    }

    /// What is read and written.
    pub(crate) fn files(&self) -> FilesUsed {
        if self.settings {
            // Nothing else is read, and nothing is written.
            return self.options.files();
        }
        let output = self.output.as_deref().map(|output| self.keeping.files(output)).unwrap_or_default();
        let files = self.reading.files(self.treebanks.iter().chain(&self.dev)).reading(self.voting.file());
        files.and(self.options.files()).and(output)
    }

    fn all_settings(&self) -> anyhow::Result<Settings> {
        let mut settings = self.options.settings()?;
        if let Some(ensemble) = &self.voting.ensemble {
            settings.set("ensemble", ensemble)?;
        }
        if settings.ensemble().is_none() {
            let given = [("--two-step", self.voting.two_step), ("--equal", self.voting.equal)];
            if let Some((flag, _)) = given.iter().find(|(_, is_given)| *is_given) {
                let message = format!("{flag} is for ensembles: name one with --ensemble");
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
        // Without `--settings` it is there.
        let output = self.output.clone().unwrap_or_default();
        let run = TrainingRun::new(&self.options, &settings, &self.keeping, &output, self.files())?;
        let labels = if self.voting.two_step { LabelVote::Afterwards } else { LabelVote::Together };
        let run = run.with(|trainer| trainer.labels(labels).equal(self.voting.equal));
        let _bar = progress::steps("reading");
        let options = self.reading.options_for(self.treebanks.iter().chain(&self.dev))?;
        let data = read_treebanks(&self.treebanks, self.dev.as_deref(), &options)?;
        warn_of_few(data.sentences.len());
        Ok(run.run(&self.threads, &data)?.1)
    }
}
