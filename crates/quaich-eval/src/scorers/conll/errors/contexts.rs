//! Words that errors are at, and what stands before and behind them.

use std::collections::BTreeMap;

use quaich_treebank::Node;
use serde::Serialize;

use super::ranking::most_frequent;
use super::{Surroundings, Word, as_errors};
use crate::analysis::Verdict;
use crate::attachment::Attachment;
use crate::scorers::conll::counts::entry;

/// How many words are shown, and how many contexts of each kind.
const FOCUS_WORDS: usize = 5;
const CONTEXTS: usize = 3;

/// A kind of context: where its words are, seen from the token.
struct Window {
    name: &'static str,
    offsets: &'static [i64],
}

/// All of them. The names are the scorers', spelling included.
const WINDOWS: [Window; 4] = [
    Window { name: "one-token preceeding", offsets: &[-1] },
    Window { name: "two-token preceeding", offsets: &[-2, -1] },
    Window { name: "one-token following", offsets: &[1] },
    Window { name: "two-token following", offsets: &[1, 2] },
];

/// Counts by name.
type Tally = BTreeMap<String, Attachment>;

#[derive(Default, Debug)]
pub(super) struct Contexts {
    focus: Tally,
    /// By parts of speech and by words, for every window.
    windows: [(Tally, Tally); WINDOWS.len()],
}

/// The contexts of a kind in which most errors occur.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ContextErrors {
    /// What kind of context it is.
    #[serde(rename = "context")]
    pub name: &'static str,
    /// Parts of speech.
    #[serde(serialize_with = "as_errors")]
    pub tags: Vec<(String, Attachment)>,
    /// Words, as `form / tag`. Contexts without any are not among them.
    #[serde(serialize_with = "as_errors")]
    pub words: Vec<(String, Attachment)>,
}

impl Contexts {
    /// Counts an error.
    pub(super) fn add(&mut self, surroundings: Surroundings<'_>, token: Node, verdict: Verdict) {
        entry(&mut self.focus, &surroundings.word(token, 0).name()).add(verdict);
        for (window, (tags, names)) in WINDOWS.iter().zip(&mut self.windows) {
            let words = || window.offsets.iter().map(|&offset| surroundings.word(token, offset));
            entry(tags, &words().map(Word::tag).collect::<Vec<_>>().join("+")).add(verdict);
            if words().any(Word::is_token) {
                entry(names, &words().map(Word::name).collect::<Vec<_>>().join(" + ")).add(verdict);
            }
        }
    }

    /// The words and the contexts with most errors.
    pub(super) fn most_frequent(self) -> (Vec<(String, Attachment)>, Vec<ContextErrors>) {
        let top =
            |tally: Tally, n| most_frequent(tally.into_iter().collect(), n, |(_, counts)| counts.tokens);
        let contexts = WINDOWS.iter().zip(self.windows).map(|(window, (tags, words))| ContextErrors {
            name: window.name,
            tags: top(tags, CONTEXTS),
            words: top(words, CONTEXTS),
        });
        (top(self.focus, FOCUS_WORDS), contexts.collect())
    }
}
