//! The subcommands, one a file.

mod convert;
mod demo;
mod draw;
mod eval;
mod oracle;
mod stats;
mod trace;
mod validate;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use quaich_treebank::ReadOptions;

/// What quaich can do.
#[derive(Subcommand)]
pub(crate) enum Command {
    Demo(demo::Demo),
    Validate(validate::Validate),
    Convert(convert::Convert),
    Stats(stats::Stats),
    Eval(eval::Eval),
    Draw(draw::Draw),
    Oracle(oracle::Oracle),
    Trace(trace::Trace),
}

impl Command {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            Self::Demo(command) => command.run(),
            Self::Validate(command) => command.run(),
            Self::Convert(command) => command.run(),
            Self::Stats(command) => command.run(),
            Self::Eval(command) => command.run(),
            Self::Draw(command) => command.run(),
            Self::Oracle(command) => command.run(),
            Self::Trace(command) => command.run(),
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
