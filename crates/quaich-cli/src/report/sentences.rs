//! The sentences with the most errors, up to a limit.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use quaich::draw::Picture;
use quaich::draw::svg::MAX_WORDS;
use quaich::eval::ComparedSentence;
use quaich::treebank::Sentence;
use serde::Serialize;

/// The maximum number of sentences on the page.
const MAX_SENTENCES: usize = 400;

/// A sentence of the report.
#[derive(Serialize)]
pub(super) struct Shown {
    number: u64,
    id: Option<String>,
    /// Form, tag, and whether it is scored.
    words: Vec<(String, String, bool)>,
    gold: Vec<Arc>,
    /// By system.
    systems: Vec<Vec<Arc>>,
    /// By system: the number of scored tokens with a wrong head or label.
    errors: Vec<usize>,
}

/// Head and label; no head is −1.
type Arc = (i64, String);

/// The sentences with the most errors so far.
#[derive(Default)]
pub(crate) struct WorstSentences {
    /// Ordered by the number of errors of all systems, then from the last sentence to the first.
    kept: BTreeMap<(usize, Reverse<u64>), Shown>,
    n_read: u64,
    n_with_errors: usize,
}

impl WorstSentences {
    /// Adds a sentence if it is one of the worst.
    pub(crate) fn add(&mut self, sentence: &ComparedSentence<'_>) {
        self.n_read += 1;
        let errors = sentence
            .systems()
            .map(|pair| pair.scored().filter(|(_, token_match)| !token_match.both()).count());
        let errors: Vec<usize> = errors.collect();
        let key = (errors.iter().sum(), Reverse(self.n_read));
        if key.0 == 0 {
            return;
        }
        self.n_with_errors += 1;
        let is_full = self.kept.len() >= MAX_SENTENCES;
        let is_better = self.kept.first_key_value().is_some_and(|(least, _)| key < *least);
        if sentence.gold.n_tokens() > MAX_WORDS || (is_full && is_better) {
            return;
        }
        self.kept.insert(key, shown(sentence, self.n_read, errors));
        if is_full {
            self.kept.pop_first();
        }
    }

    /// The sentences of the report, the worst first.
    pub(super) fn worst_first(&self) -> impl Iterator<Item = &Shown> {
        self.kept.values().rev()
    }

    pub(super) fn n_shown(&self) -> usize {
        self.kept.len()
    }

    pub(super) fn n_omitted(&self) -> usize {
        self.n_with_errors - self.kept.len()
    }
}

fn shown(sentence: &ComparedSentence<'_>, number: u64, errors: Vec<usize>) -> Shown {
    let gold = sentence.gold;
    // Whether a token is scored depends only on its form, so it is the same for all systems.
    let pair = (sentence.n_systems() > 0).then(|| sentence.system(0));
    let is_scored = |token| pair.is_some_and(|pair| pair.token_match(token).is_some());
    let words = Picture::of(gold).words.into_iter().zip(gold.tokens());
    Shown {
        number,
        id: gold.comment("sent_id").map(str::to_owned),
        words: words.map(|(word, token)| (word.form, word.tag, is_scored(token))).collect(),
        gold: arcs(gold),
        systems: sentence.systems().map(|pair| arcs(pair.system)).collect(),
        errors,
    }
}

fn arcs(sentence: &Sentence) -> Vec<Arc> {
    let arc = |token: quaich::treebank::Node| {
        let head = sentence.heads()[token.index()];
        let head = if head.is_some() { i64::try_from(head.index()).unwrap_or(-1) } else { -1 };
        (head, sentence.label(token).to_owned())
    };
    sentence.tokens().map(arc).collect()
}
