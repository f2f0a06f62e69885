//! The errors of training, loading and saving.

use std::io;

/// The result of training, loading or saving.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The error of training, loading or saving. Parsing a sentence never fails.
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
    /// An invalid setting.
    #[error("{0}")]
    Setting(String),
    /// A treebank that cannot be used for training.
    #[error("{0}")]
    Treebank(String),
    /// A text that cannot be used for pretraining.
    #[error("{0}")]
    Text(String),
    /// An invalid feature model.
    #[error("in the feature model: {0}")]
    Features(#[from] quaich_features::model::ModelError),
    /// An unknown name.
    #[error("{0}")]
    UnknownName(#[from] quaich_treebank::UnknownName),
    /// An invalid transition system.
    #[error("{0}")]
    System(#[from] quaich_transition::spec::SpecError),
    /// An invalid transformation.
    #[error("{0}")]
    Transform(#[from] quaich_transform::Error),
    /// An unknown flag of `MaltParser`, or an invalid value.
    #[error("{0}")]
    Flag(#[from] quaich_treebank::FlagError),
    /// A file that is not a valid model.
    #[error("{file}: {reason}")]
    ModelFile {
        /// The file.
        file: String,
        /// The reason.
        reason: String,
    },
    /// An I/O error.
    #[error("{file}: {source}")]
    Io {
        /// The file or resource.
        file: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// Output could not be written; a [`Sink`](quaich_treebank::Sink) names the file.
    #[error("{0}")]
    Output(#[source] io::Error),
    /// Reading or writing a treebank failed.
    #[error(transparent)]
    Read(#[from] quaich_treebank::Error),
    /// Raw text that is not UTF-8.
    #[error(
        "{file}:{line}:{column}: found a byte that is not UTF-8 (byte {byte} of the text)\n  help: name the encoding with --encoding, or replace invalid bytes with --lossy"
    )]
    NotUtf8 {
        /// The file.
        file: String,
        /// The line, counted from 1.
        line: u64,
        /// The column in characters, counted from 1.
        column: usize,
        /// The number of bytes before it.
        byte: u64,
    },
    /// Raw text for a model without tokenizer.
    #[error(
        "the model has no tokenizer: it parses words that are given one per line, with columns separated by tabs"
    )]
    NoTokenizer,
    /// A progress callback or an observer stopped the work. Training that is stopped after it has learned a model returns the model
    /// instead.
    #[error("stopped")]
    Stopped,
    /// Parses that cannot be compared.
    #[error(transparent)]
    Evaluation(#[from] quaich_eval::Error),
}

/// The kind of an error, by which a program decides how to report it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The request is invalid: an unknown name, a setting out of range.
    Usage,
    /// The data are invalid: a treebank, a feature model, an evaluation.
    Input,
    /// A model file is invalid.
    Model,
    /// The operating system reported an error.
    Io,
    /// A callback stopped the work.
    Stopped,
}

/// A position in a file.
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
    /// The kind of the error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Setting(_) | Self::UnknownName(_) | Self::System(_) | Self::Features(_) | Self::Flag(_) => {
                ErrorKind::Usage
            }
            Self::Transform(error) if error.is_usage() => ErrorKind::Usage,
            Self::ModelFile { .. } => ErrorKind::Model,
            Self::Stopped => ErrorKind::Stopped,
            Self::Io { .. } | Self::Output(_) => ErrorKind::Io,
            Self::Read(error) | Self::Evaluation(quaich_eval::Error::Treebank(error)) => match error {
                quaich_treebank::Error::Io { .. } => ErrorKind::Io,
                quaich_treebank::Error::UnknownName(_) => ErrorKind::Usage,
                _ => ErrorKind::Input,
            },
            Self::Treebank(_)
            | Self::Text(_)
            | Self::Transform(_)
            | Self::Evaluation(_)
            | Self::NotUtf8 { .. }
            | Self::NoTokenizer => ErrorKind::Input,
        }
    }

    /// Whether the request is invalid, not the data.
    pub fn is_usage(&self) -> bool {
        self.kind() == ErrorKind::Usage
    }

    /// The position of the error, if it is in a file.
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
            Self::NotUtf8 { file, line, column, .. } => {
                Some(Position { file: file.clone(), line: *line, column: *column })
            }
            _ => None,
        }
    }
}

/// Nothing if the work was stopped.
pub(crate) fn unless_stopped<T>(result: Result<T>) -> Result<Option<T>> {
    match result {
        Err(Error::Stopped) => Ok(None),
        result => result.map(Some),
    }
}

/// An unknown name, with the known names, most similar first.
pub(crate) fn unknown_name<'a>(
    what: &'static str,
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Error {
    quaich_treebank::UnknownName::new(what, name, known).into()
}
