//! Two models compared on sentences with trees, and the guard against harm.

use quaich_eval::TokenMatch;
use quaich_eval::significance::{Resampling, Results, randomised};
use quaich_parser::{Model, Worker};
use quaich_treebank::Sentence;
use rayon::prelude::*;
use serde::Serialize;

/// A score before and after adaptation.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Change {
    /// The score of the source model, in percent.
    pub before: f64,
    /// The score of the adapted model, in percent.
    pub after: f64,
    /// The probability of a difference at least this large if both are equally good (randomised comparator over sentences).
    pub p: f64,
}

impl Change {
    /// The gain, in points.
    pub fn gain(&self) -> f64 {
        self.after - self.before
    }
}

/// Source model and adapted model on the same sentences.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Comparison {
    /// The number of sentences.
    pub sentences: usize,
    /// The number of words with a gold head.
    pub tokens: u64,
    /// Labelled attachment score.
    pub las: Change,
    /// Unlabelled attachment score.
    pub uas: Change,
}

/// The correct heads and labels of the parses of sentences.
pub(crate) type Matches = Vec<Vec<TokenMatch>>;

/// Parses sentences and compares them with their trees. Words without a head are left out.
pub(crate) fn matches(model: &Model, sentences: &[Sentence]) -> Matches {
    let one = |worker: &mut Worker, sentence: &Sentence| {
        let parsed = worker.parse_sentence(sentence);
        let of = |(token, word): (quaich_treebank::Node, quaich_parser::Word<'_>)| TokenMatch {
            head: sentence.heads()[token.index()].index() == word.head(),
            label: sentence.label(token) == word.label(),
        };
        let known = |(token, _): &(quaich_treebank::Node, _)| sentence.heads()[token.index()].is_some();
        sentence.tokens().zip(parsed.words()).filter(known).map(of).collect()
    };
    sentences.par_iter().map_init(|| model.worker(), one).collect()
}

impl Comparison {
    /// Compares the parses of two models on the same sentences.
    pub(crate) fn of(before: &Matches, after: &Matches, seed: u64) -> Self {
        let mut results = Results::new(2);
        for (before, after) in before.iter().zip(after) {
            results.add_matches(&[before.clone(), after.clone()]);
        }
        let change = |measure: usize| {
            let right = quaich_eval::significance::COMPARED[measure].right;
            let pairs = results.sentences().map(|systems| (right(&systems[0]), right(&systems[1])));
            let outcome = randomised(pairs, Resampling { seed, ..Resampling::default() });
            let percent = |system| results.total(system, measure).percent().value();
            Change { before: percent(0), after: percent(1), p: outcome.p.unwrap_or(1.0) }
        };
        Self { sentences: before.len(), tokens: results.total(0, 0).whole, las: change(0), uas: change(1) }
    }
}

/// Decides on held-out source sentences whether an adapted model is harmed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Guard {
    /// The loss of LAS that is tolerated, in points.
    pub tolerance: f64,
}

impl Default for Guard {
    fn default() -> Self {
        Self { tolerance: 0.5 }
    }
}

impl Guard {
    /// The level of significance.
    pub const LEVEL: f64 = 0.05;

    /// Whether an adapted model may be used: unless it loses more than is tolerated, and significantly.
    ///
    /// ```
    /// use quaich_adapt::{Change, Guard};
    ///
    /// let guard = Guard { tolerance: 0.5 };
    /// assert!(guard.accepts(&Change { before: 80.0, after: 79.6, p: 0.01 }));
    /// assert!(guard.accepts(&Change { before: 80.0, after: 78.0, p: 0.2 }));
    /// assert!(!guard.accepts(&Change { before: 80.0, after: 78.0, p: 0.01 }));
    /// ```
    pub fn accepts(&self, las: &Change) -> bool {
        -las.gain() <= self.tolerance || las.p > Self::LEVEL
    }
}
