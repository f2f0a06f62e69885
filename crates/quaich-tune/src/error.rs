//! Errors of tuning.

use std::io;

/// The result of tuning.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of tuning. A trial that fails is no error: it is recorded, and the search goes on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A treebank that cannot be tuned on.
    #[error("{0}")]
    Treebank(String),
    /// Options that contradict each other or the treebank.
    #[error("{0}")]
    Usage(String),
    /// Settings or a feature model that cannot be trained.
    #[error(transparent)]
    Parser(#[from] quaich_parser::Error),
    /// A file of trials that is malformed or of another search.
    #[error("{file}: {reason}")]
    Journal {
        /// The file.
        file: String,
        /// What is wrong.
        reason: String,
    },
    /// An I/O error.
    #[error("{file}: {source}")]
    Io {
        /// The file.
        file: String,
        /// The error of the operating system.
        source: io::Error,
    },
}

impl Error {
    /// Whether the error is in the options rather than in the data.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Usage(_) => true,
            Self::Parser(error) => error.is_usage(),
            _ => false,
        }
    }
}
