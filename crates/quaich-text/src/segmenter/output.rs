//! Segmented sentences and their output as CoNLL-U.

use std::fmt::Write;
use std::sync::Arc;

use quaich_treebank::{Layout, Sentence};

use crate::raw_text::escape;
use crate::surface::Start;

/// A sentence of a raw text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TextSentence {
    /// Whitespace before the sentence that does not belong to the previous one.
    pub spaces_before: String,
    /// The text from the first token to the whitespace after the last.
    pub text: String,
    /// The tokens.
    pub tokens: Vec<TextToken>,
    /// Whether a paragraph or a document begins here.
    pub start: Start,
    /// The number of the sentence in the text, counted from 1.
    pub number: u64,
    /// The number of characters of the input before `text`.
    pub chars_before: u64,
}

/// A token of a raw text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextToken {
    /// The beginning in the sentence's text, as a byte offset.
    pub start: usize,
    /// The end, without the whitespace after the token.
    pub end: usize,
    /// Whether the segmenter predicts a multiword token.
    pub is_multiword: bool,
}

/// Output options.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OutputOptions {
    /// Add `TokenRange=start:end` to every token, in characters of the input.
    pub token_ranges: bool,
}

impl TextSentence {
    /// Stores the form of a token in `form`. Whitespace inside a token is replaced by a single space.
    pub fn form(&self, token: &TextToken, form: &mut String) {
        form.clear();
        let text = &self.text[token.start..token.end];
        if text.contains(char::is_whitespace) {
            for part in text.split_whitespace() {
                if !form.is_empty() {
                    form.push(' ');
                }
                form.push_str(part);
            }
        } else {
            form.push_str(text);
        }
    }

    /// Appends the sentence in CoNLL-U. `split` gets a form and whether the segmenter predicts a multiword token, and fills in its words,
    /// or leaves the list empty if the token is a single word.
    pub fn write(
        &self,
        options: OutputOptions,
        split: &mut dyn FnMut(&str, bool, &mut Vec<String>),
        out: &mut String,
    ) {
        match self.start {
            Start::Document => out.push_str("# newdoc\n# newpar\n"),
            Start::Paragraph => out.push_str("# newpar\n"),
            Start::Sentence => {}
        }
        // Writing to a string cannot fail.
        let _ = writeln!(out, "# sent_id = {}", self.number);
        out.push_str("# text = ");
        let (mut form, mut words) = (String::new(), Vec::new());
        for (i, token) in self.tokens.iter().enumerate() {
            self.form(token, &mut form);
            out.push_str(&form);
            if i + 1 < self.tokens.len() && !self.spaces_after(i).is_empty() {
                out.push(' ');
            }
        }
        out.push('\n');
        let (mut number, mut counter) = (0, CharCounter { bytes: 0, chars: self.chars_before });
        for (i, token) in self.tokens.iter().enumerate() {
            self.form(token, &mut form);
            words.clear();
            split(&form, token.is_multiword, &mut words);
            if words.len() > 1 {
                let _ = write!(out, "{}-{}\t{form}\t_\t_\t_\t_\t_\t_\t_\t", number + 1, number + words.len());
                self.write_misc(i, options, &mut counter, out);
                for word in &words {
                    number += 1;
                    let _ = writeln!(out, "{number}\t{word}\t_\t_\t_\t_\t_\t_\t_\t_");
                }
            } else {
                number += 1;
                let _ = write!(out, "{number}\t{form}\t_\t_\t_\t_\t_\t_\t_\t");
                self.write_misc(i, options, &mut counter, out);
            }
        }
        out.push('\n');
    }

    /// Converts to a [`Sentence`] in the layout of CoNLL-U.
    pub fn to_sentence(
        &self,
        layout: &Arc<Layout>,
        options: OutputOptions,
        split: &mut dyn FnMut(&str, bool, &mut Vec<String>),
        sentence: &mut Sentence,
    ) {
        let mut text = String::new();
        self.write(options, split, &mut text);
        sentence.read_block(layout, text.as_bytes(), 1, &mut Vec::new());
    }

    fn spaces_after(&self, token: usize) -> &str {
        let next = self.tokens.get(token + 1).map_or(self.text.len(), |next| next.start);
        &self.text[self.tokens[token].end..next]
    }

    /// Writes the MISC cell of a token and ends the line.
    fn write_misc(&self, i: usize, options: OutputOptions, counter: &mut CharCounter, out: &mut String) {
        let token = &self.tokens[i];
        let before = out.len();
        let key = |out: &mut String, key: &str| {
            if out.len() > before {
                out.push('|');
            }
            out.push_str(key);
        };
        match self.spaces_after(i) {
            "" => key(out, "SpaceAfter=No"),
            " " => {}
            spaces => {
                key(out, "SpacesAfter=");
                escape(spaces, out);
            }
        }
        if i == 0 && !self.spaces_before.is_empty() {
            key(out, "SpacesBefore=");
            escape(&self.spaces_before, out);
        }
        let text = &self.text[token.start..token.end];
        if text.contains(char::is_whitespace) && (text.contains("  ") || text.contains(is_other_space)) {
            key(out, "SpacesInToken=");
            escape(text, out);
        }
        if options.token_ranges {
            key(out, "TokenRange=");
            let start = counter.chars_at(&self.text, token.start);
            let end = counter.chars_at(&self.text, token.end);
            let _ = write!(out, "{start}:{end}");
        }
        if out.len() == before {
            out.push('_');
        }
        out.push('\n');
    }
}

fn is_other_space(c: char) -> bool {
    c.is_whitespace() && c != ' '
}

/// Converts increasing byte offsets in a text to character offsets in the input.
struct CharCounter {
    bytes: usize,
    chars: u64,
}

impl CharCounter {
    /// The character offset of a byte offset, which must not be smaller than the previous one.
    fn chars_at(&mut self, text: &str, at: usize) -> u64 {
        self.chars += text[self.bytes..at].chars().count() as u64;
        self.bytes = at;
        self.chars
    }
}
