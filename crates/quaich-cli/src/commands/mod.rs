//! The subcommands, one a file.

mod convert;
mod demo;
mod draw;
mod eval;
mod info;
mod list;
mod oracle;
mod parse;
mod stats;
mod trace;
mod train;
mod validate;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use quaich_treebank::ReadOptions;

/// What quaich can do.
#[derive(Subcommand)]
pub(crate) enum Command {
    Demo(demo::Demo),
    Train(Box<train::Train>),
    Parse(parse::Parse),
    Eval(eval::Eval),
    Info(info::Info),
    Stats(stats::Stats),
    Validate(validate::Validate),
    Convert(convert::Convert),
    Draw(draw::Draw),
    Oracle(oracle::Oracle),
    Trace(trace::Trace),
    List(list::List),
}

impl Command {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            Self::Demo(command) => command.run(),
            Self::Train(command) => command.run(),
            Self::Parse(command) => command.run(),
            Self::Eval(command) => command.run(),
            Self::Info(command) => command.run(),
            Self::Stats(command) => command.run(),
            Self::Validate(command) => command.run(),
            Self::Convert(command) => command.run(),
            Self::Draw(command) => command.run(),
            Self::Oracle(command) => command.run(),
            Self::Trace(command) => command.run(),
            Self::List(command) => command.run(),
        }
    }
}

/// How to read the files that a command is given.
#[derive(Args)]
pub(crate) struct Reading {
    /// The format, where it is not to be recognised from the content: conllu, conllx, conll09, malttab or a format file (.toml)
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,

    /// The encoding of the input, where it is not UTF-8, e.g. latin1
    #[arg(long, value_name = "NAME")]
    encoding: Option<String>,
}

impl Reading {
    pub(crate) fn options(&self) -> anyhow::Result<ReadOptions> {
        Ok(ReadOptions::parse(self.format.as_deref(), self.encoding.as_deref())?)
    }
}

/// Standard input, for commands that are given no file.
pub(crate) fn or_stdin(mut files: Vec<PathBuf>) -> Vec<PathBuf> {
    if files.is_empty() {
        files.push(PathBuf::from("-"));
    }
    files
}

/// How many threads work.
#[derive(Args)]
pub(crate) struct Threads {
    /// How many threads work; the output does not depend on it. All cores if not given
    #[arg(long, short, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

impl Threads {
    /// Runs `work` in a pool of that many threads.
    pub(crate) fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> anyhow::Result<T> {
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(self.jobs.map_or(0, NonZeroUsize::get)).build()?;
        Ok(pool.install(work))
    }
}
