//! What is between tokens: spaces and comments.

use memchr::memmem;

use super::Scanner;
use super::text::{char_at, joined_line};
use crate::language::Layout;

/// What was found between two tokens.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gap {
    /// Whether a line ended. Line ends in comments of several lines and after a joining backslash do not count.
    pub(super) has_line_end: bool,
    /// The width of the spaces since the last line end.
    pub(super) column: usize,
}

/// The width of a tab, as Python has it.
const TAB: usize = 8;

impl Scanner<'_> {
    /// Moves to the next token.
    pub(super) fn skip_gap(&mut self) -> Gap {
        let mut gap = Gap { has_line_end: false, column: 0 };
        if self.at == 0 && self.source.starts_with(b"\xef\xbb\xbf") {
            self.at = 3;
        }
        while let Some(&byte) = self.source.get(self.at) {
            match byte {
                b'\n' => {
                    gap = Gap { has_line_end: true, column: 0 };
                    self.at += 1;
                }
                b' ' => {
                    gap.column += 1;
                    self.at += 1;
                }
                b'\t' => {
                    gap.column += TAB - gap.column % TAB;
                    self.at += 1;
                }
                b'\r' | 0x0b => self.at += 1,
                0x0c => {
                    gap.column = 0;
                    self.at += 1;
                }
                b'\\' if self.language.joins_lines && joined_line(self.source, self.at) > 0 => {
                    self.at += 1 + joined_line(self.source, self.at);
                }
                0x80.. => match char_at(self.source, self.at).filter(|char| char.is_whitespace()) {
                    Some(space) => self.at += space.len_utf8(),
                    None => break,
                },
                _ if !self.skip_comment(&mut gap) => break,
                _ => {}
            }
        }
        gap
    }

    /// Moves past a comment, if one starts here.
    fn skip_comment(&mut self, gap: &mut Gap) -> bool {
        let rest = &self.source[self.at..];
        if self.language.line_comments.iter().any(|start| rest.starts_with(start.as_bytes())) {
            self.at = self.line_comment_end();
            return true;
        }
        let Some((open, close, nests)) = self.language.block_comment else { return false };
        if self.comment_is_unterminated || !rest.starts_with(open.as_bytes()) {
            return false;
        }
        let Some(length) = block_comment_length(rest, open.as_bytes(), close.as_bytes(), nests) else {
            self.comment_is_unterminated = true;
            return false;
        };
        self.at += length;
        gap.column += length;
        true
    }

    /// Returns the end of the comment that starts here, before its line end. In C, a backslash joins lines of comments, too.
    fn line_comment_end(&self) -> usize {
        let mut at = self.at;
        let joins = matches!(self.language.layout, Layout::Directives { .. });
        loop {
            let Some(length) = memchr::memchr(b'\n', &self.source[at..]) else { return self.source.len() };
            let end = at + length;
            let before = self.source[..end].strip_suffix(b"\r").unwrap_or(&self.source[..end]);
            if !(joins && before.ends_with(b"\\")) {
                return end;
            }
            at = end + 1;
        }
    }
}

/// Returns the length of the comment at the beginning of `rest`, if it ends.
fn block_comment_length(rest: &[u8], open: &[u8], close: &[u8], nests: bool) -> Option<usize> {
    let mut at = open.len();
    if !nests {
        return Some(at + memmem::find(&rest[at..], close)? + close.len());
    }
    let mut depth = 1;
    loop {
        at += memchr::memchr2(open[0], close[0], &rest[at..])?;
        if rest[at..].starts_with(open) {
            depth += 1;
            at += open.len();
        } else if rest[at..].starts_with(close) {
            depth -= 1;
            at += close.len();
            if depth == 0 {
                return Some(at);
            }
        } else {
            at += 1;
        }
    }
}
