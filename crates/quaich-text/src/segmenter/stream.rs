//! Raw text of any length → a stream of sentences, in bounded memory.

use std::collections::VecDeque;
use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

use super::characters::Whitespace;
use super::decode::{DecodeScratch, Limits, sentence_ends};
use super::input::{Input, InputError};
use super::model::Segmenter;
use super::output::{TextSentence, TextToken};
use super::worker::Worker;
use crate::surface::Start;

/// How line breaks in a text are interpreted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TextMode {
    /// Line breaks may be anywhere; a blank line ends a paragraph.
    #[default]
    Text,
    /// Each line is a paragraph.
    Paragraphs,
    /// Each line is a sentence.
    Lines,
    /// Each line is a sentence whose tokens are separated by whitespace.
    Tokens,
}

/// The window size in bytes.
const WINDOW: usize = 1 << 15;
/// The window size in bytes for text that is already tokenized.
const TOKENIZED_WINDOW: usize = 1 << 16;
/// Predictions within this distance of the end of a window are discarded and repeated in the next window.
const LOOKAHEAD: usize = 1 << 11;
/// The maximum length of sentences.
const LIMITS: Limits = Limits { tokens: 500, bytes: 1 << 13 };
/// The maximum number of bytes of consecutive whitespace that are stored.
const MAX_SPACES: usize = 1 << 20;

/// A stream of the sentences of a text.
#[derive(Debug)]
pub struct TextStream<R> {
    segmenter: Option<Arc<Segmenter>>,
    mode: TextMode,
    input: Input<R>,
    worker: Worker,
    scratch: DecodeScratch,
    ends: Vec<usize>,
    /// The text of the queued sentences.
    part: String,
    /// Sentences that were found but not returned yet.
    queue: VecDeque<QueuedSentence>,
    /// Whitespace that belongs to no sentence.
    spaces: String,
    /// Whether a paragraph or a document begins with the next part.
    start: Start,
    /// The whitespace before the next part.
    before: Whitespace,
    number: u64,
    /// An error after the last sentence that was returned.
    error: Option<InputError>,
}

/// A sentence in the queue.
#[derive(Debug)]
struct QueuedSentence {
    /// The byte range in the part.
    range: Range<usize>,
    tokens: Vec<TextToken>,
    start: Start,
    chars_before: u64,
}

/// The boundaries of the part of a text that is segmented at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Part {
    /// The end, including the following whitespace.
    end: usize,
    /// The end without whitespace.
    text_end: usize,
    /// What begins after the part, or `None` if the text continues without a boundary.
    next: Option<Start>,
}

impl<R: Read> TextStream<R> {
    /// Segments a text. Without a segmenter, the mode is [`TextMode::Tokens`].
    pub fn new(segmenter: Option<Arc<Segmenter>>, read: R, mode: TextMode) -> Self {
        let mode = if segmenter.is_none() { TextMode::Tokens } else { mode };
        Self {
            segmenter,
            mode,
            input: Input::new(read),
            worker: Worker::default(),
            scratch: DecodeScratch::default(),
            ends: Vec::new(),
            part: String::new(),
            queue: VecDeque::new(),
            spaces: String::new(),
            start: Start::Document,
            before: Whitespace::Paragraph,
            number: 0,
            error: None,
        }
    }

    /// Reads the next sentence; returns whether there is one.
    ///
    /// # Errors
    /// If the text cannot be read or is not UTF-8.
    pub fn read(&mut self, sentence: &mut TextSentence) -> Result<bool, InputError> {
        while self.queue.is_empty() {
            if let Some(error) = self.error.take() {
                return Err(error);
            }
            if !self.next_part()? {
                return Ok(false);
            }
        }
        let Some(next) = self.queue.pop_front() else { return Ok(false) };
        self.number += 1;
        sentence.number = self.number;
        sentence.spaces_before.clear();
        std::mem::swap(&mut sentence.spaces_before, &mut self.spaces);
        sentence.text.clear();
        sentence.text.push_str(&self.part[next.range]);
        sentence.tokens = next.tokens;
        sentence.start = next.start;
        sentence.chars_before = next.chars_before;
        if self.queue.is_empty() {
            // Whitespace that continues beyond the window belongs to the last sentence before it.
            self.error = self.skip_spaces(self.window_size()).err();
            sentence.text.push_str(&self.spaces);
            self.spaces.clear();
        }
        Ok(true)
    }

    fn window_size(&self) -> usize {
        if self.mode == TextMode::Tokens { TOKENIZED_WINDOW } else { WINDOW }
    }

    /// Queues the sentences of the next part of the text; returns whether there is one.
    fn next_part(&mut self) -> Result<bool, InputError> {
        let size = self.window_size();
        if !self.skip_spaces(size)? {
            return Ok(false);
        }
        let Self { input, worker, scratch, ends, segmenter, .. } = self;
        let mut chars_before = input.position().chars;
        input.window(size)?;
        let is_cut = input.is_cut();
        let (text, is_all) = input.window(size)?;
        let part = find_part(text, is_all, self.mode);
        let text_end = part.text_end;
        let is_line = matches!(self.mode, TextMode::Lines | TextMode::Tokens);
        match segmenter.as_deref() {
            Some(segmenter) if self.mode != TextMode::Tokens => {
                let after = if part.next.is_some() { Whitespace::Paragraph } else { Whitespace::None };
                worker.tokenize(segmenter, &text[..text_end], (self.before, after));
                let cost = segmenter.conventions.sentence_cost;
                sentence_ends(&worker.token_ends, (LIMITS, cost), scratch, ends);
            }
            _ => worker.split_at_whitespace(&text[..text_end]),
        }
        // Predictions close to the end of the window lack context.
        let mut n_tokens = worker.tokens.len();
        if part.next.is_none() {
            let border = text_end.saturating_sub(LOOKAHEAD);
            n_tokens = worker.tokens.partition_point(|token| token.end <= border).max(1);
            if !is_line {
                let n = ends.partition_point(|&end| end < n_tokens).max(1);
                ends.truncate(n);
                n_tokens = ends[n - 1] + 1;
            }
        }
        if is_line {
            ends.clear();
            ends.push(n_tokens - 1);
        }
        if is_all && is_cut && !part.is_complete(text, self.mode) {
            // The rest of the last sentence cannot be read.
            ends.pop();
            let Some(&last) = ends.last() else {
                let n = text.len();
                input.consume(n);
                return Ok(true);
            };
            n_tokens = last + 1;
        }
        let end = match worker.tokens.get(n_tokens) {
            Some(next) => next.start,
            None => part.end,
        };
        let (mut first, mut counted) = (0, 0);
        for &last in ends.iter() {
            let start = worker.tokens[first].start;
            let next = if last + 1 < n_tokens { worker.tokens[last + 1].start } else { end };
            chars_before += text[counted..start].chars().count() as u64;
            counted = start;
            let token = |token: &super::worker::FoundToken| TextToken {
                start: token.start - start,
                end: token.end - start,
                is_multiword: token.is_multiword,
            };
            let tokens = worker.tokens[first..=last].iter().map(token).collect();
            let start_kind = std::mem::take(&mut self.start);
            self.queue.push_back(QueuedSentence {
                range: start..next,
                tokens,
                start: start_kind,
                chars_before,
            });
            first = last + 1;
        }
        self.part.clear();
        self.part.push_str(&text[..end]);
        match part.next.filter(|_| end == part.end) {
            Some(next) => (self.start, self.before) = (next, Whitespace::Paragraph),
            None => self.before = Whitespace::trailing(&text[..end]),
        }
        self.input.consume(end);
        Ok(true)
    }

    /// Skips whitespace; returns whether any text follows.
    fn skip_spaces(&mut self, size: usize) -> Result<bool, InputError> {
        loop {
            let is_first = self.input.position().bytes == 0;
            let (text, is_all) = self.input.window(size)?;
            let without_bom = if is_first { text.strip_prefix('\u{feff}').unwrap_or(text) } else { text };
            let n = text.len() - without_bom.trim_start().len();
            if self.spaces.len() + n <= MAX_SPACES {
                self.spaces.push_str(&text[..n]);
            }
            let (is_end, is_text) = (is_all && n == text.len(), n < text.len());
            if n > 0 && n_lines(&text[..n]) >= 2 {
                self.start = self.start.max(Start::Paragraph);
            }
            self.input.consume(n);
            // If the text cannot be read further, the next window is the error.
            let is_end = is_end && !self.input.is_cut();
            if is_end || is_text {
                return Ok(is_text);
            }
        }
    }
}

impl Part {
    /// Whether line breaks end the part, and not only the window.
    fn is_complete(&self, text: &str, mode: TextMode) -> bool {
        n_lines(&text[self.text_end..self.end]) >= n_required(mode)
    }
}

/// The number of line breaks that end a part.
fn n_required(mode: TextMode) -> usize {
    if mode == TextMode::Text { 2 } else { 1 }
}

/// Finds the end of the first part in the window.
fn find_part(text: &str, is_all: bool, mode: TextMode) -> Part {
    let mut at = 0;
    while let Some(next) = memchr::memchr2(b'\n', b'\r', &text.as_bytes()[at..]) {
        let text_end = at + text[at..at + next].trim_end().len();
        let end = text.len() - text[at + next..].trim_start().len();
        let n = n_lines(&text[text_end..end]);
        if n >= n_required(mode) {
            let is_paragraph = n >= 2 || mode == TextMode::Paragraphs;
            let next = if is_paragraph { Start::Paragraph } else { Start::Sentence };
            return Part { end, text_end, next: Some(next) };
        }
        at = end;
    }
    let text_end = text.trim_end().len();
    let is_whole = is_all || text_end + LOOKAHEAD <= text.len();
    Part { end: text.len(), text_end, next: is_whole.then_some(Start::Sentence) }
}

/// The number of line breaks: LF, CR LF or CR.
fn n_lines(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_end = |&at: &usize| bytes[at] == b'\n' || bytes.get(at + 1) != Some(&b'\n');
    memchr::memchr2_iter(b'\n', b'\r', bytes).filter(is_end).count()
}
