//! Traces: a parse step by step with the scores of the model, as printed by `quaich trace -m` and shown by web pages.
//!
//! The parser runs its normal loop; a wrapper around the guide records the scores.

use std::cell::RefCell;
use std::collections::VecDeque;

use quaich_transition::configuration::Configuration;
use quaich_transition::guide::Guide;
use quaich_transition::systems::System;
use quaich_transition::trace::{Ending, Trace, TraceStep};
use quaich_transition::transition::{KindSet, Transition};
use quaich_treebank::{Sentence, Symbols, Tree, Underscore};
use serde::Serialize;

use crate::decisions::{Query, Questions};
use crate::plan::Plan;
use crate::scorer::{Allowed, Choice, Input, Scorer, best};

/// How a parser built a tree.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ParseTrace {
    /// The transitions with their scores, and the derived tree. If the parser transforms trees, labels of the derived tree have the
    /// transformation's marks.
    pub derivation: Trace,
    /// The resulting tree: the derived one after the inverse transformation.
    pub tree: Tree,
}

/// The end of a parse.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ParseEnding {
    /// The end of its derivation.
    pub derivation: Ending,
    /// The resulting tree: the derived one after the inverse transformation.
    pub tree: Tree,
}

/// The scores of a step; empty if there was only one possible transition.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub(crate) struct StepScores {
    /// One per permissible kind, in order: its score minus that of the chosen kind, so 0 for the chosen kind and negative for the others.
    /// If transitions are classified with their labels, a kind has the score of its best label.
    pub(crate) leads: Option<Vec<f32>>,
    /// The margin of the chosen label, for arcs; infinite if there is only one.
    pub(crate) label_margin: Option<f32>,
}

/// A guide that records the scores of every choice.
pub(crate) struct TracingGuide<'a, M: Scorer, S: ?Sized> {
    pub(crate) model: &'a M,
    pub(crate) questions: &'a Questions,
    pub(crate) system: &'a S,
    pub(crate) input: Input<'a>,
    pub(crate) scratch: &'a mut M::Scratch,
    /// The scores of steps that have not been emitted yet, in order.
    pub(crate) step_scores: &'a RefCell<VecDeque<StepScores>>,
}

impl<M: Scorer, S: System + ?Sized> Guide for TracingGuide<'_, M, S> {
    fn start(&mut self, _c: &Configuration) {
        self.model.start(self.input, self.scratch);
    }

    fn choose(&mut self, c: &Configuration, permissible: KindSet) -> Transition {
        let mut own = StepScores::default();
        let decided = self.questions.decide(self.system, c, permissible, |query| {
            let Query { question, focus, allowed, .. } = query;
            let state = self.input.state(c, focus);
            let scores = self.model.scores(question, state, allowed, self.scratch);
            let choice = best(scores, allowed);
            if question == 0 {
                own.leads = Some(leads(scores, allowed, permissible, choice));
            }
            choice
        });
        if decided.dependent.is_some() {
            own.label_margin = Some(decided.margins.1);
        }
        self.step_scores.borrow_mut().push_back(own);
        decided.transition
    }
}

/// The best score of each permissible kind, minus that of the chosen class.
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

/// Adds the scores to a step, if the model was queried.
pub(crate) fn annotated(step: TraceStep, step_scores: &RefCell<VecDeque<StepScores>>) -> TraceStep {
    if step.step.forced {
        return step;
    }
    let StepScores { leads, label_margin } = step_scores.borrow_mut().pop_front().unwrap_or_default();
    TraceStep { scores: leads, label_margin, ..step }
}

/// A sentence's own tree in the form that a parser with this plan builds; `None` if its heads are not a tree. Its labels have no meaning.
pub(crate) fn gold_tree(plan: &Plan, sentence: &Sentence) -> Option<Tree> {
    let mut labels = Symbols::new();
    let mut tree = sentence.tree_with(&mut labels, Underscore::Label);
    if !tree.is_well_formed() {
        return None;
    }
    // Models whose transformation cannot be built are rejected when loaded.
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
