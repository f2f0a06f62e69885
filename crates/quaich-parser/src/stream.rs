//! Files in, files out: sentences are read, parsed by several threads and written in order.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use quaich_treebank::reader::malformed;
use quaich_treebank::{Layout, Level, Reader, Role, Sentence};
use rayon::prelude::*;

use crate::columns::Columns;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::worker::Worker;

/// Bytes of text that a thread takes at a time: few, so that text stays near until it is written and leaves room for the model.
const BATCH_BYTES: usize = 1 << 14;
/// How often a thread takes some until all wait for each other.
const BATCHES: usize = 8;

/// Sentences not yet taken apart, and what became of them; the memory is used again for the next.
#[derive(Default)]
struct Batch {
    text: Vec<u8>,
    /// Where each sentence ends, and the number of its first line.
    ends: Vec<(usize, u64)>,
    parsed: Parsed,
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
    model: &Model,
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
    let columns = Columns::new(&model.columns(), &layout);
    let work = Work { model, columns, layout, file: reader.file().to_owned(), scores };
    // One pair of hands a thread, kept from batch to batch.
    let hands: Vec<Mutex<(Worker, Sentence)>> =
        (0..rayon::current_num_threads()).map(|_| Mutex::new(work.start())).collect();
    let parse = |batch: &mut Batch| {
        let thread = rayon::current_thread_index().unwrap_or(0);
        let mut hands = hands[thread].lock().unwrap_or_else(PoisonError::into_inner);
        work.parse(batch, &mut hands);
    };
    let n_batches = hands.len() * BATCHES;
    let mut n_tokens = 0;
    let mut write = |batches: &mut [Batch]| -> Result<()> {
        for Batch { parsed, .. } in batches {
            n_tokens += parsed.n_tokens;
            out.write_all(&parsed.text).map_err(Error::Output)?;
            if let Some(error) = parsed.error.take() {
                return Err(error);
            }
            progress(parsed.n_sentences);
        }
        Ok(())
    };
    let mut input = Input { reader, error: None };
    let (mut batches, mut before) = (Vec::new(), Vec::new());
    input.fill(&mut batches, n_batches);
    while !batches.is_empty() {
        // While these are parsed, the ones before are written and the next are read in their place.
        let (written, ()) = rayon::join(
            || write(&mut before).map(|()| input.fill(&mut before, n_batches)),
            || batches.par_iter_mut().with_max_len(1).for_each(parse),
        );
        written?;
        std::mem::swap(&mut batches, &mut before);
    }
    write(&mut before)?;
    if let Some(error) = input.error {
        return Err(error);
    }
    drop(hands);
    Ok(Streamed { tokens: n_tokens, missing_columns: work.columns.missing() })
}

/// What is read, until it ends or cannot be read any further.
struct Input<'r> {
    reader: &'r mut Reader,
    error: Option<Error>,
}

impl Input<'_> {
    /// Fills batches with the next sentences; there are fewer of them, or none, when the input ends.
    fn fill(&mut self, batches: &mut Vec<Batch>, n_batches: usize) {
        batches.resize_with(n_batches, Batch::default);
        let filled = batches.iter_mut().map(|batch| self.fill_one(batch));
        let n_filled = filled.take_while(|is_filled| *is_filled).count();
        batches.truncate(n_filled);
    }

    /// Whether there were any sentences.
    fn fill_one(&mut self, Batch { text, ends, .. }: &mut Batch) -> bool {
        text.clear();
        ends.clear();
        while text.len() < BATCH_BYTES && self.error.is_none() {
            match self.reader.read_block(text) {
                Ok(Some(line)) => ends.push((text.len(), line)),
                Ok(None) => break,
                Err(error) => self.error = Some(error.into()),
            }
        }
        !ends.is_empty()
    }
}

/// What is the same for all batches.
struct Work<'a> {
    model: &'a Model,
    columns: Columns,
    layout: Arc<Layout>,
    file: String,
    scores: bool,
}

/// What became of a batch.
#[derive(Default)]
struct Parsed {
    text: Vec<u8>,
    n_sentences: u64,
    n_tokens: u64,
    error: Option<Error>,
}

impl Work<'_> {
    fn start(&self) -> (Worker, Sentence) {
        (self.model.worker(), Sentence::empty(Arc::clone(&self.layout)))
    }

    fn parse(&self, batch: &mut Batch, (worker, sentence): &mut (Worker, Sentence)) {
        let Batch { text, ends, parsed } = batch;
        parsed.text.clear();
        *parsed = Parsed { text: std::mem::take(&mut parsed.text), ..Parsed::default() };
        let mut problems = Vec::new();
        let mut start = 0;
        for &(end, line) in &*ends {
            sentence.read_block(&self.layout, &text[start..end], line, &mut problems);
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
    }
}
