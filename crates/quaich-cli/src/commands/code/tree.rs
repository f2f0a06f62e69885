//! `quaich code tree`: sentences with convertible labels → syntax trees, or the source files.

use std::borrow::Cow;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use quaich::code::SentenceDecoder;
use quaich::code::show::{Leaf, write_indented, write_json};
use quaich::code::treebank::spans_of;
use quaich::treebank::{Sentence, Sink};

use crate::commands::{InputOptions, integer, open};
use crate::files_used::FilesUsed;
use crate::progress;

/// Print the syntax trees of a treebank made by `quaich code treebank`, or of its parse
///
/// The trees of parsed files may be wrong, but are always well-formed. Head rule and language do not have to be named.
#[derive(Args)]
#[command(after_help = "Examples:
  quaich code tree parsed.conllu
  quaich code tree parsed.conllu --to json -o trees.jsonl
  quaich code tree train.conllu --to source --sentence 3")]
pub(super) struct ShowTree {
    /// The treebank [default: standard input]
    #[arg(default_value = "-", hide_default_value = true)]
    input: PathBuf,

    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "sexp")]
    to: Format,

    /// Only the sentence with this number, counted from 1
    #[arg(long, value_name = "N", value_parser = integer::<std::num::NonZeroUsize>, allow_negative_numbers = true)]
    sentence: Option<std::num::NonZeroUsize>,

    /// Output file, compressed if its name ends in .gz, .zst, .xz or .bz2 [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    input_options: InputOptions,
}

/// An output format.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// Indented brackets; a blank line follows each tree
    Sexp,
    /// One JSON object per line
    Json,
    /// The source files, byte for byte
    Source,
}

impl ShowTree {
    /// The files to read and write.
    pub(super) fn files(&self) -> FilesUsed {
        self.input_options.files([&self.input]).writing(&self.output)
    }

    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let mut reader = open(&self.input, &self.input_options.options(&self.input)?)?;
        let mut sink = match self.to {
            Format::Json => Sink::for_json(self.output.as_deref())?,
            _ => Sink::create(self.output.as_deref())?,
        };
        let mut decoder = SentenceDecoder::default();
        let mut sentence = reader.sentence();
        let bar = progress::counter("converted");
        let mut number = 0;
        while reader.read(&mut sentence)? {
            if sentence.n_tokens() == 0 {
                continue;
            }
            number += 1;
            if self.sentence.is_some_and(|wanted| wanted.get() != number) {
                continue;
            }
            sink.write_all(&self.show(&sentence, &mut decoder)?)?;
            bar.inc(1);
        }
        if let Some(wanted) = self.sentence.filter(|wanted| wanted.get() > number) {
            anyhow::bail!("{}: found {number} sentences, expected at least {wanted}", reader.file());
        }
        sink.finish()?;
        bar.finish_and_clear();
        Ok(ExitCode::SUCCESS)
    }

    fn show(&self, sentence: &Sentence, decoder: &mut SentenceDecoder) -> anyhow::Result<Vec<u8>> {
        let (source, spans) = spans_of(sentence)?;
        if self.to == Format::Source {
            return Ok(source);
        }
        let tree = decoder.decode(sentence);
        let leaf = |token: usize| {
            let (kind, _) = decoder.leaf(sentence, &tree, token);
            let (start, end) = spans[token];
            let text: Cow<'_, str> = String::from_utf8_lossy(&source[start..end]);
            Leaf { kind, text, span: Some((start, end)) }
        };
        let mut text = String::new();
        if self.to == Format::Json {
            write_json(&tree, decoder.kinds(), leaf, &mut text);
        } else {
            write_indented(&tree, decoder.kinds(), leaf, &mut text);
            text.push('\n');
        }
        Ok(text.into_bytes())
    }
}
