//! Work on many source files in parallel, with results in the order of the files.

use std::sync::{Mutex, PoisonError};

use quaich::code::files::{self, Found};
use quaich::code::{Kinds, Language, ParsedSource, SourceParser};
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};

use crate::progress;

/// Files that are in work at the same time, per thread; their results wait for each other.
const PER_THREAD: usize = 16;

/// A file that was read.
pub(super) struct File<'a> {
    /// Its number, counted from 0.
    pub(super) number: usize,
    pub(super) found: &'a Found,
    /// Its bytes, or why it could not be read.
    pub(super) source: quaich::code::Result<Vec<u8>>,
}

/// Calls `work` for each file in parallel, each thread with a worker of its own, and `take` with the results in order. Returns
/// the workers.
pub(super) fn for_each<W: Send, R: Send>(
    files: &[Found],
    new_worker: impl Fn() -> anyhow::Result<W> + Sync,
    work: impl Fn(&mut W, File<'_>) -> anyhow::Result<R> + Sync,
    mut take: impl FnMut(&Found, R) -> anyhow::Result<()>,
) -> anyhow::Result<Vec<W>> {
    let idle: Mutex<Vec<W>> = Mutex::new(Vec::new());
    let lock = || idle.lock().unwrap_or_else(PoisonError::into_inner);
    let bar = progress::step_bar("parsing files");
    bar.set_length(files.len() as u64);
    let size = PER_THREAD * rayon::current_num_threads();
    for (chunk_number, chunk) in files.chunks(size).enumerate() {
        let results: Vec<anyhow::Result<R>> = chunk
            .par_iter()
            .enumerate()
            .map(|(i, found)| {
                let waiting = lock().pop();
                let mut worker = match waiting {
                    Some(worker) => worker,
                    None => new_worker()?,
                };
                let file = File { number: chunk_number * size + i, found, source: files::read(&found.path) };
                let result = work(&mut worker, file);
                lock().push(worker);
                bar.inc(1);
                result
            })
            .collect();
        for (found, result) in chunk.iter().zip(results) {
            take(found, result?)?;
        }
    }
    bar.finish_and_clear();
    Ok(idle.into_inner().unwrap_or_else(PoisonError::into_inner))
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
    let parsed = file.source.and_then(|source| Ok((parser.parse(&source)?, source)));
    match parsed {
        Err(error) => {
            let (file, error) = (file.found.path.display().to_string(), error.to_string());
            Outcome::Failed(if error.starts_with(&file) { error } else { format!("{file}: {error}") })
        }
        Ok((parsed, _)) if parsed.tokens.is_empty() => Outcome::WithoutCode,
        Ok((parsed, source)) if parsed.analysis.has_errors => Outcome::WithErrors(source, parsed),
        Ok((parsed, source)) => Outcome::Parsed(source, parsed),
    }
}

/// Creates a parser whose kinds start with these.
pub(super) fn parser(language: &'static Language, kinds: &Kinds) -> anyhow::Result<SourceParser> {
    Ok(SourceParser::new(language, kinds.clone())?)
}
