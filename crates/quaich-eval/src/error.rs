//! Why two files cannot be compared, and where.

use std::fmt;

use quaich_treebank::{Node, Role, Sentence, counted};

/// The result of comparing two treebanks.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why two files could not be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// One of them cannot be read.
    #[error(transparent)]
    Treebank(#[from] quaich_treebank::Error),
    /// They are not the same text, or not cut in the same way.
    #[error(transparent)]
    Mismatch(Box<Mismatch>),
    /// A token of the gold standard has no head, so that nothing can be right.
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
        /// How many tokens there are.
        n_tokens: u64,
    },
    /// A scorer takes only trees with one root, and the heads of a sentence make something else.
    #[error("{at}: {reason}, expected a tree with one root{}\n  help: {HELP_TREES}", shown("in", context))]
    NotATree {
        /// A token of the sentence.
        at: Place,
        /// What the heads make.
        reason: &'static str,
        /// The sentence with the token in brackets.
        context: String,
    },
}

const HELP_TREES: &str =
    "give every token one head, and one token of the sentence the head 0; the other scorers take any heads";

const HELP_HEADS: &str =
    "name the annotated file first and the parsed one second; give every token of the annotated file a head";

/// Where two files part.
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
    /// The place in the gold standard that belongs there.
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
    /// Where a cell of a token is.
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
        /// How many tokens the sentence has.
        n_tokens: usize,
        /// The form that should follow.
        expected: String,
    },
    /// The sentence goes on.
    ExtraToken {
        /// The form that follows.
        found: String,
        /// How many tokens the sentence should have.
        n_tokens: usize,
    },
    /// The file ends too early.
    MissingSentence {
        /// How many sentences it has.
        n_sentences: u64,
        /// The form that should follow.
        expected: String,
    },
    /// The file goes on.
    ExtraSentence {
        /// The form that follows.
        found: String,
        /// How many sentences it should have.
        n_sentences: u64,
    },
    /// The characters differ, however they are cut into tokens.
    Text {
        /// What comes next in the system's file; nothing at its end.
        found: String,
        /// What comes next in the gold standard; nothing at its end.
        expected: String,
    },
}

impl Difference {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Form { n_tokens: (found, expected), .. } if found == expected => {
                "compare files with the same words in the same order; where only the encoding differs, convert one of them"
            }
            Self::Form { .. } | Self::MissingToken { .. } | Self::ExtraToken { .. } => {
                "cut both files into the same tokens and sentences, for example by parsing the gold standard itself"
            }
            Self::MissingSentence { .. } | Self::ExtraSentence { .. } => {
                "look for sentences that are missing in one of the files, or cut in two; parse the whole gold standard"
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
