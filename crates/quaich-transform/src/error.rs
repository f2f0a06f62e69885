//! What can go wrong with a specification, a file that it names, or a label table.

use quaich_treebank::UnknownName;

/// The crate's result.
pub type Result<T> = std::result::Result<T, Error>;

/// Why there is no transformation or no inverse.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A name that is not in the table.
    #[error("{0}")]
    UnknownName(#[from] UnknownName),
    /// Two options of which there can be one.
    #[error("found `{option}` after another option of `{transform}` that it cannot stand beside")]
    Twice {
        /// The second of them.
        option: String,
        /// The transformation.
        transform: &'static str,
    },
    /// A chain that is too long.
    #[error("found {found} transformations, expected at most {expected}")]
    TooMany {
        /// How many there are.
        found: usize,
        /// How many there can be.
        expected: usize,
    },
    /// A transformation that needs a file, without one.
    #[error("`{transform}` needs {what}, as in `{transform}:FILE`")]
    NoFile {
        /// The transformation.
        transform: &'static str,
        /// What the file is.
        what: &'static str,
    },
    /// A file that cannot be read.
    #[error(transparent)]
    Read(#[from] quaich_treebank::Error),
    /// A file that says something that it cannot say.
    #[error("{file}: {message}")]
    File {
        /// The file.
        file: String,
        /// What is wrong.
        message: String,
    },
    /// A frozen label table without a label that the inverse can need.
    #[error("the label table was not made for {spec}: it lacks `{label}`")]
    MissingLabel {
        /// The transformation.
        spec: String,
        /// The first missing label.
        label: String,
    },
}

impl Error {
    /// Whether the mistake is in what was asked for, and not in a file.
    pub const fn is_usage(&self) -> bool {
        !matches!(self, Self::Read(_) | Self::File { .. } | Self::MissingLabel { .. })
    }
}
