//! The scheme of a parser, fixed before training: system, questions, labels, and the inverse transformation.

use quaich_transform::Inverse;
use quaich_transition::systems::System;
use quaich_treebank::symbols::FrozenSymbols;
use quaich_treebank::{Label, Node, Role, Sentence, Symbols, Tree};
use serde::{Deserialize, Serialize};

use crate::decisions::{Decision, Questions};
use crate::decoder::DecisionContext;
use crate::part::PartError;
use crate::plan::Plan;

/// A parser without its trained model.
#[derive(Debug)]
pub(crate) struct Scheme {
    /// The parsing plan.
    pub plan: Plan,
    /// The transition system.
    pub system: Box<dyn System>,
    /// The classification questions.
    pub questions: Questions,
    /// The labels; those that only the inverse transformation needs come last.
    pub labels: FrozenSymbols<Label>,
    /// The number of labels that the model learns.
    pub n_labels: usize,
    /// The inverse transformation, if there is one.
    pub inverse: Option<Box<dyn Inverse>>,
}

/// The description of a scheme in a model file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SchemeDescription {
    /// The parsing plan.
    pub plan: Plan,
    /// How transitions and labels are classified.
    pub decision: Decision,
    /// The names of the kinds of transitions, by class.
    pub kinds: Vec<String>,
    /// The labels, by number.
    pub labels: Vec<String>,
    /// The number of labels that the model learns.
    pub label_classes: usize,
}

impl Scheme {
    /// What a scorer needs to know about the parser.
    pub(crate) fn context(&self) -> DecisionContext<'_> {
        DecisionContext { system: &*self.system, questions: &self.questions, order: self.plan.order() }
    }

    /// The labels in an extensible table.
    pub(crate) fn symbols(&self) -> Symbols<Label> {
        let mut labels = Symbols::new();
        for (_, text) in self.labels.iter() {
            labels.intern(text);
        }
        labels
    }

    /// The description for a model file.
    pub(crate) fn describe(&self) -> SchemeDescription {
        SchemeDescription {
            plan: self.plan.clone(),
            decision: self.questions.decision(),
            kinds: self.questions.kinds().iter().map(|kind| kind.name().to_owned()).collect(),
            labels: self.labels.iter().map(|(_, text)| text.to_owned()).collect(),
            label_classes: self.n_labels,
        }
    }

    /// Restores a scheme. Checks that the description is consistent with itself and with its system.
    pub(crate) fn load(description: &SchemeDescription) -> Result<Self, PartError> {
        let (labels, n_labels) = (frozen_labels(description)?, description.label_classes);
        let plan = description.plan.clone();
        let wrong = |error: crate::Error| PartError(error.to_string());
        // Models know only the labels that they learn.
        let root_label = labels.get(&plan.root_label).filter(|label| label.index() < n_labels);
        let system = plan.system(root_label).map_err(wrong)?;
        let questions = Questions::new(description.decision, &*system, n_labels);
        if !questions.kinds().iter().map(|kind| kind.name()).eq(description.kinds.iter()) {
            return Err(PartError::broken("list of transitions"));
        }
        let inverse = plan.transform().map_err(wrong)?;
        let inverse = inverse.map(|transform| {
            quaich_transform::frozen_inverse(&plan.transform, &*transform, &labels, n_labels)
        });
        let inverse = inverse.transpose().map_err(|error| PartError(error.to_string()))?;
        Ok(Self { plan, system, questions, labels, n_labels, inverse })
    }
}

/// The labels of a description: distinct, representable in a cell, and at least as many as the model learns.
fn frozen_labels(description: &SchemeDescription) -> Result<FrozenSymbols<Label>, PartError> {
    let mut labels = Symbols::<Label>::new();
    for label in &description.labels {
        labels.intern(label);
    }
    let fits_a_cell = |label: &String| !label.contains(['\t', '\n']);
    let sound = labels.len() == description.labels.len()
        && (1..=labels.len()).contains(&description.label_classes)
        && description.labels.iter().all(fits_a_cell);
    if sound { Ok(labels.freeze()) } else { Err(PartError::broken("list of labels")) }
}

/// A sentence's own tree with the labels of a parser. All labels that the parser does not know become the same extra label.
///
/// # Panics
/// If there are 2³² labels.
pub(crate) fn gold_tree(sentence: &Sentence, labels: &FrozenSymbols<Label>) -> Tree {
    let unknown = Label(u32::try_from(labels.len()).expect("fewer than 2³² labels"));
    let mut tree = Tree::new(sentence.n_tokens());
    for token in sentence.tokens() {
        let label = labels.get(sentence.label(token)).unwrap_or(unknown);
        tree.set(token, sentence.heads()[token.index()], label);
    }
    tree
}

/// The tag that selects the weight of votes: the coarse tag, or the fine tag in formats without one.
pub fn coarse_tag(sentence: &Sentence, token: Node) -> &str {
    let position = |role: Role| sentence.layout().position(role);
    let column = position(Role::CoarseTag).or_else(|| position(Role::FineTag));
    column.map_or("_", |column| sentence.cell(token, column))
}
