//! Choice of source sentences by their similarity to the target, in the manner of Dredze et al. (2007): a naive Bayes classifier tells
//! target from source by words, and the source sentences that are most like the target count twice. They dropped the others, which
//! costs trees.

use std::hash::{Hash, Hasher};

use quaich_parser::Result;
use quaich_treebank::Sentence;
use rustc_hash::{FxHashMap, FxHasher};

use super::Method;
use crate::domain::Domain;
use crate::material::Material;

pub(super) const METHOD: Method = Method {
    name: "similarity",
    help: "counts the third of the source sentences twice that is most similar to the target",
    min_confidence: None,
    needs_second: false,
    run,
};

/// One source sentence of this many counts more than once, and how often it counts.
const ONE_IN: usize = 3;
const COUNT: usize = 2;

#[allow(clippy::unnecessary_wraps, reason = "other methods can fail")]
fn run(domain: &Domain<'_>, _min: f32) -> Result<Material> {
    Ok(Material { similarity: Some(Similarity::new(domain.source, domain.target)), ..Material::default() })
}

/// How similar sentences are to the target.
pub(crate) struct Similarity {
    target: Words,
    source: Words,
    /// Sentences that are more similar count more than once.
    threshold: f64,
}

/// How often words and pairs of words occur.
#[derive(Default)]
struct Words {
    counts: FxHashMap<u64, u32>,
    n: u64,
}

impl Words {
    fn of(sentences: &[Sentence]) -> Self {
        let mut words = Self::default();
        for key in sentences.iter().flat_map(keys) {
            *words.counts.entry(key).or_default() += 1;
            words.n += 1;
        }
        words
    }

    /// The probability of a word, with one added to every count.
    #[allow(clippy::cast_precision_loss, reason = "numbers of words")]
    fn probability(&self, key: u64) -> f64 {
        let count = self.counts.get(&key).copied().unwrap_or(0);
        (f64::from(count) + 1.0) / (self.n + self.counts.len() as u64 + 1) as f64
    }
}

/// The words and pairs of neighbouring words of a sentence, without case.
fn keys(sentence: &Sentence) -> impl Iterator<Item = u64> {
    let words: Vec<String> = sentence.tokens().map(|token| sentence.form(token).to_lowercase()).collect();
    let key = |words: &[String]| {
        let mut hasher = FxHasher::default();
        words.hash(&mut hasher);
        hasher.finish()
    };
    let singles = words.iter().map(|word| key(std::slice::from_ref(word)));
    singles.chain(words.windows(2).map(key)).collect::<Vec<u64>>().into_iter()
}

impl Similarity {
    pub(crate) fn new(source: &[Sentence], target: &[Sentence]) -> Self {
        let mut similarity =
            Self { target: Words::of(target), source: Words::of(source), threshold: f64::INFINITY };
        let mut scores: Vec<f64> = source.iter().map(|sentence| similarity.score(sentence)).collect();
        scores.sort_by(|one, other| other.total_cmp(one));
        if let Some(&threshold) = scores.get(source.len() / ONE_IN) {
            similarity.threshold = threshold;
        }
        similarity
    }

    /// The mean log-ratio of the probabilities of words in target and source.
    #[allow(clippy::cast_precision_loss, reason = "the length of a sentence")]
    fn score(&self, sentence: &Sentence) -> f64 {
        let mut n = 0_usize;
        let ratio = |key: u64| self.target.probability(key) / self.source.probability(key);
        let sum: f64 = keys(sentence).inspect(|_| n += 1).map(|key| ratio(key).ln()).sum();
        sum / n.max(1) as f64
    }

    /// How often a source sentence counts.
    pub(crate) fn count(&self, sentence: &Sentence) -> usize {
        if self.score(sentence) > self.threshold { COUNT } else { 1 }
    }
}

#[cfg(test)]
mod tests {
    use quaich_treebank::Treebank;

    use super::*;

    fn sentences(words: &[&str]) -> Treebank {
        let rows = words.iter().map(|word| format!("1\t{word}\t_\tX\t_\t_\t0\troot\t_\t_\n\n"));
        Treebank::from_text(&rows.collect::<String>()).unwrap()
    }

    #[test]
    fn what_occurs_in_the_target_counts_twice() {
        let source = sentences(&["ship", "Cat", "harbour", "sail", "dog", "anchor", "rope", "mast", "deck"]);
        let similarity = Similarity::new(&source, &sentences(&["cat", "dog", "cat", "bird"]));
        let counts: Vec<usize> = source.iter().map(|sentence| similarity.count(sentence)).collect();
        assert_eq!(counts, [1, 2, 1, 1, 2, 1, 1, 1, 1]);
    }
}
