//! A member of a model: one complete parser, with its system, labels and decider. A model file holds a
//! list of them.

use quaich_features::Order;
use quaich_transform::Inverse;
use quaich_transition::configuration::Configuration;
use quaich_transition::systems::System;
use quaich_transition::trace::{Ending, Snapshot, TraceStep};
use quaich_treebank::symbols::FrozenSymbols;
use quaich_treebank::{Label, Sentence, Symbols, Tree};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::calibration::{Calibration, Evidence};
use crate::decider::{Decider, DeciderWorker, Steps, Watch, Way};
use crate::deciders;
use crate::decisions::{Decision, Questions};
use crate::part::{PartError, PartReader};
use crate::plan::Plan;
use crate::prepare::Prepared;
use crate::trace::{ParseEnding, gold_tree};

/// One complete parser.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) plan: Plan,
    pub(crate) system: Box<dyn System>,
    pub(crate) questions: Questions,
    pub(crate) decider: Box<dyn Decider>,
    pub(crate) calibration: Calibration,
    pub(crate) labels: FrozenSymbols<Label>,
    /// How many of the labels are learned; the others only arise from undoing the transformation.
    n_labels: usize,
    pub(crate) inverse: Option<Box<dyn Inverse>>,
}

/// What a model file says of a member; its decider adds arrays.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MemberDescription {
    /// What the treebank decided.
    pub plan: Plan,
    /// How transitions and labels are decided.
    pub decision: Decision,
    /// Turns margins into probabilities.
    pub calibration: Calibration,
    /// The names of the kinds of transitions, by class.
    pub kinds: Vec<String>,
    /// The labels, by number.
    pub labels: Vec<String>,
    /// How many of the labels are learned.
    pub label_classes: usize,
    /// The kind of decider.
    pub decider: String,
    /// What the decider is, for people.
    pub about: Vec<(String, String)>,
    /// What the decider says of itself.
    pub content: Value,
}

impl Member {
    /// What training comes to.
    pub(crate) fn new(data: Prepared<'_>, decider: Box<dyn Decider>, calibration: Calibration) -> Self {
        let Prepared { plan, labels, n_labels, inverse, system, questions, .. } = data;
        let labels = labels.freeze();
        Self { plan, system, questions, decider, calibration, labels, n_labels, inverse }
    }

    /// How the decider is asked.
    pub(crate) fn way(&self) -> Way<'_> {
        Way { system: &*self.system, questions: &self.questions, order: self.order() }
    }

    /// In which direction sentences are read.
    pub(crate) fn order(&self) -> Order {
        self.plan.order()
    }

    /// What a model file says of the member, given what its decider says of itself.
    pub(crate) fn describe(&self, content: Value) -> MemberDescription {
        MemberDescription {
            plan: self.plan.clone(),
            decision: self.questions.decision(),
            calibration: self.calibration,
            kinds: self.questions.kinds().iter().map(|kind| kind.name().to_owned()).collect(),
            labels: self.labels.iter().map(|(_, text)| text.to_owned()).collect(),
            label_classes: self.n_labels,
            decider: self.decider.kind().to_owned(),
            about: self.decider.about(),
            content,
        }
    }

    /// Finds a member again. What the description says is checked against itself and against the system that it names;
    /// deciders check their parts against the questions.
    pub(crate) fn load(
        description: &MemberDescription,
        part: PartReader<'_>,
    ) -> std::result::Result<Self, PartError> {
        let (labels, n_labels) = (frozen_labels(description)?, description.label_classes);
        let plan = description.plan.clone();
        let wrong = |error: crate::Error| PartError(error.to_string());
        // Models know only of labels that are learned.
        let root_label = labels.get(&plan.root_label).filter(|label| label.index() < n_labels);
        let system = plan.system(root_label).map_err(wrong)?;
        let questions = Questions::new(description.decision, &*system, n_labels);
        if !questions.kinds().iter().map(|kind| kind.name()).eq(description.kinds.iter()) {
            return Err(PartError::broken("list of transitions"));
        }
        if !description.calibration.is_sound() {
            return Err(PartError::broken("calibration"));
        }
        let decider = deciders::load(&description.decider, part, &questions)?;
        let inverse = plan.transform().map_err(wrong)?;
        let inverse = inverse.map(|transform| {
            quaich_transform::frozen_inverse(&plan.transform, &*transform, &labels, n_labels)
        });
        let inverse = inverse.transpose().map_err(|error| PartError(error.to_string()))?;
        let calibration = description.calibration;
        Ok(Self { plan, system, questions, decider, calibration, labels, n_labels, inverse })
    }
}

/// The labels of a description: as many as it says are learned, each once, and each something that a cell can hold.
fn frozen_labels(description: &MemberDescription) -> std::result::Result<FrozenSymbols<Label>, PartError> {
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

/// What one thread needs to parse with a member; reused from sentence to sentence.
#[derive(Debug)]
pub(crate) struct MemberWorker<'p> {
    member: &'p Member,
    decider: Box<dyn DeciderWorker + 'p>,
    configuration: Configuration,
    /// By node, in the order of reading while it is parsed, and of the sentence afterwards.
    evidence: Vec<Evidence>,
    inverse_scratch: quaich_transform::Scratch,
    tree: Tree,
}

impl<'p> MemberWorker<'p> {
    pub(crate) fn new(member: &'p Member) -> Self {
        Self {
            member,
            decider: member.decider.worker(member.way()),
            configuration: Configuration::new(),
            evidence: Vec::new(),
            inverse_scratch: quaich_transform::Scratch::default(),
            tree: Tree::default(),
        }
    }

    /// Parses a sentence.
    pub(crate) fn parse(&mut self, sentence: &Sentence) -> &Tree {
        self.decider.parse(sentence, &mut self.configuration, Watch::Nothing);
        self.finish(sentence);
        &self.tree
    }

    /// From now on it can be asked how likely heads are.
    pub(crate) fn hear_heads(&mut self) {
        self.decider.hear_heads();
    }

    /// Adds, by node and then by head, how likely it finds each head in the sentence that was parsed last. Whether it can
    /// tell.
    pub(crate) fn add_heads(&mut self, sums: &mut [f32]) -> bool {
        self.decider.add_heads(sums)
    }

    /// Parses a sentence that another parser, which it shares with, has just parsed.
    pub(crate) fn parse_after(&mut self, leader: &mut Self, sentence: &Sentence) -> &Tree {
        if let Some(read) = leader.decider.hand_over() {
            self.decider.take_over(read, true);
        }
        self.decider.parse(sentence, &mut self.configuration, Watch::Nothing);
        if let Some(read) = self.decider.hand_over() {
            leader.decider.take_over(read, false);
        }
        self.finish(sentence);
        &self.tree
    }

    /// Parses a sentence and gives the probability, by node, that head and label are right.
    pub(crate) fn parse_with_scores(&mut self, sentence: &Sentence, probabilities: &mut Vec<f32>) -> &Tree {
        self.decider.parse(sentence, &mut self.configuration, Watch::Evidence(&mut self.evidence));
        if self.member.order() == Order::RightToLeft {
            self.evidence[1..].reverse();
        }
        self.finish(sentence);
        probabilities.clear();
        let calibration = self.member.calibration;
        probabilities.extend(self.evidence.iter().map(|&evidence| calibration.probability(evidence)));
        &self.tree
    }

    /// The configuration that the parse of a sentence starts from, with as many nodes as are to be shown.
    pub(crate) fn trace_start(&mut self, sentence: &Sentence, shown: usize) -> Snapshot {
        let n_tokens = sentence.n_tokens();
        let mut start = Snapshot::start(&*self.member.system, n_tokens, &mut self.configuration, shown);
        if self.member.order() == Order::RightToLeft {
            start.mirror(n_tokens);
        }
        start
    }

    /// Parses a sentence and gives out every step as it is made, with as many nodes of stacks and buffer as are to be shown.
    pub(crate) fn trace_steps(
        &mut self,
        sentence: &Sentence,
        shown: usize,
        visit: &mut dyn FnMut(TraceStep),
    ) -> ParseEnding {
        let gold = gold_tree(&self.member.plan, sentence);
        let reversed = self.member.order() == Order::RightToLeft;
        let mut derivation = Ending::default();
        let mut visit = |mut step: TraceStep| {
            if reversed {
                step.mirror(sentence.n_tokens());
            }
            visit(step);
        };
        let watch = Steps { gold: gold.as_ref(), shown, visit: &mut visit, ending: &mut derivation };
        self.decider.parse(sentence, &mut self.configuration, Watch::Steps(watch));
        if reversed {
            derivation.mirror();
        }
        self.finish(sentence);
        ParseEnding { derivation, tree: self.tree.clone() }
    }

    /// The tree of the configuration, in the order of the sentence, its transformation undone.
    fn finish(&mut self, sentence: &Sentence) {
        let Member { plan, inverse, .. } = self.member;
        self.configuration.write_tree(&mut self.tree);
        if plan.order() == Order::RightToLeft {
            self.tree = plan.in_reading_order(std::mem::take(&mut self.tree));
        }
        if let Some(inverse) = inverse {
            inverse.invert(sentence, &mut self.tree, &mut self.inverse_scratch);
        }
    }
}
