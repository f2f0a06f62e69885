//! Directives of the preprocessor of C: `#define NAME(parameters) body`.
//!
//! The body of a macro, and the rest of a directive that is not split, is one token. A LINE token ends a directive, because
//! its end says where code begins again.

use super::Scanner;
use super::gaps::Gap;
use super::text::{joined_line, line_end, word_end};
use crate::language::{Class, Layout, Tag};

/// What is next on the line of a directive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Directive {
    /// There is no directive.
    None,
    /// Tokens as anywhere.
    Tokens,
    /// The name of a macro.
    Name,
    /// The parameters of a macro.
    Parameters,
    /// The body of a macro.
    Body,
    /// The name of a header.
    Header,
}

impl Scanner<'_> {
    /// Returns the part of a directive that is here, if it is no token as anywhere.
    pub(super) fn scan_directive(&self, gap: &Gap) -> Option<(usize, Tag)> {
        if !matches!(self.language.layout, Layout::Directives { .. }) {
            return None;
        }
        let rest = &self.source[self.at..];
        match self.directive {
            Directive::None if rest[0] == b'#' && (gap.has_line_end || self.tokens.is_empty()) => {
                let blanks = rest[1..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
                let end = word_end(rest, 1 + blanks, &[]);
                if end == 1 + blanks {
                    return None;
                }
                let name = [b"#", &rest[1 + blanks..end]].concat();
                let tag = self.lexer.directives.get(name.as_slice()).copied();
                Some((self.at + end, tag.unwrap_or(Tag::of(Class::Directive))))
            }
            Directive::Body => Some((self.macro_body_end(), Tag::of(Class::MacroBody))),
            Directive::Header if rest[0] == b'<' => {
                let line = &rest[..line_end(self.source, self.at) - self.at];
                let length = memchr::memchr(b'>', line)? + 1;
                Some((self.at + length, Tag::of(Class::String)))
            }
            _ => None,
        }
    }

    /// Decides what follows a token that ends at `end`.
    pub(super) fn follow_directive(&mut self, tag: Tag, end: usize) {
        let Layout::Directives { split } = self.language.layout else { return };
        self.directive = match self.directive {
            Directive::None => {
                let name = self.language.tag_name(tag);
                if tag == Tag::of(Class::Directive) {
                    Directive::Body
                } else if !split.contains(&name) {
                    Directive::None
                } else if name == "#define" {
                    Directive::Name
                } else if name == "#include" {
                    Directive::Header
                } else {
                    Directive::Tokens
                }
            }
            // Parameters follow the name without a space.
            Directive::Name if self.source.get(end) == Some(&b'(') => Directive::Parameters,
            Directive::Name => Directive::Body,
            Directive::Parameters if &self.source[self.at..end] == b")" => Directive::Body,
            Directive::Header => Directive::Tokens,
            same => same,
        };
    }

    /// Ends the directive, if there is one.
    pub(super) fn end_directive(&mut self) {
        if self.directive != Directive::None {
            self.directive = Directive::None;
            self.push_layout(Class::Line);
        }
    }

    /// Returns the end of the macro body that starts here: before a comment, or before the spaces at the end of the line.
    fn macro_body_end(&self) -> usize {
        let mut at = self.at;
        // The byte after the last one that is no space.
        let mut end = self.at + 1;
        // Quotes that do not close on this line are no quotes.
        let mut is_quote = [true, true];
        while let Some(&byte) = self.source.get(at) {
            match byte {
                b'\n' => break,
                b'/' if at > self.at && matches!(self.source.get(at + 1), Some(b'/' | b'*')) => break,
                b'\\' if joined_line(self.source, at) > 0 => {
                    at += 1 + joined_line(self.source, at);
                    continue;
                }
                b'"' | b'\'' if is_quote[usize::from(byte == b'"')] => match self.closing_quote(at) {
                    Some(close) => {
                        at = close + 1;
                        end = at;
                        continue;
                    }
                    None => is_quote[usize::from(byte == b'"')] = false,
                },
                _ => {}
            }
            at += 1;
            if !byte.is_ascii_whitespace() {
                end = at;
            }
        }
        end
    }

    /// Returns the place of the quote that closes the one at a byte, on the same line.
    fn closing_quote(&self, open: usize) -> Option<usize> {
        let mut at = open + 1;
        loop {
            match *self.source.get(at)? {
                b'\n' => return None,
                b'\\' => at += 2,
                byte if byte == self.source[open] => return Some(at),
                _ => at += 1,
            }
        }
    }
}
