//! A parse step by step: what `quaich trace -m` prints and a page can step through.
//!
//! The model decides in the same loop as always; a guide around it asks it once more about what it did not choose.

use quaich_transition::configuration::Configuration;
use quaich_transition::guide::Guide;
use quaich_transition::systems::System;
use quaich_transition::trace::Trace;
use quaich_transition::transition::{KindSet, Transition};
use quaich_treebank::{Sentence, Symbols, Tree};

use crate::model::{Model, ModelGuide};
use crate::plan::Plan;

/// How a parser came to a tree.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ParseTrace {
    /// What was done, what the model thought of it, and what it led to. Where the parser's trees are transformed, that is a tree with the
    /// transformation's marks in its labels.
    pub derivation: Trace,
    /// The tree that the parser gives: that of the derivation, the transformation undone.
    pub tree: Tree,
}

/// What a model thinks of a step. Empty where the system left no choice and the model was not asked.
#[derive(Default)]
pub(crate) struct Opinion {
    /// For each permissible kind, in their order, its lead over the chosen one: what the model says when it is to
    /// choose between the two. 0 for the chosen one, as a rule less for the others.
    pub(crate) leads: Vec<f32>,
    /// How far the chosen label is ahead of the next best; of arcs only. Infinite where there is no other.
    pub(crate) label_margin: Option<f32>,
}

/// A model that gives its opinion on every step.
pub(crate) struct Outspoken<'a, M: Model, S: ?Sized> {
    pub(crate) guide: ModelGuide<'a, M, S>,
    pub(crate) opinions: &'a mut Vec<Opinion>,
}

impl<'a, M: Model, S: System + ?Sized> Outspoken<'a, M, S> {
    pub(crate) fn new(guide: ModelGuide<'a, M, S>, opinions: &'a mut Vec<Opinion>) -> Self {
        Self { guide, opinions }
    }
}

impl<M: Model, S: System + ?Sized> Guide for Outspoken<'_, M, S> {
    fn start(&mut self, c: &Configuration) {
        self.guide.start(c);
    }

    fn choose(&mut self, c: &Configuration, permissible: KindSet) -> Transition {
        let transition = self.guide.choose(c, permissible);
        let ModelGuide { model, system, tokens, scratch, .. } = &mut self.guide;
        let chosen = transition.kind;
        let lead = |kind| {
            if kind == chosen {
                return 0.0;
            }
            let choice = model.kind(c, tokens, KindSet::of(&[kind, chosen]), scratch);
            if choice.best == kind { choice.margin } else { -choice.margin }
        };
        let leads = permissible.iter().map(lead).collect();
        let label_margin = system
            .arc(c, chosen)
            .map(|(head, dependent)| model.label(c, tokens, head, dependent, scratch).margin);
        self.opinions.push(Opinion { leads, label_margin });
        transition
    }
}

/// The tree that a sentence came with, as a parser with this plan would have to build it; `None` if its heads make no
/// tree. Labels mean nothing.
pub(crate) fn gold_tree(plan: &Plan, sentence: &Sentence) -> Option<Tree> {
    let mut labels = Symbols::new();
    let mut tree = sentence.tree(&mut labels);
    if !tree.is_well_formed() {
        return None;
    }
    if let Some(transform) = plan.transform().ok()? {
        transform.apply(sentence, &mut tree, &mut labels, &mut quaich_transform::Scratch::default()).ok()?;
    }
    Some(tree)
}
