//! Decisions: how choosing a labelled transition is split into classification questions (`MaltParser`'s decision settings; Nivre 2004,
//! Hall et al. 2006).
//!
//! | | question 0 | question 1 … |
//! |---|---|---|
//! | `joint` | the transition with its label | – |
//! | `sequence` | the kind of transition | the label of the arc, if one is made |
//! | `branch` | the kind of transition | the label, one question per kind that makes an arc |
//!
//! A [`Decision`] is the strategy; [`Questions`] are the resulting questions for one system and label set. Models and recorders know
//! questions and classes by number; only this file knows what the classes stand for.

use quaich_features::{FeatureModel, Focus, Template};
use quaich_transition::configuration::Configuration;
use quaich_transition::oracle::{CorrectTransitions, Oracle};
use quaich_transition::systems::System;
use quaich_transition::transition::{Classes, Kind, KindSet, Transition};
use quaich_treebank::{Label, Node};
use serde::{Deserialize, Serialize};

use crate::error::{Result, unknown_name};
use crate::scorer::{Allowed, Choice};

/// How transitions and labels are classified.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Decision {
    /// One class per transition and label.
    Joint,
    /// The transition, then the label.
    #[default]
    Sequence,
    /// The transition, then the label with a separate classifier per transition.
    Branch,
}

/// An entry of the table of decisions.
#[derive(Debug)]
pub struct Entry {
    /// The name.
    pub name: &'static str,
    /// One line of help.
    pub about: &'static str,
    /// The decision.
    pub decision: Decision,
}

/// The decisions, in the order that help shows them.
pub static DECISIONS: &[Entry] = &[
    Entry {
        name: "sequence",
        about: "the transition, then the label; the default",
        decision: Decision::Sequence,
    },
    Entry { name: "joint", about: "one class per transition and label", decision: Decision::Joint },
    Entry {
        name: "branch",
        about: "the transition, then the label with a separate classifier per transition",
        decision: Decision::Branch,
    },
];

impl Decision {
    /// Looks up a decision by name.
    pub fn by_name(name: &str) -> Result<Self> {
        DECISIONS
            .iter()
            .find(|entry| entry.name == name)
            .map(|entry| entry.decision)
            .ok_or_else(|| unknown_name("decision", name, DECISIONS.iter().map(|entry| entry.name)))
    }

    /// The name.
    pub fn name(self) -> &'static str {
        DECISIONS.iter().find(|entry| entry.decision == self).map_or("", |entry| entry.name)
    }
}

impl TryFrom<String> for Decision {
    type Error = crate::Error;

    fn try_from(name: String) -> Result<Self> {
        Self::by_name(&name)
    }
}

impl From<Decision> for String {
    fn from(decision: Decision) -> Self {
        decision.name().to_owned()
    }
}

/// The subject of a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Subject {
    /// The kind of the transition.
    Kind,
    /// The transition with its label.
    Transition,
    /// The label of an arc.
    Label,
}

/// A classification question: its subject and the number of classes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Question {
    /// The subject.
    pub subject: Subject,
    /// The number of classes, at least one.
    pub n_classes: usize,
    /// The name in files and messages: `transition`, `label`, `label-LA`.
    pub name: String,
}

impl Question {
    /// The templates of a feature model for this question.
    pub(crate) fn templates<'f>(&self, features: &'f FeatureModel) -> &'f [Template] {
        match self.subject {
            Subject::Kind | Subject::Transition => &features.transition,
            Subject::Label => features.label_after(self.name.strip_prefix(LABEL_AFTER).unwrap_or_default()),
        }
    }
}

/// The prefix of the names of questions about the label after one kind of transition.
const LABEL_AFTER: &str = "label-";

/// The questions of a decision, for one system and number of labels.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Questions {
    decision: Decision,
    kinds: Vec<Kind>,
    arc_kinds: Vec<Kind>,
    classes: Classes,
    n_labels: usize,
    list: Vec<Question>,
}

/// The chosen transition.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Decided {
    /// The transition.
    pub transition: Transition,
    /// The dependent of the new arc.
    pub dependent: Option<Node>,
    /// The margins of kind and label.
    pub margins: (f32, f32),
}

/// A question in a specific state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Query<'a> {
    /// The number of the question.
    pub question: usize,
    /// The arc that the question is about, if any.
    pub focus: Focus,
    /// The kind of transition that makes the arc.
    kind: Option<Kind>,
    /// The classes to choose from.
    pub allowed: Allowed<'a>,
}

impl Questions {
    /// The questions for a system and `n_labels` tree labels.
    pub(crate) fn new<S: System + ?Sized>(decision: Decision, system: &S, n_labels: usize) -> Self {
        let n_labels = system.labelling().n_labels(u32::try_from(n_labels.max(1)).unwrap_or(u32::MAX));
        let kinds: Vec<Kind> = system.kinds().iter().collect();
        let arc_kinds: Vec<Kind> = kinds.iter().copied().filter(|kind| kind.adds_arc()).collect();
        let classes = Classes::new(system.kinds(), n_labels);
        let n_labels = n_labels as usize;
        let question = |subject, n_classes, name: String| Question { subject, n_classes, name };
        let kind = || question(Subject::Kind, kinds.len(), "transition".to_owned());
        let label = |name: String| question(Subject::Label, n_labels, name);
        let list = match decision {
            Decision::Joint => vec![question(Subject::Transition, classes.len(), "transition".to_owned())],
            Decision::Sequence => vec![kind(), label("label".to_owned())],
            Decision::Branch => std::iter::once(kind())
                .chain(arc_kinds.iter().map(|kind| label(format!("{LABEL_AFTER}{kind}"))))
                .collect(),
        };
        Self { decision, kinds, arc_kinds, classes, n_labels, list }
    }

    /// The questions, by number.
    pub(crate) fn list(&self) -> &[Question] {
        &self.list
    }

    /// The decision.
    pub(crate) fn decision(&self) -> Decision {
        self.decision
    }

    /// The kinds of transitions, by class of question 0 if that is about kinds.
    pub(crate) fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    /// The number of transition labels.
    pub(crate) fn n_labels(&self) -> usize {
        self.n_labels
    }

    /// The question about the label after a kind, if there is one.
    #[inline]
    fn label_question(&self, kind: Kind) -> Option<usize> {
        match self.decision {
            Decision::Joint => None,
            Decision::Sequence => Some(1),
            Decision::Branch => self.arc_kinds.iter().position(|&arc| arc == kind).map(|at| 1 + at),
        }
    }

    /// Question 0 for these permissible kinds.
    #[inline]
    fn first(&self, permissible: KindSet) -> Query<'_> {
        let allowed = match self.decision {
            Decision::Joint => Allowed::Transitions(permissible, &self.classes),
            Decision::Sequence | Decision::Branch => Allowed::Kinds(permissible, &self.kinds),
        };
        Query { question: 0, focus: Focus::NONE, kind: None, allowed }
    }

    /// Chooses a transition by querying `ask`, except where there is only one choice.
    #[inline]
    pub(crate) fn decide<S: System + ?Sized>(
        &self,
        system: &S,
        c: &Configuration,
        permissible: KindSet,
        mut ask: impl FnMut(Query<'_>) -> Choice,
    ) -> Decided {
        let sole = permissible.first().filter(|_| permissible.len() == 1);
        if self.decision == Decision::Joint {
            let choice = match sole {
                Some(kind) if !kind.adds_arc() || self.n_labels == 1 => {
                    Choice::sole(self.classes.range(kind).start)
                }
                _ => ask(self.first(permissible)),
            };
            let transition = self.classes.transition(choice.class).unwrap_or(Transition::plain(Kind::Shift));
            let arc = system.arc(c, transition.kind);
            let dependent = arc.map(|(_, dependent)| dependent);
            return Decided { transition, dependent, margins: (choice.margin, choice.margin) };
        }
        let (kind, kind_margin) = if let Some(kind) = sole {
            (kind, f32::INFINITY)
        } else {
            let choice = ask(self.first(permissible));
            (self.kinds[choice.class as usize], choice.margin)
        };
        let Some((head, dependent)) = system.arc(c, kind) else {
            return Decided {
                transition: Transition::plain(kind),
                dependent: None,
                margins: (kind_margin, f32::INFINITY),
            };
        };
        let label = match self.label_question(kind) {
            Some(question) if self.n_labels > 1 => {
                let focus = Focus { head, dependent };
                ask(Query { question, focus, kind: Some(kind), allowed: Allowed::All })
            }
            _ => Choice::sole(0),
        };
        Decided {
            transition: Transition::arc(kind, Label(label.class)),
            dependent: Some(dependent),
            margins: (kind_margin, label.margin),
        }
    }

    /// The correct classes of a question, the one to learn first; empty if unknown.
    pub(crate) fn right_classes<S: System + ?Sized>(
        &self,
        system: &S,
        c: &Configuration,
        query: Query<'_>,
        right: CorrectTransitions,
        oracle: &Oracle,
        out: &mut Vec<u32>,
    ) {
        out.clear();
        if !right.known {
            return;
        }
        if let Some(kind) = query.kind {
            let label = oracle.transition(system, c, kind).label;
            out.extend(Some(label.0).filter(|&label| (label as usize) < self.n_labels));
            return;
        }
        let others = right.kinds.without(right.preferred.kind);
        let others = others.iter().map(|kind| oracle.transition(system, c, kind));
        for mut transition in std::iter::once(right.preferred).chain(others) {
            if transition.label.is_none()
                && let Some((_, dependent)) = system.arc(c, transition.kind)
            {
                // An arc that is optimal although it is not gold may have any label.
                transition.label = oracle.gold().label(dependent);
            }
            out.extend(self.class(transition));
        }
    }

    /// The name of a class.
    pub(crate) fn class_name(&self, question: usize, class: u32, labels: &dyn Fn(Label) -> String) -> String {
        match self.list[question].subject {
            Subject::Kind => self.kinds.get(class as usize).map_or("", |kind| kind.name()).to_owned(),
            Subject::Label => labels(Label(class)),
            Subject::Transition => match self.classes.transition(class) {
                Some(Transition { kind, label }) if kind.adds_arc() => format!("{kind}:{}", labels(label)),
                Some(Transition { kind, .. }) => kind.name().to_owned(),
                None => String::new(),
            },
        }
    }

    /// The class of a transition in question 0.
    fn class(&self, transition: Transition) -> Option<u32> {
        if self.decision == Decision::Joint {
            return self.classes.id(transition);
        }
        let class = self.kinds.iter().position(|&kind| kind == transition.kind)?;
        u32::try_from(class).ok()
    }
}
