//! What a method gives a parser to learn from.

use std::sync::Arc;

use quaich_parser::HeadDistribution;
use quaich_parser::pretraining::PretrainedEncoder;
use quaich_treebank::Sentence;

use crate::curve::Curve;
use crate::methods::Similarity;

/// What a parser learns from besides the source, or instead of parts of it.
#[derive(Default)]
pub(crate) struct Material {
    /// Target sentences with trees, or with parts of trees.
    pub(crate) added: Vec<Sentence>,
    /// The votes on their heads, if an ensemble parsed them.
    pub(crate) head_distributions: Vec<HeadDistribution>,
    /// Which source sentences count more than once.
    pub(crate) similarity: Option<Similarity>,
    /// The encoder to start from.
    pub(crate) encoder: Option<Arc<PretrainedEncoder>>,
    /// How accuracy depends on the confidence by which sentences were chosen.
    pub(crate) curve: Option<Curve>,
    /// Why there is nothing to learn from, if that has another reason than the minimum confidence.
    pub(crate) impossible: Option<String>,
}

impl Material {
    /// Nothing, for this reason.
    pub(crate) fn impossible(reason: impl Into<String>) -> Self {
        Self { impossible: Some(reason.into()), ..Self::default() }
    }

    /// Whether there is nothing to learn from but the source as it is.
    pub(crate) fn is_empty(&self) -> bool {
        self.added.is_empty() && self.similarity.is_none() && self.encoder.is_none()
    }

    /// The sentences to learn from: those that were added, then the source, each sentence as often as it counts. The head distributions
    /// are those of the first sentences.
    pub(crate) fn sentences(&self, source: &[Sentence]) -> Vec<Sentence> {
        let count =
            |sentence: &Sentence| self.similarity.as_ref().map_or(1, |similarity| similarity.count(sentence));
        let source = source.iter().flat_map(|sentence| std::iter::repeat_n(sentence, count(sentence)));
        self.added.iter().chain(source).cloned().collect()
    }
}
