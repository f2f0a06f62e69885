//! `quaich parse`: text with words and tags → the same text with heads and labels.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use quaich_parser::{Parser, parse_stream};
use quaich_treebank::{Reader, Sink};

use super::{Reading, Threads, or_stdin};
use crate::{places, progress};

/// Parses treebank files
///
/// Heads and labels are replaced; everything else is kept byte for byte: comments, multiword
/// ranges, empty nodes, other columns, line ends. Several files are written one after the other.
#[derive(Args)]
pub(crate) struct Parse {
    /// The model
    #[arg(long, short, value_name = "MODEL")]
    model: PathBuf,

    /// What to parse; standard input if none
    input: Vec<PathBuf>,

    /// Where to write; compressed if it ends in .gz, .zst, .xz or .bz2; standard output if none
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Put the probability that head and label are right in MISC, as Score=0.97
    #[arg(long)]
    scores: bool,

    #[command(flatten)]
    threads: Threads,

    #[command(flatten)]
    reading: Reading,
}

impl Parse {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let parser = Parser::load(&self.model)?;
        let files = or_stdin(self.input);
        let options = self.reading.options_for(&files)?;
        if let Some(output) = &self.output {
            places::check_not_input(output, [self.model.as_path()])?;
        }
        let mut sink = Sink::create(self.output.as_deref())?;
        let bar = progress::counter("parsed");
        for (file, options) in files.iter().zip(&options) {
            let mut reader = Reader::open(file, options)?;
            self.threads
                .install(|| parse_stream(&parser, &mut reader, &mut sink, self.scores, |n| bar.inc(n)))??;
        }
        sink.finish()?;
        bar.finish_and_clear();
        Ok(ExitCode::SUCCESS)
    }
}
