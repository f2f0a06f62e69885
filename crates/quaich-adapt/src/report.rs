//! What an adaptation has done.

use quaich_treebank::Sentence;
use serde::Serialize;

use crate::comparison::Comparison;
use crate::curve::Curve;
use crate::shift::Shift;

/// Numbers of sentences and words.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Counts {
    /// Sentences.
    pub sentences: usize,
    /// Words.
    pub tokens: usize,
    /// Words with a head.
    pub arcs: usize,
}

impl Counts {
    pub(crate) fn of<'s>(sentences: impl IntoIterator<Item = &'s Sentence>) -> Self {
        sentences.into_iter().fold(Self::default(), |counts, sentence| Self {
            sentences: counts.sentences + 1,
            tokens: counts.tokens + sentence.n_tokens(),
            arcs: counts.arcs + sentence.heads()[1..].iter().filter(|head| head.is_some()).count(),
        })
    }
}

/// What becomes of an adapted model.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "verdict", content = "reason", rename_all = "kebab-case")]
pub enum Verdict {
    /// It may be used.
    Accepted,
    /// It is significantly worse on held-out source sentences.
    Harmed,
    /// There was nothing to learn from, for this reason.
    Nothing(String),
}

/// What a method has done.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MethodReport {
    /// The method.
    pub method: &'static str,
    /// The minimum confidence of added sentences, if the method chooses by confidence.
    pub min_confidence: Option<f32>,
    /// The target sentences that were added; words without a head are unknown heads of partial trees.
    pub added: Counts,
    /// The source sentences that count twice.
    pub repeated: Counts,
    /// The number of words that an encoder was pretrained on.
    pub pretrained_on: usize,
    /// How labels and lengths of added sentences differ from the source; `None` if no sentences were added.
    pub shift: Option<Shift>,
    /// How accuracy depends on confidence, if the method chooses by it.
    pub curve: Option<Curve>,
    /// Source model and adapted model on held-out source sentences; `None` if nothing was trained.
    pub held_out: Option<Comparison>,
    /// The same on gold trees of the target, if they are given.
    pub gold: Option<Comparison>,
    /// What becomes of the model.
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// The report of an adaptation.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Report {
    /// The source sentences that models learn from while methods are compared.
    pub source: Counts,
    /// The held-out source sentences.
    pub held_out: Counts,
    /// The target.
    pub target: Counts,
    /// Whether the target has tags; if not, the held-out sentences and the gold trees are scored without theirs.
    pub target_has_tags: bool,
    /// The loss on held-out sentences that is tolerated, in points of LAS.
    pub tolerance: f64,
    /// One entry per method, as far as they were run.
    pub methods: Vec<MethodReport>,
    /// The method whose model is the result; `None` if it is the source model.
    pub chosen: Option<&'static str>,
}
