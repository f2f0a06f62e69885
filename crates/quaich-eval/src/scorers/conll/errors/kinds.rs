//! Kinds of errors: what is wrong about a token's head and label, said without the token.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use quaich_treebank::symbols::{Form, Label, Symbol, Symbols, Tag};
use quaich_treebank::{Node, Sentence};
use serde::Serialize;

use super::local::{LocalContext, Pattern, Triple, most_common};
use super::ranking::most_frequent;
use super::{Surroundings, Word};
use crate::analysis::Verdict;
use crate::frames::numeric_head;
use crate::scorers::conll::bins::direction;

/// How many kinds are shown.
const FREQUENT: usize = 10;

/// Where a head is, in the order of [`direction`].
const PLACES: [&str; 4] = ["0", "before the focus word", "after the focus word", "the focus word"];

/// What is wrong about a head. Places are those of [`PLACES`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum HeadError {
    /// Nothing is.
    Right { place: usize },
    /// The token is a root.
    Root { gold_place: usize },
    /// The token should be a root. The scorers tell these apart by their heads, without saying so.
    NoRoot { head: Node, place: usize },
    /// The head is so many words behind the right one, or before it.
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

    /// In the scorers' words. Where the head is on the other side of the token, they tell the system's side twice.
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

/// What is wrong about a token: its head, and its label, if it is not the right one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Kind {
    head: HeadError,
    label: Option<(Label, Label)>,
}

/// Kinds of errors while they are counted, each with the words around every error.
#[derive(Default, Debug)]
pub(super) struct Kinds {
    tags: Symbols<Tag>,
    forms: Symbols<Form>,
    labels: Symbols<Label>,
    errors: BTreeMap<Kind, Vec<Triple>>,
}

/// A kind of error that is frequent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FrequentError {
    /// What is wrong.
    pub error: String,
    /// How often it is.
    pub count: u64,
    /// Where it is most frequent, and how often it is there.
    pub contexts: Vec<(LocalContext, u64)>,
}

/// A context in which several frequent kinds of errors are most frequent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SharedContext {
    /// The context.
    pub context: LocalContext,
    /// The places of these kinds in the list, and how often each occurs in the context.
    pub errors: Vec<(usize, u64)>,
}

impl Kinds {
    /// Counts an error.
    pub(super) fn add(
        &mut self,
        surroundings: Surroundings<'_>,
        system: &Sentence,
        token: Node,
        verdict: Verdict,
    ) {
        let gold = surroundings.sentence;
        let heads = (numeric_head(gold, token), numeric_head(system, token));
        let head = HeadError::of(heads.0, heads.1, token, verdict.head);
        let label = (!verdict.label)
            .then(|| (self.labels.intern(system.label(token)), self.labels.intern(gold.label(token))));
        let words = [-1, 0, 1].map(|offset| surroundings.word(token, offset));
        let triple =
            words.map(|word: Word<'_>| (self.tags.intern(word.tag()), self.forms.intern(word.form())));
        self.errors.entry(Kind { head, label }).or_default().push(triple);
    }

    /// The most frequent ones.
    pub(super) fn most_frequent(&self) -> Vec<FrequentError> {
        let mut kinds: Vec<(String, &Vec<Triple>)> =
            self.errors.iter().map(|(kind, triples)| (self.description(*kind), triples)).collect();
        kinds.sort_by(|one, other| one.0.cmp(&other.0));
        let kinds = most_frequent(kinds, FREQUENT, |(_, triples)| triples.len() as u64);
        let found = kinds.into_iter().map(|(error, triples)| {
            let mut contexts: Vec<_> =
                most_common(triples).iter().map(|(pattern, count)| (self.named(pattern), *count)).collect();
            contexts.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
            FrequentError { error, count: triples.len() as u64, contexts }
        });
        found.collect()
    }

    fn description(&self, kind: Kind) -> String {
        let label = match kind.label {
            None => "correct dependency".to_owned(),
            Some((system, gold)) => format!(
                "dependency \"{}\" instead of \"{}\"",
                self.labels.text(system),
                self.labels.text(gold)
            ),
        };
        format!("{}, {label}", kind.head.description())
    }

    fn named(&self, pattern: &Pattern) -> LocalContext {
        let [before, focus, after] = pattern.map(|word| {
            let tag = word.map(|(tag, _)| tag);
            [text(&self.tags, tag), text(&self.forms, word.and_then(|(_, form)| form))]
        });
        LocalContext { before, focus, after }
    }
}

fn text<S: Symbol>(symbols: &Symbols<S>, symbol: Option<S>) -> String {
    symbol.map_or_else(String::new, |symbol| symbols.text(symbol).to_owned())
}

/// Contexts that stand with several of these errors, those with most errors first.
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
