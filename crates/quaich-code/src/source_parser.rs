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

/// Splits files of a language into tokens, and parses them by its grammar if there is one. Create one per thread.
#[derive(Debug)]
pub struct SourceParser {
    lexer: Lexer,
    grammar: Option<GrammarParser>,
    kinds: Kinds,
    tag_kinds: Vec<Kind>,
}

impl SourceParser {
    /// Creates a parser; `kinds` may have kinds already.
    ///
    /// # Errors
    /// [`Error::NoGrammar`] if this build does not have the grammar.
    pub fn new(language: &'static Language, kinds: Kinds) -> Result<Self> {
        let grammar = GrammarParser::new(language)?;
        Ok(Self { grammar: Some(grammar), ..Self::without_grammar(language, kinds) })
    }

    /// Creates a parser that only finds tokens.
    pub fn without_grammar(language: &'static Language, mut kinds: Kinds) -> Self {
        let tag_kinds = language.tags().map(|(_, name)| kinds.intern(name)).collect();
        Self { lexer: Lexer::new(language), grammar: None, kinds, tag_kinds }
    }

    /// Whether there is a grammar.
    pub fn has_grammar(&self) -> bool {
        self.grammar.is_some()
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
    /// If the file is too large, or no text, or takes too long, or if there is no grammar.
    pub fn parse(&mut self, source: &[u8]) -> Result<ParsedSource> {
        let tokens = self.tokens(source)?;
        let analysis = self.analyse(source, &tokens)?;
        Ok(ParsedSource { tokens, analysis })
    }

    /// Returns the grammar's analysis of a file with these tokens.
    ///
    /// # Errors
    /// If it takes too long, or if there is no grammar.
    pub fn analyse(&mut self, source: &[u8], tokens: &[Token]) -> Result<Analysis> {
        let language = self.lexer.language().name;
        let grammar = self.grammar.as_mut().ok_or(Error::NoGrammar { language })?;
        grammar.parse(source, tokens, &mut self.kinds)
    }

    /// Returns the names of tokens, for head rules that read them.
    pub fn names(&self, tokens: &[Token]) -> Vec<Kind> {
        tokens.iter().map(|token| self.tag_kinds[usize::from(token.tag.0)]).collect()
    }
}
