//! Why training or parsing could not begin.

use std::io;

use quaich_treebank::error::edit_distance;

/// The result of training, loading or saving.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why training, loading or saving failed. Parsing a sentence never fails.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A name that stands for nothing.
    #[error("unknown {what} `{name}`; known: {known}")]
    UnknownName {
        /// What kind of thing was named.
        what: &'static str,
        /// The name.
        name: String,
        /// The names there are, nearest first.
        known: String,
    },
    /// A setting that makes no sense.
    #[error("in the settings: {0}")]
    Setting(String),
    /// A treebank that cannot be learned from.
    #[error("{0}")]
    Treebank(String),
    /// A feature model that cannot be understood.
    #[error("in the feature model: {0}")]
    Features(#[from] quaich_features::model::ModelError),
    /// A transition system that does not exist.
    #[error("{0}")]
    System(#[from] quaich_transition::spec::SpecError),
    /// A transformation that does not exist.
    #[error(transparent)]
    Transform(#[from] quaich_transform::Error),
    /// A file that is not a model, or not one of ours.
    #[error("{file}: {reason}")]
    ModelFile {
        /// The file.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The operating system refused.
    #[error("{file}: {source}")]
    Io {
        /// The file, or what was wanted.
        file: String,
        /// What it said.
        source: io::Error,
    },
    /// Reading or writing a treebank failed.
    #[error(transparent)]
    Read(#[from] quaich_treebank::Error),
}

impl Error {
    /// An unknown name, with the known ones listed nearest first.
    pub(crate) fn unknown_name<'a>(
        what: &'static str,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let mut known: Vec<&str> = known.into_iter().collect();
        known.sort_by_key(|candidate| edit_distance(name, candidate));
        Self::UnknownName { what, name: name.to_owned(), known: known.join(", ") }
    }
}
