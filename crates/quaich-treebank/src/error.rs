//! Errors in input, with their places.

use std::fmt;
use std::io;

use crate::encoding::WrongBytes;
use crate::tree::Node;

/// The result of reading or writing a treebank.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error in reading or writing a treebank.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An error of the operating system, or corrupt compressed data.
    #[error("{file}: {source}")]
    Io {
        /// The file, `<stdin>` or `<stdout>`.
        file: String,
        /// The cause.
        source: io::Error,
    },
    /// The content is invalid in the format.
    #[error("{file}:{problem}{}", context.as_deref().map(|c| format!("\n  in: {c}")).unwrap_or_default())]
    Malformed {
        /// The file.
        file: String,
        /// The first problem.
        problem: Box<Problem>,
        /// The sentence with the token in brackets.
        context: Option<String>,
    },
    /// The format cannot be detected.
    #[error("{file}: the format is not recognised: {reason}; known formats: {known}")]
    UnrecognisedFormat {
        /// The file.
        file: String,
        /// What was found in the file.
        reason: String,
        /// The names of the formats.
        known: String,
    },
    /// A file of settings, features or the like is too large; see [`side_file`](crate::side_file).
    #[error("{file}: found {found}, expected a text file of at most {limit} bytes")]
    TooLarge {
        /// The file.
        file: String,
        /// The number of bytes, as far as known.
        found: String,
        /// The limit in bytes.
        limit: u64,
    },
    /// A file of settings, features or the like is not text.
    #[error("{file}:{line}:{column}: found byte 0x{byte:02X}, expected text in UTF-8")]
    NotText {
        /// The file.
        file: String,
        /// The line, counted from 1.
        line: u64,
        /// The column in characters, counted from 1.
        column: usize,
        /// The invalid byte.
        byte: u8,
    },
    /// Files to be joined have different formats.
    #[error(
        "{file}: found the format {format}, expected {first} as in {first_file}; `--to` converts all to one"
    )]
    DifferentFormats {
        /// The file.
        file: String,
        /// Its format.
        format: String,
        /// The first of the files.
        first_file: String,
        /// Its format.
        first: String,
    },
    /// An unknown name.
    #[error("{0}")]
    UnknownName(#[from] UnknownName),
    /// An invalid format file.
    #[error("{file}: {reason}")]
    FormatFile {
        /// The format file.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A token that a sentence of the format cannot have; see [`SentenceBuilder`](crate::SentenceBuilder).
    #[error("token {token}: {reason}")]
    Unwritable {
        /// The token.
        token: Node,
        /// What was found and what was expected.
        reason: String,
    },
}

impl Error {
    pub(crate) fn io(file: &str, source: io::Error) -> Self {
        let file = file.to_owned();
        match source.get_ref().and_then(|inner| inner.downcast_ref::<WrongBytes>()) {
            Some(wrong) => Self::Malformed { file, problem: Box::new(wrong.problem()), context: None },
            None => Self::Io { file, source },
        }
    }

    /// Creates an [`UnknownName`] error, with the known names sorted by similarity.
    pub fn unknown_name<'a>(
        what: &'static str,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        Self::UnknownName(UnknownName::new(what, name, known))
    }
}

/// An unknown name given by the user: of a format, a system, a setting.
///
/// The errors of all crates can have it as their source. A program finds it in their chain of sources, however deep,
/// and can distinguish wrong options from wrong data:
///
/// ```
/// use std::error::Error;
/// use quaich_treebank::{UnknownName, formats::by_name};
///
/// let error = by_name("conlu").err().expect("there is no such format");
/// assert_eq!(error.to_string(), "unknown format `conlu`; known: conllu, conllx, conllup, conll09, malttab");
/// assert!(error.source().expect("what was not known").is::<UnknownName>());
/// ```
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown {what} `{name}`; known: {known}")]
pub struct UnknownName {
    /// The kind of thing that was named.
    pub what: &'static str,
    /// The name.
    pub name: String,
    /// The known names, most similar first.
    pub known: String,
}

/// The most characters of an unknown name that are shown.
const LONGEST: usize = 64;

impl UnknownName {
    /// Creates the error for an unknown name. The known names are sorted by their [`edit_distance`] from it; ties keep
    /// the given order.
    pub fn new<'a>(what: &'static str, name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        // No name is this long, but a whole file may have been given in its place.
        let beginning: String = name.chars().take(LONGEST).collect();
        let mut known: Vec<&str> = known.into_iter().collect();
        known.sort_by_cached_key(|candidate| edit_distance(&beginning, candidate));
        let name = if beginning.len() < name.len() { beginning + "…" } else { beginning };
        Self { what, name, known: known.join(", ") }
    }
}

/// The severity of a problem.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Valid but unusual.
    Warning,
    /// Invalid.
    Error,
}

/// A problem in a file: its place, what was found, what was expected and how to fix it.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Problem {
    /// The line, counted from 1.
    pub line: u64,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// The severity.
    pub level: Level,
    /// The stable name of this kind of problem.
    pub code: &'static str,
    /// What was found and what was expected.
    pub message: String,
    /// How to fix it; may be empty.
    pub help: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

/// Returns the Levenshtein distance, for suggesting names; quadratic time, for short strings.
pub fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_comes_first() {
        let error = Error::unknown_name("format", "conlu", ["malttab", "conllx", "conllu"]);
        assert_eq!(error.to_string(), "unknown format `conlu`; known: conllu, conllx, malttab");
        let error = UnknownName::new("learner", "", ["b", "aa", "a"]);
        assert_eq!(error.to_string(), "unknown learner ``; known: b, a, aa");
    }
}
