//! Strings and characters.

use memchr::memmem;

use super::Scanner;
use super::text::{char_at, is_word_start, joined_line, line_end, word_end};
use crate::language::{Body, Class, Quote, Tag};

/// The most bytes in which the end of a string with fields is searched for with regard to them.
const LONGEST_FIELDS: usize = 1024;

/// The longest delimiter in C++.
const LONGEST_DELIMITER: usize = 16;

impl Scanner<'_> {
    /// Returns the literal that starts here with a prefix of this length, if one does.
    pub(super) fn scan_quote(&mut self, prefix: usize) -> Option<(usize, Tag)> {
        let (text, rest) = self.source[self.at..].split_at(prefix);
        let inside = self.at + prefix;
        for (number, quote) in self.language.quotes.iter().enumerate() {
            let has_prefix = |known: &&str| match quote.body {
                Body::Delimiter => known.as_bytes() == text,
                _ => known.as_bytes().eq_ignore_ascii_case(text),
            };
            let opens = rest.starts_with(quote.quote.as_bytes())
                || (quote.body == Body::Hashes && rest.first() == Some(&b'#'));
            if !opens || !quote.prefixes.iter().any(has_prefix) {
                continue;
            }
            if let Some(end) = self.literal_end(number, quote, inside) {
                return Some((end, Tag::of(quote.class)));
            }
        }
        None
    }

    /// Returns the end of a literal whose opening quote is at `open`.
    fn literal_end(&mut self, number: usize, quote: &Quote, open: usize) -> Option<usize> {
        let source = self.source;
        let inside = open + quote.quote.len();
        if quote.has_lines && !self.unterminated[number] {
            let end = match quote.body {
                Body::Hashes => hashes_end(source, open),
                Body::Delimiter => delimiter_end(source, inside),
                Body::Escapes | Body::Fields => escapes_end(source, inside, quote),
            };
            // What starts no literal with hashes or a delimiter says nothing about the next one.
            let is_literal = match quote.body {
                Body::Hashes => starts_with_hashes(source, open),
                Body::Delimiter => delimiter(source, inside).is_some(),
                _ => true,
            };
            self.unterminated[number] = is_literal && end.is_none();
            if end.is_some() {
                return end;
            }
        }
        if matches!(quote.body, Body::Hashes | Body::Delimiter) {
            return None;
        }
        let one_line = Quote { has_lines: false, ..*quote };
        let fields = || if quote.body == Body::Fields { fields_end(source, inside) } else { None };
        if let Some(end) = fields().or_else(|| escapes_end(source, inside, &one_line)) {
            return Some(end);
        }
        // A string without an end takes the rest of its line, but an apostrophe may be anything.
        (quote.class == Class::String && quote.quote.len() == 1).then(|| line_end(source, inside))
    }

    /// Returns the character or lifetime of Rust that starts with the quote here.
    pub(super) fn scan_lifetime(&self) -> Option<(usize, Tag)> {
        if !self.language.lifetimes || self.source[self.at] != b'\'' {
            return None;
        }
        let inside = self.at + 1;
        if self.source.get(inside) == Some(&b'\\') {
            let line = &self.source[..line_end(self.source, inside)];
            let close = memchr::memchr(b'\'', line.get(inside + 2..)?)?;
            return Some((inside + 2 + close + 1, Tag::of(Class::Character)));
        }
        let char = char_at(self.source, inside)?;
        let after = inside + char.len_utf8();
        if self.source.get(after) == Some(&b'\'') && !matches!(char, '\'' | '\n') {
            return Some((after + 1, Tag::of(Class::Character)));
        }
        let is_lifetime = is_word_start(self.source, inside, &[]);
        is_lifetime.then(|| (word_end(self.source, inside, &[]), Tag::of(Class::Lifetime)))
    }
}

/// Returns the end of a literal with escapes, whose inside starts at `at`.
fn escapes_end(source: &[u8], mut at: usize, quote: &Quote) -> Option<usize> {
    let closing = quote.quote.as_bytes();
    loop {
        let rest = source.get(at..)?;
        at += if quote.has_lines {
            memchr::memchr2(closing[0], b'\\', rest)?
        } else {
            memchr::memchr3(closing[0], b'\\', b'\n', rest)?
        };
        match source[at] {
            b'\n' => return None,
            b'\\' => at += 1 + joined_line(source, at).max(1),
            _ if source[at..].starts_with(closing) => return Some(at + closing.len()),
            _ => at += 1,
        }
    }
}

/// Returns the end of a literal with fields in braces on one line. Strings in fields may have the same quote, as Python
/// allows since 3.12: before, a quote in a field was an error.
fn fields_end(source: &[u8], inside: usize) -> Option<usize> {
    let quote = source[inside - 1];
    let limit = source.len().min(inside + LONGEST_FIELDS);
    let (mut at, mut depth) = (inside, 0);
    while at < limit {
        match source[at] {
            b'\n' => return None,
            b'\\' => at += 1 + joined_line(source, at).max(1),
            b'{' if depth == 0 && source.get(at + 1) == Some(&b'{') => at += 2,
            b'{' => {
                depth += 1;
                at += 1;
            }
            b'}' => {
                depth = usize::saturating_sub(depth, 1);
                at += 1;
            }
            byte if byte == quote && depth == 0 => return Some(at + 1),
            byte @ (b'"' | b'\'') if depth > 0 => {
                at += 1 + memchr::memchr2(byte, b'\n', &source[at + 1..limit])? + 1;
                if source[at - 1] == b'\n' {
                    return None;
                }
            }
            _ => at += 1,
        }
    }
    None
}

/// Whether `#`s and a quote start here.
fn starts_with_hashes(source: &[u8], open: usize) -> bool {
    let hashes = source[open..].iter().take_while(|&&byte| byte == b'#').count();
    source.get(open + hashes) == Some(&b'"')
}

/// Returns the end of `##"…"##`, which starts at `open`.
fn hashes_end(source: &[u8], open: usize) -> Option<usize> {
    if !starts_with_hashes(source, open) {
        return None;
    }
    let hashes = source[open..].iter().take_while(|&&byte| byte == b'#').count();
    let mut at = open + hashes + 1;
    loop {
        at += memchr::memchr(b'"', source.get(at..)?)? + 1;
        let found = source[at..].iter().take(hashes).take_while(|&&byte| byte == b'#').count();
        if found == hashes {
            return Some(at + hashes);
        }
    }
}

/// Returns the delimiter of `"delimiter( … )delimiter"`, whose inside starts at `inside`.
fn delimiter(source: &[u8], inside: usize) -> Option<&[u8]> {
    let start = source.get(inside..)?;
    let start = &start[..start.len().min(LONGEST_DELIMITER + 1)];
    let length = memchr::memchr(b'(', start)?;
    let is_delimiter = |byte: &u8| !byte.is_ascii_whitespace() && !b"\\)\"".contains(byte);
    start[..length].iter().all(is_delimiter).then_some(&start[..length])
}

/// Returns the end of such a literal.
fn delimiter_end(source: &[u8], inside: usize) -> Option<usize> {
    let delimiter = delimiter(source, inside)?;
    let closing = [b")", delimiter, b"\""].concat();
    let body = inside + delimiter.len() + 1;
    Some(body + memmem::find(&source[body..], &closing)? + closing.len())
}
