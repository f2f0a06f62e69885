//! A member of a model: one complete parser, with its system, labels and decider. A model file holds a
//! list of them.

use quaich_features::Order;
use quaich_transform::Inverse;
use quaich_transition::systems::System;
use quaich_treebank::symbols::FrozenSymbols;
use quaich_treebank::{Label, Symbols};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::calibration::Calibration;
use crate::decider::{Decider, Way};
use crate::deciders;
use crate::decisions::{Decision, Questions};
use crate::error::Result;
use crate::part::{PartError, PartReader};
use crate::plan::Plan;
use crate::prepare::Prepared;

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

    /// Finds a member again.
    pub(crate) fn load(
        description: &MemberDescription,
        part: PartReader<'_>,
    ) -> Result<std::result::Result<Self, PartError>> {
        let broken = |what: &str| Ok(Err(PartError::broken(what)));
        let mut labels = Symbols::<Label>::new();
        for label in &description.labels {
            labels.intern(label);
        }
        if labels.len() != description.labels.len() || description.label_classes > labels.len() {
            return broken("list of labels");
        }
        let labels: FrozenSymbols<Label> = labels.freeze();
        let plan = description.plan.clone();
        let system = plan.system(labels.get(&plan.root_label))?;
        let questions = Questions::new(description.decision, &*system, description.label_classes);
        if !questions.kinds().iter().map(|kind| kind.name()).eq(description.kinds.iter()) {
            return broken("list of transitions");
        }
        let decider = match deciders::load(&description.decider, part, &questions) {
            Ok(decider) => decider,
            Err(error) => return Ok(Err(error)),
        };
        let inverse = match plan.transform()? {
            Some(transform) => Some(quaich_transform::frozen_inverse(&*transform, &labels)?),
            None => None,
        };
        let (n_labels, calibration) = (description.label_classes, description.calibration);
        Ok(Ok(Self { plan, system, questions, decider, calibration, labels, n_labels, inverse }))
    }
}
