//! Errors, where they are and what they are: the words and contexts in which most of them occur, the sentences that have most, and the
//! kinds that are most frequent. This is what the scorers of CoNLL-X and 2007 print after their tables.
//!
//! Contexts are the gold standard's words and parts of speech, scored or not. All that have the same count as the last of a list
//! are in the list.

mod contexts;
mod kinds;
mod local;
mod ranking;
mod text;
mod worst;

pub use contexts::ContextErrors;
pub use kinds::{FrequentError, SharedContext};
pub use local::LocalContext;
pub use worst::{SentenceErrors, WorstSentences};

use quaich_treebank::{Node, Sentence};
use serde::Serialize;

use super::report::Named;
use crate::analysis::Verdict;
use crate::attachment::Attachment;
use contexts::Contexts;
use kinds::Kinds;
use worst::Worst;

/// The errors of a system while they are counted.
#[derive(Default, Debug)]
pub(super) struct Errors {
    contexts: Contexts,
    kinds: Kinds,
    worst: Worst,
}

impl Errors {
    /// Counts the errors of a sentence: the verdicts on its scored tokens.
    pub(super) fn add(
        &mut self,
        gold: &Sentence,
        system: &Sentence,
        tag_column: Option<usize>,
        verdicts: &[(Node, Verdict)],
    ) {
        let surroundings = Surroundings { sentence: gold, tag_column };
        let mut in_sentence = Attachment::default();
        for &(token, verdict) in verdicts {
            if !verdict.both() {
                in_sentence.add(verdict);
                self.contexts.add(surroundings, token, verdict);
                self.kinds.add(surroundings, system, token, verdict);
            }
        }
        self.worst.add(gold, in_sentence);
    }

    /// What is told of them; `tags` are all parts of speech of scored tokens.
    pub(super) fn report<'a>(self, tags: impl Iterator<Item = &'a str>) -> ErrorReport {
        let (focus_words, contexts) = self.contexts.most_frequent();
        let frequent = self.kinds.most_frequent();
        ErrorReport {
            focus_words,
            contexts,
            worst: self.worst.found(),
            shared: kinds::shared(&frequent),
            frequent,
            widest_tag: tags.map(|tag| tag.chars().count()).max().unwrap_or(0),
        }
    }
}

/// Where errors are and what they are. Of all counts, the tokens are those with an error.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ErrorReport {
    /// The words with most errors, as `form / tag`.
    #[serde(serialize_with = "as_errors")]
    pub focus_words: Vec<(String, Attachment)>,
    /// What stands before and behind errors.
    pub contexts: Vec<ContextErrors>,
    /// The sentences with most errors.
    #[serde(rename = "worst_sentences")]
    pub worst: WorstSentences,
    /// The most frequent kinds of errors.
    #[serde(rename = "frequent_errors")]
    pub frequent: Vec<FrequentError>,
    /// Contexts that several of these have.
    #[serde(skip)]
    pub shared: Vec<SharedContext>,
    /// How long parts of speech are, at most.
    #[serde(skip)]
    widest_tag: usize,
}

/// Errors of a word or in a context.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
pub(super) struct ErrorCounts {
    /// Tokens with an error.
    any: u64,
    /// Those with another head.
    head: u64,
    /// Those with another label.
    label: u64,
    /// Those with both.
    both: u64,
}

impl From<Attachment> for ErrorCounts {
    fn from(counts: Attachment) -> Self {
        let Attachment { tokens, heads, labels, .. } = counts;
        let both = super::report::both_wrong(counts);
        Self { any: tokens, head: tokens - heads, label: tokens - labels, both }
    }
}

fn as_errors<S: serde::Serializer>(rows: &[(String, Attachment)], serializer: S) -> Result<S::Ok, S::Error> {
    Named(rows, ErrorCounts::from).serialize(serializer)
}

/// A sentence that tells what stands around a token.
#[derive(Clone, Copy, Debug)]
struct Surroundings<'a> {
    sentence: &'a Sentence,
    tag_column: Option<usize>,
}

impl<'a> Surroundings<'a> {
    /// The part of speech and the form at so many places from a token; none outside the sentence.
    fn word(self, token: Node, offset: i64) -> Word<'a> {
        let at = i64::from(token.0) + offset;
        let inside = u32::try_from(at).ok().filter(|&at| at > 0 && at as usize <= self.sentence.n_tokens());
        match inside.map(Node) {
            Some(node) => Word::Token {
                tag: self.tag_column.map_or("_", |column| self.sentence.cell(node, column)),
                form: self.sentence.form(node),
            },
            None => Word::Outside(if at <= 0 { ".S" } else { ".E" }),
        }
    }
}

/// What stands at a place: a token, or the mark of what is before or behind a sentence.
#[derive(Clone, Copy, Debug)]
enum Word<'a> {
    Token { tag: &'a str, form: &'a str },
    Outside(&'a str),
}

impl<'a> Word<'a> {
    fn tag(self) -> &'a str {
        match self {
            Self::Token { tag, .. } => tag,
            Self::Outside(mark) => mark,
        }
    }

    fn form(self) -> &'a str {
        match self {
            Self::Token { form, .. } => form,
            Self::Outside(mark) => mark,
        }
    }

    /// As lists name it.
    fn name(self) -> String {
        match self {
            Self::Token { tag, form } => format!("{form} / {tag}"),
            Self::Outside(mark) => mark.to_owned(),
        }
    }

    fn is_token(self) -> bool {
        matches!(self, Self::Token { .. })
    }
}
