//! The treebank as tuning uses it: ten percent held out for the dry run, the rest in nine folds, as in Hall et al. (2007).

use quaich_eval::scorers::ud::has_function_words;
use quaich_parser::encoder_inputs;
use quaich_parser::folds::FoldScheme;
use quaich_treebank::Sentence;
use quaich_treebank::shape::Shapes;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::key::Fingerprint;

/// One sentence in ten is held out for the dry run.
const PARTS: usize = 10;
/// The number of folds of the rest.
const FOLDS: usize = 9;
/// From this number of tokens, only the first fold is scored: a fixed split of 80 and 10 percent (Hall et al. 2007).
const FIXED_SPLIT_FROM: usize = 300_000;
/// The fewest sentences that can be tuned on.
const MIN_SENTENCES: usize = 20;

/// A treebank, split.
#[derive(Debug)]
pub struct Data {
    sentences: Vec<Sentence>,
    /// The indices of the sentences that are tuned on.
    tuning: Vec<usize>,
    /// The indices of the sentences of the dry run.
    held_out: Vec<usize>,
    n_folds: usize,
    facts: Facts,
    fingerprint: Fingerprint,
}

/// A part of the treebank that a parser is scored on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Part {
    /// A fold of the sentences that are tuned on; the parser learns from the other folds.
    Fold(usize),
    /// The held-out sentences; the parser learns from all others.
    DryRun,
}

/// What the treebank says about the choices to try, from the trees that are tuned on.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Facts {
    /// Sentences.
    pub sentences: usize,
    /// Tokens.
    pub tokens: usize,
    /// The percentage of sentences with exactly one child of node 0.
    pub single_rooted: f64,
    /// The number of labels of the children of node 0, each at least one in a hundred of them.
    pub root_labels: usize,
    /// The percentage of sentences that are not projective.
    pub nonprojective: f64,
    /// The percentage of arcs from a token to the one before it.
    pub left_neighbours: f64,
    /// The percentage of arcs from a token to the one after it.
    pub right_neighbours: f64,
    /// Whether there are relations of function words, as in Universal Dependencies.
    pub has_function_words: bool,
    /// What an encoder can read, by the names in the setting `encoder.inputs`.
    pub inputs: Vec<String>,
}

impl Data {
    /// Splits a treebank. Sentences without tokens are left out.
    pub fn new(sentences: Vec<Sentence>) -> Result<Self> {
        let sentences: Vec<Sentence> =
            sentences.into_iter().filter(|sentence| sentence.n_tokens() > 0).collect();
        let n = sentences.len();
        if n < MIN_SENTENCES {
            let text = format!("found {n} sentences to tune on, expected at least {MIN_SENTENCES}");
            return Err(Error::Treebank(text));
        }
        let all: Vec<usize> = (0..n).collect();
        let (tuning, held_out) = FoldScheme::Blocks.split(&all, PARTS - 1, PARTS);
        let tuned: Vec<&Sentence> = tuning.iter().map(|&index| &sentences[index]).collect();
        let facts = Facts::of(&tuned, &sentences);
        let n_folds = if facts.tokens < FIXED_SPLIT_FROM { FOLDS } else { 1 };
        let fingerprint =
            sentences.iter().fold(Fingerprint::default(), |all, sentence| all.with(sentence.text()));
        Ok(Self { sentences, tuning, held_out, n_folds, facts, fingerprint })
    }

    /// The number of folds that can be scored.
    pub fn n_folds(&self) -> usize {
        self.n_folds
    }

    /// The number of sentences that are held out for the dry run.
    pub fn n_held_out(&self) -> usize {
        self.held_out.len()
    }

    /// What the treebank says about the choices to try.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Training sentences, of which only a share is used, and test sentences.
    pub(crate) fn split(&self, part: Part, share: f64) -> (Vec<Sentence>, Vec<&Sentence>) {
        let (train, test) = match part {
            Part::Fold(fold) => FoldScheme::Interleaved.split(&self.tuning, fold, FOLDS),
            Part::DryRun => (self.tuning.clone(), self.held_out.clone()),
        };
        let train = evenly(&train, share).into_iter().map(|index| self.sentences[index].clone()).collect();
        (train, test.into_iter().map(|index| &self.sentences[index]).collect())
    }

    /// A number that is different for different treebanks.
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }
}

/// A share of the items, evenly spaced, at least one.
fn evenly(items: &[usize], share: f64) -> Vec<usize> {
    // Rounding must not lose the last item of a whole.
    #[allow(clippy::cast_precision_loss, reason = "a number of sentences")]
    let n_before = |index: usize| (index as f64).mul_add(share, 1e-9).floor();
    let is_taken = |(index, _): &(usize, &usize)| n_before(index + 1) > n_before(*index);
    let kept: Vec<usize> = items.iter().enumerate().filter(is_taken).map(|(_, item)| *item).collect();
    if kept.is_empty() { items.iter().take(1).copied().collect() } else { kept }
}

impl Facts {
    #[allow(clippy::cast_precision_loss, reason = "percentages of counts")]
    fn of(tuned: &[&Sentence], all: &[Sentence]) -> Self {
        let mut root_labels: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
        let (mut n_sentences, mut n_tokens, mut single, mut crossing, mut n_roots) = (0, 0, 0, 0, 0);
        let (mut left, mut right) = (0, 0);
        let mut shapes = Shapes::default();
        for sentence in tuned {
            n_sentences += 1;
            n_tokens += sentence.n_tokens();
            let mut roots = 0;
            for token in sentence.tokens() {
                let head = sentence.heads()[token.index()];
                if head.is_root() {
                    roots += 1;
                    *root_labels.entry(sentence.label(token)).or_default() += 1;
                } else if head.is_some() {
                    left += usize::from(head.index() == token.index() + 1);
                    right += usize::from(head.index() + 1 == token.index());
                }
            }
            n_roots += roots;
            single += usize::from(roots == 1);
            crossing += usize::from(shapes.read_heads(sentence.heads()).is_ok() && !shapes.is_projective());
        }
        let percent = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
        Self {
            sentences: n_sentences,
            tokens: n_tokens,
            single_rooted: percent(single, n_sentences),
            root_labels: root_labels.values().filter(|&&count| 100 * count >= n_roots).count(),
            nonprojective: percent(crossing, n_sentences),
            left_neighbours: percent(left, n_tokens),
            right_neighbours: percent(right, n_tokens),
            has_function_words: has_function_words(all),
            inputs: encoder_inputs(tuned),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_even_and_nested_parts_are_complete() {
        let all: Vec<usize> = (0..10).collect();
        assert_eq!(evenly(&all, 1.0), all);
        assert_eq!(evenly(&all, 0.5), [1, 3, 5, 7, 9]);
        assert_eq!(evenly(&all, 0.01), [0]);
        let many: Vec<usize> = (0..999).collect();
        assert_eq!(evenly(&many, 1.0 / 3.0).len(), 333);
    }

    #[test]
    fn the_sample_is_split() {
        let data = crate::tests::sample();
        let mut seen = Vec::new();
        for fold in 0..data.n_folds() {
            let (train, test) = data.split(Part::Fold(fold), 1.0);
            assert_eq!(train.len() + test.len(), data.facts().sentences);
            seen.extend(test.iter().map(|sentence| sentence.first_line()));
        }
        let (_, held_out) = data.split(Part::DryRun, 1.0);
        assert_eq!(held_out.len(), data.n_held_out());
        assert!(held_out.iter().all(|sentence| !seen.contains(&sentence.first_line())));
        let facts = data.facts();
        assert!(facts.single_rooted > 99.0 && facts.has_function_words, "{facts:?}");
    }
}
