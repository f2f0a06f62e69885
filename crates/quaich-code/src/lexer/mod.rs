//! Source code → tokens with tags, for any bytes.
//!
//! A token is a span of the file. What is between tokens is a *gap*: spaces and comments. Tokens depend only on the bytes to
//! their left and on those of the token itself, never on a grammar, so broken code has the tokens of sound code. Ends of
//! lines and indentation are tokens without text where a language gives them a meaning (see `layout`).
//!
//! Errors stay local: a literal that does not end is one line at most, and a comment that does not end is no comment.

mod directives;
mod gaps;
mod layout;
mod literals;
mod numbers;
mod text;

use rustc_hash::FxHashMap;

use crate::error::{Error, Result};
use crate::language::{Body, Class, Language, Layout, Tag};
use directives::Directive;
use layout::Lines;
use text::{char_at, is_word_start, word_end};

/// The most bytes of a source file.
pub const MOST_BYTES: usize = 1 << 28;
/// The most tokens of a source file: with these, tree-sitter takes about 2 GB. Generated files have 4 million.
pub const MOST_TOKENS: usize = 6_000_000;

/// A token: a span of the source file, and its tag.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
    /// The tag.
    pub tag: Tag,
}

impl Token {
    /// Returns the text of the token.
    pub fn text<'a>(&self, source: &'a [u8]) -> &'a [u8] {
        &source[self.start as usize..self.end as usize]
    }
}

/// Splits source files of a language into tokens.
#[derive(Debug)]
pub struct Lexer {
    language: &'static Language,
    keywords: FxHashMap<&'static [u8], Tag>,
    /// By first byte, the longest first.
    operators: Vec<Vec<(&'static [u8], Tag)>>,
    directives: FxHashMap<&'static [u8], Tag>,
    /// Whether tags are of binary operators, by tag.
    is_binary: Vec<bool>,
}

impl Lexer {
    /// Creates a lexer.
    pub fn new(language: &'static Language) -> Self {
        let mut lexer = Self {
            language,
            keywords: FxHashMap::default(),
            operators: vec![Vec::new(); 256],
            directives: FxHashMap::default(),
            is_binary: Vec::new(),
        };
        for (tag, name) in language.tags() {
            let bytes = name.as_bytes();
            lexer.is_binary.push(language.binary_operators.contains(&name));
            if language.keywords.contains(&name) {
                lexer.keywords.insert(bytes, tag);
            } else if language.operators.contains(&name) {
                lexer.operators[usize::from(bytes[0])].push((bytes, tag));
            } else if let Layout::Directives { split } = language.layout
                && split.contains(&name)
            {
                lexer.directives.insert(bytes, tag);
            }
        }
        for operators in &mut lexer.operators {
            operators.sort_by_key(|(operator, _)| std::cmp::Reverse(operator.len()));
        }
        lexer
    }

    /// Returns the language.
    pub fn language(&self) -> &'static Language {
        self.language
    }

    /// Returns the tokens of a file.
    ///
    /// # Errors
    /// [`Error::TooLarge`] for a file with more than [`MOST_BYTES`] bytes or [`MOST_TOKENS`] tokens.
    pub fn tokens(&self, source: &[u8]) -> Result<Vec<Token>> {
        if source.len() > MOST_BYTES {
            return Err(Error::TooLarge { found: source.len(), unit: "bytes", limit: MOST_BYTES });
        }
        let mut scanner = Scanner {
            lexer: self,
            language: self.language,
            source,
            at: 0,
            tokens: Vec::new(),
            directive: Directive::None,
            lines: Lines::default(),
            unterminated: vec![false; self.language.quotes.len()],
            comment_is_unterminated: false,
        };
        scanner.run()?;
        Ok(scanner.tokens)
    }
}

/// The state of splitting a file.
struct Scanner<'a> {
    lexer: &'a Lexer,
    language: &'static Language,
    source: &'a [u8],
    at: usize,
    tokens: Vec<Token>,
    directive: Directive,
    lines: Lines,
    /// Whether a literal of several lines with this quote was found not to end, so that none is searched for again.
    unterminated: Vec<bool>,
    comment_is_unterminated: bool,
}

impl Scanner<'_> {
    fn run(&mut self) -> Result<()> {
        loop {
            let gap = self.skip_gap();
            if gap.has_line_end {
                self.end_directive();
            }
            if self.at == self.source.len() {
                break;
            }
            let (end, tag) = self.scan(&gap);
            debug_assert!(end > self.at && end <= self.source.len());
            self.lay_out(&gap, tag);
            self.push(self.at, end, tag);
            self.follow_directive(tag, end);
            self.lines.count_brackets(&self.source[self.at..end]);
            self.at = end;
            if self.tokens.len() > MOST_TOKENS {
                return Err(Error::TooLarge { found: self.tokens.len(), unit: "tokens", limit: MOST_TOKENS });
            }
        }
        self.end_directive();
        self.end_lines();
        Ok(())
    }

    fn push(&mut self, start: usize, end: usize, tag: Tag) {
        let position = |at| u32::try_from(at).expect("files are smaller");
        self.tokens.push(Token { start: position(start), end: position(end), tag });
    }

    /// Adds a token without text after the last one.
    fn push_layout(&mut self, class: Class) {
        let at = self.tokens.last().map_or(0, |token| token.end as usize);
        self.push(at, at, Tag::of(class));
    }

    /// Returns the end and the tag of the token that starts here.
    fn scan(&mut self, gap: &gaps::Gap) -> (usize, Tag) {
        let byte = self.source[self.at];
        if let Some(found) = self.scan_directive(gap) {
            return found;
        }
        if byte == b'"' || byte == b'\'' {
            let found = self.scan_quote(0).or_else(|| self.scan_lifetime());
            return found.unwrap_or_else(|| self.scan_other());
        }
        if let Some((end, class)) = self.scan_number() {
            return (end, Tag::of(class));
        }
        if let Some(found) = self.scan_operator() {
            return found;
        }
        if is_word_start(self.source, self.at, self.language.identifier_bytes) {
            return self.scan_word();
        }
        self.scan_other()
    }

    /// Returns a word: a keyword, an identifier, or the prefix of a literal with its literal.
    fn scan_word(&mut self) -> (usize, Tag) {
        let extra = self.language.identifier_bytes;
        let end = word_end(self.source, self.at, extra);
        let next = self.source.get(end);
        if matches!(next, Some(b'"' | b'\'' | b'#'))
            && end - self.at <= 3
            && let Some(found) = self.scan_quote(end - self.at)
        {
            return found;
        }
        // Rust: `r#type` is an identifier.
        let has_raw = || self.language.quotes.iter().any(|quote| quote.body == Body::Hashes);
        if next == Some(&b'#')
            && &self.source[self.at..end] == b"r"
            && has_raw()
            && is_word_start(self.source, end + 1, extra)
        {
            return (word_end(self.source, end + 1, extra), Tag::of(Class::Identifier));
        }
        let keyword = self.lexer.keywords.get(&self.source[self.at..end]).copied();
        (end, keyword.unwrap_or(Tag::of(Class::Identifier)))
    }

    fn scan_operator(&self) -> Option<(usize, Tag)> {
        let rest = &self.source[self.at..];
        let candidates = &self.lexer.operators[usize::from(rest[0])];
        let (operator, tag) = candidates.iter().find(|(operator, tag)| {
            // `@interface` is not the beginning of `@interfaces`.
            let ends_in_word = operator.last().is_some_and(u8::is_ascii_alphanumeric);
            rest.starts_with(operator)
                && !(ends_in_word && word_end(rest, operator.len(), &[]) > operator.len())
                && (!self.lexer.is_binary[usize::from(tag.0)] || self.follows_operand())
        })?;
        Some((self.at + operator.len(), *tag))
    }

    /// Whether the last token ends an operand.
    fn follows_operand(&self) -> bool {
        self.tokens.last().is_some_and(|token| {
            token.tag <= Tag::of(Class::Character)
                || self.language.operand_ends.contains(&self.language.tag_name(token.tag))
        })
    }

    /// Returns a character that starts nothing, or a byte that is no text.
    fn scan_other(&self) -> (usize, Tag) {
        let length = char_at(self.source, self.at).map_or(1, char::len_utf8);
        (self.at + length, Tag::of(Class::Other))
    }
}
