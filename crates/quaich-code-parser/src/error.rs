//! Errors of this crate.

/// The result of reading or parsing source files.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error in training on source code, or in parsing it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be read as source code.
    #[error(transparent)]
    Code(#[from] quaich_code::Error),
    /// An error of the parser, or in a model file.
    #[error(transparent)]
    Parser(#[from] quaich_parser::Error),
    /// A model that says nothing about source code.
    #[error(
        "{file}: the model does not say which programming language it parses; train it with `quaich code train`, or name the language with --language"
    )]
    NotOfCode {
        /// The model file.
        file: String,
    },
    /// A model with an attribute that this version cannot read.
    #[error("{file}: found `{value}` as {name}, expected {expected}")]
    Attribute {
        /// The model file.
        file: String,
        /// The name of the attribute.
        name: &'static str,
        /// What was found.
        value: String,
        /// What was expected.
        expected: &'static str,
    },
    /// A file that is too long for a model.
    #[error("found {found} tokens, expected at most {limit} in a file that a model parses")]
    TooLong {
        /// The number of tokens.
        found: usize,
        /// The largest number.
        limit: usize,
    },
    /// There is no model where one is needed.
    #[error("the grammar of {language} is not part of this program, and there is no model to parse with")]
    NothingToParseWith {
        /// The language.
        language: &'static str,
    },
}

impl From<quaich_treebank::Error> for Error {
    fn from(error: quaich_treebank::Error) -> Self {
        Self::Code(error.into())
    }
}
