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
    bytes: Vec<u8>,
    /// The beginning of the window in `bytes`.
    start: usize,
    /// The end of the part of `bytes` that was checked to be UTF-8.
    valid: usize,
    is_end: bool,
    /// The position of the beginning of the window in the text.
    before: Position,
}

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
        Self { read, bytes: Vec::new(), start: 0, valid: 0, is_end: false, before }
    }

    /// Up to `size` bytes of text from the current position, and whether the input ends there.
    pub(crate) fn window(&mut self, size: usize) -> Result<(&str, bool), InputError> {
        self.fill(size)?;
        let text = std::str::from_utf8(&self.bytes[self.start..self.valid]).unwrap_or_default();
        let is_all = self.is_end && text.len() <= size;
        Ok((&text[..text.floor_char_boundary(size)], is_all))
    }

    /// The position of the beginning of the window.
    pub(crate) fn position(&self) -> Position {
        self.before
    }

    /// Moves the window forward by `n` bytes.
    pub(crate) fn consume(&mut self, n: usize) {
        let end = (self.start + n).min(self.valid);
        self.before.advance(&self.bytes[self.start..end]);
        self.start = end;
    }

    fn fill(&mut self, size: usize) -> Result<(), InputError> {
        // Four more bytes, so that the last character is complete.
        let wanted = size + 4;
        while !self.is_end && self.bytes.len() - self.start < wanted {
            if self.start > 0 {
                self.bytes.drain(..self.start);
                self.valid -= self.start;
                self.start = 0;
            }
            let kept = self.bytes.len();
            self.bytes.resize(wanted.max(2 * kept).max(1 << 16), 0);
            let n = loop {
                match self.read.read(&mut self.bytes[kept..]) {
                    Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                    Err(error) => {
                        self.bytes.truncate(kept);
                        return Err(error.into());
                    }
                    Ok(n) => break n,
                }
            };
            self.bytes.truncate(kept + n);
            self.is_end = n == 0;
        }
        self.validate(wanted)
    }

    /// Checks that the next `wanted` bytes are UTF-8. Later errors are reported when the window reaches them.
    fn validate(&mut self, wanted: usize) -> Result<(), InputError> {
        let end = self.bytes.len().min(self.start + wanted);
        if self.valid >= end {
            return Ok(());
        }
        match std::str::from_utf8(&self.bytes[self.valid..end]) {
            Ok(_) => self.valid = end,
            Err(error) => {
                self.valid += error.valid_up_to();
                if error.error_len().is_some() || (self.is_end && end == self.bytes.len()) {
                    let mut position = self.before;
                    position.advance(&self.bytes[self.start..self.valid]);
                    let (line, column) = (position.lines + 1, position.column + 1);
                    return Err(InputError::NotUtf8 { byte: position.bytes, line, column });
                }
            }
        }
        Ok(())
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
            let error = Input::new(bytes).window(100).unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
    }
}
