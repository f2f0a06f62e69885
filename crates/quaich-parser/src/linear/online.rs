//! Learning online, with a dynamic oracle and exploration of errors (Goldberg and Nivre 2012, 2013).
//!
//! Every state is learned from where it is met and then forgotten, so that memory is that of a
//! table of weights a question, whose size is a setting. After the first passes it is mostly the weights of the
//! moment that choose where to go, right or wrong, and the dynamic oracle that says what would have
//! been best there.

use quaich_features::{Scratch, TokenValues, Tokens};
use quaich_learn::perceptron::{Perceptron, Sums, Update};
use quaich_transition::configuration::Configuration;
use quaich_transition::guide::{Guide, run};
use quaich_transition::oracle::{Oracle, Right};
use quaich_transition::transition::{KindSet, Transition};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::prune::Trials;
use super::train::{HeldOut, LinearTraining, no_memory};
use super::weights::{LinearWeights, Weighted};
use crate::calibration::Calibration;
use crate::decider::{ModelDecider, Way};
use crate::decisions::{Asked, Question, Subject};
use crate::error::Result;
use crate::held_out::split;
use crate::learners::Learned;
use crate::model::{Allowed, Choice, best};
use crate::observer::Event;
use crate::prepare::Example;
use crate::settings::UpdateRule;
use crate::train::Training;

/// Learns a linear model online.
pub(crate) fn learn(training: &Training<'_>) -> Result<Learned> {
    let Training { settings, observer, development, .. } = training;
    let mut token_values = TokenValues::default();
    let linear = LinearTraining::new(training, &mut token_values);
    let all = training.examples();
    let passes = settings.perceptron_passes;
    let (mut trials, mut judged) = (Trials::default(), Vec::new());
    if let Some(folds) = training.n_folds(&all) {
        // Weights that have not seen the first fold tell how much can be pruned and how sure to be.
        training.stage("rehearsing", passes);
        let (others, mine) = split(&all, 0, folds);
        let weights = go_through(training, &linear, &token_values, &others, |_, _| Ok(()))?;
        HeldOut { trials, judged, .. } = linear.hold_out(&weights, &mine)?;
    }
    training.stage("learning", passes);
    let mut highest: Option<(f64, LinearWeights)> = None;
    let last = go_through(training, &linear, &token_values, &all, |pass, tables| {
        if !development.is_empty() {
            let weights = average(&linear, tables.to_vec());
            let model = linear.whole(&weights)?;
            if let Some(scores) = development.score_model(&model, &token_values, training.way()) {
                observer.event(&Event::Pass { model: "perceptron", done: pass, of: passes, scores });
                if highest.as_ref().is_none_or(|(las, _)| scores.las >= *las) {
                    highest = Some((scores.las, weights));
                }
            }
        }
        Ok(())
    })?;
    let weights = highest.map_or(last, |(_, weights)| weights);
    let model = linear.pruned(&weights, &trials)?;
    let decider = ModelDecider::boxed(model, token_values);
    Ok(Learned::from_all(decider, Calibration::fit(&judged)))
}

/// How many steps it takes: a pass is one.
pub(crate) fn steps(training: &Training<'_>) -> usize {
    let rounds = if training.n_folds(&training.examples()).is_some() { 2 } else { 1 };
    rounds * training.settings.perceptron_passes
}

/// Goes through the examples as often as the settings say, or until the observer has enough;
/// `after` sees the weights of the moment after every pass.
fn go_through(
    training: &Training<'_>,
    linear: &LinearTraining<'_>,
    token_values: &TokenValues,
    examples: &[&Example<'_>],
    mut after: impl FnMut(usize, &[Perceptron]) -> Result<()>,
) -> Result<LinearWeights> {
    let settings = training.settings;
    let way = training.way();
    let mut online = Online {
        way,
        linear,
        tables: tables(training)?,
        explore_rate: 0.0,
        generator: Pcg64Mcg::seed_from_u64(settings.seed),
        oracle: Oracle::new(),
        tokens: Tokens::default(),
        scratch: Scratch::default(),
        sums: Sums::default(),
        right: Vec::new(),
    };
    let mut order = examples.to_vec();
    let mut c = Configuration::new();
    for pass in 1..=settings.perceptron_passes {
        if pass > settings.explore_after && way.system.has_dynamic_oracle() {
            online.explore_rate = settings.explore_rate;
        }
        order.shuffle(&mut online.generator);
        for example in &order {
            online.tokens.read(example.sentence, token_values, way.order);
            online.oracle.read(way.system, &example.tree);
            run(way.system, &mut online, &mut (), example.tree.n_tokens(), &mut c);
        }
        let go_on = training.step();
        after(pass, &online.tables)?;
        if !go_on {
            break;
        }
    }
    Ok(average(linear, online.tables))
}

/// A table for each question; they share the memory that the settings allow.
fn tables(training: &Training<'_>) -> Result<Vec<Perceptron>> {
    let settings = training.settings;
    let questions = training.data.questions.list();
    let table = |question: &Question| {
        let c = if question.subject == Subject::Label { settings.label_c } else { settings.c };
        let update = match settings.update {
            UpdateRule::PassiveAggressive => Update::PassiveAggressive { c },
            UpdateRule::Perceptron => Update::Perceptron,
        };
        let bytes = settings.table_megabytes * 1_000_000 / questions.len();
        no_memory(Perceptron::new(question.n_classes.max(2), update, bytes).map_err(Into::into))
    };
    questions.iter().map(table).collect()
}

fn average(linear: &LinearTraining<'_>, tables: Vec<Perceptron>) -> LinearWeights {
    let n_states = tables.iter().map(Perceptron::n_steps).sum();
    let questions = linear.questions().iter().zip(&linear.programs).zip(tables);
    let questions = questions.map(|((question, program), table)| {
        let (hashes, weights) = table.averaged();
        Weighted::new(question, program, hashes, weights)
    });
    LinearWeights { questions: questions.collect(), n_states }
}

/// Learns from every state it is led through, and says where to go next.
struct Online<'a> {
    way: Way<'a>,
    linear: &'a LinearTraining<'a>,
    /// By question.
    tables: Vec<Perceptron>,
    /// How often the weights choose the way, from 0 to 1.
    explore_rate: f32,
    generator: Pcg64Mcg,
    oracle: Oracle,
    tokens: Tokens,
    scratch: Scratch,
    sums: Sums,
    right: Vec<u32>,
}

impl Guide for Online<'_> {
    fn choose(&mut self, c: &Configuration, permissible: KindSet) -> Transition {
        let Way { system, questions, .. } = self.way;
        let explores = self.generator.random::<f32>() < self.explore_rate;
        let right = self.oracle.right(system, c, permissible);
        // MaltParser's oracles may go where its parser could not.
        let permissible = if explores { permissible } else { permissible.with(right.preferred.kind) };
        let decided =
            questions.decide(system, c, permissible, |asked| self.answer(c, asked, right, explores));
        // Without a dynamic oracle nothing is known of any other way.
        if system.has_dynamic_oracle() { decided.transition } else { right.preferred }
    }
}

impl Online<'_> {
    /// Learns to choose a right answer, and chooses: the best of the right ones, or the best of all.
    fn answer(&mut self, c: &Configuration, asked: Asked<'_>, right: Right, explores: bool) -> Choice {
        let Asked { question, focus, allowed, .. } = asked;
        self.linear.programs[question].run(c, &self.tokens, focus, &mut self.scratch);
        self.tables[question].score(&self.scratch.hashes, &mut self.sums);
        let scores = &self.sums.by_class;
        self.way.questions.right_classes(self.way.system, c, asked, right, &self.oracle, &mut self.right);
        // Of several right answers the one that scores best is the easiest to learn.
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

/// The best of the allowed classes but for some.
fn best_except(scores: &[f32], allowed: Allowed<'_>, but: &[u32]) -> Option<u32> {
    allowed
        .classes(scores.len())
        .filter(|class| !but.contains(class))
        .reduce(|held, class| if scores[class as usize] > scores[held as usize] { class } else { held })
}
