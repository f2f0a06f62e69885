//! The training corpus: sentences, and a teacher's head distributions. Both are borrowed, so that folds and the parsers of an ensemble
//! need no copies.

use quaich_features::hash;
use quaich_treebank::{Node, Sentence};

use crate::folds::FoldScheme;
use crate::head_distribution::HeadDistribution;
use crate::partial::Completed;

/// The training sentences.
#[derive(Clone, Debug)]
pub(crate) struct Corpus<'t> {
    pub(crate) sources: Vec<Source<'t>>,
}

/// A training sentence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'t> {
    pub(crate) sentence: &'t Sentence,
    /// The teacher's head distributions.
    pub(crate) head_distribution: Option<&'t HeadDistribution>,
    /// The heads of a partial tree, by node, with those that were unknown.
    pub(crate) completed: Option<&'t [Node]>,
}

impl<'t> Corpus<'t> {
    /// A corpus of sentences, with a teacher's head distributions for the first of them.
    pub(crate) fn new(sentences: &'t [Sentence], head_distributions: &'t [HeadDistribution]) -> Self {
        let source = |(number, sentence): (usize, &'t Sentence)| Source {
            sentence,
            head_distribution: head_distributions
                .get(number)
                .filter(|known| known.n_tokens() == sentence.n_tokens()),
            completed: None,
        };
        Self { sources: sentences.iter().enumerate().map(source).collect() }
    }

    /// Adds the completed heads of partial trees.
    pub(crate) fn with_completed(mut self, completed: &'t Completed) -> Self {
        for (number, source) in self.sources.iter_mut().enumerate() {
            source.completed = completed.heads(number);
        }
        self
    }

    /// All sentences except those of a fold, and the sentences of the fold.
    pub(crate) fn without(&self, fold: usize, n_folds: usize) -> (Self, Vec<&'t Sentence>) {
        let (others, fold) = FoldScheme::Blocks.split(&self.sources, fold, n_folds);
        (Self { sources: others }, fold.into_iter().map(|source| source.sentence).collect())
    }

    /// A hash of the text.
    pub(crate) fn fingerprint(&self) -> u64 {
        fingerprint(self.sources.iter().map(|source| source.sentence))
    }
}

/// A hash of the text of sentences.
pub(crate) fn fingerprint<'s>(sentences: impl Iterator<Item = &'s Sentence>) -> u64 {
    sentences.fold(0, |state: u64, sentence| {
        let text = hash::bytes(state, sentence.text().as_bytes());
        state.rotate_left(5) ^ text
    })
}
