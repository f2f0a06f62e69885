//! Overlap of a text with a treebank that a model is to be scored on: sequences of four words that both have.

use std::collections::HashSet;

use quaich_features::hash;
use quaich_treebank::Sentence;
use rustc_hash::FxBuildHasher;

/// Words in a row.
const N: usize = 4;

/// The sequences of four words of a treebank, and which of them a text has. Case does not matter.
///
/// ```
/// use quaich_parser::pretraining::Overlap;
///
/// let mut overlap = Overlap::new("test.conllu");
/// overlap.add(["The", "cat", "sleeps", "here", "."]);
/// assert!(overlap.is_in(["and", "the", "cat", "sleeps", "here", "today"]));
/// assert!(!overlap.is_in(["the", "cat", "is", "here", "."]));
/// assert_eq!((overlap.n_found(), overlap.n_sequences(), overlap.n_sentences()), (1, 2, 1));
/// ```
#[derive(Clone, Debug)]
pub struct Overlap {
    name: String,
    sequences: HashSet<u64, FxBuildHasher>,
    found: HashSet<u64, FxBuildHasher>,
    n_sentences: usize,
    n_words: usize,
    /// Reused.
    own: Vec<u64>,
}

impl Overlap {
    /// An empty treebank, with its name for reports.
    pub fn new(name: impl Into<String>) -> Self {
        let (sequences, found) = (HashSet::default(), HashSet::default());
        Self { name: name.into(), sequences, found, n_sentences: 0, n_words: 0, own: Vec::new() }
    }

    /// The sequences of the sentences of a treebank.
    pub fn of(name: impl Into<String>, sentences: &[Sentence]) -> Self {
        let mut overlap = Self::new(name);
        for sentence in sentences {
            overlap.add(sentence.tokens().map(|token| sentence.form(token)));
        }
        overlap
    }

    /// Adds a sentence of the treebank.
    pub fn add<'w>(&mut self, words: impl IntoIterator<Item = &'w str>) {
        sequences_of(words, &mut self.own);
        self.sequences.extend(&self.own);
    }

    /// Whether a sentence of the text shares a sequence with the treebank; counts it if it does.
    pub fn is_in<'w>(&mut self, words: impl IntoIterator<Item = &'w str>) -> bool {
        let n_words = sequences_of(words, &mut self.own);
        let n_before = self.found.len();
        let mut is_shared = false;
        for sequence in &self.own {
            if self.sequences.contains(sequence) {
                is_shared = true;
                self.found.insert(*sequence);
            }
        }
        debug_assert!(is_shared || self.found.len() == n_before);
        if is_shared {
            self.n_sentences += 1;
            self.n_words += n_words;
        }
        is_shared
    }

    /// The name of the treebank.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of distinct sequences of the treebank.
    pub fn n_sequences(&self) -> usize {
        self.sequences.len()
    }

    /// The number of these that the text has.
    pub fn n_found(&self) -> usize {
        self.found.len()
    }

    /// The number of sentences of the text that have one.
    pub fn n_sentences(&self) -> usize {
        self.n_sentences
    }

    /// The number of words of these sentences.
    pub fn n_words(&self) -> usize {
        self.n_words
    }
}

/// Collects the hashes of all sequences of words; returns the number of words.
fn sequences_of<'w>(words: impl IntoIterator<Item = &'w str>, out: &mut Vec<u64>) -> usize {
    out.clear();
    let mut last = [0u64; N];
    let mut n = 0;
    for word in words {
        last.rotate_left(1);
        last[N - 1] = hash::bytes(6, word.to_lowercase().as_bytes());
        n += 1;
        if n >= N {
            out.push(last.iter().fold(0, |sum, word| hash::mix(sum.rotate_left(7) ^ word)));
        }
    }
    n
}
