//! Parsing: the shared, immutable [`Parser`] and the [`Worker`] that each thread has for itself.

use quaich_features::{Focus, Program, Scratch, Tokens};
use quaich_transition::configuration::Configuration;
use quaich_transition::guide::{Guide, run};
use quaich_transition::systems::System;
use quaich_transition::transition::{Kind, KindSet, Transition};
use quaich_treebank::{Label, Node, Sentence};

use crate::label_table::{LabelScores, LabelTable};
use crate::transition_table::TransitionTable;

/// The classifiers of a parser and the programs that feed them.
#[derive(Debug)]
pub struct Engine {
    /// Computes what chooses transitions.
    pub transition_program: Program,
    /// Computes what chooses labels.
    pub label_program: Program,
    /// Chooses transitions.
    pub transitions: TransitionTable,
    /// Chooses labels.
    pub labels: LabelTable,
    /// The kind of transition behind each class.
    pub kinds: Vec<Kind>,
}

/// Everything one thread needs to parse; reused from sentence to sentence.
#[derive(Debug, Default)]
pub struct Worker {
    /// The state of the parse; holds the tree afterwards.
    pub configuration: Configuration,
    tokens: Tokens,
    transition_scratch: Scratch,
    label_scratch: Scratch,
    label_scores: LabelScores,
}

impl Worker {
    /// Parses a sentence; the tree is in `configuration` afterwards.
    pub fn parse<S: System + ?Sized>(&mut self, engine: &Engine, system: &S, sentence: &Sentence) {
        self.tokens.read(sentence);
        let mut guide = ModelGuide {
            engine,
            system,
            tokens: &self.tokens,
            transition_scratch: &mut self.transition_scratch,
            label_scratch: &mut self.label_scratch,
            label_scores: &mut self.label_scores,
        };
        run(system, &mut guide, sentence.n_tokens(), &mut self.configuration);
    }
}

/// A model in the seat of the guide.
pub struct ModelGuide<'a, S: ?Sized> {
    /// The model.
    pub engine: &'a Engine,
    /// The system it drives.
    pub system: &'a S,
    /// The sentence.
    pub tokens: &'a Tokens,
    /// Scratch space.
    pub transition_scratch: &'a mut Scratch,
    /// Scratch space.
    pub label_scratch: &'a mut Scratch,
    /// Scratch space.
    pub label_scores: &'a mut LabelScores,
}

impl<S: System + ?Sized> ModelGuide<'_, S> {
    /// The permissible kind that scores highest.
    #[inline]
    pub fn choose_kind(&mut self, c: &Configuration, permissible: KindSet) -> Kind {
        if permissible.len() == 1 {
            return permissible.first().unwrap_or(Kind::Shift);
        }
        self.engine.transition_program.run(c, self.tokens, Focus::NONE, self.transition_scratch);
        let scores = self.engine.transitions.score(&self.transition_scratch.hashes);
        let mut best = None;
        for (&kind, &score) in self.engine.kinds.iter().zip(&scores) {
            if permissible.contains(kind) && best.is_none_or(|(highest, _)| score > highest) {
                best = Some((score, kind));
            }
        }
        best.map_or(Kind::Shift, |(_, kind)| kind)
    }

    /// The label that scores highest for an arc.
    #[inline]
    pub fn choose_label(&mut self, c: &Configuration, head: Node, dependent: Node) -> Label {
        self.engine.label_program.run(c, self.tokens, Focus { head, dependent }, self.label_scratch);
        self.engine.labels.score(&self.label_scratch.hashes, self.label_scores);
        let mut best = (i16::MIN, 0);
        for (label, &score) in (0u32..).zip(&self.label_scores.sums) {
            if score > best.0 {
                best = (score, label);
            }
        }
        Label(best.1)
    }
}

impl<S: System + ?Sized> Guide for ModelGuide<'_, S> {
    #[inline]
    fn choose(&mut self, c: &Configuration, permissible: KindSet) -> Transition {
        let kind = self.choose_kind(c, permissible);
        match self.system.arc(c, kind) {
            Some((head, dependent)) => Transition { kind, label: self.choose_label(c, head, dependent) },
            None => Transition::plain(kind),
        }
    }
}
