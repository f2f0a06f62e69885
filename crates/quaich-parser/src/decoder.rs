//! Decoders: trained models as trait objects that parse. Dispatch happens once per sentence; the inner loop is monomorphised for the
//! model and for the common systems.

use std::any::Any;
use std::cell::RefCell;
use std::fmt::Debug;
use std::sync::Arc;

use quaich_features::{ColumnName, Order, TokenValues, Tokens};
use quaich_transition::configuration::Configuration;
use quaich_transition::constraints::{ConstrainedGuide, GivenArcs};
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

/// A trained decoder: immutable and shared.
pub(crate) trait Decoder: Debug + Send + Sync {
    /// The name of the learner that loads it from model files.
    fn kind(&self) -> &'static str;

    /// The token columns that it reads, each once; excludes those of its encoder.
    fn columns(&self) -> Vec<&ColumnName>;

    /// The buffers that one thread needs to parse with this decoder.
    fn scratch(&self) -> Box<dyn Any + Send>;

    /// Parses a sentence; afterwards the configuration holds its arcs, in reading order.
    ///
    /// # Panics
    /// If the scratch space belongs to another kind of decoder.
    fn decode(&self, job: Job<'_>, scratch: &mut dyn Any, c: &mut Configuration, recording: Recording<'_>);

    /// Human-readable properties: names and values.
    fn about(&self) -> Vec<(String, String)>;

    /// Writes what was learned to a part of a model file.
    fn save(&self, part: &mut PartWriter<'_>);

    /// The underlying model, for callers who know its type.
    fn model(&self) -> &dyn Any;
}

/// What a scorer needs to know about the parser: system, questions, direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DecisionContext<'d> {
    /// The transition system.
    pub system: &'d dyn System,
    /// The questions.
    pub questions: &'d Questions,
    /// The direction in which sentences are read.
    pub order: Order,
}

/// A sentence to parse.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job<'a> {
    /// The sentence.
    pub sentence: &'a Sentence,
    /// The encoding of the sentence; `None` for decoders without an encoder.
    pub encoding: Option<&'a SentenceEncoding>,
    /// The parser.
    pub context: DecisionContext<'a>,
    /// The arcs that the parse must contain, in reading order.
    pub given: Option<&'a Tree>,
}

/// What to record during the parse, in addition to the arcs.
#[derive(Debug)]
pub(crate) enum Recording<'a> {
    /// Nothing.
    Nothing,
    /// The evidence for the arc of each node.
    Evidence(&'a mut Vec<Evidence>),
    /// Every step with its scores.
    Steps(Steps<'a>),
}

/// How steps are recorded.
pub(crate) struct Steps<'a> {
    /// The gold tree, to query dynamic oracles with.
    pub gold: Option<&'a Tree>,
    /// The maximum number of nodes of the stacks and the buffer in each step.
    pub shown: usize,
    /// Called with each step.
    pub visit: &'a mut dyn FnMut(TraceStep),
    /// Receives the end of the derivation.
    pub ending: &'a mut Ending,
}

impl Debug for Steps<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Steps").field("shown", &self.shown).finish_non_exhaustive()
    }
}

/// A model that can be saved.
pub(crate) trait Persist: Scorer {
    /// The name of the learner that loads it.
    fn kind(&self) -> &'static str;

    /// Human-readable properties: names and values.
    fn about(&self) -> Vec<(String, String)>;

    /// Writes what was learned to a part of a model file.
    fn save(&self, part: &mut PartWriter<'_>);
}

/// A decoder for any type of model.
#[derive(Debug)]
pub(crate) struct ScorerDecoder<M> {
    model: Arc<M>,
    /// The token values that the model reads.
    token_values: TokenValues,
}

/// The buffers that a thread needs to parse with a model.
struct DecoderScratch<M: Scorer> {
    tokens: Tokens,
    model: M::Scratch,
    given: GivenArcs,
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
        Box::new(DecoderScratch::<M> {
            tokens: Tokens::default(),
            model: M::Scratch::default(),
            given: GivenArcs::default(),
        })
    }

    fn decode(&self, job: Job<'_>, scratch: &mut dyn Any, c: &mut Configuration, recording: Recording<'_>) {
        let scratch: &mut DecoderScratch<M> =
            scratch.downcast_mut().expect("the scratch space of this decoder");
        let Job { sentence, encoding, context: DecisionContext { system, questions, order }, given } = job;
        let DecoderScratch { tokens, model: scratch, given: arcs } = scratch;
        let given = given.map(|tree| {
            arcs.read(system, tree);
            arcs
        });
        tokens.read(sentence, &self.token_values, order);
        let (model, input) = (&*self.model, Input { sentence, tokens, order, encoding });
        let evidence = match recording {
            Recording::Steps(Steps { gold, shown, visit, ending }) => {
                let step_scores = RefCell::default();
                let guide =
                    TracingGuide { model, questions, system, input, scratch, step_scores: &step_scores };
                *ending = follow(system, guide, sentence.n_tokens(), gold, c, shown, &mut |step| {
                    visit(annotated(step, &step_scores));
                });
                return;
            }
            Recording::Evidence(evidence) => evidence,
            Recording::Nothing => {
                Parse { model, questions, input, scratch, evidence: None, c }.run(system, given);
                return;
            }
        };
        evidence.clear();
        evidence.resize(sentence.n_tokens() + 1, Evidence::UNDISPUTED);
        Parse { model, questions, input, scratch, evidence: Some(&mut *evidence), c }.run(system, given);
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

/// One parse, monomorphised for each of the common systems.
struct Parse<'a, M: Scorer> {
    model: &'a M,
    questions: &'a Questions,
    input: Input<'a>,
    scratch: &'a mut M::Scratch,
    evidence: Option<&'a mut [Evidence]>,
    c: &'a mut Configuration,
}

impl<M: Scorer> Parse<'_, M> {
    /// Parses; with given arcs, through the interface of systems, so that the loop is not compiled twice for each of them.
    fn run(self, system: &dyn System, given: Option<&mut GivenArcs>) {
        let Some(given) = given else { return dispatch(system, self) };
        let Self { model, questions, input, scratch, evidence, c } = self;
        let guide = ScorerGuide { model, questions, system, input, scratch, evidence };
        let mut guide = ConstrainedGuide::new(guide, system, given);
        run(system, &mut guide, &mut (), input.sentence.n_tokens(), c);
    }
}

impl<M: Scorer> Visitor for Parse<'_, M> {
    type Output = ();

    fn visit<S: System + ?Sized>(self, system: &S) {
        let Self { model, questions, input, scratch, evidence, c } = self;
        let mut guide = ScorerGuide { model, questions, system, input, scratch, evidence };
        run(system, &mut guide, &mut (), input.sentence.n_tokens(), c);
    }
}
