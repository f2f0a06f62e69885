//! Escapes text for display: characters that a terminal or an editor would interpret are made visible.
//!
//! A form or a label may contain escape sequences or characters that change the direction of text, by accident or by
//! malice; a terminal that receives them changes colours or its title, or worse, and readers see a different text.
//!
//! Output for other programs is not changed, except JSON, which can escape any character.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Whether a character is interpreted instead of shown: control characters except tabs and line ends, characters that
/// change the direction of text, other line ends, and invisible characters. The joiners U+200C and U+200D, which belong
/// to the spelling of some languages, are excluded.
pub fn is_obeyed(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control() && !matches!(c, '\t' | '\n');
    }
    matches!(c,
        // Control characters of Latin 1, the soft hyphen and the byte-order mark.
        '\u{80}'..='\u{9f}' | '\u{ad}' | '\u{feff}'
        // Marks, embeddings, overrides and isolates of the bidirectional algorithm.
        | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        // Zero-width spaces and operators, separators of lines and paragraphs, and deprecated characters.
        | '\u{200b}' | '\u{2028}' | '\u{2029}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}'
        // Annotations and tags.
        | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Returns a text with all such characters written as `\u{1b}`; the return of a `\r\n` is kept.
pub fn visible(text: &str) -> Cow<'_, str> {
    Style::People.apply(text)
}

/// How such characters are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Style {
    /// As `\u{1b}`.
    People,
    /// As `\u001b`, which means the character itself in JSON strings, the only place where it can occur.
    Json,
}

impl Style {
    fn apply(self, text: &str) -> Cow<'_, str> {
        // The common case, checked without a branch per byte.
        let is_plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\t' | b'\n');
        if text.bytes().fold(true, |plain, byte| plain & is_plain(byte)) || !text.contains(is_obeyed) {
            return Cow::Borrowed(text);
        }
        let mut shown = String::with_capacity(text.len() + 8);
        let mut rest = text.chars().peekable();
        while let Some(c) = rest.next() {
            if !is_obeyed(c) || (c == '\r' && rest.peek() == Some(&'\n')) {
                shown.push(c);
                continue;
            }
            // Writing to a string cannot fail.
            match self {
                Self::People => drop(write!(shown, "\\u{{{:x}}}", u32::from(c))),
                Self::Json => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        let _ = write!(shown, "\\u{unit:04x}");
                    }
                }
            }
        }
        Cow::Owned(shown)
    }
}

/// Escapes a text that arrives in pieces.
#[derive(Debug)]
pub(crate) struct Filter {
    style: Style,
    /// Input that has not been returned yet.
    pending: Vec<u8>,
}

/// The size up to which pieces are collected: they may be single words.
const ENOUGH: usize = 1 << 16;

impl Filter {
    pub(crate) fn new(style: Style) -> Self {
        Self { style, pending: Vec::new() }
    }

    /// Adds a piece; returns true when there is enough to process.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> bool {
        self.pending.extend_from_slice(bytes);
        self.pending.len() >= ENOUGH
    }

    /// Passes the complete part of the input to `show`: all but the beginning of a character, and a return that may be
    /// half of a line end.
    pub(crate) fn give<R>(&mut self, show: impl FnOnce(&[u8]) -> R) -> R {
        let (mut complete, text) = match std::str::from_utf8(&self.pending) {
            Ok(text) => (text.len(), Cow::Borrowed(text)),
            Err(error) => {
                // An incomplete character ends within its last three bytes.
                let is_cut = error.error_len().is_none();
                let complete = if is_cut { error.valid_up_to() } else { self.pending.len() };
                (complete, String::from_utf8_lossy(&self.pending[..complete]))
            }
        };
        let mut text = &*text;
        if let Some(before) = text.strip_suffix('\r') {
            (complete, text) = (complete - 1, before);
        }
        let shown = show(self.style.apply(text).as_bytes());
        self.pending.drain(..complete);
        shown
    }

    /// Passes the rest to `show`.
    pub(crate) fn rest<R>(&mut self, show: impl FnOnce(&[u8]) -> R) -> R {
        let text = String::from_utf8_lossy(&self.pending).into_owned();
        self.pending.clear();
        show(self.style.apply(&text).as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_in(style: Style, text: &str, expected: &str) {
        assert_eq!(style.apply(text), expected);
        for part in 1..4 {
            let (mut filter, mut shown) = (Filter::new(style), Vec::new());
            for bytes in text.as_bytes().chunks(part) {
                filter.push(bytes);
                filter.give(|bytes| shown.extend_from_slice(bytes));
            }
            filter.rest(|bytes| shown.extend_from_slice(bytes));
            assert_eq!(String::from_utf8(shown).unwrap(), expected);
        }
    }

    #[test]
    fn what_a_terminal_would_obey_can_be_seen() {
        let check = |text: &str, expected: &str| check_in(Style::People, text, expected);
        check("1\tå和\r\n\n", "1\tå和\r\n\n");
        check("a\u{1b}[31mb\u{7}\u{9b}2J", "a\\u{1b}[31mb\\u{7}\\u{9b}2J");
        check("over\rwritten\u{7f}\r", "over\\u{d}written\\u{7f}\\u{d}");
        check("abc\u{202e}fed\u{2069}\u{200f}\0", "abc\\u{202e}fed\\u{2069}\\u{200f}\\u{0}");
        check("x\u{feff}\u{2028}\u{e0041}y", "x\\u{feff}\\u{2028}\\u{e0041}y");
        // Spelling, of Persian words and of family emojis.
        check("می\u{200c}روم 👩\u{200d}👧 عربي", "می\u{200c}روم 👩\u{200d}👧 عربي");
    }

    #[test]
    fn json_stays_what_it_was() {
        check_in(
            Style::Json,
            "{\"å\": \"a\u{202e}\u{9b}\u{e0041}\"}",
            "{\"å\": \"a\\u202e\\u009b\\udb40\\udc41\"}",
        );
    }
}
