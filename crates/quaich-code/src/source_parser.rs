//! Source files → tokens and trees: a lexer and a grammar together.

use crate::error::{Error, Result};
use crate::grammar::{Analysis, GrammarParser};
use crate::language::Language;
use crate::lexer::{Lexer, Token};
use crate::tree::{Kind, Kinds};

/// The most bytes in which a NUL byte is searched for, to recognise files that are no text.
const BEGINNING: usize = 8000;

/// A parsed file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParsedSource {
    /// The tokens.
    pub tokens: Vec<Token>,
    /// The tree over them.
    pub analysis: Analysis,
}

/// Parses files of a language by its grammar. Create one per thread.
#[derive(Debug)]
pub struct SourceParser {
    lexer: Lexer,
    grammar: GrammarParser,
    kinds: Kinds,
    tag_kinds: Vec<Kind>,
}

impl SourceParser {
    /// Creates a parser; `kinds` may have kinds already.
    ///
    /// # Errors
    /// [`Error::NoGrammar`] if this build does not have the grammar.
    pub fn new(language: &'static Language, mut kinds: Kinds) -> Result<Self> {
        let grammar = GrammarParser::new(language)?;
        let tag_kinds = language.tags().map(|(_, name)| kinds.intern(name)).collect();
        Ok(Self { lexer: Lexer::new(language), grammar, kinds, tag_kinds })
    }

    /// Returns the language.
    pub fn language(&self) -> &'static Language {
        self.lexer.language()
    }

    /// Returns the kinds of all trees so far.
    pub fn kinds(&self) -> &Kinds {
        &self.kinds
    }

    /// Returns the kinds, to add some.
    pub fn kinds_mut(&mut self) -> &mut Kinds {
        &mut self.kinds
    }

    /// Returns the kind of roots.
    pub fn root_kind(&mut self) -> Kind {
        self.kinds.intern(self.lexer.language().root)
    }

    /// Returns the tokens of a file.
    ///
    /// # Errors
    /// If the file is too large, or no text.
    pub fn tokens(&self, source: &[u8]) -> Result<Vec<Token>> {
        let beginning = &source[..source.len().min(BEGINNING)];
        match memchr::memchr(0, beginning) {
            Some(at) => Err(Error::Binary { at }),
            None => self.lexer.tokens(source),
        }
    }

    /// Parses a file.
    ///
    /// # Errors
    /// If the file is too large, or no text, or takes too long.
    pub fn parse(&mut self, source: &[u8]) -> Result<ParsedSource> {
        let tokens = self.tokens(source)?;
        let analysis = self.grammar.parse(source, &tokens, &mut self.kinds)?;
        Ok(ParsedSource { tokens, analysis })
    }

    /// Returns the names of tokens, for head rules that read them.
    pub fn names(&self, tokens: &[Token]) -> Vec<Kind> {
        tokens.iter().map(|token| self.tag_kinds[usize::from(token.tag.0)]).collect()
    }
}
