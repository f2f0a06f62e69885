//! Errors of this crate.

use quaich_treebank::UnknownName;

/// The result of a conversion.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error in source code, bracketed trees or head rules.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An error in reading or writing files.
    #[error(transparent)]
    Treebank(#[from] quaich_treebank::Error),
    /// Invalid content of a text file.
    #[error("{file}:{line}:{column}: {reason}")]
    Malformed {
        /// The file.
        file: String,
        /// The line, counted from 1.
        line: u64,
        /// The column in characters, counted from 1.
        column: usize,
        /// What was found and what was expected.
        reason: String,
    },
    /// A source file that is too large.
    #[error("found {found} {unit}, expected at most {limit} in a source file")]
    TooLarge {
        /// How much there is.
        found: usize,
        /// Of what: bytes or tokens.
        unit: &'static str,
        /// The most that is read.
        limit: usize,
    },
    /// A file that is no text.
    #[error("found a NUL byte at offset {at}, expected source code")]
    Binary {
        /// The place of the byte, counted from 0.
        at: usize,
    },
    /// A file whose language is not known.
    #[error("{file}: the extension tells no language; known: {known}")]
    UnknownExtension {
        /// The file.
        file: String,
        /// The languages with their extensions.
        known: String,
    },
    /// A language whose grammar this program does not have.
    #[error(
        "the grammar of {language} is not part of this program; it was built without the feature `{language}`"
    )]
    NoGrammar {
        /// The language.
        language: &'static str,
    },
    /// A grammar that the parser cannot run, or that gave up.
    #[error("the grammar of {language} failed: {reason}")]
    Grammar {
        /// The language.
        language: &'static str,
        /// Why.
        reason: String,
    },
    /// An unknown name of a language or a head rule.
    #[error(transparent)]
    UnknownName(#[from] UnknownName),
    /// A sentence without what is needed to print the source file.
    #[error("token {token}: {reason}")]
    NotSource {
        /// The token, counted from 1; 0 for the comments before the first token.
        token: usize,
        /// What was found and what was expected.
        reason: String,
    },
}
