//! A scorer as the guide of a parse: it answers the questions of each state.

use quaich_transition::configuration::Configuration;
use quaich_transition::guide::Guide;
use quaich_transition::systems::System;
use quaich_transition::transition::{KindSet, Transition};

use crate::calibration::Evidence;
use crate::decisions::Questions;
use crate::scorer::{Input, Scorer};

/// Parses with a model.
pub(crate) struct ScorerGuide<'a, M: Scorer, S: ?Sized> {
    pub(crate) model: &'a M,
    pub(crate) questions: &'a Questions,
    pub(crate) system: &'a S,
    pub(crate) input: Input<'a>,
    pub(crate) scratch: &'a mut M::Scratch,
    /// If given, records the evidence for the arc of each node.
    pub(crate) evidence: Option<&'a mut [Evidence]>,
}

impl<M: Scorer, S: System + ?Sized> Guide for ScorerGuide<'_, M, S> {
    fn start(&mut self, _c: &Configuration) {
        self.model.start(self.input, self.scratch);
    }

    #[inline]
    fn choose(&mut self, c: &Configuration, permissible: KindSet) -> Transition {
        let (model, input, scratch) = (self.model, &self.input, &mut *self.scratch);
        let decided = self.questions.decide(self.system, c, permissible, |query| {
            model.choose(query.question, input.state(c, query.focus), query.allowed, scratch)
        });
        if let Some(evidence) = &mut self.evidence {
            let (kind, label) = decided.margins;
            for node in [c.stack(0), c.buffer(0)].into_iter().filter(|node| node.is_some()) {
                let lowest = &mut evidence[node.index()].lowest;
                *lowest = lowest.min(kind);
            }
            if let Some(dependent) = decided.dependent {
                let known = &mut evidence[dependent.index()];
                (known.kind, known.label, known.lowest) = (kind, label, known.lowest.min(kind));
            }
        }
        decided.transition
    }
}
