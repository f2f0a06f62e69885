//! `quaich convert`: converts between treebank formats.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use quaich::text::raw_text::{self, TextOptions};
use quaich::text::surface::Spacing;
use quaich::treebank::convert::Lost;
use quaich::treebank::{Sink, counted};

use super::{InputOptions, integer, open};
use crate::files_used::FilesUsed;
use crate::sentence_formats::OutputFormat;
use crate::{output, progress};

/// Convert a treebank to another format
///
/// Data that the output format cannot represent (comments, multiword ranges, columns) is counted on standard
/// error. Conversion to the same format is byte-exact.
#[derive(Args)]
#[command(after_help = "Examples:
  quaich convert english.conllu --to conllx -o english.conll
  quaich convert english.conllu --to text --fold 80 -o english.txt
  quaich convert danish.conll --encoding latin1 --to conllu -o danish.conllu
  quaich convert trees.mrg --format brackets --head-rules heads.txt --to conllu -o trees.conllu
  quaich convert parsed.conllu --to brackets")]
pub(crate) struct Convert {
    /// The treebank [default: standard input]
    #[arg(default_value = "-", hide_default_value = true)]
    input: PathBuf,

    /// Output format: conllu, conllx, conll09, malttab, conllup, a format file (.toml), json (one object per sentence, one per
    /// line), text (the text of the treebank as in the shared tasks: a blank line between paragraphs), or brackets (bracketed
    /// trees, if the labels encode them)
    #[arg(long, value_name = "FORMAT")]
    to: String,

    /// Fold lines at this many characters, at word boundaries (--to text)
    #[arg(long, value_name = "N", value_parser = integer::<NonZeroUsize>, allow_negative_numbers = true)]
    fold: Option<NonZeroUsize>,

    /// Write white space exactly as `SpacesAfter`, `SpacesBefore` and `SpacesInToken` record it (--to text)
    #[arg(long, conflicts_with = "fold")]
    exact: bool,

    /// Output file, compressed if its name ends in .gz, .zst, .xz or .bz2 [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    #[cfg(feature = "code")]
    #[command(flatten)]
    brackets: super::code::brackets::BracketArguments,

    #[command(flatten)]
    input_options: InputOptions,
}

impl Convert {
    /// The files to read and write.
    pub(crate) fn files(&self) -> FilesUsed {
        let to = OutputFormat::file(&self.to);
        let files = self.input_options.files([&self.input]).reading(to).writing(&self.output);
        #[cfg(feature = "code")]
        let files = files.reading(self.brackets.file());
        files
    }

    #[cfg_attr(not(feature = "code"), allow(unused_mut, reason = "only brackets change it"))]
    pub(crate) fn run(mut self) -> anyhow::Result<ExitCode> {
        if self.to == TEXT {
            return self.write_text();
        }
        if self.fold.is_some() || self.exact {
            let message = "--fold and --exact are for --to text";
            return Err(output::Usage(message.to_owned()).into());
        }
        #[cfg(feature = "code")]
        if let Some(done) = self.convert_brackets() {
            return done;
        }
        let mut writer = OutputFormat::parse(&self.to)?.writer();
        let mut reader = open(&self.input, &self.input_options.options(&self.input)?)?;
        let mut sink = Sink::create(self.output.as_deref())?;
        let mut sentence = reader.sentence();
        let bar = progress::counter("converted");
        let mut out = Vec::new();
        while reader.read(&mut sentence)? {
            writer.write(&sentence, &mut out);
            sink.write_all(&out)?;
            out.clear();
            bar.inc(1);
        }
        sink.finish()?;
        bar.finish_and_clear();
        report(writer.lost(), &self.to);
        Ok(ExitCode::SUCCESS)
    }
}

#[cfg(feature = "code")]
impl Convert {
    /// Reads or writes bracketed trees, if they are asked for.
    fn convert_brackets(&mut self) -> Option<anyhow::Result<ExitCode>> {
        use super::code::brackets::{self, BRACKETS};
        // It is no format of columns, which the other formats are.
        let is_bracketed = self.input_options.format == [BRACKETS];
        if is_bracketed {
            self.input_options.format.clear();
        } else if self.to != BRACKETS {
            return None;
        }
        let output = self.output.as_deref();
        let done = self.input_options.options(&self.input).and_then(|options| {
            if is_bracketed {
                self.brackets.read(&self.input, &options, &self.to, output)
            } else {
                brackets::write(&self.input, &options, output)
            }
        });
        Some(done.map(|()| ExitCode::SUCCESS))
    }
}

impl Convert {
    /// Writes the text of the treebank.
    fn write_text(&self) -> anyhow::Result<ExitCode> {
        let reader = open(&self.input, &self.input_options.options(&self.input)?)?;
        let file = reader.file().to_owned();
        let mut sink = Sink::create(self.output.as_deref())?;
        let bar = progress::counter("converted");
        let sentences = reader.sentences().inspect(|_| bar.inc(1)).map(|sentence| Ok(sentence?));
        let options = TextOptions {
            fold: self.fold.map(NonZeroUsize::get),
            exact: self.exact,
            ..TextOptions::default()
        };
        let spacing = raw_text::write_text::<anyhow::Error>(sentences, options, &mut sink)?;
        sink.finish()?;
        bar.finish_and_clear();
        if spacing == Spacing::Assumed {
            output::note(&format!(
                "{file}: the treebank does not record where there are no spaces; assumed none before closing and after opening punctuation"
            ));
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The name of the format of plain text.
const TEXT: &str = "text";

/// Prints what the format could not represent.
pub(super) fn report(lost: Lost, format: &str) {
    let Lost { comments, extra_rows, cells, changed } = lost;
    if changed > 0 {
        let values = counted(changed, "value");
        output::note(&format!("changed, with `_` for what {format} cannot represent: {values}"));
    }
    let parts = [
        (comments, "comments"),
        (extra_rows, "multiword ranges and empty nodes"),
        (cells, "values of other columns"),
    ];
    let parts: Vec<String> =
        parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{what}: {n}")).collect();
    if !parts.is_empty() {
        output::note(&format!("dropped, because {format} cannot represent them: {}", parts.join("; ")));
    }
}
