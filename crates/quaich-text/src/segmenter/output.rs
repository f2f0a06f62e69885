//! Sentences of a text, and how they are written as CoNLL-U.

use std::fmt::Write;
use std::sync::Arc;

use quaich_treebank::{Layout, Sentence};

use crate::raw_text::escape;
use crate::surface::Start;

/// A sentence as the text has it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TextSentence {
    /// White space before it that belongs to no sentence.
    pub spaces_before: String,
    /// The text from its first token to the white space behind its last.
    pub text: String,
    /// Its tokens.
    pub tokens: Vec<TextToken>,
    /// What begins with it.
    pub start: Start,
    /// Its number in the text, from 1.
    pub number: u64,
    /// Characters of the input before `text`.
    pub chars_before: u64,
}

/// A token as the text has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextToken {
    /// Where it begins in the sentence's text.
    pub start: usize,
    /// Where it ends. White space up to the next token belongs to it.
    pub end: usize,
    /// Whether it stands for several words.
    pub is_multiword: bool,
}

/// How sentences are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OutputOptions {
    /// Every token gets `TokenRange=start:end` in characters of the input.
    pub token_ranges: bool,
}

impl TextSentence {
    /// The form of a token: its characters, white space within it being one space.
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

    /// Appends the sentence as a block of CoNLL-U. `split` is asked for the words of tokens, given the form and whether it seems to stand for
    /// several; it leaves the list empty for tokens that are one word.
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
        // Writing to a string does not fail.
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
        let (mut number, mut counted) = (0, Counted { bytes: 0, chars: self.chars_before });
        for (i, token) in self.tokens.iter().enumerate() {
            self.form(token, &mut form);
            words.clear();
            split(&form, token.is_multiword, &mut words);
            if words.len() > 1 {
                let _ = write!(out, "{}-{}\t{form}\t_\t_\t_\t_\t_\t_\t_\t", number + 1, number + words.len());
                self.write_misc(i, options, &mut counted, out);
                for word in &words {
                    number += 1;
                    let _ = writeln!(out, "{number}\t{word}\t_\t_\t_\t_\t_\t_\t_\t_");
                }
            } else {
                number += 1;
                let _ = write!(out, "{number}\t{form}\t_\t_\t_\t_\t_\t_\t_\t");
                self.write_misc(i, options, &mut counted, out);
            }
        }
        out.push('\n');
    }

    /// The sentence in the layout of CoNLL-U.
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

    /// Writes the last cell of a token's row, and ends the row.
    fn write_misc(&self, i: usize, options: OutputOptions, counted: &mut Counted, out: &mut String) {
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
            let start = counted.chars_at(&self.text, token.start);
            let end = counted.chars_at(&self.text, token.end);
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

/// Characters that were counted.
struct Counted {
    bytes: usize,
    chars: u64,
}

impl Counted {
    /// The characters of the input before a place of the text; places only go on.
    fn chars_at(&mut self, text: &str, at: usize) -> u64 {
        self.chars += text[self.bytes..at].chars().count() as u64;
        self.bytes = at;
        self.chars
    }
}
