//! The development set: parsed and scored while training goes on, never learned from.

use quaich_eval::Verdict;
use quaich_eval::attachment::Attachment;
use quaich_features::{Order, TokenValues};
use quaich_transform::Inverse;
use quaich_transition::configuration::Configuration;
use quaich_transition::modifiers::mirror;
use quaich_treebank::{Label, Sentence, Symbols, Tree};

use crate::calibration::{Calibration, Judged};
use crate::decider::{Decider, DeciderWorker, ModelWorker, Watch, Way};
use crate::model::Model;
use crate::model_file::Scores;

/// Sentences with their gold trees, and the way from what a model makes to what they look like.
#[derive(Debug)]
pub(crate) struct Development<'t> {
    examples: Vec<(&'t Sentence, Tree)>,
    inverse: Option<&'t dyn Inverse>,
}

impl<'t> Development<'t> {
    /// A set whose labels are those of training; others count as wrong.
    pub(crate) fn new(
        sentences: &'t [Sentence],
        labels: &Symbols<Label>,
        inverse: Option<&'t dyn Inverse>,
    ) -> Self {
        let gold = |sentence| gold_tree(sentence, labels.len(), |text| labels.get(text));
        Self { examples: sentences.iter().map(|sentence| (sentence, gold(sentence))).collect(), inverse }
    }

    /// Whether there is nothing to score on.
    pub(crate) fn is_empty(&self) -> bool {
        self.examples.is_empty()
    }

    /// Scores a model in training; nothing where there is nothing to score on.
    pub(crate) fn score_model<M: Model>(
        &self,
        model: &M,
        token_values: &TokenValues,
        way: Way<'_>,
    ) -> Option<Scores> {
        self.score_worker(&mut ModelWorker::new(model, token_values, way), way.order, &Calibration::default())
    }

    /// Scores a decider; nothing where there is nothing to score on.
    pub(crate) fn score(
        &self,
        decider: &dyn Decider,
        way: Way<'_>,
        calibration: &Calibration,
    ) -> Option<Scores> {
        self.score_worker(&mut *decider.worker(way), way.order, calibration)
    }

    fn score_worker(
        &self,
        worker: &mut dyn DeciderWorker,
        order: Order,
        calibration: &Calibration,
    ) -> Option<Scores> {
        if self.is_empty() {
            return None;
        }
        let mut counts = Attachment::default();
        let (mut judged, mut evidence) = (Vec::new(), Vec::new());
        let (mut c, mut tree) = (Configuration::new(), Tree::new(0));
        let mut scratch = quaich_transform::Scratch::default();
        for (sentence, gold) in &self.examples {
            worker.parse(sentence, &mut c, Watch::Evidence(&mut evidence));
            c.write_tree(&mut tree);
            if order == Order::RightToLeft {
                tree = mirror(&tree);
                evidence[1..].reverse();
            }
            if let Some(inverse) = self.inverse {
                inverse.invert(sentence, &mut tree, &mut scratch);
            }
            for token in sentence.tokens() {
                let verdict = Verdict::of(gold, &tree, token);
                counts.add(verdict);
                judged.push(Judged { evidence: evidence[token.index()], right: verdict.both() });
            }
        }
        Some(Scores {
            las: counts.las().known().unwrap_or(0.0),
            uas: counts.uas().known().unwrap_or(0.0),
            calibration_error: calibration.expected_error(&judged),
        })
    }
}

/// The tree that a sentence has, with labels of a parser that knows so many; those that it does not know are none of its own.
///
/// # Panics
/// When there are 2³² labels.
pub(crate) fn gold_tree(sentence: &Sentence, n_labels: usize, known: impl Fn(&str) -> Option<Label>) -> Tree {
    let unknown = Label(u32::try_from(n_labels).expect("fewer than 2³² labels"));
    let mut tree = Tree::new(sentence.n_tokens());
    for token in sentence.tokens() {
        let label = known(sentence.label(token)).unwrap_or(unknown);
        tree.set(token, sentence.heads()[token.index()], label);
    }
    tree
}
