//! Models that learn pass by pass: how a training is told of, judged on a development set, and rehearsed.
//!
//! A rehearsal is a training without some of the sentences. What comes of it shows how sure the model may be
//! of sentences that it has not seen.

use quaich_features::TokenValues;
use quaich_learn::Verdict;

use crate::calibration::Calibration;
use crate::decider::{Keepable, ModelDecider};
use crate::error::Result;
use crate::held_out::{judge, split};
use crate::learners::Learned;
use crate::model::Model;
use crate::observer::Event;
use crate::prepare::Example;
use crate::train::Training;

/// A model that has not seen some examples, and those examples.
pub(crate) type Rehearsed<'e, 't, M> = (M, Vec<&'e Example<'t>>);

/// Asked after every pass: how many are done, and the model as it is. Says how good it is, if it knows, and
/// whether to stop.
pub(crate) type Judge<'j, M> = dyn FnMut(usize, &dyn Fn() -> M) -> Verdict + 'j;

/// How a kind of model learns.
pub(crate) trait Apprentice<'a>: Sized + Sync {
    /// What is learned.
    type Model: Model + Keepable;
    /// What it is called.
    const NAME: &'static str;
    /// What is being done while it learns.
    const STAGE: &'static str;
    /// The fewest parts that examples are cut into for a rehearsal, which leaves one of them out.
    const FEWEST_FOLDS: usize;

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

    /// Whether the development set is parsed after so many of its passes.
    fn is_judged(_done: usize, _of: usize) -> bool {
        true
    }

    /// Trains. The best model is returned. A training that was kept under the same name is taken up where it was left.
    fn run(
        &self,
        examples: &[&Example<'_>],
        passes: usize,
        name: &str,
        judge: &mut Judge<'_, Self::Model>,
    ) -> Result<Self::Model>;

    /// How many steps learning takes: a pass is one.
    fn steps(training: &Training<'_>) -> usize {
        let rehearsal =
            training.n_folds(&training.examples()).map_or(0, |_| Self::rehearsal_passes(training));
        Self::passes(training) + rehearsal
    }

    /// Trains on all examples; with a development set the best pass is kept.
    fn train(&self, all: &[&Example<'_>]) -> Result<Self::Model> {
        let training = self.training();
        let passes = Self::passes(training);
        training.stage(Self::STAGE, passes);
        let mut steps = Steps { training, of: passes, told: 0 };
        let model = self.run(all, passes, Self::NAME, &mut |done, model| {
            let go_on = steps.done(done);
            let is_judged = !training.development.is_empty() && Self::is_judged(done, passes);
            let score = || training.development.score_model(&model(), self.token_values(), training.way());
            let scores = is_judged.then(score).flatten();
            if let Some(scores) = scores {
                training.observer.event(&Event::Pass { model: Self::NAME, done, of: passes, scores });
            }
            Verdict { score: scores.map(|scores| scores.las), stop: !go_on, ..Verdict::default() }
        })?;
        steps.end();
        Ok(model)
    }

    /// A model that has not seen the first fold, and that fold.
    fn rehearse<'e, 't>(&self, all: &[&'e Example<'t>]) -> Result<Option<Rehearsed<'e, 't, Self::Model>>> {
        let training = self.training();
        let Some(folds) = training.n_folds(all) else { return Ok(None) };
        let (others, held_out) = split(all, 0, folds.max(Self::FEWEST_FOLDS));
        let passes = Self::rehearsal_passes(training);
        // No stage of its own: it goes on beside the training, which ends later and is what people wait for.
        let mut steps = Steps { training, of: passes, told: 0 };
        let model = self.run(&others, passes, "rehearsal", &mut |done, _| Verdict {
            stop: !steps.done(done),
            ..Verdict::default()
        })?;
        steps.end();
        Ok(Some((model, held_out)))
    }
}

/// Learns a model that decides alone.
pub(crate) fn learn<'a, A: Apprentice<'a>>(training: &'a Training<'a>) -> Result<Learned> {
    let mut token_values = TokenValues::default();
    let apprentice = A::new(training, &mut token_values)?;
    let all = training.examples();
    let (model, rehearsal) = rayon::join(|| apprentice.train(&all), || apprentice.rehearse(&all));
    let judged = match rehearsal? {
        Some((model, held_out)) => judge(&model, &token_values, training.way(), &held_out),
        None => Vec::new(),
    };
    let calibration = Calibration::fit(&judged);
    Ok(Learned { decider: ModelDecider::boxed(model?, token_values), calibration })
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
