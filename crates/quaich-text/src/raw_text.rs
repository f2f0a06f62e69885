//! Treebank → raw text.
//!
//! By default in the format of the CoNLL shared tasks ([`conllu_to_text.pl`](https://github.com/UniversalDependencies/tools)): tokens are
//! separated by one space or none, paragraphs and documents by a blank line, sentences are not marked, and lines may be folded. With
//! [`TextOptions::exact`], the original text is reconstructed from `SpacesBefore`, `SpacesAfter` and `SpacesInToken`.

use std::borrow::Cow;
use std::io::{self, Write};

use quaich_treebank::Sentence;

use crate::surface::{Spacing, Start, SurfaceToken, surface_tokens};

/// Options for writing text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TextOptions {
    /// Fold lines at this number of characters.
    pub fold: Option<usize>,
    /// Fold lines between any two characters except inside a word of Latin letters or digits, as is usual in Chinese and Japanese.
    pub fold_anywhere: bool,
    /// Take all whitespace from `SpacesBefore`, `SpacesAfter` and `SpacesInToken`, and do not fold lines.
    pub exact: bool,
    /// Where spaces come from. `None`: detect it from the first sentences.
    pub spacing: Option<Spacing>,
}

/// The number of sentences from which the source of spaces is detected.
const DETECTION_SENTENCES: usize = 200;

/// Writes the text of sentences; returns where the spaces came from.
pub fn write_text<E: From<io::Error>>(
    sentences: impl IntoIterator<Item = Result<Sentence, E>>,
    options: TextOptions,
    out: &mut dyn Write,
) -> Result<Spacing, E> {
    let mut sentences = sentences.into_iter();
    let mut first = Vec::new();
    if options.spacing.is_none() {
        for sentence in sentences.by_ref().take(DETECTION_SENTENCES) {
            first.push(sentence?);
        }
    }
    let spacing = options.spacing.unwrap_or_else(|| Spacing::of(&first));
    let mut writer = TextWriter::new(options, spacing);
    for sentence in first {
        writer.write(&sentence, out)?;
    }
    for sentence in sentences {
        writer.write(&sentence?, out)?;
    }
    writer.finish(out)?;
    Ok(spacing)
}

/// Writes text sentence by sentence.
#[derive(Debug)]
pub struct TextWriter {
    options: TextOptions,
    spacing: Spacing,
    /// The incomplete last line.
    line: String,
    has_begun: bool,
}

impl TextWriter {
    /// A writer at the beginning of a text.
    pub fn new(options: TextOptions, spacing: Spacing) -> Self {
        Self { options, spacing, line: String::new(), has_begun: false }
    }

    /// Writes a sentence. Its last line may be buffered until the next call.
    pub fn write(&mut self, sentence: &Sentence, out: &mut dyn Write) -> io::Result<()> {
        let mut tokens = Vec::new();
        surface_tokens(sentence, self.spacing, &mut tokens);
        if tokens.is_empty() {
            return Ok(());
        }
        if self.options.exact {
            return tokens.iter().try_for_each(|token| write_exact(token, out));
        }
        if self.has_begun && Start::of(sentence) > Start::Sentence {
            self.end_paragraph(out)?;
        }
        for (i, token) in tokens.iter().enumerate() {
            if token.starts_paragraph && (i > 0 || self.has_begun) && !self.line.is_empty() {
                self.end_paragraph(out)?;
            }
            self.line.push_str(token.form);
            if token.space_after {
                self.line.push(' ');
            }
        }
        self.has_begun = true;
        let is_open = tokens.last().is_some_and(|token| !token.space_after);
        self.write_lines(is_open, out)
    }

    /// Writes the buffered line.
    pub fn finish(mut self, out: &mut dyn Write) -> io::Result<()> {
        self.end_line(out)
    }

    fn end_paragraph(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.write_lines(false, out)?;
        self.end_line(out)?;
        out.write_all(b"\n")
    }

    fn end_line(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if !self.line.is_empty() {
            self.line.push('\n');
            out.write_all(self.line.as_bytes())?;
            self.line.clear();
        }
        Ok(())
    }

    /// Writes the complete lines of the buffer. A word longer than a line gets its own line, unless the next token continues it
    /// (`is_open`).
    fn write_lines(&mut self, is_open: bool, out: &mut dyn Write) -> io::Result<()> {
        let Some(limit) = self.options.fold else { return Ok(()) };
        let mut rest = self.line.as_str();
        let mut n_chars = rest.chars().count();
        while n_chars >= limit {
            let cut = if self.options.fold_anywhere { between(rest, limit) } else { at_space(rest, limit) };
            let Some((end, next)) = cut else {
                if !is_open {
                    writeln!(out, "{rest}")?;
                    rest = "";
                }
                break;
            };
            writeln!(out, "{}", &rest[..end])?;
            n_chars -= rest[..next].chars().count();
            rest = &rest[next..];
        }
        self.line = rest.to_owned();
        Ok(())
    }
}

/// The last space within the limit, or the first after it: the end of the line and the beginning of the next.
fn at_space(text: &str, limit: usize) -> Option<(usize, usize)> {
    let mut last = None;
    for (i, (at, c)) in text.char_indices().enumerate() {
        if i > limit && last.is_some() {
            break;
        }
        if c.is_whitespace() && at > 0 {
            last = Some((at, at + c.len_utf8()));
        }
    }
    last
}

/// The last position within the limit, or the first after it, that is not inside a word of Latin letters or digits.
fn between(text: &str, limit: usize) -> Option<(usize, usize)> {
    let is_latin = |c: char| c.is_ascii_digit() || (c.is_alphabetic() && u32::from(c) < 0x250);
    let mut last = None;
    let mut chars = text.char_indices().enumerate().peekable();
    while let Some((i, (at, c))) = chars.next() {
        if i > limit && last.is_some() {
            break;
        }
        if !chars.peek().is_some_and(|(_, (_, next))| is_latin(c) && is_latin(*next)) {
            let end = at + c.len_utf8();
            last = Some((end, end));
        }
    }
    last
}

fn write_exact(token: &SurfaceToken<'_>, out: &mut dyn Write) -> io::Result<()> {
    let value = |key: &str| token.misc.split('|').find_map(|part| part.strip_prefix(key)?.strip_prefix('='));
    if let Some(spaces) = value("SpacesBefore") {
        out.write_all(unescape(spaces).as_bytes())?;
    }
    let form = value("SpacesInToken").map_or(Cow::Borrowed(token.form), unescape);
    out.write_all(form.as_bytes())?;
    let spaces =
        value("SpacesAfter").map_or(Cow::Borrowed(if token.space_after { " " } else { "" }), unescape);
    out.write_all(spaces.as_bytes())
}

/// Escapes whitespace for the MISC column of CoNLL-U.
pub(crate) fn escape(text: &str, into: &mut String) {
    for c in text.chars() {
        match c {
            ' ' => into.push_str("\\s"),
            '\t' => into.push_str("\\t"),
            '\r' => into.push_str("\\r"),
            '\n' => into.push_str("\\n"),
            '|' => into.push_str("\\p"),
            '\\' => into.push_str("\\\\"),
            c => into.push(c),
        }
    }
}

/// Reverses [`escape`].
fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let (mut out, mut chars) = (String::with_capacity(text.len()), text.chars());
    while let Some(c) = chars.next() {
        let escaped = if c == '\\' { chars.next() } else { None };
        out.push(match escaped {
            None => c,
            Some('s') => ' ',
            Some('t') => '\t',
            Some('r') => '\r',
            Some('n') => '\n',
            Some('p') => '|',
            Some(other) => other,
        });
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use quaich_treebank::Treebank;

    use super::*;

    /// The text of sentences, which are given as words separated by spaces; `|` begins a paragraph.
    fn text(sentences: &[&str], options: TextOptions) -> String {
        let mut conllu = String::new();
        for sentence in sentences {
            let words = sentence.strip_prefix('|');
            if words.is_some() {
                conllu.push_str("# newpar\n");
            }
            conllu.push_str("# text = x\n");
            for (i, word) in words.unwrap_or(sentence).split(' ').enumerate() {
                writeln!(conllu, "{}\t{word}\t_\t_\t_\t_\t0\troot\t_\t_", i + 1).unwrap();
            }
            conllu.push('\n');
        }
        let treebank = Treebank::from_text(&conllu).unwrap();
        let mut out = Vec::new();
        write_text(treebank.iter().cloned().map(Ok::<_, io::Error>), options, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn lines_are_folded_and_paragraphs_are_separated() {
        let sentences = ["aa bb cc dd", "|ee ff", "gg hhhhhhhhhhhhhh ii"];
        let options = TextOptions::default();
        assert_eq!(text(&sentences, options), "aa bb cc dd \n\nee ff gg hhhhhhhhhhhhhh ii \n");
        let folded = text(&sentences, TextOptions { fold: Some(6), ..options });
        assert_eq!(folded, "aa bb\ncc dd\n\nee ff\ngg\nhhhhhhhhhhhhhh\nii \n");
    }

    #[test]
    fn escaping_is_reversible() {
        let mut escaped = String::new();
        escape(" \t\r\n|\\s\u{a0}", &mut escaped);
        assert_eq!(escaped, "\\s\\t\\r\\n\\p\\\\s\u{a0}");
        assert_eq!(unescape(&escaped), " \t\r\n|\\s\u{a0}");
    }
}
