//! Errors in comparing two files, with their places.

use std::fmt;

use quaich_treebank::{Node, Role, Sentence, counted};

/// The result of comparing two treebanks.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error in comparing two files.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be read.
    #[error(transparent)]
    Treebank(#[from] quaich_treebank::Error),
    /// The files have different text, or different tokens or sentences.
    #[error(transparent)]
    Mismatch(Box<Mismatch>),
    /// A token of the gold standard has no head.
    #[error(
        "{at}: the token has no head, expected one in the gold standard{}\n  help: {HELP_HEADS}",
        shown("in", context)
    )]
    NoGoldHead {
        /// The token.
        at: Place,
        /// Its sentence with the token in brackets.
        context: String,
    },
    /// The gold standard has no sentences.
    #[error("{file}: the file has no sentences, expected a gold standard to score by")]
    NoSentences {
        /// The gold standard.
        file: String,
    },
    /// No token of the gold standard is scored.
    #[error(
        "{file}: no token is scored, expected some that are not punctuation: found {}\n  help: score punctuation too (`--punct keep`, or another scorer)",
        counted(usize::try_from(*n_tokens).unwrap_or(usize::MAX), "token")
    )]
    NothingScored {
        /// The gold standard.
        file: String,
        /// The number of tokens.
        n_tokens: u64,
    },
    /// A scorer requires trees with one root, and a sentence has other heads.
    #[error("{at}: {reason}, expected a tree with one root{}\n  help: {HELP_TREES}", shown("in", context))]
    NotATree {
        /// A token of the sentence.
        at: Place,
        /// What is wrong with the heads.
        reason: &'static str,
        /// The sentence with the token in brackets.
        context: String,
    },
}

const HELP_TREES: &str =
    "give every token one head, and one token of the sentence the head 0; the other scorers take any heads";

const HELP_HEADS: &str =
    "name the annotated file first and the parsed one second; give every token of the annotated file a head";

/// The place where two files differ.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "{system}: {difference}, as in {gold}{}{}\n  help: {}",
    shown("in", system_context),
    shown("gold", gold_context),
    difference.help()
)]
pub struct Mismatch {
    /// Where the system's file differs.
    pub system: Place,
    /// The corresponding place in the gold standard.
    pub gold: Place,
    /// How they differ.
    pub difference: Difference,
    /// The system's sentence with the token in brackets; may be empty.
    pub system_context: String,
    /// The sentence of the gold standard with the token in brackets; may be empty.
    pub gold_context: String,
}

/// A place in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The file.
    pub file: String,
    /// The line, counted from 1; for the end of the file, the line after the last.
    pub line: u64,
    /// The column in characters, counted from 1.
    pub column: usize,
}

impl Place {
    /// Returns the place of a token's cell.
    pub(crate) fn of(file: &str, sentence: &Sentence, token: Node, role: Role) -> Self {
        let column = sentence.layout().position(role).unwrap_or(0);
        Self {
            file: file.to_owned(),
            line: sentence.line_of(token),
            column: sentence.column_of(token, column),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// How the system's file differs from the gold standard.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Difference {
    /// A token has another form.
    Form {
        /// The system's.
        found: String,
        /// The gold standard's.
        expected: String,
        /// The number of tokens in the system's sentence and in the gold standard's.
        n_tokens: (usize, usize),
    },
    /// The sentence ends too early.
    MissingToken {
        /// The number of tokens of the sentence.
        n_tokens: usize,
        /// The form that should follow.
        expected: String,
    },
    /// The sentence ends too late.
    ExtraToken {
        /// The form that follows.
        found: String,
        /// The expected number of tokens.
        n_tokens: usize,
    },
    /// The file ends too early.
    MissingSentence {
        /// The number of sentences.
        n_sentences: u64,
        /// The form that should follow.
        expected: String,
    },
    /// The file ends too late.
    ExtraSentence {
        /// The form that follows.
        found: String,
        /// The expected number of sentences.
        n_sentences: u64,
    },
    /// The characters differ, regardless of tokenisation.
    Text {
        /// The next characters of the system's file; empty at its end.
        found: String,
        /// The next characters of the gold standard; empty at its end.
        expected: String,
    },
}

impl Difference {
    /// Returns how to fix it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Form { n_tokens: (found, expected), .. } if found == expected => {
                "compare files with the same words in the same order; if only the encoding differs, convert one of them"
            }
            Self::Form { .. } | Self::MissingToken { .. } | Self::ExtraToken { .. } => {
                "to score what was parsed from raw text, use --scorer ud; otherwise parse the gold standard itself, so that both files have the same tokens and sentences"
            }
            Self::MissingSentence { .. } | Self::ExtraSentence { .. } => {
                "check for sentences that are missing in one of the files, or split; parse the whole gold standard"
            }
            Self::Text { .. } => "compare two analyses of the same text; only white space may differ",
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Form { found, expected, n_tokens: (here, there) } => {
                write!(f, "found the form `{found}`")?;
                if here != there {
                    write!(f, " in a sentence of {}", counted(*here, "token"))?;
                }
                write!(f, ", expected `{expected}`")?;
                if here != there {
                    write!(f, " in one of {there}")?;
                }
                Ok(())
            }
            Self::MissingToken { n_tokens, expected } => {
                write!(
                    f,
                    "the sentence ends after {}, expected `{expected}` next",
                    counted(*n_tokens, "token")
                )
            }
            Self::ExtraToken { found, n_tokens } => {
                let tokens = counted(*n_tokens, "token");
                write!(f, "found the form `{found}`, expected the end of the sentence after {tokens}")
            }
            Self::MissingSentence { n_sentences, expected } => {
                let sentences = counted(*n_sentences, "sentence");
                write!(f, "the file has {sentences}, expected another one beginning with `{expected}`")
            }
            Self::ExtraSentence { found, n_sentences } => {
                let sentences = counted(*n_sentences, "sentence");
                write!(
                    f,
                    "found a sentence beginning with `{found}`, expected the end of the file after {sentences}"
                )
            }
            Self::Text { found, expected } => {
                let shown = |text: &str| {
                    if text.is_empty() {
                        "the end of the text".to_owned()
                    } else {
                        format!("the text `{text}`")
                    }
                };
                write!(f, "found {}, expected {}", shown(found), shown(expected))
            }
        }
    }
}

fn shown(name: &str, context: &str) -> String {
    if context.is_empty() { String::new() } else { format!("\n  {name}: {context}") }
}
