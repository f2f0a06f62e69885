//! Work on many source files in parallel, with results in the order of the files.

use std::path::Path;

use quaich::code::files::Found;
use quaich::code::{Kinds, Language, ParsedSource, SourceParser};
use quaich::code_parser::parallel;
pub(super) use quaich::code_parser::parallel::File;

use crate::files_used::FilesUsed;
use crate::progress;

/// Calls `work` for each file in parallel, each thread with a worker of its own, and `take` with the results in order.
pub(super) fn for_each<W: Send, R: Send>(
    files: &[Found],
    new_worker: impl Fn() -> anyhow::Result<W> + Sync,
    work: impl Fn(&mut W, File<'_>) -> anyhow::Result<R> + Sync,
    mut take: impl FnMut(&Found, R) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let bar = progress::step_bar("parsing files");
    bar.set_length(files.len() as u64);
    parallel::for_each(files, new_worker, work, |found, result| {
        bar.inc(1);
        take(found, result)
    })?;
    bar.finish_and_clear();
    Ok(())
}

/// Fails if the output is one of the files, which may have been found in a folder.
pub(super) fn check_output(files: &[Found], output: Option<&Path>) -> anyhow::Result<()> {
    FilesUsed::default().reading(files.iter().map(|found| &found.path)).check_output(output)
}

/// What became of a file.
pub(super) enum Outcome {
    /// It parses without error.
    Parsed(Vec<u8>, ParsedSource),
    /// It has errors.
    WithErrors(Vec<u8>, ParsedSource),
    /// It has no tokens.
    WithoutCode,
    /// It was not read or not parsed; the reason.
    Failed(String),
}

/// Parses a file.
pub(super) fn parse(parser: &mut SourceParser, file: File<'_>) -> Outcome {
    let source = match file.source {
        Ok(source) => source,
        Err(error) => return Outcome::Failed(file.found.name_error(&error)),
    };
    match parser.parse(&source).map(|parsed| (parsed, source)) {
        Err(error) => Outcome::Failed(file.found.name_error(&error)),
        Ok((parsed, _)) if parsed.tokens.is_empty() => Outcome::WithoutCode,
        Ok((parsed, source)) if parsed.analysis.has_errors => Outcome::WithErrors(source, parsed),
        Ok((parsed, source)) => Outcome::Parsed(source, parsed),
    }
}

/// Creates a parser whose kinds start with these.
pub(super) fn parser(language: &'static Language, kinds: &Kinds) -> anyhow::Result<SourceParser> {
    Ok(SourceParser::new(language, kinds.clone())?)
}
