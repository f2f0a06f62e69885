//! Words with errors, and the words before and after them.

use serde::Serialize;

use super::ranking::{most_frequent, tally};
use super::window::{Vocabulary, Word};
use super::{ErrorAt, as_errors};
use crate::attachment::Attachment;

/// The number of words shown, and of contexts of each kind.
const FOCUS_WORDS: usize = 5;
const CONTEXTS: usize = 3;

/// The contexts of a kind with the most errors.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ContextErrors {
    /// The kind of context, in the scorers' spelling.
    #[serde(rename = "context")]
    pub name: &'static str,
    /// Part-of-speech tags.
    #[serde(serialize_with = "as_errors")]
    pub tags: Vec<(String, Attachment)>,
    /// Words, as `form / tag`. Contexts without words are not included.
    #[serde(serialize_with = "as_errors")]
    pub words: Vec<(String, Attachment)>,
}

/// Returns the words with the most errors.
pub(super) fn focus_words(errors: &[ErrorAt], vocabulary: &Vocabulary) -> Vec<(String, Attachment)> {
    let words = tally(errors, |error| Some(error.window.words([0])));
    ranked(words, FOCUS_WORDS, |[word]| vocabulary.name(word))
}

/// Returns the contexts with the most errors, of all kinds.
pub(super) fn contexts(errors: &[ErrorAt], vocabulary: &Vocabulary) -> Vec<ContextErrors> {
    vec![
        of_kind("one-token preceeding", [-1], errors, vocabulary),
        of_kind("two-token preceeding", [-2, -1], errors, vocabulary),
        of_kind("one-token following", [1], errors, vocabulary),
        of_kind("two-token following", [1, 2], errors, vocabulary),
    ]
}

/// Returns contexts of the words at these offsets from the token.
fn of_kind<const N: usize>(
    name: &'static str,
    offsets: [isize; N],
    errors: &[ErrorAt],
    vocabulary: &Vocabulary,
) -> ContextErrors {
    let tags = tally(errors, |error| Some(error.window.words(offsets).map(|(tag, _)| tag)));
    let words = tally(errors, |error| {
        let words = error.window.words(offsets);
        words.iter().any(|(_, form)| !form.is_none()).then_some(words)
    });
    ContextErrors {
        name,
        tags: ranked(tags, CONTEXTS, |tags| tags.map(|tag| vocabulary.tag(tag)).join("+")),
        words: ranked(words, CONTEXTS, |words: [Word; N]| {
            words.map(|word| vocabulary.name(word)).join(" + ")
        }),
    }
}

fn ranked<K>(rows: Vec<(K, Attachment)>, n: usize, name: impl Fn(K) -> String) -> Vec<(String, Attachment)> {
    most_frequent(rows, n, |(_, counts)| counts.tokens, |(key, counts)| (name(key), counts))
}
