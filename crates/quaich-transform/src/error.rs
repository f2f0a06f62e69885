//! What can go wrong with a specification or a label table.

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
    /// A chain that is too long.
    #[error("found {found} transformations, expected at most {expected}")]
    TooMany {
        /// How many there are.
        found: usize,
        /// How many there can be.
        expected: usize,
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
