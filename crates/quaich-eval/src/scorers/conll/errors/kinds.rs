//! Kinds of errors: what is wrong with a token's head and label, independent of the token.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use quaich_treebank::symbols::{Label, Symbols};
use quaich_treebank::{Node, Sentence};
use serde::Serialize;

use super::ErrorAt;
use super::local::{LocalContext, Triple, most_common};
use super::ranking;
use super::window::Vocabulary;
use crate::analysis::TokenMatch;
use crate::frames::numeric_head;
use crate::scorers::conll::bins::direction;

/// The number of kinds shown.
const FREQUENT: usize = 10;

/// The position of a head, in the order of [`direction`].
const PLACES: [&str; 4] = ["0", "before the focus word", "after the focus word", "the focus word"];

/// What is wrong with a head. Positions are indices into [`PLACES`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum HeadError {
    /// Nothing.
    Right { place: usize },
    /// The token is a root.
    Root { gold_place: usize },
    /// The token should be a root. The scorers distinguish these by their heads, without printing them.
    NoRoot { head: Node, place: usize },
    /// The head is this many words after the correct one, or before it if negative.
    Shifted { words: i64, place: usize, gold_place: usize },
}

impl HeadError {
    fn of(gold: Node, system: Node, token: Node, is_right: bool) -> Self {
        let (gold_place, place) = (direction(gold, token), direction(system, token));
        match (gold, system) {
            _ if is_right => Self::Right { place },
            (_, Node(0)) => Self::Root { gold_place },
            (Node(0), head) => Self::NoRoot { head, place },
            _ => Self::Shifted { words: i64::from(system.0) - i64::from(gold.0), place, gold_place },
        }
    }

    /// Returns the scorers' description. If the head is on the other side of the token, they print the system's side
    /// twice.
    fn description(self) -> String {
        match self {
            Self::Right { place } => format!("correct head ({})", PLACES[place]),
            Self::Root { gold_place } => format!("head = 0 instead of {}", PLACES[gold_place]),
            Self::NoRoot { place, .. } => format!("head {} instead of 0", PLACES[place]),
            Self::Shifted { words, place, gold_place } => {
                let side = if words < 0 { "before" } else { "after" };
                let place = PLACES[place];
                let again =
                    if PLACES[gold_place] == place { String::new() } else { format!(" instead of{place}") };
                format!(
                    "head {} {side} the correct head ({place}{again})",
                    counted_words(words.unsigned_abs())
                )
            }
        }
    }
}

fn counted_words(n: u64) -> String {
    match n {
        1 => "one word".to_owned(),
        2 => "two words".to_owned(),
        3 => "three words".to_owned(),
        4 => "four words".to_owned(),
        _ => format!("{n} words"),
    }
}

/// What is wrong with a token: its head, and its label if it is wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Kind {
    head: HeadError,
    /// The system's label and the correct one.
    label: Option<(Label, Label)>,
}

impl Kind {
    pub(super) fn of(
        gold: &Sentence,
        system: &Sentence,
        token: Node,
        token_match: TokenMatch,
        labels: &mut Symbols<Label>,
    ) -> Self {
        let heads = (numeric_head(gold, token), numeric_head(system, token));
        let both = || (labels.intern(system.label(token)), labels.intern(gold.label(token)));
        Self {
            head: HeadError::of(heads.0, heads.1, token, token_match.head),
            label: (!token_match.label).then(both),
        }
    }

    fn description(self, labels: &Symbols<Label>) -> String {
        let label = self.label.map_or_else(
            || "correct dependency".to_owned(),
            |(system, gold)| {
                format!("dependency \"{}\" instead of \"{}\"", labels.text(system), labels.text(gold))
            },
        );
        format!("{}, {label}", self.head.description())
    }
}

/// A frequent kind of error.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FrequentError {
    /// The error.
    pub error: String,
    /// Its count.
    pub count: u64,
    /// The contexts in which it is most frequent, with its count there.
    pub contexts: Vec<(LocalContext, u64)>,
}

/// A context in which several frequent kinds of errors are most frequent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SharedContext {
    /// The context.
    pub context: LocalContext,
    /// The indices of these kinds in the list, with their counts in the context.
    pub errors: Vec<(usize, u64)>,
}

/// Returns the most frequent kinds of errors.
pub(super) fn most_frequent(
    errors: &[ErrorAt],
    labels: &Symbols<Label>,
    vocabulary: &Vocabulary,
) -> Vec<FrequentError> {
    let mut kinds: BTreeMap<Kind, Vec<Triple>> = BTreeMap::new();
    for error in errors {
        kinds.entry(error.kind).or_default().push(error.window.words([-1, 0, 1]));
    }
    let count = |(_, triples): &(Kind, Vec<Triple>)| triples.len() as u64;
    let frequent = ranking::most_frequent(kinds.into_iter().collect(), FREQUENT, count, |(kind, triples)| {
        (kind.description(labels), triples)
    });
    let found = frequent.into_iter().map(|(error, triples)| {
        let mut contexts: Vec<_> = most_common(&triples)
            .iter()
            .map(|(pattern, count)| (LocalContext::of(pattern, vocabulary), *count))
            .collect();
        contexts.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        FrequentError { error, count: triples.len() as u64, contexts }
    });
    found.collect()
}

/// Returns contexts shared by several of these errors, those with the most errors first.
pub(super) fn shared(errors: &[FrequentError]) -> Vec<SharedContext> {
    let mut contexts: BTreeMap<&LocalContext, Vec<(usize, u64)>> = BTreeMap::new();
    for (at, error) in errors.iter().enumerate() {
        for (context, count) in &error.contexts {
            contexts.entry(context).or_default().push((at, *count));
        }
    }
    contexts.retain(|_, errors| errors.len() > 1);
    let mut found: Vec<_> = contexts
        .into_iter()
        .map(|(context, mut errors)| {
            errors.sort_by_key(|&(_, count)| Reverse(count));
            SharedContext { context: context.clone(), errors }
        })
        .collect();
    found.sort_by_key(|shared| Reverse(shared.errors.len()));
    found
}
