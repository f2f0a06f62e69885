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
use crate::plan::Plan;
use crate::scorer::{Allowed, Choice, Input, Scorer, best};

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
    // Models whose transformation cannot be built are not loaded.
    if let Some(transform) = plan.transform().expect("it was built before") {
        transform.apply(sentence, &mut tree, &mut labels, &mut quaich_transform::Scratch::default()).ok()?;
    }
    Some(plan.in_reading_order(tree))
}

#[cfg(test)]
mod tests {
    use quaich_transition::spec::SystemSpec;
    use quaich_treebank::{ReadOptions, Reader, Source};

    use super::*;
    use crate::corpus::Corpus;
    use crate::observer::Unobserved;
    use crate::settings::Settings;
    use crate::task::Task;

    #[test]
    fn gold_trees_are_those_that_a_training_learns_from() {
        let profile = std::env::temp_dir().join(format!("quaich-profile-{}.toml", std::process::id()));
        std::fs::write(&profile, "[verb-groups]\nauxiliaries = [\"_\"]\n").unwrap();
        let rows = ["1\tWe\t3\tnsubj", "2\thave\t3\t_", "3\tslept\t0\troot"];
        let row = |row: &str| {
            let cells: Vec<&str> = row.split('\t').collect();
            format!("{}\t{}\t_\tX\t_\t_\t{}\t{}\t_\t_\n", cells[0], cells[1], cells[2], cells[3])
        };
        let text = rows.map(row).concat() + "\n";
        let source = Source::from_stream(std::io::Cursor::new(text), "example".into(), None).unwrap();
        let reader = Reader::new(source, &ReadOptions::default()).unwrap();
        let sentences: Vec<Sentence> = reader.sentences().map(Result::unwrap).collect();
        let transform = format!("transform=verb-groups:{}", profile.display());
        let settings = Settings::default().with(&transform).unwrap();
        let corpus = Corpus::new(&sentences, &[]);
        let task = Task::prepare(&corpus, &settings, (SystemSpec::default(), false), &Unobserved).unwrap();
        std::fs::remove_file(&profile).unwrap();
        let gold = gold_tree(&task.scheme.plan, &sentences[0]).unwrap();
        assert_ne!(gold.heads(), sentences[0].heads());
        assert_eq!(gold.heads(), task.examples[0].tree.heads());
    }
}
