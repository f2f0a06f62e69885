//! Error analysis: the words and contexts with the most errors, the sentences with the most errors, and the most
//! frequent kinds of errors. The scorers of CoNLL-X and 2007 print this after their tables.
//!
//! Contexts are words and tags of the gold standard, scored or not. Entries that tie with the last of a list are
//! included.

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
use crate::analysis::TokenMatch;
use crate::attachment::Attachment;
use kinds::Kind;
use window::{Vocabulary, Window};
use worst::Worst;

/// The errors of a system during collection.
#[derive(Default, Debug)]
pub(super) struct Errors {
    vocabulary: Vocabulary,
    labels: Symbols<Label>,
    found: Vec<ErrorAt>,
    worst: Worst,
}

/// A token with a wrong head or label.
#[derive(Clone, Copy, Debug)]
struct ErrorAt {
    window: Window,
    token_match: TokenMatch,
    kind: Kind,
}

impl Errors {
    /// Adds the errors of a sentence: the matches of its scored tokens.
    pub(super) fn add(
        &mut self,
        gold: &Sentence,
        system: &Sentence,
        tag_column: Option<usize>,
        matches: &[(Node, TokenMatch)],
    ) {
        let mut in_sentence = Attachment::default();
        for &(token, token_match) in matches.iter().filter(|(_, token_match)| !token_match.both()) {
            in_sentence.add(token_match);
            let window = self.vocabulary.window(gold, tag_column, token);
            let kind = Kind::of(gold, system, token, token_match, &mut self.labels);
            self.found.push(ErrorAt { window, token_match, kind });
        }
        self.worst.add(gold, in_sentence);
    }

    /// Returns the report; `tags` are all part-of-speech tags of scored tokens.
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

/// The error analysis. In all counts, the tokens are those with an error.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ErrorReport {
    /// The words with the most errors, as `form / tag`.
    #[serde(serialize_with = "as_errors")]
    pub focus_words: Vec<(String, Attachment)>,
    /// The words before and after errors.
    pub contexts: Vec<ContextErrors>,
    /// The sentences with the most errors.
    #[serde(rename = "worst_sentences")]
    pub worst: WorstSentences,
    /// The most frequent kinds of errors.
    #[serde(rename = "frequent_errors")]
    pub frequent: Vec<FrequentError>,
    /// Contexts shared by several of these.
    #[serde(skip)]
    pub shared: Vec<SharedContext>,
    /// The length of the longest tag.
    #[serde(skip)]
    widest_tag: usize,
}

/// The errors of a word or in a context.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
pub(super) struct ErrorCounts {
    /// Tokens with an error.
    any: u64,
    /// Those with a wrong head.
    head: u64,
    /// Those with a wrong label.
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
