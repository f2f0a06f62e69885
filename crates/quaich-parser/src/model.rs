//! What decides: a model chooses the kind of the next transition, and the label of an arc.

use quaich_features::Tokens;
use quaich_transition::configuration::Configuration;
use quaich_transition::guide::Guide;
use quaich_transition::systems::System;
use quaich_transition::transition::{Kind, KindSet, Transition};
use quaich_treebank::{Label, Node};

/// A trained model. It is immutable and shared; what changes is in its scratch space.
pub trait Model: Send + Sync {
    /// What a thread needs to ask this model.
    type Scratch: Default + Send;

    /// Looks at a sentence before it is parsed.
    fn start(&self, _tokens: &Tokens, _scratch: &mut Self::Scratch) {}

    /// The best of the permissible kinds, and how far it is ahead of the next best.
    fn kind(
        &self,
        c: &Configuration,
        tokens: &Tokens,
        permissible: KindSet,
        scratch: &mut Self::Scratch,
    ) -> Choice<Kind>;

    /// The best label for an arc, and how far it is ahead of the next best.
    fn label(
        &self,
        c: &Configuration,
        tokens: &Tokens,
        head: Node,
        dependent: Node,
        scratch: &mut Self::Scratch,
    ) -> Choice<Label>;
}

/// A decision with its lead over the second best; infinite where there was no other.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Choice<T> {
    /// What was chosen.
    pub best: T,
    /// Its score less the next best one's.
    pub margin: f32,
}

/// A model in the guide's seat.
pub(crate) struct ModelGuide<'a, M: Model, S: ?Sized> {
    pub(crate) model: &'a M,
    pub(crate) system: &'a S,
    pub(crate) tokens: &'a Tokens,
    pub(crate) scratch: &'a mut M::Scratch,
    /// Where given: by token, the margins of the transition and the label that attached it.
    pub(crate) margins: Option<&'a mut [(f32, f32)]>,
}

impl<M: Model, S: System + ?Sized> Guide for ModelGuide<'_, M, S> {
    fn start(&mut self, _c: &Configuration) {
        self.model.start(self.tokens, self.scratch);
    }

    #[inline]
    fn choose(&mut self, c: &Configuration, permissible: KindSet) -> Transition {
        let kind = if permissible.len() == 1 {
            Choice { best: permissible.first().unwrap_or(Kind::Shift), margin: f32::INFINITY }
        } else {
            self.model.kind(c, self.tokens, permissible, self.scratch)
        };
        let Some((head, dependent)) = self.system.arc(c, kind.best) else {
            return Transition::plain(kind.best);
        };
        let label = self.model.label(c, self.tokens, head, dependent, self.scratch);
        if let Some(margins) = &mut self.margins {
            margins[dependent.index()] = (kind.margin, label.margin);
        }
        Transition::arc(kind.best, label.best)
    }
}
