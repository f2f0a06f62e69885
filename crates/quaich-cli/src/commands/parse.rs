//! `quaich parse`: adds heads and labels to tagged text.

use std::fs;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{anyhow, bail};
use clap::{Args, ValueEnum};
use quaich::features::ColumnName;
use quaich::treebank::formats::conllu;
use quaich::treebank::{Error, Joined, Meter, ReadOptions, Reader, Sink, TextSource, counted};
use quaich::{
    Keep, Model, ParseOptions, RawTextOptions, Streamed, TextMode, check_layout, parse_raw_text,
    parse_stream, treebank,
};

use super::convert::report;
use super::text_options::InputKind;
use super::{InputOptions, Threads, integer, or_stdin};
use crate::files_used::FilesUsed;
use crate::sentence_formats::OutputFormat;
use crate::{output, progress};

/// Parse text with a model
///
/// The input is plain text, or a treebank file; the content decides unless --input is given. Plain text is split into
/// tokens and sentences, tagged, lemmatised and parsed, and written as CoNLL-U. In a treebank file, sentences with tags keep
/// them, and sentences without are tagged; heads and labels are replaced, and everything else is kept byte for byte:
/// comments, multiword ranges, empty nodes, other columns, line ends. Several files are concatenated in the output, so they
/// must have the same format, unless --to converts them.
#[derive(Args)]
#[command(after_help = "Examples:
  quaich parse -m english.quaich book.txt -o book.conllu
  echo 'Cats sleep.' | quaich parse -m english.quaich
  quaich parse -m english.quaich book.txt --to json -o book.jsonl
  quaich parse -m english.quaich test.conllu -o parsed.conllu
  quaich parse -m english.quaich test.conllu --keep tokens
  quaich parse -m english.quaich corrected.conllu --keep-given -o completed.conllu
  quaich parse -m english.quaich a.conllu b.conllu -o both.conllu.gz --scores")]
#[allow(clippy::struct_excessive_bools, reason = "one per flag")]
pub(crate) struct Parse {
    /// The model file
    #[arg(long, short, value_name = "MODEL")]
    model: PathBuf,

    /// Files to parse [default: standard input]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Output file, compressed if its name ends in .gz, .zst, .xz or .bz2 [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Output format: conllu, conllx, conll09, malttab, conllup, a format file (.toml), json (one object per sentence, one per line), or
    /// text (one sentence per line) [default: the input format, conllu for plain text]
    #[arg(long, value_name = "FORMAT")]
    to: Option<String>,

    /// The kind of input instead of detecting it: text; paragraphs (one per line); lines (one sentence per line); tokens (one
    /// sentence per line, tokens separated by spaces); conllu (a treebank file in any format)
    #[arg(long, value_name = "KIND")]
    input: Option<InputKind>,

    /// Keep the columns of a treebank file up to this level, and predict the others: tokens (words only), tags (with features), lemmas,
    /// or trees (everything; only empty columns are predicted) [default: lemmas in sentences with tags, tokens in others]
    #[arg(long, value_name = "COLUMNS")]
    keep: Option<KeepLevel>,

    /// Keep the heads that a treebank file has, and the labels of these unless they are _; predict only the others
    #[arg(long)]
    keep_given: bool,

    /// Keep the phrases together that comments mark, as `# span = 2-4` for the words 2 to 4 (treebank files only)
    #[arg(long)]
    keep_spans: bool,

    /// Write the character offsets of every token to MISC, as TokenRange=start:end (plain text only)
    #[arg(long)]
    token_ranges: bool,

    /// Do not split multiword tokens into words (plain text only)
    #[arg(long)]
    no_multiword: bool,

    /// Use only this parser of an ensemble, by its number in `quaich info`; confidence scores need the whole ensemble
    #[arg(long, value_name = "N", value_parser = integer::<NonZeroUsize>, allow_negative_numbers = true, conflicts_with = "scores")]
    parser: Option<NonZeroUsize>,

    /// Add Score=0.97 to MISC: the probability that head and label are both correct
    #[arg(long)]
    scores: bool,

    #[command(flatten)]
    threads: Threads,

    #[command(flatten)]
    input_options: InputOptions,
}

/// The columns to keep.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum KeepLevel {
    /// Keep words; predict tags, lemmas and trees
    Tokens,
    /// Keep words and tags; predict lemmas and trees
    Tags,
    /// Keep words, tags and lemmas; predict trees
    Lemmas,
    /// Keep every column that has values; predict the others
    Trees,
}

impl From<KeepLevel> for Keep {
    fn from(level: KeepLevel) -> Self {
        match level {
            KeepLevel::Tokens => Self::Tokens,
            KeepLevel::Tags => Self::Tags,
            KeepLevel::Lemmas => Self::Lemmas,
            KeepLevel::Trees => Self::Trees,
        }
    }
}

/// A file to parse, opened.
enum Opened {
    Treebank(Box<Reader>),
    Text(TextSource, TextMode),
}

impl Parse {
    /// The files to read and write.
    pub(crate) fn files(&self) -> FilesUsed {
        let to = self.to.as_deref().and_then(OutputFormat::file);
        let files = self.input_options.files(or_stdin(&self.files)).reading([&self.model]).reading(to);
        files.writing(&self.output)
    }

    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let parser = self.load()?;
        let files = or_stdin(&self.files);
        let options = self.input_options.options_for(&files)?;
        let to = self.to.as_deref().map(OutputFormat::parse).transpose()?;
        if self.scores && to.as_ref().is_some_and(|to| !to.has_scores()) {
            let format = self.to.as_deref().unwrap_or_default();
            bail!("{format} has no column for scores\n  help: use --to conllu, or leave out --scores");
        }
        self.check_options(&parser)?;
        self.check_files(&parser, &files, &options, to.as_ref())?;
        let sink = Sink::create(self.output.as_deref())?;
        let mut joined = Joined::converting(sink, to.as_ref().map(OutputFormat::writer));
        let bar = progress::counter("parsed");
        let (mut missing, mut n_sentences_before) = (None, 0);
        for (file, options) in files.iter().zip(&options) {
            let (name, parsed) = match self.open(&parser, file, options)? {
                Opened::Treebank(mut reader) => {
                    for (option, _) in self.text_options().iter().filter(|(_, is_given)| *is_given) {
                        let file = reader.file();
                        output::note(&format!("warning: {file}: {option} has no effect on a treebank file"));
                    }
                    if let Some(doubt) = reader.doubt() {
                        output::note(doubt);
                    }
                    check_layout(&parser, &reader)?;
                    joined.start(&reader)?;
                    let keep = self.keep.map_or(Keep::Detect, Keep::from);
                    let Self { scores, keep_given, keep_spans, .. } = self;
                    let options = ParseOptions { scores, keep, keep_given, keep_spans };
                    let parse = || parse_stream(&parser, &mut reader, &mut joined, options, |n| bar.inc(n));
                    let parsed = self.threads.install(parse)??;
                    warn_of_set_afterwards(reader.file(), &parsed);
                    (reader.file().to_owned(), parsed)
                }
                Opened::Text(source, mode) => {
                    let name = source.name().to_owned();
                    for (option, _) in self.treebank_options().iter().filter(|(_, is_given)| *is_given) {
                        output::note(&format!(
                            "warning: {name}: {option} has no effect on plain text, which has no columns to keep"
                        ));
                    }
                    joined.start_text(&name, &Arc::new(conllu::layout()), false)?;
                    let Self { token_ranges, no_multiword, scores, .. } = self;
                    let options =
                        RawTextOptions { mode, token_ranges, no_multiword, scores, n_sentences_before };
                    let parse =
                        || parse_raw_text(&parser, (source, &name), options, &mut joined, |n| bar.inc(n));
                    let parsed = self.threads.install(parse)??;
                    (name, parsed)
                }
            };
            n_sentences_before += parsed.sentences;
            if !parsed.missing_columns.is_empty() {
                missing = missing.or(Some((name, parsed.missing_columns)));
            }
        }
        let (sink, lost) = joined.finish()?;
        sink.finish()?;
        bar.finish_and_clear();
        if let Some((file, columns)) = missing {
            output::note(&format!(
                "warning: {file}: no values in {}; the model was trained with them and is less accurate without",
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

impl Parse {
    /// Checks that the model can do what the options ask for.
    fn check_options(&self, parser: &Model) -> anyhow::Result<()> {
        let model = self.model.display();
        if self.input.is_some_and(|input| input != InputKind::Conllu) {
            let format = ("--format", self.input_options.has_format());
            let mut given = self.treebank_options().into_iter().chain([format]);
            if let Some((option, _)) = given.find(|(_, is_given)| *is_given) {
                let kind = self.input.and_then(|input| input.to_possible_value());
                let kind = kind.as_ref().map_or("text", |kind| kind.get_name());
                let message = format!("{option} is for treebank files, but --input {kind} names plain text");
                return Err(output::Usage(message).into());
            }
        }
        if self.keep == Some(KeepLevel::Trees) && (self.keep_given || self.keep_spans) {
            let option = if self.keep_given { "--keep-given" } else { "--keep-spans" };
            let message = format!(
                "--keep trees parses only sentences without heads, so {option} cannot be combined with it"
            );
            return Err(output::Usage(message).into());
        }
        let needs_tokenizer =
            self.input.and_then(InputKind::mode).is_some_and(|mode| mode != TextMode::Tokens);
        if needs_tokenizer && !parser.reads_text() {
            bail!(
                "{model}: the model has no tokenizer\n  help: {TRAIN_ALL_PARTS}, or give one token per line"
            );
        }
        if self.keep.is_some_and(|keep| keep != KeepLevel::Lemmas) && parser.untagged().is_none() {
            bail!(
                "{model}: the model predicts no tags\n  help: {TRAIN_ALL_PARTS} on a treebank with tags, or leave out --keep"
            );
        }
        let given = self.text_options().into_iter().find(|(_, is_given)| *is_given);
        if let Some((option, _)) = given.filter(|_| self.input == Some(InputKind::Conllu)) {
            let message = format!("{option} is for plain text, but --input conllu names treebank files");
            return Err(output::Usage(message).into());
        }
        Ok(())
    }

    /// The options that have an effect on treebank files only, and whether they are given.
    fn treebank_options(&self) -> [(&'static str, bool); 3] {
        [
            ("--keep", self.keep.is_some()),
            ("--keep-given", self.keep_given),
            ("--keep-spans", self.keep_spans),
        ]
    }

    /// The options that have an effect on plain text only, and whether they are given.
    fn text_options(&self) -> [(&'static str, bool); 2] {
        [("--token-ranges", self.token_ranges), ("--no-multiword", self.no_multiword)]
    }

    /// Opens a file as what it is, or as what `--input` says.
    fn open(&self, parser: &Model, file: &Path, options: &ReadOptions) -> anyhow::Result<Opened> {
        if let Some(mode) = self.input.and_then(InputKind::mode) {
            return Ok(Opened::Text(TextSource::open(file, options)?, mode));
        }
        if self.input.is_none() && parser.reads_text() {
            return Ok(match Reader::open_any(file, options)? {
                treebank::Opened::Treebank(reader) => Opened::Treebank(Box::new(reader)),
                treebank::Opened::Text(source) => Opened::Text(source, TextMode::Text),
            });
        }
        let reader = Reader::open(file, options).map_err(|error| with_model_columns(error, parser))?;
        Ok(Opened::Treebank(Box::new(reader)))
    }

    /// Checks that all files can be read and concatenated, before the first is parsed. Streams, such as standard input, can be opened only
    /// once and are checked when they are parsed.
    fn check_files(
        &self,
        parser: &Model,
        files: &[PathBuf],
        options: &[ReadOptions],
        to: Option<&OutputFormat>,
    ) -> anyhow::Result<()> {
        let mut joined = Joined::converting(io::sink(), to.map(OutputFormat::writer));
        for (file, options) in files.iter().zip(options) {
            let is_stream = file.as_os_str() == "-" || fs::metadata(file).is_ok_and(|found| !found.is_file());
            if !is_stream {
                // The file is opened again to be parsed, so these bytes are not counted.
                let options = ReadOptions { meter: Meter::default(), ..options.clone() };
                match self.open(parser, file, &options)? {
                    Opened::Treebank(reader) => {
                        check_layout(parser, &reader)?;
                        joined.start(&reader)?;
                    }
                    Opened::Text(source, _) => {
                        joined.start_text(source.name(), &Arc::new(conllu::layout()), false)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Reports sentences whose given heads the parser could not build together.
fn warn_of_set_afterwards(file: &str, parsed: &Streamed) {
    let set = &parsed.set_afterwards;
    for (line, n_heads) in &set.first {
        let heads = counted(*n_heads, "given head");
        output::note(&format!(
            "warning: {file}:{line}: the parser could not build {heads} of this sentence together with the others; set after the parse"
        ));
    }
    let n_more = set.sentences - set.first.len() as u64;
    if n_more > 0 {
        let sentences = counted(n_more, "more sentence");
        output::note(&format!("warning: {file}: {sentences} with given heads that were set after the parse"));
    }
}

/// What to do for a model that parses tagged words only.
const TRAIN_ALL_PARTS: &str = "train it with --parts all";

/// Newcomers try running text first: the error says what input the model needs.
fn with_model_columns(error: Error, parser: &Model) -> anyhow::Error {
    if !matches!(error, Error::UnrecognisedFormat { .. }) {
        return error.into();
    }
    if parser.reads_text() {
        return anyhow!("{error}\n  help: leave out `--input conllu` to parse plain text");
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
        format!(" (this model was trained on {})", columns.join(", "))
    };
    anyhow!(
        "{error}\n  help: the model has no tokenizer for plain text ({TRAIN_ALL_PARTS}); give tokenised and tagged text, one token per line, its columns separated by tabs{columns}"
    )
}
