//! `quaich parse`: text with words and tags → the same text with heads and labels.

use std::fs;
use std::io;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{anyhow, bail};
use clap::Args;
use quaich::features::ColumnName;
use quaich::treebank::formats::conllu;
use quaich::treebank::{
    Error, FormatChoice, Joined, Layout, Meter, ReadOptions, Reader, Role, Sink, counted,
};
use quaich::{Model, parse_stream};

use super::convert::report;
use super::{Reading, Threads, open, or_stdin, whole};
use crate::places::FilesUsed;
use crate::{output, progress};

/// Parses treebank files
///
/// Heads and labels are replaced; everything else is kept byte for byte: comments, multiword
/// ranges, empty nodes, other columns, line ends. Several files are written one after the other as one, so they must have
/// one format, or be converted to one.
#[derive(Args)]
#[command(after_help = "Examples:
  quaich parse -m english.quaich test.conllu -o parsed.conllu
  quaich parse -m english.quaich < tagged.conllu
  quaich parse -m english.quaich a.conllu b.conllu -o both.conllu.gz --scores")]
pub(crate) struct Parse {
    /// The model
    #[arg(long, short, value_name = "MODEL")]
    model: PathBuf,

    /// What to parse; standard input if none
    input: Vec<PathBuf>,

    /// Where to write; compressed if it ends in .gz, .zst, .xz or .bz2; standard output if none
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// The format to write, where it is not that of the input: conllu, conllx, conll09, malttab, conllup or a format file
    /// (.toml)
    #[arg(long, value_name = "FORMAT")]
    to: Option<String>,

    /// Parse with one parser of a blend alone, by its number in `quaich info`; how sure it may be is known of the blend only
    #[arg(long, value_name = "N", value_parser = whole::<NonZeroUsize>, allow_negative_numbers = true, conflicts_with = "scores")]
    parser: Option<NonZeroUsize>,

    /// Put the probability that head and label are right in MISC, as Score=0.97
    #[arg(long)]
    scores: bool,

    #[command(flatten)]
    threads: Threads,

    #[command(flatten)]
    reading: Reading,
}

impl Parse {
    /// What is read and written.
    pub(crate) fn files(&self) -> FilesUsed {
        let to = self.to.as_deref().and_then(FormatChoice::file);
        let files = self.reading.files(or_stdin(&self.input)).reading([&self.model]).reading(to);
        files.writing(&self.output)
    }

    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let parser = self.load()?;
        let files = or_stdin(&self.input);
        let options = self.reading.options_for(&files)?;
        let to = self.to.as_deref().map(FormatChoice::parse).transpose()?;
        let to = to.map(|format| (*format.layout()).clone());
        if let Some(layout) =
            to.as_ref().filter(|layout| self.scores && layout.position(Role::Misc).is_none())
        {
            let format = layout.name();
            anyhow::bail!("{format} has no column for scores; write conllu instead, or do without them");
        }
        check_files(&parser, &files, &options, to.clone())?;
        let sink = Sink::create(self.output.as_deref())?;
        let mut joined = Joined::new(sink, to);
        let bar = progress::counter("parsed");
        let mut missing = None;
        for (file, options) in files.iter().zip(&options) {
            let mut reader = open(file, options).map_err(|error| say_columns(error, &parser))?;
            check_layout(&parser, &reader)?;
            joined.start(&reader)?;
            let parsed = self
                .threads
                .install(|| parse_stream(&parser, &mut reader, &mut joined, self.scores, |n| bar.inc(n)))??;
            if !parsed.missing_columns.is_empty() {
                missing = missing.or(Some((reader.file().to_owned(), parsed.missing_columns)));
            }
        }
        let (sink, lost) = joined.finish()?;
        sink.finish()?;
        bar.finish_and_clear();
        if let Some((file, columns)) = missing {
            output::note(&format!(
                "{file}: there are no values in {}; the parser learned from them and makes more mistakes without",
                columns.join(", ")
            ));
        }
        report(lost, self.to.as_deref().unwrap_or_default());
        Ok(ExitCode::SUCCESS)
    }
}

impl Parse {
    fn load(&self) -> anyhow::Result<Model> {
        let parser = Model::load(&self.model)?;
        let Some(number) = self.parser.map(NonZeroUsize::get) else { return Ok(parser) };
        let n_parsers = counted(parser.n_members(), "parser");
        let file = self.model.display();
        parser.only(number).ok_or_else(|| anyhow!("{file}: found {n_parsers}, expected a parser {number}"))
    }
}

/// Whether all files can be read and written as one, before the first is parsed. What is not a file, such as standard
/// input, can be opened only once, and is looked at when its turn comes.
fn check_files(
    parser: &Model,
    files: &[PathBuf],
    options: &[ReadOptions],
    to: Option<Layout>,
) -> anyhow::Result<()> {
    let mut joined = Joined::new(io::sink(), to);
    for (file, options) in files.iter().zip(options) {
        let is_other = file.as_os_str() == "-" || fs::metadata(file).is_ok_and(|found| !found.is_file());
        if !is_other {
            // Nothing of it is read yet: it will be, from its beginning.
            let options = ReadOptions { meter: Meter::default(), ..options.clone() };
            let reader = Reader::open(file, &options).map_err(|error| say_columns(error, parser))?;
            check_layout(parser, &reader)?;
            joined.start(&reader)?;
        }
    }
    Ok(())
}

/// Whether what the parser finds can be written in the format of a file.
pub(super) fn check_layout(parser: &Model, reader: &Reader) -> anyhow::Result<()> {
    let (file, layout) = (reader.file(), reader.layout());
    if layout.position(Role::Head).is_none() {
        bail!("{file}: found no column for heads, expected one to write them to");
    }
    if let Some((_, label)) = parser.labels().iter().find(|(_, label)| !layout.can_hold(label)) {
        let format = layout.name();
        bail!("{file}: the parser has a label `{label}`, which a cell of the format {format} cannot hold");
    }
    Ok(())
}

/// Running text is what people try first: says what is needed instead.
fn say_columns(error: Error, parser: &Model) -> anyhow::Error {
    if !matches!(error, Error::UnrecognisedFormat { .. }) {
        return error.into();
    }
    let layout = conllu::layout();
    let name = |column: &ColumnName| match (column, column.position(&layout)) {
        (_, Some(position)) => Some(layout.columns()[position].name.to_string()),
        (ColumnName::Named(name), None) => Some(name.clone()),
        (ColumnName::Role(_) | ColumnName::MainTag, None) => None,
    };
    let columns: Vec<String> = parser.columns().into_iter().filter_map(name).collect();
    let columns = if columns.is_empty() {
        String::new()
    } else {
        format!(": this model learned from {}", columns.join(", "))
    };
    anyhow!(
        "{error}\n  text to be parsed must be tokenised and tagged, a token a line with its columns separated by tabs{columns}"
    )
}
