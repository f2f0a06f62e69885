//! Files of text → words: plain text, tokens, or treebanks whose trees are ignored.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use quaich_text::segmenter::{TextMode, TextSentence, TextStream};
use quaich_text::surface::Start;
use quaich_treebank::{Meter, Opened, ReadOptions, Reader, Sentence, TextSource};

use super::overlap::Overlap;
use super::word_bounds::WordBounds;
use super::words::WordText;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::observer::{Event, Observer, Unobserved};
use crate::raw_text::in_file;
use crate::tokenizer::Tokenizer;

/// A file of text.
#[derive(Clone, Debug)]
pub struct TextFile {
    /// The file; `-` for standard input.
    pub path: PathBuf,
    /// How it is decoded; the format is that of treebanks.
    pub options: ReadOptions,
    /// What its lines are; if not given, the content decides whether it is a treebank or plain text.
    pub mode: Option<TextMode>,
}

/// Files of text to pretrain on, and treebanks that they must not overlap with.
#[derive(Clone, Debug, Default)]
pub struct TextFiles {
    files: Vec<TextFile>,
    /// Treebanks, and whether sentences that overlap with them are dropped.
    overlaps: Vec<(Overlap, bool)>,
}

/// What was read.
#[derive(Clone, Debug)]
pub struct TextReport {
    /// The words.
    pub words: WordText,
    /// What the text has in common with treebanks.
    pub overlaps: Vec<Overlap>,
}

/// How many sentences are read between two looks at whether to stop.
const SENTENCES_PER_LOOK: usize = 1000;
/// How many words of each file are read to check it.
const WORDS_PER_CHECK: usize = 1000;

impl TextFiles {
    /// These files.
    pub fn new(files: Vec<TextFile>) -> Self {
        Self { files, overlaps: Vec::new() }
    }

    /// Counts the sentences of the text that share four words in a row with a treebank.
    #[must_use]
    pub fn reporting(mut self, overlap: Overlap) -> Self {
        self.overlaps.push((overlap, false));
        self
    }

    /// Counts them and drops them.
    #[must_use]
    pub fn dropping(mut self, overlap: Overlap) -> Self {
        self.overlaps.push((overlap, true));
        self
    }

    /// Reads the beginning of all files, so that a long run does not fail late if there is no text in them.
    pub fn check(&self) -> Result<()> {
        let (mut sink, mut reads_all) = (Sink::new(usize::MAX, Vec::new(), &Unobserved), true);
        for file in &self.files {
            // Streams, such as standard input, can be opened only once.
            let is_stream = file.path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir());
            if is_stream || file.path.as_os_str() == "-" {
                reads_all = false;
                continue;
            }
            sink.enough = sink.words.n_read_words() + WORDS_PER_CHECK;
            // What is checked is read again, so it does not count as progress.
            let options = ReadOptions { meter: Meter::default(), ..file.options.clone() };
            TextFile { options, ..file.clone() }.read(None, &mut sink)?;
        }
        match self.files.first() {
            // Other numbers of words depend on the tokenizer.
            Some(file) if reads_all && sink.words.n_words() == 0 => {
                Err(Error::Text(format!("{}: found no words, expected text", file.path.display())))
            }
            _ => Ok(()),
        }
    }

    /// Reads all files. The tokenizer of a model splits plain text into words; without one, they are split at the word boundaries of
    /// Unicode. At most `max_words` words are kept.
    pub fn read(
        &self,
        model: Option<&Model>,
        max_words: usize,
        observer: &dyn Observer,
    ) -> Result<TextReport> {
        self.read_with(model.and_then(Model::own_tokenizer), max_words, observer)
    }

    pub(crate) fn read_with(
        &self,
        tokenizer: Option<&Arc<Tokenizer>>,
        max_words: usize,
        observer: &dyn Observer,
    ) -> Result<TextReport> {
        observer.event(&Event::Stage { name: "reading the text", steps: 0 });
        let mut sink = Sink::new(max_words, self.overlaps.clone(), observer);
        for file in &self.files {
            file.read(tokenizer, &mut sink)?;
        }
        let Sink { words, overlaps, .. } = sink;
        let of = words.n_read_words();
        if !observer.stop() {
            words.check_length()?;
        }
        if words.n_words() < of && !observer.stop() {
            observer.event(&Event::TextSampled { words: words.n_words(), of });
        }
        for (overlap, dropped) in &overlaps {
            observer.event(&Event::TextOverlap {
                file: overlap.name(),
                sequences: overlap.n_sequences(),
                found: overlap.n_found(),
                sentences: overlap.n_sentences(),
                dropped: *dropped,
            });
        }
        Ok(TextReport { words, overlaps: overlaps.into_iter().map(|(overlap, _)| overlap).collect() })
    }
}

/// Takes sentences as they are read.
struct Sink<'s> {
    words: WordText,
    overlaps: Vec<(Overlap, bool)>,
    observer: &'s dyn Observer,
    /// The number of sentences so far.
    n: usize,
    /// Reading stops after so many words.
    enough: usize,
}

impl<'s> Sink<'s> {
    fn new(max_words: usize, overlaps: Vec<(Overlap, bool)>, observer: &'s dyn Observer) -> Self {
        Self { words: WordText::new(max_words), overlaps, observer, n: 0, enough: usize::MAX }
    }

    /// Adds a sentence; whether to go on.
    fn add<'w>(&mut self, words: impl Iterator<Item = &'w str>) -> bool {
        let words: Vec<&str> = words.collect();
        let mut is_dropped = false;
        for (overlap, drops) in &mut self.overlaps {
            is_dropped |= overlap.is_in(words.iter().copied()) && *drops;
        }
        if !is_dropped {
            self.words.add(words.iter().copied());
        }
        self.n += 1;
        let is_looking = self.n.is_multiple_of(SENTENCES_PER_LOOK);
        self.words.n_read_words() < self.enough && !(is_looking && self.observer.stop())
    }
}

impl TextFile {
    fn read(&self, tokenizer: Option<&Arc<Tokenizer>>, sink: &mut Sink<'_>) -> Result<()> {
        let Self { path, options, mode } = self;
        if let Some(mode) = mode {
            return read_text(TextSource::open(path, options)?, *mode, tokenizer, sink);
        }
        match Reader::open_any(path, options)? {
            Opened::Treebank(reader) => read_treebank(reader, sink),
            Opened::Text(source) => read_text(source, TextMode::Text, tokenizer, sink),
        }
    }
}

fn read_treebank(mut reader: Reader, sink: &mut Sink<'_>) -> Result<()> {
    let mut sentence = reader.sentence();
    while reader.read(&mut sentence)? {
        if !sink.add(sentence.tokens().map(|token| sentence.form(token))) {
            break;
        }
    }
    Ok(())
}

fn read_text(
    source: TextSource,
    mode: TextMode,
    tokenizer: Option<&Arc<Tokenizer>>,
    sink: &mut Sink<'_>,
) -> Result<()> {
    let file = source.name().to_owned();
    let segmenter = tokenizer.map(|tokenizer| Arc::clone(&tokenizer.segmenter));
    // Without a segmenter, each line is a list of what is between spaces.
    let mut stream = TextStream::new(segmenter, source, mode);
    let (mut found, mut words) = (TextSentence::default(), Vec::new());
    let mut control = ControlCharacters::default();
    let (mut form, mut parts, mut bounds) = (String::new(), Vec::new(), WordBounds::default());
    let mut goes_on = true;
    while goes_on && stream.read(&mut found).map_err(|error| in_file(error, &file))? {
        control.check(&found.text, &file)?;
        match tokenizer {
            Some(tokenizer) if mode != TextMode::Tokens => {
                words.clear();
                for token in &found.tokens {
                    found.form(token, &mut form);
                    parts.clear();
                    tokenizer.split(&form, token.is_multiword, &mut parts);
                    if parts.is_empty() {
                        words.push(form.clone());
                    } else {
                        words.append(&mut parts);
                    }
                }
                goes_on = sink.add(words.iter().map(String::as_str));
            }
            _ if mode == TextMode::Tokens => {
                goes_on = sink.add(found.tokens.iter().map(|token| &found.text[token.start..token.end]));
            }
            _ => {
                let mut end = |words: &[String]| goes_on &= sink.add(words.iter().map(String::as_str));
                if mode != TextMode::Text || found.start != Start::Sentence {
                    bounds.end(&mut end);
                }
                bounds.add(&found.text, &mut end);
            }
        }
    }
    bounds.end(&mut |words: &[String]| {
        sink.add(words.iter().map(String::as_str));
    });
    Ok(())
}

/// Tells text from other data: a few control characters are left over in many texts.
#[derive(Debug, Default)]
struct ControlCharacters {
    n: usize,
    of: usize,
}

impl ControlCharacters {
    /// Characters before the first judgement, and the largest share of control characters in text: one in this many.
    const ENOUGH: usize = 1000;
    const ONE_IN: usize = 20;

    fn check(&mut self, text: &str, file: &str) -> Result<()> {
        self.n += text.chars().filter(|c| c.is_control() && !c.is_whitespace()).count();
        self.of += text.chars().count();
        if self.of < Self::ENOUGH || self.n * Self::ONE_IN <= self.of {
            return Ok(());
        }
        let (n, of) = (self.n, self.of);
        Err(Error::Text(format!("{file}: found {n} control characters among {of} characters, expected text")))
    }
}

/// With fewer of a text's letters in a treebank, in percent, the text is probably in another script.
const FEW_LETTERS: f64 = 50.0;

/// Warns if a text seems to be in another script than a treebank.
pub fn warn_of_other_script(text: &WordText, sentences: &[Sentence], observer: &dyn Observer) {
    let percent = shared_letters(text, sentences);
    if text.n_words() > 0 && percent < FEW_LETTERS {
        observer.event(&Event::TextScript { percent });
    }
}

/// The share of the letters of a text that a treebank has, too, in percent: close to zero if they are in different scripts.
#[allow(clippy::cast_precision_loss, reason = "numbers of letters")]
fn shared_letters(text: &WordText, sentences: &[Sentence]) -> f64 {
    let letters = |form: &str| form.chars().filter(|c| c.is_alphabetic()).collect::<Vec<char>>();
    let known: HashSet<char> = sentences
        .iter()
        .flat_map(|sentence| sentence.tokens().flat_map(|token| letters(sentence.form(token))))
        .collect();
    let (mut shared, mut all) = (0u64, 0u64);
    for (form, count) in text.forms() {
        for letter in letters(form) {
            shared += u64::from(count) * u64::from(known.contains(&letter));
            all += u64::from(count);
        }
    }
    100.0 * shared as f64 / all.max(1) as f64
}
