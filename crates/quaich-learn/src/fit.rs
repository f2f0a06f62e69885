//! The epoch loop: progress, best epoch, interruption, resuming from a checkpoint.
//!
//! ```text
//!   EpochTrainer  trains one epoch after the other; can be saved between epochs
//!   Supervisor    scores epochs, stops training, stores checkpoints
//!   fit           trainer and supervisor → the model of the best epoch
//! ```

use std::cell::{Cell, OnceCell};

use crate::arrays::Arrays;

/// A training run in progress.
///
/// Training is deterministic: the same data give the same model for any number of threads, whether or not the trainer was saved and
/// restored in between.
pub trait EpochTrainer {
    /// The type of the model.
    type Model: Persist;

    /// The number of epochs. May become smaller during training, if the trainer converges.
    fn n_epochs(&self) -> usize;

    /// Trains for one epoch and returns the mean loss, as defined by the learner. Asks `stop` several times per second, and ends early when
    /// it returns true.
    fn epoch(&mut self, stop: &dyn Fn() -> bool) -> f64;

    /// The current model.
    fn model(&self) -> Self::Model;

    /// The final model; may avoid a copy.
    fn finish(self: Box<Self>) -> Self::Model {
        self.model()
    }

    /// Whether training could be resumed from here if it were saved now, and saving is worth the time.
    fn is_time_to_save(&self, _done: usize) -> bool {
        true
    }

    /// Saves the state from which another trainer with the same data can resume.
    fn save(&self, _into: &mut Arrays) {}

    /// Resumes from a saved state; returns whether that succeeded. If not, the trainer must not be used.
    fn restore(&mut self, _from: &Arrays) -> bool {
        false
    }

    /// Loads the best model so far from a checkpoint.
    fn load_model(&self, from: &Arrays) -> Option<Self::Model>;
}

/// Something that can be saved as arrays.
pub trait Persist {
    /// Saves everything.
    fn save(&self, into: &mut Arrays);
}

/// Supervises a training run.
pub trait Supervisor<M> {
    /// Called after each epoch; returns the score of the epoch and whether to stop.
    fn epoch(&mut self, epoch: &Epoch<'_, M>) -> Next;

    /// Whether to stop now.
    fn stops(&self) -> bool {
        false
    }

    /// The stored state of the same run, if it was interrupted.
    fn stored(&self) -> Option<Arrays> {
        None
    }

    /// Whether to store checkpoints.
    fn stores(&self) -> bool {
        false
    }

    /// Stores the current state, replacing the previous one.
    fn store(&mut self, _state: &Arrays) {}
}

/// No supervision.
impl<M> Supervisor<M> for () {
    fn epoch(&mut self, _epoch: &Epoch<'_, M>) -> Next {
        Next::default()
    }
}

/// The state after an epoch.
pub struct Epoch<'a, M> {
    /// The number of finished epochs.
    pub done: usize,
    /// The total number of epochs.
    pub of: usize,
    /// The mean loss of the epoch, as defined by the learner.
    pub loss: f64,
    make: &'a dyn Fn() -> M,
    model: OnceCell<M>,
}

/// The supervisor's answer after an epoch.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Next {
    /// The score of the model. The result is the model with the highest score, the later one if two are equal; without scores, the last
    /// model.
    pub score: Option<f64>,
    /// Whether to stop now.
    pub stop: bool,
}

impl<M> Epoch<'_, M> {
    /// The current model, built on first use.
    pub fn model(&self) -> &M {
        self.model.get_or_init(self.make)
    }
}

impl<M> std::fmt::Debug for Epoch<'_, M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { done, of, loss, .. } = self;
        f.debug_struct("Epoch")
            .field("done", done)
            .field("of", of)
            .field("loss", loss)
            .finish_non_exhaustive()
    }
}

/// Trains and returns the model of the best epoch, or of the last one without scores; `None` if training was stopped before the end of the
/// first epoch. `start` creates the trainer, or nothing if it was stopped; it is called again if the stored state does not fit.
pub fn fit<C: EpochTrainer + ?Sized>(
    start: impl Fn() -> Option<Box<C>>,
    supervisor: &mut dyn Supervisor<C::Model>,
) -> Option<C::Model> {
    let mut trainer = start()?;
    let mut progress = Progress::default();
    if let Some(stored) = supervisor.stored() {
        match Progress::restore(&stored, &mut *trainer) {
            Some(restored) => progress = restored,
            // Do not continue with a half-restored trainer.
            None => trainer = start()?,
        }
    }
    while progress.done < trainer.n_epochs() {
        let ended_early = Cell::new(false);
        let loss = trainer.epoch(&|| {
            ended_early.set(ended_early.get() || supervisor.stops());
            ended_early.get()
        });
        let ended_early = ended_early.get();
        if ended_early && progress.done == 0 {
            // Less than an epoch is no model.
            return None;
        }
        progress.done += 1;
        let of = trainer.n_epochs().max(progress.done);
        let make = || trainer.model();
        let epoch = Epoch { done: progress.done, of, loss, make: &make, model: OnceCell::new() };
        let next = supervisor.epoch(&epoch);
        if let Some(score) = next.score
            && progress.best.as_ref().is_none_or(|(best, _)| score >= *best)
        {
            let model = epoch.model.into_inner().unwrap_or_else(&make);
            progress.best = Some((score, model));
        }
        if supervisor.stores() && !ended_early && trainer.is_time_to_save(progress.done) {
            supervisor.store(&progress.save(&*trainer));
        }
        if next.stop {
            break;
        }
    }
    Some(match progress.best {
        Some((_, model)) => model,
        None => trainer.finish(),
    })
}

/// The progress of a run.
struct Progress<M> {
    done: usize,
    /// The highest score so far, with its model.
    best: Option<(f64, M)>,
}

impl<M> Default for Progress<M> {
    fn default() -> Self {
        Self { done: 0, best: None }
    }
}

impl<M: Persist> Progress<M> {
    fn save(&self, trainer: &(impl EpochTrainer<Model = M> + ?Sized)) -> Arrays {
        let mut arrays = Arrays::default();
        arrays.set_one("done", self.done as u64);
        let mut part = Arrays::default();
        trainer.save(&mut part);
        arrays.nest("course", part);
        if let Some((score, model)) = &self.best {
            arrays.set_one("score", *score);
            let mut part = Arrays::default();
            model.save(&mut part);
            arrays.nest("best", part);
        }
        arrays
    }

    fn restore(arrays: &Arrays, trainer: &mut (impl EpochTrainer<Model = M> + ?Sized)) -> Option<Self> {
        let done = usize::try_from(arrays.one::<u64>("done").ok()?).ok()?;
        let mut best = None;
        if arrays.bytes("score").is_some() {
            best = Some((arrays.one("score").ok()?, trainer.load_model(&arrays.part("best"))?));
        }
        trainer.restore(&arrays.part("course")).then_some(Self { done, best })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Persist for u32 {
        fn save(&self, into: &mut Arrays) {
            into.set_one("model", *self);
        }
    }

    /// Announces ten epochs, but converges after three. Its model is the number of epochs.
    struct Counter(u32);

    impl EpochTrainer for Counter {
        type Model = u32;

        fn n_epochs(&self) -> usize {
            if self.0 < 3 { 10 } else { 3 }
        }

        fn epoch(&mut self, stop: &dyn Fn() -> bool) -> f64 {
            if !stop() {
                self.0 += 1;
            }
            f64::from(self.0)
        }

        fn model(&self) -> u32 {
            self.0
        }

        fn save(&self, into: &mut Arrays) {
            into.set_one("count", self.0);
        }

        fn restore(&mut self, from: &Arrays) -> bool {
            from.one("count").map(|count| self.0 = count).is_ok()
        }

        fn load_model(&self, from: &Arrays) -> Option<u32> {
            from.one("model").ok()
        }
    }

    /// Records the epochs it sees, and returns these scores.
    #[derive(Default)]
    struct Notes {
        scores: [f64; 3],
        told: Vec<(usize, usize, f64)>,
        stored: Option<Arrays>,
        stop_after: Option<usize>,
        /// After how many epochs the next one has to stop.
        stops_at: Option<usize>,
    }

    impl Supervisor<u32> for Notes {
        fn epoch(&mut self, epoch: &Epoch<'_, u32>) -> Next {
            assert_eq!(*epoch.model() as usize, epoch.done - usize::from(self.stops()));
            self.told.push((epoch.done, epoch.of, epoch.loss));
            Next { score: Some(self.scores[epoch.done - 1]), stop: self.stop_after == Some(epoch.done) }
        }

        fn stops(&self) -> bool {
            self.stops_at == Some(self.told.len())
        }

        fn stored(&self) -> Option<Arrays> {
            self.stored.clone()
        }

        fn stores(&self) -> bool {
            true
        }

        fn store(&mut self, state: &Arrays) {
            self.stored = Some(state.clone());
        }
    }

    #[test]
    fn a_trainer_may_converge_early_and_the_later_of_equals_is_best() {
        for (scores, best) in [([0.5, 0.7, 0.6], 2), ([0.7, 0.7, 0.6], 2), ([0.5, 0.6, 0.6], 3)] {
            let mut notes = Notes { scores, ..Notes::default() };
            assert_eq!(fit(|| Some(Box::new(Counter(0))), &mut notes), Some(best));
            assert_eq!(notes.told, [(1, 10, 1.0), (2, 10, 2.0), (3, 3, 3.0)]);
        }
    }

    #[test]
    fn an_interrupted_run_resumes_with_its_best_epoch() {
        let mut notes = Notes { scores: [0.1, 0.7, 0.6], stop_after: Some(2), ..Notes::default() };
        assert_eq!(fit(|| Some(Box::new(Counter(0))), &mut notes), Some(2));
        notes.stop_after = None;
        assert_eq!(fit(|| Some(Box::new(Counter(0))), &mut notes), Some(2));
        assert_eq!(notes.told.last(), Some(&(3, 3, 3.0)));
        assert_eq!(notes.told.len(), 3);
        // The state of another trainer is ignored.
        notes.stored = Some(Arrays::default());
        fit(|| Some(Box::new(Counter(0))), &mut notes);
        assert_eq!(notes.told.len(), 6);
    }

    #[test]
    fn less_than_an_epoch_is_no_model_and_no_checkpoint() {
        let mut notes = Notes { stops_at: Some(0), ..Notes::default() };
        assert_eq!(fit(|| Some(Box::new(Counter(0))), &mut notes), None);
        assert!(notes.stored.is_none() && notes.told.is_empty());
        // The second epoch is stopped: its checkpoint is that of the first.
        let mut notes =
            Notes { scores: [0.5; 3], stops_at: Some(1), stop_after: Some(2), ..Notes::default() };
        assert_eq!(fit(|| Some(Box::new(Counter(0))), &mut notes), Some(1));
        let stored = notes.stored.unwrap();
        assert_eq!(stored.one::<u64>("done").unwrap(), 1);
        // Nothing to start with.
        assert_eq!(fit(|| None::<Box<Counter>>, &mut Notes::default()), None);
    }
}
