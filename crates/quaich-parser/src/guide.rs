//! A model in the guide's seat: it is asked the questions of a decision in every state.

use quaich_transition::configuration::Configuration;
use quaich_transition::guide::Guide;
use quaich_transition::systems::System;
use quaich_transition::transition::{KindSet, Transition};

use crate::decisions::Questions;
use crate::model::{Model, Reading, State};

/// Lets a model parse.
pub(crate) struct ModelGuide<'a, M: Model, S: ?Sized> {
    pub(crate) model: &'a M,
    pub(crate) questions: &'a Questions,
    pub(crate) system: &'a S,
    pub(crate) reading: Reading<'a>,
    pub(crate) scratch: &'a mut M::Scratch,
    /// Where given: by token, the margins of the decisions that attached it.
    pub(crate) margins: Option<&'a mut [(f32, f32)]>,
}

impl<M: Model, S: System + ?Sized> Guide for ModelGuide<'_, M, S> {
    fn start(&mut self, _c: &Configuration) {
        self.model.start(self.reading, self.scratch);
    }

    #[inline]
    fn choose(&mut self, c: &Configuration, permissible: KindSet) -> Transition {
        let (model, tokens, scratch) = (self.model, self.reading.tokens, &mut *self.scratch);
        let decided = self.questions.decide(self.system, c, permissible, |asked| {
            model.choose(asked.question, State { c, tokens, focus: asked.focus }, asked.allowed, scratch)
        });
        if let (Some(margins), Some(dependent)) = (&mut self.margins, decided.dependent) {
            margins[dependent.index()] = decided.margins;
        }
        decided.transition
    }
}
