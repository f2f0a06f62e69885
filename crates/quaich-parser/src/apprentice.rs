//! Models that learn pass by pass: how a training is told of, judged on a development set, and rehearsed.
//!
//! A rehearsal is a training without some of the sentences. What comes of it shows how sure the model may be
//! of sentences that it has not seen. Of a large treebank some sentences are set aside instead.

use quaich_features::TokenValues;
use quaich_learn::Verdict;
use rayon::prelude::*;

use crate::calibration::Calibration;
use crate::decider::{Keepable, ModelDecider};
use crate::error::Result;
use crate::held_out::{judge, split};
use crate::learners::{Learned, SetAside};
use crate::model::Model;
use crate::observer::Event;
use crate::prepare::Example;
use crate::train::Training;

/// A model that has not seen some examples, and those examples.
pub(crate) type Rehearsed<'e, 't, M> = (M, Vec<&'e Example<'t>>);

/// Asked after every pass: how many are done, and the model as it is. Says how good it is, if it knows, and
/// whether to stop.
pub(crate) type Judge<'j, M> = dyn FnMut(usize, &dyn Fn() -> M) -> Verdict + 'j;

/// Says how good a network is, if it knows: its name, how many passes are done, and the model as it is.
type Scorer<'s, M> = dyn Fn(&str, usize, &dyn Fn() -> M) -> Option<f64> + Sync + 's;

/// How a kind of model learns.
pub(crate) trait Apprentice<'a>: Sized + Sync {
    /// What is learned.
    type Model: Model + Keepable;
    /// Examples made ready to be learned from, the same for networks with any seed.
    type Lessons: Sync;
    /// What it is called.
    const NAME: &'static str;
    /// What is being done while it learns.
    const STAGE: &'static str;
    /// The fewest parts that examples are cut into for a rehearsal, which leaves one of them out.
    const FEWEST_FOLDS: usize;
    /// Whether there is no rehearsal where the treebank is large: a small part is set aside that nothing is learned from.
    const SETS_ASIDE: bool = false;

    /// Gets ready; `token_values` learns what is looked at.
    fn new(training: &'a Training<'a>, token_values: &mut TokenValues) -> Result<Self>;

    /// The training that it is a part of.
    fn training(&self) -> &'a Training<'a>;

    /// What is looked at when nothing else looks.
    fn token_values(&self) -> &TokenValues;

    /// How often it goes through all examples.
    fn passes(training: &Training<'_>) -> usize;

    /// How often it goes through them in a rehearsal.
    fn rehearsal_passes(training: &Training<'_>) -> usize;

    /// How many networks decide together.
    fn n_networks(_training: &Training<'_>) -> usize {
        1
    }

    /// One model of several that differ in their seeds; where there is only one, that.
    fn unite(networks: Vec<Self::Model>) -> Self::Model {
        networks.into_iter().next().expect("there is at least one")
    }

    /// Whether the development set is parsed after so many of its passes.
    fn is_judged(_done: usize, _of: usize) -> bool {
        true
    }

    /// Makes examples ready.
    fn prepare(&self, examples: &[&Example<'_>]) -> Self::Lessons;

    /// Trains one network. The best is returned. A training that was kept under the same name is taken up where it was
    /// left.
    fn run(
        &self,
        examples: &[&Example<'_>],
        lessons: &Self::Lessons,
        run: Run<'_>,
        judge: &mut Judge<'_, Self::Model>,
    ) -> Result<Self::Model>;

    /// How many steps learning takes with a rehearsal: a pass is one.
    fn steps(training: &Training<'_>) -> usize {
        let is_rehearsed = training.wants_folds(&training.examples());
        let rehearsal = if is_rehearsed { Self::rehearsal_passes(training) } else { 0 };
        (Self::passes(training) + rehearsal) * Self::n_networks(training)
    }

    /// Trains all networks side by side. Those that have not begun when an end is asked for are left out.
    fn run_all(
        &self,
        examples: &[&Example<'_>],
        lessons: &Self::Lessons,
        (passes, name): (usize, &str),
        score: &Scorer<'_, Self::Model>,
    ) -> Result<Self::Model> {
        let training = self.training();
        let train = |number: usize| -> Option<Result<Self::Model>> {
            if number > 0 && training.observer.stop() {
                return None;
            }
            let name = if number == 0 { name.to_owned() } else { format!("{name}-{}", number + 1) };
            let seed = training.settings.seed.wrapping_add((number as u64).wrapping_mul(APART));
            let mut steps = Steps { training, of: passes, told: 0 };
            let run = Run { passes, name: &name, seed };
            let network = self.run(examples, lessons, run, &mut |done, model| {
                let stop = !steps.done(done);
                Verdict { score: score(&name, done, model), stop, ..Verdict::default() }
            });
            steps.end();
            Some(network)
        };
        let networks: Vec<_> = (0..Self::n_networks(training)).into_par_iter().map(train).collect();
        Ok(Self::unite(networks.into_iter().flatten().collect::<Result<_>>()?))
    }

    /// Trains on all examples; with a development set the best pass is kept.
    fn train(&self, all: &[&Example<'_>]) -> Result<Self::Model> {
        let training = self.training();
        let passes = Self::passes(training);
        training.stage(Self::STAGE, passes * Self::n_networks(training));
        let lessons = self.prepare(all);
        self.run_all(all, &lessons, (passes, Self::NAME), &|name, done, model| {
            let is_judged = !training.development.is_empty() && Self::is_judged(done, passes);
            let score = || training.development.score_model(&model(), self.token_values(), training.way());
            let scores = is_judged.then(score).flatten();
            if let Some(scores) = scores {
                training.observer.event(&Event::Pass { model: name, done, of: passes, scores });
            }
            scores.map(|scores| scores.las)
        })
    }

    /// A model that has not seen the first fold, and that fold.
    fn rehearse<'e, 't>(&self, all: &[&'e Example<'t>]) -> Result<Option<Rehearsed<'e, 't, Self::Model>>> {
        let training = self.training();
        let Some(folds) = training.n_folds(all) else { return Ok(None) };
        let (others, held_out) = split(all, 0, folds.max(Self::FEWEST_FOLDS));
        let passes = Self::rehearsal_passes(training);
        // No stage of its own: it goes on beside the training, which ends later and is what people wait for.
        let lessons = self.prepare(&others);
        let model = self.run_all(&others, &lessons, (passes, "rehearsal"), &|_, _, _| None)?;
        Ok(Some((model, held_out)))
    }
}

/// One of the trainings of a model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run<'r> {
    pub(crate) passes: usize,
    /// What it is kept under.
    pub(crate) name: &'r str,
    pub(crate) seed: u64,
}

/// How far apart the seeds of networks that decide together are: seeds that people choose share none. Any large odd number
/// will do; this is the multiplier of Knuth's MMIX generator.
const APART: u64 = 0x5851_f42d_4c95_7f2d;
/// Of how many sentences one is set aside, where there are many.
const SET_ASIDE: usize = 50;

/// Whether sentences are set aside in place of a rehearsal.
fn sets_aside<'a, A: Apprentice<'a>>(training: &Training<'_>) -> bool {
    let is_large = training.data.n_tokens() >= training.settings.set_aside_from;
    A::SETS_ASIDE && is_large && training.wants_folds(&training.examples())
}

/// How many steps [`learn`] takes.
pub(crate) fn steps<'a, A: Apprentice<'a>>(training: &Training<'_>) -> usize {
    if sets_aside::<A>(training) { A::passes(training) * A::n_networks(training) } else { A::steps(training) }
}

/// Learns a model that decides alone.
pub(crate) fn learn<'a, A: Apprentice<'a>>(training: &'a Training<'a>) -> Result<Learned> {
    let mut token_values = TokenValues::default();
    let apprentice = A::new(training, &mut token_values)?;
    let all = training.examples();
    let calibrate = |model: &A::Model, held_out: &[&Example<'_>]| {
        Calibration::fit(&judge(model, &token_values, training.way(), held_out))
    };
    if sets_aside::<A>(training) {
        let (others, held_out) = split(&all, 0, SET_ASIDE);
        training.observer.event(&Event::SetAside { sentences: held_out.len(), of: all.len() });
        let model = apprentice.train(&others)?;
        let calibration = calibrate(&model, &held_out);
        let tokens = held_out.iter().map(|example| example.tree.n_tokens()).sum();
        let set_aside = SetAside { sentences: held_out.len(), tokens };
        return Ok(Learned { decider: ModelDecider::boxed(model, token_values), calibration, set_aside });
    }
    let (model, rehearsal) = rayon::join(|| apprentice.train(&all), || apprentice.rehearse(&all));
    let calibration = match rehearsal? {
        Some((model, held_out)) => calibrate(&model, &held_out),
        None => Calibration::fit(&[]),
    };
    Ok(Learned::from_all(ModelDecider::boxed(model?, token_values), calibration))
}

/// Tells of passes as they are done.
struct Steps<'a> {
    training: &'a Training<'a>,
    of: usize,
    told: usize,
}

impl Steps<'_> {
    /// So many are done, with those that were kept; whether to go on.
    fn done(&mut self, done: usize) -> bool {
        let new = done - std::mem::replace(&mut self.told, done);
        self.training.steps(new)
    }

    /// Tells of passes that were all kept, so that there was none to tell of them after.
    fn end(self) {
        if !self.training.observer.stop() {
            self.training.steps(self.of - self.told);
        }
    }
}
