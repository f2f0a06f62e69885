//! `quaich convert`: one format to another, and the same to the same byte for byte.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use quaich::treebank::convert::{Converter, Lost};
use quaich::treebank::{FormatChoice, Sink, counted};

use super::{Reading, open};
use crate::places::FilesUsed;
use crate::{output, progress};

/// Converts a treebank to another format
///
/// What the other format cannot hold (comments, multiword ranges, columns) is counted on standard
/// error. To the same format, the output is the input, byte for byte.
#[derive(Args)]
#[command(after_help = "Examples:
  quaich convert english.conllu --to conllx -o english.conll
  quaich convert danish.conll --encoding latin1 --to conllu -o danish.conllu")]
pub(crate) struct Convert {
    /// The treebank; standard input if none
    #[arg(default_value = "-")]
    input: PathBuf,

    /// The format to write: conllu, conllx, conll09, malttab, conllup or a format file (.toml)
    #[arg(long, value_name = "FORMAT")]
    to: String,

    /// Where to write; compressed if it ends in .gz, .zst, .xz or .bz2; standard output if none
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    reading: Reading,
}

impl Convert {
    /// What is read and written.
    pub(crate) fn files(&self) -> FilesUsed {
        let to = FormatChoice::file(&self.to);
        self.reading.files([&self.input]).reading(to).writing(&self.output)
    }

    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let target = FormatChoice::parse(&self.to)?;
        let mut reader = open(&self.input, &self.reading.options(&self.input)?)?;
        let mut sink = Sink::create(self.output.as_deref())?;
        let mut converter = Converter::new((*target.layout()).clone());
        let mut sentence = reader.sentence();
        let bar = progress::counter("converted");
        let mut out = Vec::new();
        while reader.read(&mut sentence)? {
            converter.write(&sentence, &mut out);
            sink.write_all(&out)?;
            out.clear();
            bar.inc(1);
        }
        sink.finish()?;
        bar.finish_and_clear();
        report(converter.lost(), &self.to);
        Ok(ExitCode::SUCCESS)
    }
}

/// Says what a format could not hold.
pub(super) fn report(lost: Lost, format: &str) {
    let Lost { comments, extra_rows, cells, changed } = lost;
    if changed > 0 {
        let values = counted(changed, "value");
        output::note(&format!("changed to fit {format}, with `_` for what it cannot hold: {values}"));
    }
    let parts = [
        (comments, "comments"),
        (extra_rows, "multiword ranges and empty nodes"),
        (cells, "values of columns it does not have"),
    ];
    let parts: Vec<String> =
        parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{what}: {n}")).collect();
    if !parts.is_empty() {
        output::note(&format!("not carried over to {format}: {}", parts.join("; ")));
    }
}
