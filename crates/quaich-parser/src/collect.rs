//! Collecting training states: by following the static oracle, and by exploring what a model does after its first error.

use quaich_features::{TokenValues, Tokens};
use quaich_transition::configuration::Configuration;
use quaich_transition::guide::{Guide, run};
use quaich_transition::oracle::Oracle;
use quaich_transition::transition::{KindSet, Transition};
use quaich_treebank::Label;
use rayon::prelude::*;

use crate::decisions::Query;
use crate::decoder::DecisionContext;
use crate::encoder::{SentenceEncoder, SentenceEncoding};
use crate::error::Result;
use crate::long_derivations::is_exhausted;
use crate::observer::Observer;
use crate::scorer::{Choice, Input, Scorer, State};
use crate::task::Example;

/// Sentences per parallel task. Results are concatenated in order, so they do not depend on the number of threads.
const CHUNK: usize = 100;

/// Records the states in which a question is answered. Each learner records what it needs.
pub(crate) trait Recorder {
    /// Called for each sentence before its states.
    fn read(&mut self, _input: Input<'_>) {}

    /// Records a state with its correct classes; the first one is the one to learn.
    fn record(&mut self, question: usize, state: State<'_>, right: &[u32]);
}

/// Follows the static oracle through all examples; returns the recorders in order. Fails only if the observer stops it.
pub(crate) fn follow<R: Recorder + Send>(
    context: DecisionContext<'_>,
    token_values: &TokenValues,
    examples: &[&Example<'_>],
    observer: &dyn Observer,
    recorder: impl Fn() -> R + Sync,
) -> Result<Vec<R>> {
    in_chunks(examples, observer, |chunk| {
        let mut recorder = recorder();
        follow_in_turn(context, token_values, chunk, None, &mut recorder);
        recorder
    })
}

/// Follows the static oracle through all examples sequentially, for recorders that number values by first occurrence. With `malt`, which
/// maps labels to their plain forms, works like `MaltParser`: records states with only one possible transition as well, and gives arcs
/// plain labels.
pub(crate) fn follow_in_turn<R: Recorder>(
    context: DecisionContext<'_>,
    token_values: &TokenValues,
    examples: &[&Example<'_>],
    malt: Option<&[Label]>,
    recorder: &mut R,
) {
    let (mut oracle, mut c, mut tokens) = (Oracle::static_only(), Configuration::new(), Tokens::default());
    for example in examples {
        tokens.read(example.sentence, token_values, context.order);
        let input =
            Input { sentence: example.sentence, tokens: &tokens, order: context.order, encoding: None };
        recorder.read(input);
        oracle.read(context.system, &example.tree);
        let right = Vec::new();
        let recorder = &mut *recorder;
        let likely_labels = example.likely_labels.as_deref();
        let mut guide =
            Follower { oracle: &mut oracle, context, input, recorder, right, malt, likely_labels };
        run(context.system, &mut guide, &mut (), example.tree.n_tokens(), &mut c);
    }
}

/// Parses all examples with a model and records the dynamic oracle's corrections after the model's first error. Fails only
/// if the observer stops it.
pub(crate) fn explore<M: Scorer, R: Recorder + Send>(
    context: DecisionContext<'_>,
    token_values: &TokenValues,
    (model, encoder): (&M, Option<&SentenceEncoder>),
    examples: &[&Example<'_>],
    observer: &dyn Observer,
    recorder: impl Fn() -> R + Sync,
) -> Result<Vec<R>> {
    in_chunks(examples, observer, |chunk| {
        let mut recorder = recorder();
        let mut encoding = SentenceEncoding::default();
        let (mut oracle, mut c, mut tokens) = (Oracle::new(), Configuration::new(), Tokens::default());
        let mut scratch = M::Scratch::default();
        for example in chunk {
            tokens.read(example.sentence, token_values, context.order);
            let sentence = example.sentence;
            let encoding = encoder.map(|encoder| {
                encoder.encode(sentence, &mut encoding);
                &encoding
            });
            let input = Input { sentence, tokens: &tokens, order: context.order, encoding };
            recorder.read(input);
            oracle.read(context.system, &example.tree);
            let mut guide = Explorer {
                model,
                scratch: &mut scratch,
                oracle: &mut oracle,
                context,
                strayed: false,
                input,
                recorder: &mut recorder,
                right: Vec::new(),
            };
            run(context.system, &mut guide, &mut (), example.tree.n_tokens(), &mut c);
        }
        recorder
    })
}

fn in_chunks<R: Send>(
    examples: &[&Example<'_>],
    observer: &dyn Observer,
    work: impl Fn(&[&Example<'_>]) -> R + Sync,
) -> Result<Vec<R>> {
    let unless_stopped = |chunk| {
        observer.check()?;
        Ok(work(chunk))
    };
    examples.par_chunks(CHUNK).map(unless_stopped).collect()
}

/// Follows the oracle and records every state.
struct Follower<'a, R> {
    oracle: &'a mut Oracle,
    context: DecisionContext<'a>,
    input: Input<'a>,
    recorder: &'a mut R,
    right: Vec<u32>,
    /// Maps labels to their plain forms, to work like `MaltParser`.
    malt: Option<&'a [Label]>,
    /// Labels that stand in for unknown ones, by node.
    likely_labels: Option<&'a [Label]>,
}

impl<R: Recorder> Guide for Follower<'_, R> {
    fn choose(&mut self, c: &Configuration, permissible: KindSet) -> Transition {
        let DecisionContext { system, questions, .. } = self.context;
        let right = self.oracle.correct(system, c, permissible);
        if self.malt.is_none() && is_exhausted(c) {
            return right.preferred;
        }
        // MaltParser's oracles may use transitions that its parser could not, and are queried even if there is only one.
        let permissible = match self.malt {
            None => permissible.with(right.preferred.kind),
            Some(_) => system.kinds(),
        };
        questions.decide(system, c, permissible, |query| {
            questions.right_classes(system, c, query, right, self.oracle, &mut self.right);
            if !self.right.is_empty() {
                let state = self.input.state(c, query.focus);
                self.recorder.record(query.question, state, &self.right);
            }
            Choice::sole(self.right.first().copied().unwrap_or(0))
        });
        let Transition { kind, label } = right.preferred;
        let dependent = system.arc(c, kind).filter(|_| label.is_none()).map(|(_, dependent)| dependent);
        let likely = dependent.zip(self.likely_labels).map(|(dependent, labels)| labels[dependent.index()]);
        let label = likely.unwrap_or(label);
        let plain = self.malt.and_then(|plain| plain.get(label.index())).copied();
        Transition { kind, label: plain.unwrap_or(label) }
    }
}

/// Follows a model and records the correct classes once it has made an error.
struct Explorer<'a, M: Scorer, R> {
    model: &'a M,
    scratch: &'a mut M::Scratch,
    oracle: &'a mut Oracle,
    context: DecisionContext<'a>,
    strayed: bool,
    input: Input<'a>,
    recorder: &'a mut R,
    right: Vec<u32>,
}

impl<M: Scorer, R: Recorder> Guide for Explorer<'_, M, R> {
    fn start(&mut self, _c: &Configuration) {
        self.model.start(self.input, self.scratch);
    }

    fn choose(&mut self, c: &Configuration, permissible: KindSet) -> Transition {
        let DecisionContext { system, questions, .. } = self.context;
        if is_exhausted(c) {
            return system.fallback(c, permissible);
        }
        let right = self.oracle.correct(system, c, permissible);
        let ask = |query: Query<'_>| {
            let state = self.input.state(c, query.focus);
            let choice = self.model.choose(query.question, state, query.allowed, self.scratch);
            questions.right_classes(system, c, query, right, self.oracle, &mut self.right);
            // Of several correct classes, the model's own choice is the easiest to learn.
            let own = self.right.iter().position(|&class| class == choice.class);
            if let Some(own) = own {
                self.right.swap(0, own);
            }
            if self.strayed && !self.right.is_empty() {
                self.recorder.record(query.question, state, &self.right);
            }
            self.strayed |= own.is_none() && !self.right.is_empty();
            choice
        };
        questions.decide(system, c, permissible, ask).transition
    }
}
