//! Why training or parsing could not begin.

use std::io;

/// The result of training, loading or saving.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why training, loading or saving failed. Parsing a sentence never fails.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A setting that makes no sense.
    #[error("in the settings: {0}")]
    Setting(String),
    /// A treebank that cannot be learned from.
    #[error("{0}")]
    Treebank(String),
    /// A feature model that cannot be understood.
    #[error("in the feature model: {0}")]
    Features(#[from] quaich_features::model::ModelError),
    /// A name that stands for nothing.
    #[error("{0}")]
    UnknownName(#[from] quaich_treebank::UnknownName),
    /// A transition system that does not exist.
    #[error("{0}")]
    System(#[from] quaich_transition::spec::SpecError),
    /// A transformation that does not exist.
    #[error("{0}")]
    Transform(#[from] quaich_transform::Error),
    /// A flag of `MaltParser`'s that does not exist, or a value that it cannot have.
    #[error("{0}")]
    Flag(#[from] quaich_treebank::FlagError),
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
    /// Output could not be written; a [`Sink`](quaich_treebank::Sink) says which.
    #[error("{0}")]
    Output(#[source] io::Error),
    /// Reading or writing a treebank failed.
    #[error(transparent)]
    Read(#[from] quaich_treebank::Error),
}

impl Error {
    /// Whether the fault is in what was asked for, not in the data: a name that stands for nothing, a
    /// setting out of its range.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Setting(_) | Self::UnknownName(_) | Self::System(_) | Self::Features(_) | Self::Flag(_) => {
                true
            }
            Self::Transform(error) => error.is_usage(),
            _ => false,
        }
    }
}

/// An unknown name, with the known ones listed nearest first.
pub(crate) fn unknown_name<'a>(
    what: &'static str,
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Error {
    quaich_treebank::UnknownName::new(what, name, known).into()
}
