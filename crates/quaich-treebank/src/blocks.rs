//! Splits bytes into blocks at blank lines, one block per sentence, without dropping any byte.
//!
//! A block runs from the end of the previous block through the blank line that ends it: leading blank lines, comments
//! and rows. Whatever follows the last sentence of a file (blank lines, comments) becomes a last block without rows.
//! Joining all blocks restores the file.

use std::io::{self, Read};

/// The most bytes that a block can have; a longer one is not from a treebank.
pub(crate) const MAX_BLOCK: usize = 1 << 28;
/// The number of bytes read at a time.
const CHUNK: usize = 1 << 17;

/// Splits a stream into blocks.
#[derive(Debug)]
pub struct Blocks<R> {
    source: R,
    buffer: Vec<u8>,
    /// The start of the part of the buffer that is filled and not yet returned.
    start: usize,
    end: usize,
    /// The line number at `start`.
    line: u64,
    /// Whether lines that start with `#` are comments, which do not make a sentence.
    comments: bool,
    exhausted: bool,
}

impl<R: Read> Blocks<R> {
    /// Creates the blocks of `source`, of which `head` has already been read.
    pub fn new(source: R, head: Vec<u8>, comments: bool) -> Self {
        let end = head.len();
        Self { source, buffer: head, start: 0, end, line: 1, comments, exhausted: false }
    }

    /// Appends the next block to `text` and returns the number of its first line, or `None` at the end of the input.
    pub fn next_into(&mut self, text: &mut Vec<u8>) -> io::Result<Option<u64>> {
        let line = self.line;
        let Some(end) = self.find_end()? else { return Ok(None) };
        text.extend_from_slice(&self.buffer[self.start..end]);
        self.start = end;
        Ok(Some(line))
    }

    /// Returns the end of the next block in the buffer, which is filled as far as needed.
    fn find_end(&mut self) -> io::Result<Option<usize>> {
        // Offsets from `start`: `fill` may move the data.
        let mut line_start = 0;
        let mut scanned = 0;
        let mut has_rows = false;
        loop {
            let pending = &self.buffer[self.start..self.end];
            for newline in memchr::memchr_iter(b'\n', &pending[scanned..]) {
                let newline = scanned + newline;
                self.line += 1;
                let content = &pending[line_start..newline];
                line_start = newline + 1;
                if is_blank(content) {
                    if has_rows {
                        return Ok(Some(self.start + line_start));
                    }
                } else {
                    has_rows |= !(self.comments && content[0] == b'#');
                }
            }
            scanned = pending.len();
            if scanned > MAX_BLOCK {
                let message = format!(
                    "line {}: no end of sentence in {MAX_BLOCK} bytes; is this a treebank?",
                    self.line
                );
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
            if self.exhausted || !self.fill()? {
                return Ok((self.end > self.start).then_some(self.end));
            }
        }
    }

    /// Reads more; returns false at the end of the input.
    fn fill(&mut self) -> io::Result<bool> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.buffer.len() < self.end + CHUNK {
            self.buffer.resize((self.end + CHUNK).max(self.buffer.len() * 3 / 2), 0);
        }
        loop {
            match self.source.read(&mut self.buffer[self.end..]) {
                Ok(0) => {
                    self.exhausted = true;
                    return Ok(false);
                }
                Ok(n) => {
                    self.end += n;
                    return Ok(true);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// Whether a line consists only of white space. Most lines are decided by their first byte.
pub(crate) fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns one byte per read: every boundary falls between two reads.
    struct Trickle<'a>(&'a [u8]);

    impl Read for Trickle<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let Some((&first, rest)) = self.0.split_first() else { return Ok(0) };
            out[0] = first;
            self.0 = rest;
            Ok(1)
        }
    }

    fn check(text: &str, expected: &[(u64, &str)]) {
        for trickle in [false, true] {
            let source: Box<dyn Read> =
                if trickle { Box::new(Trickle(text.as_bytes())) } else { Box::new(text.as_bytes()) };
            let mut blocks = Blocks::new(source, Vec::new(), true);
            let mut found = Vec::new();
            let mut block = Vec::new();
            while let Some(line) = blocks.next_into(&mut block).unwrap() {
                found.push((line, String::from_utf8(std::mem::take(&mut block)).unwrap()));
            }
            let found: Vec<(u64, &str)> = found.iter().map(|(line, text)| (*line, text.as_str())).collect();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn blocks_end_with_their_blank_line() {
        check("", &[]);
        check("1\ta\n\n1\tb\n\n", &[(1, "1\ta\n\n"), (3, "1\tb\n\n")]);
        check("1\ta\r\n\r\n1\tb", &[(1, "1\ta\r\n\r\n"), (3, "1\tb")]);
    }

    #[test]
    fn stray_lines_belong_to_the_next_sentence() {
        check("\n\n# c\n\n1\ta\n\n\n\n", &[(1, "\n\n# c\n\n1\ta\n\n"), (7, "\n\n")]);
        check("1\ta\n\n# end\n", &[(1, "1\ta\n\n"), (3, "# end\n")]);
    }
}
