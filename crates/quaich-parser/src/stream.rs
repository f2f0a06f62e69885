//! Parsing files: sentences are read, parsed by several threads and written in order.

use std::io::Write;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use quaich_treebank::reader::malformed;
use quaich_treebank::{Layout, Level, Problem, Reader, Role, Sentence};
use rayon::prelude::*;

use crate::columns::Columns;
use crate::error::{Error, Result};
use crate::given;
use crate::model::Model;
use crate::spans::Spans;
use crate::worker::{Keep, Worker};

/// The size of a batch in bytes: small, so that its text stays in the cache and leaves room for the model.
const BATCH_BYTES: usize = 1 << 14;
/// The number of batches per thread and round.
const BATCHES: usize = 8;

/// A batch of unparsed sentences and its result; the memory is reused.
#[derive(Default)]
struct Batch {
    text: Vec<u8>,
    /// The end of each sentence, and the number of its first line.
    ends: Vec<(usize, u64)>,
    parsed: ParsedBatch,
}

/// The result of parsing a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Streamed {
    /// The number of sentences.
    pub sentences: u64,
    /// The number of tokens.
    pub tokens: u64,
    /// The names of the columns that the model was trained on and that are always empty in the input, which lowers accuracy.
    pub missing_columns: Vec<String>,
    /// The sentences with given heads that the parser could not build together, so that they were set after the parse.
    pub set_afterwards: SetAfterwards,
}

/// Sentences with given heads that were set after the parse.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SetAfterwards {
    /// The number of sentences.
    pub sentences: u64,
    /// The lines of the first of them, and the number of heads.
    pub first: Vec<(u64, usize)>,
}

impl SetAfterwards {
    /// The number of sentences that are listed.
    const MOST: usize = 10;

    fn add(&mut self, line: u64, n_heads: usize) {
        self.sentences += 1;
        if self.first.len() < Self::MOST {
            self.first.push((line, n_heads));
        }
    }

    fn absorb(&mut self, other: &Self) {
        self.sentences += other.sentences;
        let room = Self::MOST.saturating_sub(self.first.len());
        self.first.extend(other.first.iter().take(room));
    }
}

/// How a treebank is parsed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ParseOptions {
    /// Whether every arc gets its probability, as `Score=` in MISC.
    pub scores: bool,
    /// The columns that are kept.
    pub keep: Keep,
    /// Whether given heads, and the labels of these, are kept.
    pub keep_given: bool,
    /// Whether marked phrases are kept together.
    pub keep_spans: bool,
}

/// What a progress callback returns: nothing, or whether to continue.
pub trait Flow {
    /// Whether to stop.
    fn stops(self) -> bool;
}

impl Flow for () {
    fn stops(self) -> bool {
        false
    }
}

impl Flow for ControlFlow<()> {
    fn stops(self) -> bool {
        self.is_break()
    }
}

/// Checks that the format of a file can represent the heads and all labels of a model.
pub fn check_layout(model: &Model, reader: &Reader) -> Result<()> {
    let (file, layout) = (reader.file(), reader.layout());
    if layout.position(Role::Head).is_none() {
        let message = format!("{file}: found no column for heads, expected a format with one");
        return Err(Error::Treebank(message));
    }
    match model.labels().iter().find(|(_, label)| !layout.can_hold(label)) {
        Some((_, label)) => Err(Error::Treebank(format!(
            "{file}: the parser has a label `{label}`, which the format {} cannot represent",
            layout.name()
        ))),
        None => Ok(()),
    }
}

/// Parses all sentences of a reader and writes them with new heads and labels. Calls `progress` with the number of newly finished
/// sentences; if it returns [`ControlFlow::Break`], stops with [`Error::Stopped`].
///
/// If a sentence cannot be read, writes all sentences before it and returns the error.
///
/// ```
/// # use quaich_parser::{ParseOptions, Settings, Trainer, parse_stream};
/// # use quaich_treebank::{ReadOptions, Reader, Source};
/// # let text = "1\tCats\tcat\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tsleep\tsleep\tVERB\t_\t_\t0\troot\t_\t_\n\n";
/// # let treebank = quaich_treebank::Treebank::from_text(&text.repeat(10))?;
/// # let model = Trainer::new(&Settings::default().with("learner=linear")?).train(&treebank)?;
/// let source = Source::from_stream(text.as_bytes(), "text".to_owned(), None)?;
/// let mut reader = Reader::new(source, &ReadOptions::default())?;
/// let (mut parsed, mut n_sentences) = (Vec::new(), 0);
/// parse_stream(&model, &mut reader, &mut parsed, ParseOptions::default(), |n| n_sentences += n)?;
/// assert_eq!(n_sentences, 1);
/// assert!(parsed.starts_with(b"1\tCats\t"));
/// # Ok::<(), quaich_parser::Error>(())
/// ```
pub fn parse_stream<F: Flow>(
    model: &Model,
    reader: &mut Reader,
    out: &mut (impl Write + Send),
    options: ParseOptions,
    mut progress: impl FnMut(u64) -> F + Send,
) -> Result<Streamed> {
    let scores = options.scores;
    if scores && reader.layout().position(Role::Misc).is_none() {
        let (file, format) = (reader.file(), reader.layout().name());
        return Err(Error::Treebank(format!(
            "{file}: {format} has no column for scores; convert it to conllu first, or parse without scores"
        )));
    }
    let layout = Arc::clone(reader.layout());
    let columns = Columns::new(&model.columns(), &layout);
    let parser = StreamParser { model, columns, layout, file: reader.file().to_owned(), options };
    // One worker per thread, kept for all batches.
    let workers: Vec<Mutex<(Worker, Sentence)>> =
        (0..rayon::current_num_threads()).map(|_| Mutex::new(parser.start())).collect();
    let parse = |batch: &mut Batch| {
        let thread = rayon::current_thread_index().unwrap_or(0);
        let mut workers = workers[thread].lock().unwrap_or_else(PoisonError::into_inner);
        parser.parse(batch, &mut workers);
    };
    let n_batches = workers.len() * BATCHES;
    let (mut n_sentences, mut n_tokens, mut set_afterwards) = (0, 0, SetAfterwards::default());
    let mut write = |batches: &mut [Batch]| -> Result<()> {
        for Batch { parsed, .. } in batches {
            n_sentences += parsed.n_sentences;
            n_tokens += parsed.n_tokens;
            set_afterwards.absorb(&parsed.set_afterwards);
            out.write_all(&parsed.text).map_err(Error::Output)?;
            if let Some(error) = parsed.error.take() {
                return Err(error);
            }
            if progress(parsed.n_sentences).stops() {
                return Err(Error::Stopped);
            }
        }
        Ok(())
    };
    let mut input = Input { reader, error: None };
    let (mut batches, mut before) = (Vec::new(), Vec::new());
    input.fill(&mut batches, n_batches);
    while !batches.is_empty() {
        // While these batches are parsed, the previous ones are written and refilled.
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
    drop(workers);
    let missing_columns = parser.columns.missing();
    Ok(Streamed { sentences: n_sentences, tokens: n_tokens, missing_columns, set_afterwards })
}

/// The input, until it ends or cannot be read any further.
struct Input<'r> {
    reader: &'r mut Reader,
    error: Option<Error>,
}

impl Input<'_> {
    /// Fills batches with the next sentences; at the end of the input there are fewer batches, or none.
    fn fill(&mut self, batches: &mut Vec<Batch>, n_batches: usize) {
        batches.resize_with(n_batches, Batch::default);
        let filled = batches.iter_mut().map(|batch| self.fill_one(batch));
        let n_filled = filled.take_while(|is_filled| *is_filled).count();
        batches.truncate(n_filled);
    }

    /// Returns whether there were any sentences.
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

/// What all batches share.
struct StreamParser<'a> {
    model: &'a Model,
    columns: Columns,
    layout: Arc<Layout>,
    file: String,
    options: ParseOptions,
}

/// The result of a batch.
#[derive(Default)]
struct ParsedBatch {
    text: Vec<u8>,
    n_sentences: u64,
    n_tokens: u64,
    set_afterwards: SetAfterwards,
    error: Option<Error>,
}

impl StreamParser<'_> {
    fn start(&self) -> (Worker, Sentence) {
        let mut worker = self.model.worker();
        worker.keep(self.options.keep);
        worker.keep_given(self.options.keep_given);
        worker.keep_spans(self.options.keep_spans);
        (worker, Sentence::empty(Arc::clone(&self.layout)))
    }

    fn parse(&self, batch: &mut Batch, (worker, sentence): &mut (Worker, Sentence)) {
        let Batch { text, ends, parsed } = batch;
        parsed.text.clear();
        *parsed = ParsedBatch { text: std::mem::take(&mut parsed.text), ..ParsedBatch::default() };
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
            if let Some(problem) = self.conflict(sentence) {
                parsed.error = Some(malformed(&self.file, sentence, problem).into());
                break;
            }
            // Other levels fill columns before the sentence is parsed.
            let is_as_given = matches!(self.options.keep, Keep::Detect | Keep::Lemmas);
            if is_as_given && !worker.is_untagged(sentence) {
                self.columns.look(sentence);
            }
            parsed.n_sentences += 1;
            parsed.n_tokens += sentence.n_tokens() as u64;
            worker.parse_text(sentence, self.options.scores, &mut parsed.text);
            let n_set_afterwards = worker.n_set_afterwards(sentence);
            if n_set_afterwards > 0 {
                parsed.set_afterwards.add(line, n_set_afterwards);
            }
        }
    }

    /// The reason why a sentence cannot be parsed as the options ask.
    fn conflict(&self, sentence: &Sentence) -> Option<Problem> {
        let ParseOptions { keep_given, keep_spans, .. } = self.options;
        if keep_given && let Some(cycle) = given::cycle(sentence) {
            return Some(cycle);
        }
        if !keep_spans {
            return None;
        }
        match Spans::of(sentence) {
            Err(problem) => Some(*problem),
            Ok(spans) if keep_given => spans.broken_by(sentence),
            Ok(_) => None,
        }
    }
}
