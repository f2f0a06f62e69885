//! Decoders: trained models as objects that parse. They are dispatched once per sentence; inside, the loop is compiled for the model
//! and for the common systems.

use std::any::Any;
use std::cell::RefCell;
use std::fmt::Debug;
use std::sync::Arc;

use quaich_features::{ColumnName, Order, TokenValues, Tokens};
use quaich_transition::configuration::Configuration;
use quaich_transition::guide::run;
use quaich_transition::systems::{System, Visitor, dispatch};
use quaich_transition::trace::{Ending, TraceStep, follow};
use quaich_treebank::{Sentence, Tree};

use crate::calibration::Evidence;
use crate::decisions::Questions;
use crate::encoder::SentenceEncoding;
use crate::guide::ScorerGuide;
use crate::part::PartWriter;
use crate::scorer::{Input, Scorer};
use crate::trace::{TracingGuide, annotated};

/// What decides in a parser: immutable and shared.
pub(crate) trait Decoder: Debug + Send + Sync {
    /// The name of the learner that loads it from model files.
    fn kind(&self) -> &'static str;

    /// The columns of a token that it looks at, each once; those of its encoder are not among them.
    fn columns(&self) -> Vec<&ColumnName>;

    /// What one thread needs to parse with it; it belongs to this decoder.
    fn scratch(&self) -> Box<dyn Any + Send>;

    /// Parses a sentence: the configuration holds its arcs afterwards, in the order of reading.
    ///
    /// # Panics
    /// When the scratch space is that of another kind of decoder.
    fn decode(&self, job: Job<'_>, scratch: &mut dyn Any, c: &mut Configuration, recording: Recording<'_>);

    /// What it is, for people: names and values.
    fn about(&self) -> Vec<(String, String)>;

    /// Puts what was learned into a part of a model file.
    fn save(&self, part: &mut PartWriter<'_>);

    /// The model behind it, for those who know its type.
    fn model(&self) -> &dyn Any;
}

/// How a decoder is asked: system, questions, direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DecisionContext<'d> {
    /// The transition system.
    pub system: &'d dyn System,
    /// Its questions.
    pub questions: &'d Questions,
    /// In which direction sentences are read.
    pub order: Order,
}

/// A sentence to be parsed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job<'a> {
    /// The sentence.
    pub sentence: &'a Sentence,
    /// What the encoder makes of it; none for decoders without one.
    pub encoding: Option<&'a SentenceEncoding>,
    /// How the decoder is asked.
    pub context: DecisionContext<'a>,
}

/// What is to be kept of a parse besides its arcs.
#[derive(Debug)]
pub(crate) enum Recording<'a> {
    /// Nothing.
    Nothing,
    /// By node: how it came to be attached.
    Evidence(&'a mut Vec<Evidence>),
    /// Every step, with what was thought of it.
    Steps(Steps<'a>),
}

/// How the steps of a parse are watched.
pub(crate) struct Steps<'a> {
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

/// A model that can be put into a model file.
pub(crate) trait Persist: Scorer {
    /// The name of the learner that loads it.
    fn kind(&self) -> &'static str;

    /// What it is, for people: names and values.
    fn about(&self) -> Vec<(String, String)>;

    /// Puts what was learned into a part of a model file.
    fn save(&self, part: &mut PartWriter<'_>);
}

/// A model of any type as a decoder.
#[derive(Debug)]
pub(crate) struct ScorerDecoder<M> {
    model: Arc<M>,
    /// What it looks at in a token.
    token_values: TokenValues,
}

/// What a thread needs to parse with a model.
struct DecoderScratch<M: Scorer> {
    tokens: Tokens,
    model: M::Scratch,
}

impl<M: Persist> ScorerDecoder<M> {
    /// A boxed decoder.
    pub(crate) fn boxed(model: Arc<M>, token_values: TokenValues) -> Box<dyn Decoder> {
        Box::new(Self { model, token_values })
    }
}

impl<M: Persist> Decoder for ScorerDecoder<M> {
    fn kind(&self) -> &'static str {
        self.model.kind()
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

    fn scratch(&self) -> Box<dyn Any + Send> {
        Box::new(DecoderScratch::<M> { tokens: Tokens::default(), model: M::Scratch::default() })
    }

    fn decode(&self, job: Job<'_>, scratch: &mut dyn Any, c: &mut Configuration, recording: Recording<'_>) {
        let scratch: &mut DecoderScratch<M> =
            scratch.downcast_mut().expect("the scratch space of this decoder");
        let Job { sentence, encoding, context: DecisionContext { system, questions, order } } = job;
        let DecoderScratch { tokens, model: scratch } = scratch;
        tokens.read(sentence, &self.token_values, order);
        let (model, input) = (&*self.model, Input { sentence, tokens, order, encoding });
        let evidence = match recording {
            Recording::Steps(Steps { gold, shown, visit, ending }) => {
                let opinions = RefCell::default();
                let guide = TracingGuide { model, questions, system, input, scratch, opinions: &opinions };
                *ending = follow(system, guide, sentence.n_tokens(), gold, c, shown, &mut |step| {
                    visit(annotated(step, &opinions));
                });
                return;
            }
            Recording::Evidence(evidence) => evidence,
            Recording::Nothing => {
                dispatch(system, Parse { model, questions, input, scratch, evidence: None, c });
                return;
            }
        };
        evidence.clear();
        evidence.resize(sentence.n_tokens() + 1, Evidence::UNDISPUTED);
        dispatch(system, Parse { model, questions, input, scratch, evidence: Some(evidence), c });
        for token in sentence.tokens() {
            let head = c.head(token);
            let head_lowest = if head.is_none() { f32::INFINITY } else { evidence[head.index()].lowest };
            let distance = if head.is_root() || head.is_none() { 0 } else { head.0.abs_diff(token.0) };
            let known = &mut evidence[token.index()];
            (known.head_lowest, known.distance) = (head_lowest, distance);
        }
    }

    fn about(&self) -> Vec<(String, String)> {
        self.model.about()
    }

    fn save(&self, part: &mut PartWriter<'_>) {
        self.model.save(part);
    }

    fn model(&self) -> &dyn Any {
        &*self.model
    }
}

/// One parse, compiled for each of the common systems.
struct Parse<'a, M: Scorer> {
    model: &'a M,
    questions: &'a Questions,
    input: Input<'a>,
    scratch: &'a mut M::Scratch,
    evidence: Option<&'a mut [Evidence]>,
    c: &'a mut Configuration,
}

impl<M: Scorer> Visitor for Parse<'_, M> {
    type Output = ();

    fn visit<S: System + ?Sized>(self, system: &S) {
        let Self { model, questions, input, scratch, evidence, c } = self;
        let mut guide = ScorerGuide { model, questions, system, input, scratch, evidence };
        run(system, &mut guide, &mut (), input.sentence.n_tokens(), c);
    }
}
