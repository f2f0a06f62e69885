//! Text in, parsed CoNLL-U out: sentences are found one after the other and parsed by several threads.

use std::io::{Read, Write};
use std::sync::{Arc, Mutex, PoisonError};

use quaich_text::segmenter::{InputError, OutputOptions, TextMode, TextSentence, TextStream};
use quaich_treebank::formats::conllu;
use quaich_treebank::{Layout, Sentence};
use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::model::Model;
use crate::parsed::Parsed;
use crate::stream::{Flow, Streamed};
use crate::tokenizer::Tokenizer;
use crate::worker::Worker;

/// How raw text is read and written.
#[derive(Clone, Copy, Debug, Default)]
pub struct RawTextOptions {
    /// The meaning of the lines.
    pub mode: TextMode,
    /// Whether every token gets its place in the text, as `TokenRange=start:end` in MISC.
    pub token_ranges: bool,
    /// Whether every arc gets its probability, as `Score=` in MISC.
    pub scores: bool,
    /// Whether multiword tokens stay whole.
    pub no_multiword: bool,
    /// The number of sentences before the text, so that the numbers of sentences of several texts differ.
    pub n_sentences_before: u64,
}

/// Bytes of CoNLL-U that a thread parses at a time.
const BATCH_BYTES: usize = 1 << 14;
/// Batches between two writes.
const BATCHES: usize = 8;

/// Sentences to parse, as blocks of CoNLL-U.
#[derive(Default)]
struct Batch {
    blocks: String,
    /// Where each block ends.
    ends: Vec<usize>,
    parsed: Vec<u8>,
    n_tokens: u64,
}

impl Model {
    /// Whether the model finds tokens and sentences in raw text.
    pub fn reads_text(&self) -> bool {
        self.parts().tokenizer.is_some()
    }

    /// The tokenizer, if the model has one.
    pub(crate) fn own_tokenizer(&self) -> Option<&Arc<Tokenizer>> {
        self.parts().tokenizer.as_ref()
    }

    fn tokenizer(&self, mode: TextMode) -> Result<Option<&Arc<Tokenizer>>> {
        match &self.parts().tokenizer {
            None if mode != TextMode::Tokens => Err(Error::NoTokenizer),
            tokenizer => Ok(tokenizer.as_ref()),
        }
    }
}

/// Parses text and writes it as CoNLL-U. `file` is its name for messages; `progress` is called with the number of further parsed sentences;
/// if it returns [`ControlFlow::Break`](std::ops::ControlFlow::Break), parsing stops with [`Error::Stopped`]. If the text cannot be read any further, everything before that place is written before the error is returned.
pub fn parse_raw_text<F: Flow>(
    model: &Model,
    (text, file): (impl Read + Send, &str),
    options: RawTextOptions,
    out: &mut dyn Write,
    progress: impl Fn(u64) -> F + Sync,
) -> Result<Streamed> {
    let tokenizer = model.tokenizer(options.mode)?;
    let segmenter = tokenizer.map(|tokenizer| Arc::clone(&tokenizer.segmenter));
    let mut stream = TextStream::new(segmenter, text, options.mode);
    let layout = Arc::new(conllu::layout());
    let workers: Mutex<Vec<(Worker, Sentence)>> = Mutex::new(Vec::new());
    let new = || (model.worker(), Sentence::empty(Arc::clone(&layout)));
    let parse = |batch: &mut Batch| {
        let own = workers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let (mut worker, mut sentence) = own.unwrap_or_else(new);
        batch.parse(&layout, options, (&mut worker, &mut sentence));
        workers.lock().unwrap_or_else(PoisonError::into_inner).push((worker, sentence));
    };
    let mut fill = |batches: &mut Vec<Batch>| fill(&mut stream, tokenizer, options, batches);
    let mut streamed = Streamed::default();
    let (mut ready, mut next) = (Vec::new(), Vec::new());
    let mut state = fill(&mut ready);
    loop {
        let goes_on = matches!(state, Ok(true));
        // While some threads parse, one finds the next sentences.
        let (following, ()) = rayon::join(
            || if goes_on { Some(fill(&mut next)) } else { None },
            || ready.par_iter_mut().for_each(parse),
        );
        for batch in &ready {
            out.write_all(&batch.parsed).map_err(Error::Output)?;
            streamed.tokens += batch.n_tokens;
            streamed.sentences += batch.ends.len() as u64;
            if progress(batch.ends.len() as u64).stops() {
                return Err(Error::Stopped);
            }
        }
        match (state, following) {
            (Err(error), _) => return Err(in_file(error, file)),
            (Ok(_), None) => return Ok(streamed),
            (Ok(_), Some(following)) => state = following,
        }
        std::mem::swap(&mut ready, &mut next);
    }
}

/// Fills batches with the next sentences; whether there may be more.
fn fill<R: Read>(
    stream: &mut TextStream<R>,
    tokenizer: Option<&Arc<Tokenizer>>,
    options: RawTextOptions,
    batches: &mut Vec<Batch>,
) -> std::result::Result<bool, InputError> {
    batches.resize_with(BATCHES * rayon::current_num_threads(), Batch::default);
    batches.iter_mut().for_each(Batch::clear);
    let output = OutputOptions { token_ranges: options.token_ranges };
    let mut found = TextSentence::default();
    let mut split = splitter(tokenizer.filter(|_| !options.no_multiword));
    for batch in batches {
        while batch.blocks.len() < BATCH_BYTES {
            if !stream.read(&mut found)? {
                return Ok(false);
            }
            found.number += options.n_sentences_before;
            found.write(output, &mut split, &mut batch.blocks);
            batch.ends.push(batch.blocks.len());
        }
    }
    Ok(true)
}

pub(crate) fn in_file(error: InputError, file: &str) -> Error {
    let file = file.to_owned();
    match error {
        InputError::Io(source) => Error::Io { file, source },
        InputError::NotUtf8 { byte, line, column } => {
            Error::NotUtf8 { file, line, column: usize::try_from(column).unwrap_or(usize::MAX), byte }
        }
        error => Error::Io { file, source: std::io::Error::other(error) },
    }
}

impl Batch {
    fn clear(&mut self) {
        self.blocks.clear();
        self.ends.clear();
        self.parsed.clear();
        self.n_tokens = 0;
    }

    fn parse(
        &mut self,
        layout: &Arc<Layout>,
        options: RawTextOptions,
        (worker, sentence): (&mut Worker, &mut Sentence),
    ) {
        let (mut start, mut problems) = (0, Vec::new());
        for &end in &self.ends {
            sentence.read_block(layout, &self.blocks.as_bytes()[start..end], 1, &mut problems);
            problems.clear();
            start = end;
            self.n_tokens += sentence.n_tokens() as u64;
            worker.parse_text(sentence, options.scores, &mut self.parsed);
        }
    }
}

/// The sentences of a text, split into words but not yet tagged or parsed.
///
/// ```
/// # use quaich_parser::{Settings, TextMode, Trainer};
/// # let text = "1\tCats\tcat\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tsleep\tsleep\tVERB\t_\t_\t0\troot\t_\t_\n\n";
/// # let treebank = quaich_treebank::Treebank::from_text(&text.repeat(10))?;
/// # let model = Trainer::new(&Settings::default().with("learner=linear")?).train(&treebank)?;
/// // Text whose tokens are separated by spaces does not need a tokenizer.
/// let mut sentences = model.text_sentences(("Cats sleep .\nDogs bark .\n".as_bytes(), "text"), TextMode::Tokens)?;
/// let mut sentence = sentences.sentence();
/// let mut n_tokens = Vec::new();
/// while sentences.read(&mut sentence)? {
///     n_tokens.push(sentence.n_tokens());
/// }
/// assert_eq!(n_tokens, [3, 3]);
/// # Ok::<(), quaich_parser::Error>(())
/// ```
#[derive(Debug)]
pub struct TextSentences<R> {
    stream: TextStream<R>,
    tokenizer: Option<Arc<Tokenizer>>,
    layout: Arc<Layout>,
    file: String,
    found: TextSentence,
    output: OutputOptions,
}

impl Model {
    /// The sentences of a text; `file` is its name for messages.
    ///
    /// # Errors
    /// If the model has no tokenizer, unless the words are given ([`TextMode::Tokens`]).
    pub fn text_sentences<R: Read>(
        &self,
        (text, file): (R, &str),
        mode: TextMode,
    ) -> Result<TextSentences<R>> {
        let tokenizer = self.tokenizer(mode)?.cloned();
        let segmenter = tokenizer.as_ref().map(|tokenizer| Arc::clone(&tokenizer.segmenter));
        Ok(TextSentences {
            stream: TextStream::new(segmenter, text, mode),
            tokenizer,
            layout: Arc::new(conllu::layout()),
            file: file.to_owned(),
            found: TextSentence::default(),
            output: OutputOptions::default(),
        })
    }
}

impl<R: Read> TextSentences<R> {
    /// The name of the text.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Writes the place of every token in the text to MISC, as `TokenRange=start:end` in characters.
    #[must_use]
    pub fn with_token_ranges(self) -> Self {
        Self { output: OutputOptions { token_ranges: true }, ..self }
    }

    /// An empty sentence for [`read`](Self::read).
    pub fn sentence(&self) -> Sentence {
        Sentence::empty(Arc::clone(&self.layout))
    }

    /// Reads the next sentence. Returns whether there is one.
    pub fn read(&mut self, sentence: &mut Sentence) -> Result<bool> {
        if !self.stream.read(&mut self.found).map_err(|error| in_file(error, &self.file))? {
            return Ok(false);
        }
        let mut split = splitter(self.tokenizer.as_ref());
        self.found.to_sentence(&self.layout, self.output, &mut split, sentence);
        Ok(true)
    }
}

/// Splits multiword tokens into words; without a tokenizer, every token is one word.
fn splitter(tokenizer: Option<&Arc<Tokenizer>>) -> impl FnMut(&str, bool, &mut Vec<String>) {
    move |form, is_flagged, words| {
        if let Some(tokenizer) = tokenizer {
            tokenizer.split(form, is_flagged, words);
        }
    }
}

impl Worker {
    /// Parses raw text: finds its sentences and words, tags and parses them.
    ///
    /// # Errors
    /// If the model has no tokenizer.
    pub fn parse_raw(&mut self, text: &str) -> Result<Vec<Parsed>> {
        let mut sentences = self.model().text_sentences((text.as_bytes(), "text"), TextMode::Text)?;
        let (mut sentence, mut parsed) = (sentences.sentence(), Vec::new());
        while sentences.read(&mut sentence)? {
            parsed.push(self.parse_sentence(&sentence));
        }
        Ok(parsed)
    }
}
