//! Text as it may be shown on a terminal: what a terminal would obey becomes something to look at.
//!
//! A form or a label may hold escape sequences, by accident or by malice; a terminal that gets them raw changes
//! colours, its title, or worse.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Whether a terminal would obey a character instead of showing it: the control characters of ASCII and of Latin 1,
/// less tabs and line ends.
fn is_obeyed(c: char) -> bool {
    c.is_control() && c != '\t' && c != '\n'
}

/// A text with all such characters written as `\u{1b}`; the return of a `\r\n` stays.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if is_obeyed(c) && !(c == '\r' && rest.peek() == Some(&'\n')) {
            // Writing to a string cannot fail.
            let _ = write!(shown, "\\u{{{:x}}}", u32::from(c));
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// A stream to a terminal, made visible.
#[derive(Debug)]
pub(crate) struct Visible<W> {
    out: W,
    /// The beginning of a character, or a return that may be half of a line end.
    pending: Vec<u8>,
}

impl<W: Write> Visible<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { out, pending: Vec::new() }
    }
}

impl<W: Write> Write for Visible<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.pending.extend_from_slice(bytes);
        let mut complete = self.pending.len();
        // A character that is not complete ends within its last three bytes.
        if let Err(error) = std::str::from_utf8(&self.pending)
            && error.error_len().is_none()
        {
            complete = error.valid_up_to();
        }
        if self.pending[..complete].ends_with(b"\r") {
            complete -= 1;
        }
        let text = String::from_utf8_lossy(&self.pending[..complete]);
        self.out.write_all(visible(&text).as_bytes())?;
        self.pending.drain(..complete);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let text = String::from_utf8_lossy(&self.pending).into_owned();
        self.out.write_all(visible(&text).as_bytes())?;
        self.pending.clear();
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(visible(text), expected);
        for part in 1..4 {
            let mut stream = Visible::new(Vec::new());
            for bytes in text.as_bytes().chunks(part) {
                stream.write_all(bytes).unwrap();
            }
            stream.flush().unwrap();
            assert_eq!(String::from_utf8(stream.out).unwrap(), expected);
        }
    }

    #[test]
    fn what_a_terminal_would_obey_can_be_seen() {
        check("1\tå和\r\n\n", "1\tå和\r\n\n");
        check("a\u{1b}[31mb\u{7}\u{9b}2J", "a\\u{1b}[31mb\\u{7}\\u{9b}2J");
        check("over\rwritten\u{7f}\r", "over\\u{d}written\\u{7f}\\u{d}");
    }
}
