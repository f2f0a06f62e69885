//! The linear model: transition first, then label, both by sums of weights found by hash.

use std::sync::Arc;

use quaich_features::{FeatureModel, Focus, Program, Scratch, Tokens};
use quaich_transition::configuration::Configuration;
use quaich_transition::transition::{Kind, KindSet};
use quaich_treebank::{Label, Node};

use crate::label_table::{LabelScores, LabelTable};
use crate::model::{Choice, Model};
use crate::transition_table::{MAX_CLASSES, TransitionTable};

/// Two tables of weights and the programs that find the way into them.
#[derive(Debug)]
pub struct Linear {
    features: FeatureModel,
    transition_program: Program,
    label_program: Program,
    transitions: Arc<TransitionTable>,
    labels: Arc<LabelTable>,
    /// The kind behind each class of transitions.
    kinds: Vec<Kind>,
}

/// What a thread needs to ask a linear model.
#[derive(Debug, Default)]
pub struct LinearScratch {
    transition: Scratch,
    label: Scratch,
    scores: LabelScores,
}

impl Linear {
    /// A model from its parts.
    pub fn new(
        features: FeatureModel,
        kinds: Vec<Kind>,
        transitions: Arc<TransitionTable>,
        labels: Arc<LabelTable>,
    ) -> Self {
        let transition_program = Program::compile(&features.transition);
        let label_program = Program::compile(&features.label);
        Self { features, transition_program, label_program, transitions, labels, kinds }
    }

    /// The templates.
    pub fn features(&self) -> &FeatureModel {
        &self.features
    }

    /// The weights for transitions.
    pub fn transitions(&self) -> &TransitionTable {
        &self.transitions
    }

    /// The weights for labels.
    pub fn labels(&self) -> &LabelTable {
        &self.labels
    }

    /// The kind behind each class of transitions.
    pub fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    /// The score of every class of transitions, in margins.
    #[inline]
    pub(crate) fn score_transitions(
        &self,
        c: &Configuration,
        tokens: &Tokens,
        scratch: &mut LinearScratch,
    ) -> [f32; MAX_CLASSES] {
        self.transition_program.run(c, tokens, Focus::NONE, &mut scratch.transition);
        let scale = self.transitions.scale();
        #[allow(clippy::cast_precision_loss, reason = "scores are far below 2²⁴ units")]
        self.transitions.score(&scratch.transition.hashes).map(|score| score as f32 * scale)
    }

    /// The score of every label, and what a unit of it is in margins.
    #[inline]
    pub(crate) fn sum_labels<'a>(
        &self,
        c: &Configuration,
        tokens: &Tokens,
        head: Node,
        dependent: Node,
        scratch: &'a mut LinearScratch,
    ) -> (&'a [i16], f32) {
        self.label_program.run(c, tokens, Focus { head, dependent }, &mut scratch.label);
        self.labels.score(&scratch.label.hashes, &mut scratch.scores);
        (&scratch.scores.sums, self.labels.scale())
    }
}

impl Model for Linear {
    type Scratch = LinearScratch;

    #[inline]
    fn kind(
        &self,
        c: &Configuration,
        tokens: &Tokens,
        permissible: KindSet,
        scratch: &mut LinearScratch,
    ) -> Choice<Kind> {
        self.transition_program.run(c, tokens, Focus::NONE, &mut scratch.transition);
        let scores = self.transitions.score(&scratch.transition.hashes);
        let mut best = (i32::MIN, Kind::Shift);
        let mut second = i32::MIN;
        for (&kind, &score) in self.kinds.iter().zip(&scores) {
            if permissible.contains(kind) {
                if score > best.0 {
                    second = best.0;
                    best = (score, kind);
                } else {
                    second = second.max(score);
                }
            }
        }
        Choice { best: best.1, margin: lead(best.0.into(), second.into(), self.transitions.scale()) }
    }

    #[inline]
    fn label(
        &self,
        c: &Configuration,
        tokens: &Tokens,
        head: Node,
        dependent: Node,
        scratch: &mut LinearScratch,
    ) -> Choice<Label> {
        self.label_program.run(c, tokens, Focus { head, dependent }, &mut scratch.label);
        self.labels.score(&scratch.label.hashes, &mut scratch.scores);
        let mut best = (i16::MIN, 0u32);
        let mut second = i16::MIN;
        for (label, &score) in (0u32..).zip(&scratch.scores.sums) {
            if score > best.0 {
                second = best.0;
                best = (score, label);
            } else {
                second = second.max(score);
            }
        }
        let second = if self.labels.n_classes() < 2 { i64::from(i32::MIN) } else { second.into() };
        Choice { best: Label(best.1), margin: lead(best.0.into(), second, self.labels.scale()) }
    }
}

fn lead(best: i64, second: i64, scale: f32) -> f32 {
    if second == i64::from(i32::MIN) {
        return f32::INFINITY;
    }
    #[allow(clippy::cast_precision_loss, reason = "leads are far below 2²⁴ units")]
    let units = (best - second) as f32;
    units * scale
}
