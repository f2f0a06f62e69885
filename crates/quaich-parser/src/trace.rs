//! A parse step by step, with what the model thought: what `quaich trace -m` prints and a page can step through.
//!
//! The model decides in the same loop as always; a guide around it notes the scores that it decided by.

use std::cell::RefCell;
use std::collections::VecDeque;

use quaich_transition::configuration::Configuration;
use quaich_transition::guide::Guide;
use quaich_transition::systems::System;
use quaich_transition::trace::{Ending, Trace, TraceStep};
use quaich_transition::transition::{KindSet, Transition};
use quaich_treebank::{Sentence, Symbols, Tree, Underscore};
use serde::Serialize;

use crate::decisions::{Asked, Questions};
use crate::scorer::{Allowed, Choice, Input, Scorer, best};
use crate::plan::Plan;

/// How a parser came to a tree.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ParseTrace {
    /// What was done with which scores, and what it led to. Where the parser's trees are transformed, that is a
    /// tree with the transformation's marks in its labels.
    pub derivation: Trace,
    /// The tree that the parser gives: that of the derivation, the transformation undone.
    pub tree: Tree,
}

/// How a parse ended.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ParseEnding {
    /// How its derivation ended.
    pub derivation: Ending,
    /// The tree that the parser gives: that of the derivation, the transformation undone.
    pub tree: Tree,
}

/// What a model thinks of a step. Nothing where the system left no choice and the model was not asked.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub(crate) struct Opinion {
    /// For each permissible kind, in their order, its lead over the chosen one: 0 for the chosen one, less for
    /// the others. Of transitions that are decided on with their labels, that of the best label.
    pub(crate) leads: Option<Vec<f32>>,
    /// How far the chosen label is ahead of the next best; of arcs only. Infinite where there is no other.
    pub(crate) label_margin: Option<f32>,
}

/// A model that gives its opinion on every choice.
pub(crate) struct TracingGuide<'a, M: Scorer, S: ?Sized> {
    pub(crate) model: &'a M,
    pub(crate) questions: &'a Questions,
    pub(crate) system: &'a S,
    pub(crate) input: Input<'a>,
    pub(crate) scratch: &'a mut M::Scratch,
    /// Of the steps that the model was asked about and that were not yet given out, in order.
    pub(crate) opinions: &'a RefCell<VecDeque<Opinion>>,
}

impl<M: Scorer, S: System + ?Sized> Guide for TracingGuide<'_, M, S> {
    fn start(&mut self, _c: &Configuration) {
        self.model.start(self.input, self.scratch);
    }

    fn choose(&mut self, c: &Configuration, permissible: KindSet) -> Transition {
        let mut opinion = Opinion::default();
        let decided = self.questions.decide(self.system, c, permissible, |asked| {
            let Asked { question, focus, allowed, .. } = asked;
            let state = self.input.state(c, focus);
            let scores = self.model.scores(question, state, allowed, self.scratch);
            let choice = best(scores, allowed);
            if question == 0 {
                opinion.leads = Some(leads(scores, allowed, permissible, choice));
            }
            choice
        });
        if decided.dependent.is_some() {
            opinion.label_margin = Some(decided.margins.1);
        }
        self.opinions.borrow_mut().push_back(opinion);
        decided.transition
    }
}

/// For each permissible kind: its best score, less the chosen one's.
fn leads(scores: &[f32], allowed: Allowed<'_>, permissible: KindSet, choice: Choice) -> Vec<f32> {
    let chosen = scores[choice.class as usize];
    let highest = |kind| match allowed {
        Allowed::Kinds(_, kinds) => {
            kinds.iter().position(|&held| held == kind).map_or(f32::NEG_INFINITY, |class| scores[class])
        }
        Allowed::Transitions(_, classes) => {
            let range = classes.range(kind);
            scores[range.start as usize..range.end as usize].iter().copied().fold(f32::NEG_INFINITY, f32::max)
        }
        Allowed::All => f32::NEG_INFINITY,
    };
    permissible.iter().map(|kind| highest(kind) - chosen).collect()
}

/// A step with the opinion that belongs to it, if the model was asked.
pub(crate) fn annotated(step: TraceStep, opinions: &RefCell<VecDeque<Opinion>>) -> TraceStep {
    if step.step.forced {
        return step;
    }
    let Opinion { leads, label_margin } = opinions.borrow_mut().pop_front().unwrap_or_default();
    TraceStep { scores: leads, label_margin, ..step }
}

/// The tree that a sentence came with, as a parser with this plan would have to build it; `None` if its heads make no
/// tree. Labels mean nothing.
pub(crate) fn gold_tree(plan: &Plan, sentence: &Sentence) -> Option<Tree> {
    let mut labels = Symbols::new();
    let mut tree = sentence.tree_with(&mut labels, Underscore::Label);
    if !tree.is_well_formed() {
        return None;
    }
    if let Some(transform) = plan.transform().ok()? {
        transform.apply(sentence, &mut tree, &mut labels, &mut quaich_transform::Scratch::default()).ok()?;
    }
    Some(plan.in_reading_order(tree))
}
