//! Online training with a dynamic oracle and exploration of errors (Goldberg and Nivre 2012, 2013).
//!
//! Each state is learned from once and then discarded, so that memory is limited to one table of weights per question, whose size is a
//! setting. After the first epochs, the current weights choose most transitions, correct or not, and the dynamic oracle provides the
//! correct ones.

use std::cell::Cell;

use quaich_features::{Scratch, TokenValues, Tokens};
use quaich_learn::perceptron::{Perceptron, Sums, Update};
use quaich_learn::{Arrays, EpochTrainer, Persist, fit};
use quaich_transition::configuration::Configuration;
use quaich_transition::guide::{Guide, run};
use quaich_transition::oracle::{CorrectTransitions, Oracle};
use quaich_transition::transition::{KindSet, Transition};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::prune::{Pruning, PruningTrials};
use super::train::{HeldOut, Setup, no_memory};
use super::weights::{FeatureWeights, LinearWeights};
use crate::calibration::Calibration;
use crate::decisions::{Query, Question, Subject};
use crate::decoder::{DecisionContext, ScorerDecoder};
use crate::error::{Error, Result};
use crate::folds::FoldScheme;
use crate::learner::{Learned, Profile, Run, RunSupervisor, TrainingInput};
use crate::observer::Unobserved;
use crate::scorer::{Allowed, Choice, best};
use crate::task::Example;

/// The learner's name.
pub(crate) const PERCEPTRON: &str = "perceptron";
/// How often an epoch asks whether to stop.
const SENTENCES_BEFORE_STOP: usize = 100;
/// One fold of this many is held out.
const FOLDS: usize = 2;

/// Trains a linear model online.
pub(crate) fn learn(input: &TrainingInput<'_>, profile: Profile) -> Result<Learned> {
    let features = input.features(profile)?;
    let mut token_values = TokenValues::default();
    let setup = Setup::new(input, &features, &mut token_values)?;
    let all = input.examples();
    let (mut trials, mut held_out_arcs) = (PruningTrials::default(), Vec::new());
    if input.holds_out() {
        // A model without the first fold measures how much can be pruned, and calibrates.
        input.stage("held-out training run", n_epochs(input));
        let (others, own) = FoldScheme::Blocks.split(&all, 0, FOLDS);
        let weights = train(input, &setup, &token_values, &others, None)?;
        HeldOut { trials, arcs: held_out_arcs, .. } = setup.hold_out(&weights, &own)?;
    }
    input.stage("learning", n_epochs(input));
    let weights = train(input, &setup, &token_values, &all, Some((1, 0)))?;
    let model = setup.pruned(&weights, &trials, (Pruning::of(input, PERCEPTRON), &Unobserved))?;
    Ok(Learned::single(ScorerDecoder::boxed(model, token_values), Calibration::fit(&held_out_arcs)))
}

fn n_epochs(input: &TrainingInput<'_>) -> usize {
    input.settings.group(PERCEPTRON).size("epochs")
}

/// The number of epochs, including those of the held-out run.
pub(crate) fn steps(input: &TrainingInput<'_>) -> usize {
    n_epochs(input) * if input.holds_out() { 2 } else { 1 }
}

/// Trains for several epochs; returns the best one if epochs are scored.
fn train(
    input: &TrainingInput<'_>,
    setup: &Setup<'_>,
    token_values: &TokenValues,
    examples: &[&Example<'_>],
    scored: Option<(usize, usize)>,
) -> Result<LinearWeights> {
    let name = PERCEPTRON.to_owned();
    let run = Run { name, epochs: n_epochs(input), seed: input.settings.seed(), scored, input };
    // If memory runs out here, it also runs out for the finished model, where it is reported as an error.
    let parser = |weights: &Averages| setup.whole(&weights.0).expect("memory for tables");
    // Tables are allocated before training, to detect a lack of memory early. Since nothing is checkpointed, `start` is called once.
    let tables = Cell::new(Some(tables(input)?));
    let start = || {
        let tables = tables.take().expect("called once");
        Some(Box::new(Online::new(&run, setup, token_values, (examples, tables))))
    };
    Ok(fit(start, &mut RunSupervisor::new(&run, &parser)).ok_or(Error::Stopped)?.0)
}

/// The averaged weights after an epoch.
struct Averages(LinearWeights);

impl Persist for Averages {
    /// Online training is not checkpointed, because its tables are as large as memory allows.
    fn save(&self, _into: &mut Arrays) {}
}

/// One table per question; they share the memory that the settings allow.
fn tables(input: &TrainingInput<'_>) -> Result<Vec<Perceptron>> {
    let settings = input.settings.group(PERCEPTRON);
    let questions = input.scheme().questions.list();
    let table = |question: &Question| {
        let is_label = question.subject == Subject::Label;
        let update = match settings.choice("update") {
            "passive-aggressive" => {
                Update::PassiveAggressive { c: settings.float(if is_label { "label-c" } else { "c" }) }
            }
            _ => Update::Perceptron,
        };
        let bytes = settings.size("megabytes") * 1_000_000 / questions.len();
        no_memory(Perceptron::new(question.n_classes.max(2), update, bytes).map_err(Into::into))
    };
    questions.iter().map(table).collect()
}

fn average(setup: &Setup<'_>, tables: Vec<Perceptron>) -> Averages {
    let n_states = tables.iter().map(Perceptron::n_steps).sum();
    let questions = setup.questions().iter().zip(&setup.programs).zip(tables);
    let questions = questions.map(|((question, program), table)| {
        let (hashes, weights) = table.averaged();
        FeatureWeights::new(question, program, hashes, weights)
    });
    Averages(LinearWeights { questions: questions.collect(), n_states })
}

/// Learns from each state of a parse and chooses the next transition.
struct Online<'a> {
    context: DecisionContext<'a>,
    setup: &'a Setup<'a>,
    token_values: &'a TokenValues,
    /// The examples, in the order of the current epoch.
    order: Vec<&'a Example<'a>>,
    epochs: usize,
    done: usize,
    /// The number of epochs before exploration, and the probability of following the weights during it.
    exploration: (usize, f32),
    /// One per question.
    tables: Vec<Perceptron>,
    /// The probability of following the current weights.
    explore_rate: f32,
    generator: Pcg64Mcg,
    oracle: Oracle,
    tokens: Tokens,
    scratch: Scratch,
    sums: Sums,
    right: Vec<u32>,
    configuration: Configuration,
}

impl Guide for Online<'_> {
    fn choose(&mut self, c: &Configuration, permissible: KindSet) -> Transition {
        let DecisionContext { system, questions, .. } = self.context;
        let explores = self.generator.random::<f32>() < self.explore_rate;
        let right = self.oracle.correct(system, c, permissible);
        // MaltParser's oracles may use transitions that its parser could not.
        let permissible = if explores { permissible } else { permissible.with(right.preferred.kind) };
        let decided =
            questions.decide(system, c, permissible, |query| self.answer(c, query, right, explores));
        // Without a dynamic oracle only the static oracle's transitions are known.
        if system.has_dynamic_oracle() { decided.transition } else { right.preferred }
    }
}

impl EpochTrainer for Online<'_> {
    type Model = Averages;

    fn n_epochs(&self) -> usize {
        self.epochs
    }

    fn epoch(&mut self, stop: &dyn Fn() -> bool) -> f64 {
        let (after, rate) = self.exploration;
        let system = self.context.system;
        if self.done >= after && system.has_dynamic_oracle() {
            self.explore_rate = rate;
        }
        self.done += 1;
        let mut order = std::mem::take(&mut self.order);
        let mut c = std::mem::take(&mut self.configuration);
        order.shuffle(&mut self.generator);
        for (number, example) in order.iter().enumerate() {
            if number.is_multiple_of(SENTENCES_BEFORE_STOP) && stop() {
                break;
            }
            self.tokens.read(example.sentence, self.token_values, self.context.order);
            self.oracle.read(system, &example.tree);
            run(system, self, &mut (), example.tree.n_tokens(), &mut c);
        }
        (self.order, self.configuration) = (order, c);
        // The loss is not computed.
        0.0
    }

    fn model(&self) -> Averages {
        average(self.setup, self.tables.clone())
    }

    fn finish(self: Box<Self>) -> Averages {
        average(self.setup, self.tables)
    }

    fn is_time_to_save(&self, _done: usize) -> bool {
        false
    }

    fn load_model(&self, _from: &Arrays) -> Option<Averages> {
        None
    }
}

impl<'a> Online<'a> {
    fn new(
        run: &'a Run<'a>,
        setup: &'a Setup<'a>,
        token_values: &'a TokenValues,
        (examples, tables): (&[&'a Example<'a>], Vec<Perceptron>),
    ) -> Self {
        let settings = run.input.settings.group(PERCEPTRON);
        Self {
            context: run.input.context(),
            setup,
            token_values,
            order: examples.to_vec(),
            epochs: run.epochs,
            done: 0,
            exploration: (settings.size("explore-after"), settings.float("explore-rate")),
            tables,
            explore_rate: 0.0,
            generator: Pcg64Mcg::seed_from_u64(run.seed),
            oracle: Oracle::new(),
            tokens: Tokens::default(),
            scratch: Scratch::default(),
            sums: Sums::default(),
            right: Vec::new(),
            configuration: Configuration::new(),
        }
    }

    /// Updates the weights for a question, and chooses the best of the correct classes, or the best of all.
    fn answer(
        &mut self,
        c: &Configuration,
        query: Query<'_>,
        right: CorrectTransitions,
        explores: bool,
    ) -> Choice {
        let Query { question, focus, allowed, .. } = query;
        self.setup.programs[question].run(c, &self.tokens, focus, &mut self.scratch);
        self.tables[question].score(&self.scratch.hashes, &mut self.sums);
        let scores = &self.sums.by_class;
        self.context.questions.right_classes(
            self.context.system,
            c,
            query,
            right,
            &self.oracle,
            &mut self.right,
        );
        // Of several correct classes, the one with the highest score is the easiest to learn.
        let best_right =
            self.right.iter().copied().reduce(|held, class| {
                if scores[class as usize] > scores[held as usize] { class } else { held }
            });
        let Some(best_right) = best_right else { return best(scores, allowed) };
        let Some(best_wrong) = best_except(scores, allowed, &self.right) else {
            return Choice::sole(best_right);
        };
        let lead = scores[best_right as usize] - scores[best_wrong as usize];
        self.tables[question].learn(&self.scratch.hashes, best_right as usize, best_wrong as usize, lead);
        Choice::sole(if explores && lead < 0.0 { best_wrong } else { best_right })
    }
}

/// The best allowed class that is not in `but`.
fn best_except(scores: &[f32], allowed: Allowed<'_>, but: &[u32]) -> Option<u32> {
    allowed
        .classes(scores.len())
        .filter(|class| !but.contains(class))
        .reduce(|held, class| if scores[class as usize] > scores[held as usize] { class } else { held })
}
