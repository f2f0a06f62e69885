//! Deciders: what a parser asks, as objects. They are dispatched once a sentence; inside, the loop is
//! compiled for the model and for the common systems.

use std::any::Any;
use std::cell::RefCell;
use std::fmt::Debug;

use quaich_features::{ColumnName, Order, TokenValues, Tokens};
use quaich_transition::configuration::Configuration;
use quaich_transition::guide::run;
use quaich_transition::systems::{System, Visitor, dispatch};
use quaich_transition::trace::{Ending, TraceStep, follow};
use quaich_treebank::{Sentence, Tree};

use crate::calibration::Evidence;
use crate::decisions::Questions;
use crate::guide::ModelGuide;
use crate::model::{Model, Reading};
use crate::part::PartWriter;
use crate::trace::{Outspoken, annotated};

/// What decides in a parser: immutable and shared.
pub trait Decider: Debug + Send + Sync {
    /// What of a token has to be read.
    fn token_values(&self) -> &TokenValues;

    /// The columns of a token that it looks at, each once.
    fn columns(&self) -> Vec<&ColumnName>;

    /// What one thread needs to parse with it; it belongs to this decider alone.
    fn worker<'d>(&'d self, way: Way<'d>) -> Box<dyn DeciderWorker + 'd>;

    /// The name of its kind in model files.
    fn kind(&self) -> &'static str;

    /// What it is, for people: names and values.
    fn about(&self) -> Vec<(String, String)>;

    /// Puts what was learned into a part of a model file.
    fn save(&self, part: &mut PartWriter<'_>);

    /// The model behind it, for those who know its type.
    fn model(&self) -> &dyn Any;

    /// Whether what this decider makes of a sentence serves the other as well.
    fn shares_with(&self, other: &dyn Decider) -> bool;
}

/// The way in which a decider is asked: system, questions, direction.
#[derive(Clone, Copy, Debug)]
pub struct Way<'d> {
    /// The transition system.
    pub system: &'d dyn System,
    /// Its questions.
    pub questions: &'d Questions,
    /// In which direction sentences are read.
    pub order: Order,
}

/// What is to be kept of a parse besides its arcs.
#[derive(Debug)]
pub enum Watch<'a> {
    /// Nothing.
    Nothing,
    /// By node: how it came to be attached.
    Evidence(&'a mut Vec<Evidence>),
    /// Every step, with what was thought of it.
    Steps(Steps<'a>),
}

/// How the steps of a parse are watched.
pub struct Steps<'a> {
    /// A tree that dynamic oracles are asked about.
    pub gold: Option<&'a Tree>,
    /// How many nodes of stacks and buffer are shown.
    pub shown: usize,
    /// Who sees the steps.
    pub visit: &'a mut dyn FnMut(TraceStep),
    /// How it ended.
    pub ending: &'a mut Ending,
}

impl Debug for Steps<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Steps").field("shown", &self.shown).finish_non_exhaustive()
    }
}

/// A decider at work. One a thread, reused from sentence to sentence.
pub trait DeciderWorker: Debug + Send {
    /// Parses a sentence: the configuration holds its arcs afterwards, in the order of reading.
    fn parse(&mut self, sentence: &Sentence, c: &mut Configuration, watch: Watch<'_>);

    /// Gives away what it made of the sentence that was parsed last, to one that it shares with.
    fn hand_over(&mut self) -> Option<Box<dyn Any + Send>>;

    /// Takes what another has made of a sentence: if it is ahead, of the one that is parsed next.
    fn take_over(&mut self, read: Box<dyn Any + Send>, ahead: bool);

    /// From now on it can be asked how likely heads are.
    fn hear_heads(&mut self);

    /// Adds, by node and then by head, how likely it finds each head in the sentence that was parsed last. Whether it can
    /// tell.
    fn add_heads(&mut self, sums: &mut [f32]) -> bool;
}

/// A model of any type as a decider.
#[derive(Debug)]
pub struct ModelDecider<M> {
    /// The model.
    pub model: M,
    /// What it looks at in a token.
    pub token_values: TokenValues,
}

/// A model that can be put into a model file.
pub trait Keepable: Model {
    /// The name of its kind in model files.
    const KIND: &'static str;

    /// What it is, for people: names and values.
    fn about(&self) -> Vec<(String, String)>;

    /// Puts what was learned into a part of a model file.
    fn save(&self, part: &mut PartWriter<'_>);
}

impl<M: Keepable> ModelDecider<M> {
    /// A boxed decider.
    pub fn boxed(model: M, token_values: TokenValues) -> Box<dyn Decider> {
        Box::new(Self { model, token_values })
    }
}

impl<M: Keepable> Decider for ModelDecider<M> {
    fn token_values(&self) -> &TokenValues {
        &self.token_values
    }

    fn columns(&self) -> Vec<&ColumnName> {
        let mut columns = self.token_values.columns();
        for column in self.model.columns() {
            if !columns.contains(&column) {
                columns.push(column);
            }
        }
        columns
    }

    fn worker<'d>(&'d self, way: Way<'d>) -> Box<dyn DeciderWorker + 'd> {
        Box::new(ModelWorker::new(&self.model, &self.token_values, way))
    }

    fn kind(&self) -> &'static str {
        M::KIND
    }

    fn about(&self) -> Vec<(String, String)> {
        self.model.about()
    }

    fn save(&self, part: &mut PartWriter<'_>) {
        self.model.save(part);
    }

    fn model(&self) -> &dyn Any {
        &self.model
    }

    fn shares_with(&self, other: &dyn Decider) -> bool {
        other.model().downcast_ref().is_some_and(|other| self.model.shares_with(other))
    }
}

/// A model at work; training, which has no decider yet, uses it too.
pub(crate) struct ModelWorker<'d, M: Model> {
    model: &'d M,
    token_values: &'d TokenValues,
    way: Way<'d>,
    tokens: Tokens,
    scratch: M::Scratch,
}

impl<M: Model> Debug for ModelWorker<'_, M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ModelWorker").field("way", &self.way).finish_non_exhaustive()
    }
}

impl<'d, M: Model> ModelWorker<'d, M> {
    pub(crate) fn new(model: &'d M, token_values: &'d TokenValues, way: Way<'d>) -> Self {
        Self { model, token_values, way, tokens: Tokens::default(), scratch: M::Scratch::default() }
    }
}

impl<M: Model> DeciderWorker for ModelWorker<'_, M> {
    fn parse(&mut self, sentence: &Sentence, c: &mut Configuration, watch: Watch<'_>) {
        let Way { system, questions, order } = self.way;
        self.tokens.read(sentence, self.token_values, order);
        let reading = Reading { sentence, tokens: &self.tokens, order };
        let evidence = match watch {
            Watch::Steps(Steps { gold, shown, visit, ending }) => {
                let (model, scratch) = (self.model, &mut self.scratch);
                let opinions = RefCell::default();
                let guide = Outspoken { model, questions, system, reading, scratch, opinions: &opinions };
                *ending = follow(system, guide, sentence.n_tokens(), gold, c, shown, &mut |step| {
                    visit(annotated(step, &opinions));
                });
                return;
            }
            Watch::Evidence(evidence) => {
                evidence.clear();
                evidence.resize(sentence.n_tokens() + 1, Evidence::UNDISPUTED);
                Some(evidence)
            }
            Watch::Nothing => None,
        };
        let (model, scratch) = (self.model, &mut self.scratch);
        let Some(evidence) = evidence else {
            dispatch(system, Parse { model, questions, reading, scratch, evidence: None, c });
            return;
        };
        dispatch(system, Parse { model, questions, reading, scratch, evidence: Some(evidence), c });
        for token in sentence.tokens() {
            let head = c.head(token);
            let head_lowest = if head.is_none() { f32::INFINITY } else { evidence[head.index()].lowest };
            let distance = if head.is_root() || head.is_none() { 0 } else { head.0.abs_diff(token.0) };
            let known = &mut evidence[token.index()];
            (known.head_lowest, known.distance) = (head_lowest, distance);
        }
    }

    fn hand_over(&mut self) -> Option<Box<dyn Any + Send>> {
        self.model.hand_over(&mut self.scratch)
    }

    fn take_over(&mut self, read: Box<dyn Any + Send>, ahead: bool) {
        self.model.take_over(read, ahead, &mut self.scratch);
    }

    fn hear_heads(&mut self) {
        self.model.hear_heads(&mut self.scratch);
    }

    fn add_heads(&mut self, sums: &mut [f32]) -> bool {
        self.model.add_heads(self.way.order, sums, &mut self.scratch)
    }
}

/// One parse, compiled for each of the common systems.
struct Parse<'a, M: Model> {
    model: &'a M,
    questions: &'a Questions,
    reading: Reading<'a>,
    scratch: &'a mut M::Scratch,
    evidence: Option<&'a mut [Evidence]>,
    c: &'a mut Configuration,
}

impl<M: Model> Visitor for Parse<'_, M> {
    type Output = ();

    fn visit<S: System + ?Sized>(self, system: &S) {
        let Self { model, questions, reading, scratch, evidence, c } = self;
        let mut guide = ModelGuide { model, questions, system, reading, scratch, evidence };
        run(system, &mut guide, &mut (), reading.sentence.n_tokens(), c);
    }
}
