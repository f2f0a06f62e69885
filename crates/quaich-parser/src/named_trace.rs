//! Traces with the names of labels and transitions, for programs and web pages. `quaich trace --json` prints their JSON.
//!
//! The steps of a [`NamedTrace`] are produced during serialisation, so that a sentence of any length takes no more memory than its tree.

use std::cell::RefCell;

use quaich_transition::systems::System;
use quaich_transition::trace::{Ending, Snapshot, TraceStep};
use quaich_transition::transition::{Kind, KindSet};
use quaich_transition::watcher::Step;
use quaich_treebank::tree::{Arc, Node, Tree};
use quaich_treebank::{Label, Sentence};
use serde::ser::{Error as _, SerializeSeq, SerializeStruct};
use serde::{Serialize, Serializer};

use crate::trace::ParseEnding;

/// The names of labels and transitions.
#[derive(Clone, Copy)]
pub struct Names<'a> {
    /// Maps labels to their texts.
    pub labels: &'a dyn Fn(Label) -> &'a str,
    /// The system.
    pub system: &'a dyn System,
    /// Whether it is a system of `MaltParser`, which calls SWITCH `SW`.
    pub malt: bool,
}

impl std::fmt::Debug for Names<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Names").field("system", &self.system).finish_non_exhaustive()
    }
}

impl<'a> Names<'a> {
    /// The text of a label, `_` for none.
    pub fn label(&self, label: Label) -> &'a str {
        if label.is_none() { "_" } else { (self.labels)(label) }
    }

    /// The text form of a transition: `SH`, `LA:nsubj`.
    pub fn transition(&self, step: &Step) -> String {
        let kind = match step.transition.kind {
            Kind::Switch if self.malt => "SW",
            kind => kind.name(),
        };
        if !step.transition.kind.adds_arc() {
            return kind.to_owned();
        }
        format!("{kind}:{}", self.label(self.system.labelling().plain(step.transition.label)))
    }

    /// Adds names to a step.
    pub fn step<'s>(&self, step: &'s TraceStep) -> NamedStep<'s>
    where
        'a: 's,
    {
        let kind = step.step.transition.kind;
        let label = self.system.labelling().plain(step.step.transition.label);
        NamedStep {
            transition: self.transition(&step.step),
            kind,
            label: kind.adds_arc().then(|| self.label(label)),
            forced: step.step.forced,
            permissible: step.permissible,
            optimal: step.optimal,
            scores: step.scores.as_ref().map(|scores| scores.iter().copied().map(rounded).collect()),
            label_margin: step.label_margin.map(rounded),
            arc: step.arc.map(|arc| self.arc(arc)),
            after: &step.after,
        }
    }

    /// Adds the name of the label to an arc.
    pub fn arc(&self, arc: Arc) -> NamedArc<'a> {
        NamedArc { head: arc.head.0, label: self.label(arc.label), dependent: arc.dependent.0 }
    }
}

/// A step with the names of its transition and label.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct NamedStep<'a> {
    /// The text form of the transition.
    pub transition: String,
    /// Its kind.
    pub kind: Kind,
    /// The label of its arc.
    pub label: Option<&'a str>,
    /// Whether there was only one possible transition.
    pub forced: bool,
    /// The permissible kinds.
    pub permissible: KindSet,
    /// The optimal kinds according to a dynamic oracle.
    pub optimal: Option<KindSet>,
    /// The score of each permissible kind, relative to the chosen one, to four digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scores: Option<Vec<f32>>,
    /// The margin of the label, to four digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label_margin: Option<f32>,
    /// The new arc.
    pub arc: Option<NamedArc<'a>>,
    /// The configuration after it.
    #[serde(flatten)]
    pub after: &'a Snapshot,
}

/// An arc with the name of its label.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct NamedArc<'a> {
    /// The head.
    pub head: u32,
    /// The label.
    pub label: &'a str,
    /// The dependent.
    pub dependent: u32,
}

/// Produces the steps of a trace, passes each to a visitor, and returns the end of the parse.
pub type MakeSteps<'a> = dyn FnMut(&mut dyn FnMut(TraceStep)) -> ParseEnding + 'a;

/// A trace with names. Its steps are produced when it is serialised, which works only once.
pub struct NamedTrace<'a> {
    /// The number of the sentence.
    pub number: usize,
    /// The sentence.
    pub sentence: &'a Sentence,
    /// The names of labels and transitions.
    pub names: Names<'a>,
    /// The name of the system.
    pub system: String,
    /// For a parser: the transformation of its trees.
    pub transform: Option<&'a str>,
    /// For an oracle: whether it derived the given tree.
    pub derived: Option<bool>,
    /// The initial configuration.
    pub start: Snapshot,
    /// Produces the steps.
    pub steps: RefCell<Option<Box<MakeSteps<'a>>>>,
}

impl std::fmt::Debug for NamedTrace<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NamedTrace")
            .field("number", &self.number)
            .field("system", &self.system)
            .finish_non_exhaustive()
    }
}

impl NamedTrace<'_> {
    /// Produces the steps; does nothing the second time.
    pub fn make(&self, visit: &mut dyn FnMut(TraceStep)) -> ParseEnding {
        let make = self.steps.borrow_mut().take();
        make.map(|mut make| make(visit)).unwrap_or_default()
    }
}

impl Serialize for NamedTrace<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { number, sentence, names, .. } = self;
        let mut trace = serializer.serialize_struct("NamedTrace", 11)?;
        trace.serialize_field("sentence", number)?;
        trace.serialize_field("system", &self.system)?;
        trace.serialize_field("root", names.system.options().root.name())?;
        match self.transform {
            Some(transform) => trace.serialize_field("transform", transform)?,
            None => trace.skip_field("transform")?,
        }
        trace.serialize_field("tokens", &List(|| sentence.tokens().map(|token| sentence.form(token))))?;
        match self.derived {
            Some(derived) => trace.serialize_field("derived", &derived)?,
            None => trace.skip_field("derived")?,
        }
        trace.serialize_field("start", &self.start)?;
        let ending = RefCell::default();
        trace.serialize_field("steps", &Steps { trace: self, ending: &ending })?;
        let ParseEnding { derivation: Ending { finish, .. }, tree } = ending.into_inner();
        trace.serialize_field("finish", &List(|| finish.iter().map(|arc| names.arc(*arc))))?;
        // A trace whose steps were already produced has no tree.
        let tokens = || (1..=tree.n_tokens()).map(Node::from_index);
        let tree: &Tree = &tree;
        trace.serialize_field("heads", &List(|| tokens().map(|token| tree.head(token).0)))?;
        trace.serialize_field("labels", &List(|| tokens().map(|token| names.label(tree.label(token)))))?;
        trace.end()
    }
}

/// The steps, produced during serialisation.
struct Steps<'s, 'a> {
    trace: &'s NamedTrace<'a>,
    ending: &'s RefCell<ParseEnding>,
}

impl Serialize for Steps<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        let mut failure = None;
        let ending = self.trace.make(&mut |step| {
            if failure.is_none() {
                failure = list.serialize_element(&self.trace.names.step(&step)).err();
            }
        });
        *self.ending.try_borrow_mut().map_err(S::Error::custom)? = ending;
        failure.map_or_else(|| list.end(), Err)
    }
}

/// A list, produced during serialisation.
struct List<F>(F);

impl<F: Fn() -> I, I: Iterator<Item: Serialize>> Serialize for List<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

/// Rounds a score to four digits, without a sign on 0.
fn rounded(score: f32) -> f32 {
    (score * 1e4).round() / 1e4 + 0.0
}
