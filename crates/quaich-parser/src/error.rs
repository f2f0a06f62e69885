//! Why training or parsing could not begin.

use std::io;

/// The result of training, loading or saving.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why training, loading or saving failed. Parsing a sentence never fails.
///
/// ```
/// use quaich_parser::{ErrorKind, Settings};
///
/// let error = Settings::default().with("seed=minus one").unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Usage);
/// let text = "1\tCats\t_\t_\t_\t_\ttwo\t_\t_\t_\n\n";
/// let error = quaich_parser::Error::from(quaich_treebank::Treebank::from_text(text).unwrap_err());
/// assert_eq!(error.kind(), ErrorKind::Input);
/// assert_eq!(error.position().map(|position| (position.line, position.column)), Some((1, 16)));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A setting that makes no sense.
    #[error("{0}")]
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
    /// Parses cannot be compared.
    #[error(transparent)]
    Evaluation(#[from] quaich_eval::Error),
}

/// What kind of fault an error is: what a program makes of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// In what was asked for: a name that stands for nothing, a setting out of its range.
    Usage,
    /// In the data: a treebank, a feature model, an evaluation that cannot be made.
    Input,
    /// In a model file.
    Model,
    /// The operating system refused.
    Io,
}

/// Where in a file something is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position {
    /// The file.
    pub file: String,
    /// The line, counted from 1.
    pub line: u64,
    /// The column in characters, counted from 1.
    pub column: usize,
}

impl Error {
    /// What kind of fault it is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Setting(_) | Self::UnknownName(_) | Self::System(_) | Self::Features(_) | Self::Flag(_) => {
                ErrorKind::Usage
            }
            Self::Transform(error) if error.is_usage() => ErrorKind::Usage,
            Self::ModelFile { .. } => ErrorKind::Model,
            Self::Io { .. } | Self::Output(_) => ErrorKind::Io,
            Self::Read(error) | Self::Evaluation(quaich_eval::Error::Treebank(error)) => match error {
                quaich_treebank::Error::Io { .. } => ErrorKind::Io,
                quaich_treebank::Error::UnknownName(_) => ErrorKind::Usage,
                _ => ErrorKind::Input,
            },
            Self::Treebank(_) | Self::Transform(_) | Self::Evaluation(_) => ErrorKind::Input,
        }
    }

    /// Whether the fault is in what was asked for, not in the data.
    pub fn is_usage(&self) -> bool {
        self.kind() == ErrorKind::Usage
    }

    /// Where the fault is, if it is at one place of a file.
    pub fn position(&self) -> Option<Position> {
        match self {
            Self::Read(error) | Self::Evaluation(quaich_eval::Error::Treebank(error)) => match error {
                quaich_treebank::Error::Malformed { file, problem, .. } => {
                    Some(Position { file: file.clone(), line: problem.line, column: problem.column })
                }
                quaich_treebank::Error::NotText { file, line, column, .. } => {
                    Some(Position { file: file.clone(), line: *line, column: *column })
                }
                _ => None,
            },
            _ => None,
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
