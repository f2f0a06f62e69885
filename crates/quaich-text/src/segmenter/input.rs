//! A byte stream → a sliding window of text.

use std::io::Read;

/// An error while reading raw text.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// An I/O error.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The text is not UTF-8.
    #[error("line {line}, column {column}: found a byte that is not UTF-8 (byte {byte} of the text)")]
    NotUtf8 {
        /// The byte offset.
        byte: u64,
        /// The line, counted from 1.
        line: u64,
        /// The column in characters, counted from 1.
        column: u64,
    },
}

/// A sliding window over a text.
#[derive(Debug)]
pub(crate) struct Input<R> {
    read: R,
    /// Text that was read; it is checked to be UTF-8 only once.
    text: String,
    /// The beginning of the window in `text`.
    start: usize,
    /// Bytes after `text` that are not checked yet.
    unchecked: Vec<u8>,
    is_end: bool,
    /// Why the text could not be read further. Reported when the window has passed everything before.
    error: Option<InputError>,
    /// The position of the beginning of the window in the text.
    before: Position,
}

/// The minimum number of bytes to read at a time.
const READ_BYTES: usize = 1 << 16;

/// A position in a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Position {
    pub(crate) bytes: u64,
    pub(crate) chars: u64,
    lines: u64,
    /// Characters since the beginning of the line.
    column: u64,
}

impl<R: Read> Input<R> {
    /// A window at the beginning of the input.
    pub(crate) fn new(read: R) -> Self {
        let before = Position::default();
        let (text, unchecked) = (String::new(), Vec::new());
        Self { read, text, start: 0, unchecked, is_end: false, error: None, before }
    }

    /// Up to `size` bytes of text from the current position, and whether the input ends there. Text that cannot be read further ends there
    /// too; the next window is the error.
    pub(crate) fn window(&mut self, size: usize) -> Result<(&str, bool), InputError> {
        // Four more bytes, so that the last character is complete.
        let wanted = size + 4;
        while self.text.len() - self.start < wanted && !(self.is_end && self.unchecked.is_empty()) {
            self.fill(wanted);
        }
        if self.start == self.text.len()
            && let Some(error) = self.error.take()
        {
            return Err(error);
        }
        let text = &self.text[self.start..];
        let is_all = self.is_end && self.unchecked.is_empty() && text.len() <= size;
        Ok((&text[..text.floor_char_boundary(size)], is_all))
    }

    /// Whether the text ends because it cannot be read further.
    pub(crate) fn is_cut(&self) -> bool {
        self.error.is_some()
    }

    /// The position of the beginning of the window.
    pub(crate) fn position(&self) -> Position {
        self.before
    }

    /// Moves the window forward by `n` bytes.
    pub(crate) fn consume(&mut self, n: usize) {
        let end = (self.start + n).min(self.text.len());
        self.before.advance(&self.text.as_bytes()[self.start..end]);
        self.start = end;
    }

    /// Reads more text.
    fn fill(&mut self, wanted: usize) {
        self.text.drain(..self.start);
        self.start = 0;
        let kept = self.unchecked.len();
        self.unchecked.resize(kept + wanted.max(READ_BYTES), 0);
        let n = loop {
            match self.read.read(&mut self.unchecked[kept..]) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.unchecked.truncate(kept);
                    self.is_end = true;
                    self.error = Some(error.into());
                    break 0;
                }
                Ok(n) => break n,
            }
        };
        self.unchecked.truncate(kept + n);
        self.is_end |= n == 0;
        let invalid = match std::str::from_utf8(&self.unchecked) {
            Ok(text) => {
                self.text.push_str(text);
                self.unchecked.clear();
                return;
            }
            Err(error) => error,
        };
        let valid = self.unchecked.drain(..invalid.valid_up_to()).collect();
        self.text.push_str(&String::from_utf8(valid).unwrap_or_default());
        // Without a length, more bytes could complete the character.
        let is_error = invalid.error_len().is_some() || self.is_end;
        if is_error {
            let mut position = self.before;
            position.advance(self.text.as_bytes());
            let (line, column) = (position.lines + 1, position.column + 1);
            self.error.get_or_insert(InputError::NotUtf8 { byte: position.bytes, line, column });
            self.unchecked.clear();
            self.is_end = true;
        }
    }
}

impl Position {
    fn advance(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        let chars = |bytes: &[u8]| bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count() as u64;
        self.chars += chars(bytes);
        match memchr::memrchr(b'\n', bytes) {
            Some(last) => {
                self.lines += memchr::memchr_iter(b'\n', bytes).count() as u64;
                self.column = chars(&bytes[last + 1..]);
            }
            None => self.column += chars(bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_move_over_the_text() {
        let text = "añb\nc";
        for size in 2..9 {
            let (mut input, mut all) = (Input::new(text.as_bytes()), String::new());
            loop {
                let (window, is_all) = input.window(size).unwrap();
                all.push_str(window);
                let n = window.len();
                assert!(n > 0 && n <= size);
                input.consume(n);
                if is_all {
                    break;
                }
            }
            assert_eq!(all, text);
            assert_eq!(input.position(), Position { bytes: 6, chars: 5, lines: 1, column: 1 });
        }
    }

    #[test]
    fn invalid_utf8_is_reported_with_its_position() {
        for (bytes, expected) in [
            (
                &b"a\n\xc3\xa9\xff"[..],
                "line 2, column 2: found a byte that is not UTF-8 (byte 4 of the text)",
            ),
            (b"ab\xe2\x82", "line 1, column 3: found a byte that is not UTF-8 (byte 2 of the text)"),
        ] {
            let mut input = Input::new(bytes);
            let n = input.window(100).unwrap().0.len();
            assert!(input.is_cut() && n > 0);
            input.consume(n);
            assert_eq!(input.window(100).unwrap_err().to_string(), expected);
        }
    }
}
