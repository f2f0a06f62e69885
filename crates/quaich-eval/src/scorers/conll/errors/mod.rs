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
mod window;
mod worst;

pub use contexts::ContextErrors;
pub use kinds::{FrequentError, SharedContext};
pub use local::LocalContext;
pub use worst::{SentenceErrors, WorstSentences};

use quaich_treebank::symbols::{Label, Symbols};
use quaich_treebank::{Node, Sentence};
use serde::Serialize;

use super::report::Named;
use crate::analysis::Verdict;
use crate::attachment::Attachment;
use kinds::Kind;
use window::{Vocabulary, Window};
use worst::Worst;

/// The errors of a system while they are collected.
#[derive(Default, Debug)]
pub(super) struct Errors {
    vocabulary: Vocabulary,
    labels: Symbols<Label>,
    found: Vec<ErrorAt>,
    worst: Worst,
}

/// A token with another head or label.
#[derive(Clone, Copy, Debug)]
struct ErrorAt {
    window: Window,
    verdict: Verdict,
    kind: Kind,
}

impl Errors {
    /// Takes in the errors of a sentence: the verdicts on its scored tokens.
    pub(super) fn add(
        &mut self,
        gold: &Sentence,
        system: &Sentence,
        tag_column: Option<usize>,
        verdicts: &[(Node, Verdict)],
    ) {
        let mut in_sentence = Attachment::default();
        for &(token, verdict) in verdicts.iter().filter(|(_, verdict)| !verdict.both()) {
            in_sentence.add(verdict);
            let window = self.vocabulary.window(gold, tag_column, token);
            let kind = Kind::of(gold, system, token, verdict, &mut self.labels);
            self.found.push(ErrorAt { window, verdict, kind });
        }
        self.worst.add(gold, in_sentence);
    }

    /// What is told of them; `tags` are all parts of speech of scored tokens.
    pub(super) fn report<'a>(self, tags: impl Iterator<Item = &'a str>) -> ErrorReport {
        let frequent = kinds::most_frequent(&self.found, &self.labels, &self.vocabulary);
        ErrorReport {
            focus_words: contexts::focus_words(&self.found, &self.vocabulary),
            contexts: contexts::contexts(&self.found, &self.vocabulary),
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
