//! Files in, files out: sentences are read, parsed by several threads and written in order.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use quaich_treebank::reader::malformed;
use quaich_treebank::{Layout, Level, Reader, Role, Sentence};
use rayon::prelude::*;

use crate::columns::Columns;
use crate::error::{Error, Result};
use crate::parser::{Parser, Worker};

/// Bytes of text that a thread takes at a time.
const BATCH_BYTES: usize = 1 << 16;
/// How often a thread takes some until all wait for each other.
const BATCHES: usize = 8;

/// Sentences not yet taken apart.
#[derive(Default)]
struct Batch {
    text: Vec<u8>,
    /// Where each sentence ends, and the number of its first line.
    ends: Vec<(usize, u64)>,
}

/// What was parsed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Streamed {
    /// How many tokens.
    pub tokens: u64,
    /// The columns that the parser learned from and that have no value anywhere, by name. Without them it makes more
    /// mistakes.
    pub missing_columns: Vec<String>,
}

/// Parses everything a reader gives and writes it with new heads and labels. `progress` is told how many more
/// sentences are done.
///
/// Everything before a sentence that cannot be read is written before the error is returned.
pub fn parse_stream(
    parser: &Parser,
    reader: &mut Reader,
    out: &mut (impl Write + Send),
    scores: bool,
    mut progress: impl FnMut(u64) + Send,
) -> Result<Streamed> {
    if scores && reader.layout().position(Role::Misc).is_none() {
        let (file, format) = (reader.file(), reader.layout().name());
        return Err(Error::Treebank(format!(
            "{file}: {format} has no column for scores; convert it to conllu first, or do without them"
        )));
    }
    let layout = Arc::clone(reader.layout());
    let columns = Columns::new(&parser.columns(), &layout);
    let work = Work { parser, columns, layout, file: reader.file().to_owned(), scores };
    // One pair of hands a thread, kept from batch to batch.
    let hands: Vec<Mutex<(Worker<'_>, Sentence)>> =
        (0..rayon::current_num_threads()).map(|_| Mutex::new(work.start())).collect();
    let parse = |batch: &Batch| {
        let thread = rayon::current_thread_index().unwrap_or(0);
        let mut hands = hands[thread].lock().unwrap_or_else(PoisonError::into_inner);
        work.parse(batch, &mut hands)
    };
    let n_batches = hands.len() * BATCHES;
    let mut n_tokens = 0;
    let mut write = |parsed: Vec<Parsed>| -> Result<()> {
        for part in parsed {
            n_tokens += part.n_tokens;
            out.write_all(&part.text).map_err(Error::Output)?;
            if let Some(error) = part.error {
                return Err(error);
            }
            progress(part.n_sentences);
        }
        Ok(())
    };
    let (mut batches, mut parsed) = (read_batches(reader, n_batches)?, Vec::new());
    while !batches.is_empty() {
        // While these are parsed, the ones before are written and the next are read.
        let before = std::mem::take(&mut parsed);
        let (next, now) = rayon::join(
            || write(before).map(|()| read_batches(reader, n_batches)),
            || batches.par_iter().with_max_len(1).map(parse).collect(),
        );
        parsed = now;
        batches = match next? {
            Ok(next) => next,
            Err(error) => {
                // What comes before the place that could not be read.
                write(parsed)?;
                return Err(error);
            }
        };
    }
    write(parsed)?;
    drop(hands);
    Ok(Streamed { tokens: n_tokens, missing_columns: work.columns.missing() })
}

fn read_batches(reader: &mut Reader, n_batches: usize) -> Result<Vec<Batch>> {
    let mut batches = Vec::new();
    while batches.len() < n_batches {
        let mut batch = Batch::default();
        while batch.text.len() < BATCH_BYTES {
            let Some(line) = reader.read_block(&mut batch.text)? else { break };
            batch.ends.push((batch.text.len(), line));
        }
        if batch.ends.is_empty() {
            break;
        }
        batches.push(batch);
    }
    Ok(batches)
}

/// What is the same for all batches.
struct Work<'a> {
    parser: &'a Parser,
    columns: Columns,
    layout: Arc<Layout>,
    file: String,
    scores: bool,
}

/// What became of a batch.
struct Parsed {
    text: Vec<u8>,
    n_sentences: u64,
    n_tokens: u64,
    error: Option<Error>,
}

impl Work<'_> {
    fn start(&self) -> (Worker<'_>, Sentence) {
        (self.parser.worker(), Sentence::empty(Arc::clone(&self.layout)))
    }

    fn parse(&self, batch: &Batch, (worker, sentence): &mut (Worker<'_>, Sentence)) -> Parsed {
        let mut parsed = Parsed {
            text: Vec::with_capacity(batch.text.len() + batch.text.len() / 8),
            n_sentences: 0,
            n_tokens: 0,
            error: None,
        };
        let mut problems = Vec::new();
        let mut start = 0;
        for &(end, line) in &batch.ends {
            sentence.read_block(&self.layout, &batch.text[start..end], line, &mut problems);
            start = end;
            if let Some(first) = problems.iter().position(|problem| problem.level == Level::Error) {
                let error = malformed(&self.file, sentence, problems.swap_remove(first));
                parsed.error = Some(error.into());
                break;
            }
            problems.clear();
            self.columns.look(sentence);
            parsed.n_sentences += 1;
            parsed.n_tokens += sentence.n_tokens() as u64;
            worker.parse_text(sentence, self.scores, &mut parsed.text);
        }
        parsed
    }
}
