//! What can go wrong with input, and where.

use std::fmt;
use std::io;

use crate::encoding::WrongBytes;
use crate::tree::Node;

/// The result of reading or writing a treebank.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a treebank could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused, or compressed data were broken.
    #[error("{file}: {source}")]
    Io {
        /// The file, `<stdin>` or `<stdout>`.
        file: String,
        /// What it said.
        source: io::Error,
    },
    /// The content is not what the format allows.
    #[error("{file}:{problem}{}", context.as_deref().map(|c| format!("\n  in: {c}")).unwrap_or_default())]
    Malformed {
        /// The file.
        file: String,
        /// The first problem.
        problem: Box<Problem>,
        /// The sentence with the token in brackets.
        context: Option<String>,
    },
    /// The content fits no format.
    #[error("{file}: the format is not recognised: {reason}; known formats: {known}")]
    UnrecognisedFormat {
        /// The file.
        file: String,
        /// What was seen.
        reason: String,
        /// The names of the formats.
        known: String,
    },
    /// A file of settings, features and the like that is larger than any of them; see [`side_file`](crate::side_file).
    #[error("{file}: found {found}, expected a text file of at most {limit} bytes")]
    TooLarge {
        /// The file.
        file: String,
        /// How many bytes there are, as far as is known.
        found: String,
        /// The most bytes there can be.
        limit: u64,
    },
    /// Such a file that is no text.
    #[error("{file}:{line}:{column}: found byte 0x{byte:02X}, expected text in UTF-8")]
    NotText {
        /// The file.
        file: String,
        /// The line, counted from 1.
        line: u64,
        /// The column in characters, counted from 1.
        column: usize,
        /// What stands there.
        byte: u8,
    },
    /// Files that should become one have different formats.
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
    /// A name that stands for nothing.
    #[error("{0}")]
    UnknownName(#[from] UnknownName),
    /// A format file that makes no sense.
    #[error("{file}: {reason}")]
    FormatFile {
        /// The format file.
        file: String,
        /// What is wrong in it.
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

    /// An [`UnknownName`], with the known ones listed nearest first.
    pub fn unknown_name<'a>(
        what: &'static str,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        Self::UnknownName(UnknownName::new(what, name, known))
    }
}

/// A name that a user gave and that stands for nothing: of a format, a system, a setting.
///
/// The errors of all crates can hold it, as the source of what they say. So a program finds it in their chain of
/// sources, however deep, and can tell a mistake in what it was asked for from one in the data:
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
    /// What kind of thing was named.
    pub what: &'static str,
    /// The name.
    pub name: String,
    /// The names there are, nearest first.
    pub known: String,
}

/// Names that stand for nothing are shown up to here, in characters.
const LONGEST: usize = 64;

impl UnknownName {
    /// The error for a name that is not among the known ones. These are listed by their [`edit_distance`] from it,
    /// those at the same distance in the order given.
    pub fn new<'a>(what: &'static str, name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        // No name is so long, but what stands in its place may be a whole file.
        let beginning: String = name.chars().take(LONGEST).collect();
        let mut known: Vec<&str> = known.into_iter().collect();
        known.sort_by_cached_key(|candidate| edit_distance(&beginning, candidate));
        let name = if beginning.len() < name.len() { beginning + "…" } else { beginning };
        Self { what, name, known: known.join(", ") }
    }
}

/// How bad a problem is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Legal but surprising.
    Warning,
    /// Not a valid file.
    Error,
}

/// One thing wrong with a file: where, what was found, what was expected and how to fix it.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Problem {
    /// The line, counted from 1.
    pub line: u64,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// How bad it is.
    pub level: Level,
    /// A stable name for this kind of problem.
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

/// Levenshtein distance, for suggesting names; quadratic, for short strings.
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
