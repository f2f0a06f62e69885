//! Errors in a specification, in a file that it names, or in a label table.

use quaich_treebank::UnknownName;

/// The result type of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// An error in creating a transformation or its inverse.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An unknown name.
    #[error("{0}")]
    UnknownName(#[from] UnknownName),
    /// Two values of an option that accepts one.
    #[error("found `{option}` after another option of `{transform}`, expected one of the two")]
    Twice {
        /// The second value.
        option: String,
        /// The transformation.
        transform: &'static str,
    },
    /// A chain that is too long.
    #[error("found {found} transformations, expected at most {expected}")]
    TooMany {
        /// The number of transformations.
        found: usize,
        /// The limit.
        expected: usize,
    },
    /// A missing file.
    #[error("`{transform}` needs {what}, as in `{transform}:FILE`")]
    NoFile {
        /// The transformation.
        transform: &'static str,
        /// The kind of file.
        what: &'static str,
    },
    /// A file that cannot be read.
    #[error(transparent)]
    Read(#[from] quaich_treebank::Error),
    /// A file with invalid content.
    #[error("{file}: {message}")]
    File {
        /// The file.
        file: String,
        /// What is wrong.
        message: String,
    },
    /// A frozen label table that does not have a label needed by the inverse.
    #[error("the label table was not made for {spec}: it lacks `{label}`")]
    MissingLabel {
        /// The transformation.
        spec: String,
        /// The first missing label.
        label: String,
    },
}

impl Error {
    /// Whether the error is in the options, not in a file.
    pub const fn is_usage(&self) -> bool {
        !matches!(self, Self::Read(_) | Self::File { .. } | Self::MissingLabel { .. })
    }
}
