//! The one epoch loop: progress, the best epoch, interruption, going on from what was stored.
//!
//! ```text
//!   EpochTrainer      what is learned, epoch by epoch         can be saved between two epochs
//!   Supervisor  who looks on: scores, stops, stores
//!   fit         course and supervisor → the model of the best epoch
//! ```

use std::cell::OnceCell;

use crate::arrays::Arrays;

/// Learning under way, epoch by epoch.
///
/// The same data lead to the same model, whatever the number of threads, and whether or not the course was saved and restored
/// in between.
pub trait EpochTrainer {
    /// What is learned.
    type Model: Persist;

    /// How many epochs there will be. A course that finds itself done may say fewer than before.
    fn n_epochs(&self) -> usize;

    /// Learns for one epoch; returns the mean loss, as defined by the learner. May end early when `stop` says so, but has a model
    /// then, too.
    fn epoch(&mut self, stop: &dyn Fn() -> bool) -> f64;

    /// What has been learned so far.
    fn model(&self) -> Self::Model;

    /// What has been learned, when nothing more will be: need not copy anything.
    fn finish(self: Box<Self>) -> Self::Model {
        self.model()
    }

    /// Whether the course can go on from here if it is saved, and it is worth saving it.
    fn is_time_to_save(&self, _done: usize) -> bool {
        true
    }

    /// Saves all that another course with the same data needs to go on from here.
    fn save(&self, _into: &mut Arrays) {}

    /// Goes on from where a course was saved; says whether it can. What cannot has to be started again.
    fn restore(&mut self, _from: &Arrays) -> bool {
        false
    }

    /// A model that was saved: the best so far.
    fn load_model(&self, from: &Arrays) -> Option<Self::Model>;
}

/// What can be saved as arrays.
pub trait Persist {
    /// Saves everything.
    fn save(&self, into: &mut Arrays);
}

/// Who supervises a course.
pub trait Supervisor<M> {
    /// Told after every epoch; says how good it was and what is to happen.
    fn epoch(&mut self, epoch: &Epoch<'_, M>) -> Next;

    /// Whether to end as soon as there is a model.
    fn stops(&self) -> bool {
        false
    }

    /// What was stored of the same course, if it was interrupted before.
    fn stored(&self) -> Option<Arrays> {
        None
    }

    /// Whether what is done is to be stored.
    fn stores(&self) -> bool {
        false
    }

    /// Stores what was done so far, in place of what was stored before.
    fn store(&mut self, _state: &Arrays) {}
}

/// Nobody supervises.
impl<M> Supervisor<M> for () {
    fn epoch(&mut self, _epoch: &Epoch<'_, M>) -> Next {
        Next::default()
    }
}

/// What is known after an epoch.
pub struct Epoch<'a, M> {
    /// How many epochs are done.
    pub done: usize,
    /// How many there will be.
    pub of: usize,
    /// The mean loss of the epoch, as defined by the learner.
    pub loss: f64,
    make: &'a dyn Fn() -> M,
    model: OnceCell<M>,
}

/// What is to happen after an epoch.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Next {
    /// How good the model is. The best is the result, the later of two equal ones; without a score, the last.
    pub score: Option<f64>,
    /// Whether this was the last epoch.
    pub stop: bool,
}

impl<M> Epoch<'_, M> {
    /// What has been learned so far; made when it is first asked for.
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

/// Learns, and gives back the model of the epoch that the supervisor finds best, or of the last. `start` begins the course, anew if
/// what was stored is not its own.
pub fn fit<C: EpochTrainer + ?Sized>(
    start: impl Fn() -> Box<C>,
    supervisor: &mut dyn Supervisor<C::Model>,
) -> C::Model {
    let mut course = start();
    let mut progress = Progress::default();
    if let Some(stored) = supervisor.stored() {
        match Progress::restore(&stored, &mut *course) {
            Some(restored) => progress = restored,
            // A course that half went on from what belongs to another would be a third.
            None => course = start(),
        }
    }
    while progress.done < course.n_epochs() {
        let is_first = progress.done == 0;
        // One epoch is finished in any case: there has to be a model.
        let loss = course.epoch(&|| !is_first && supervisor.stops());
        progress.done += 1;
        let of = course.n_epochs().max(progress.done);
        let make = || course.model();
        let epoch = Epoch { done: progress.done, of, loss, make: &make, model: OnceCell::new() };
        let next = supervisor.epoch(&epoch);
        if let Some(score) = next.score
            && progress.best.as_ref().is_none_or(|(best, _)| score >= *best)
        {
            let model = epoch.model.into_inner().unwrap_or_else(&make);
            progress.best = Some((score, model));
        }
        // An epoch that was ended early is not one to go on from; the first is always whole.
        if supervisor.stores() && (is_first || !supervisor.stops()) && course.is_time_to_save(progress.done) {
            supervisor.store(&progress.save(&*course));
        }
        if next.stop {
            break;
        }
    }
    match progress.best {
        Some((_, model)) => model,
        None => course.finish(),
    }
}

/// How far a course has come.
struct Progress<M> {
    done: usize,
    /// The highest score so far, and its model.
    best: Option<(f64, M)>,
}

impl<M> Default for Progress<M> {
    fn default() -> Self {
        Self { done: 0, best: None }
    }
}

impl<M: Persist> Progress<M> {
    fn save(&self, course: &(impl EpochTrainer<Model = M> + ?Sized)) -> Arrays {
        let mut arrays = Arrays::default();
        arrays.set_one("done", self.done as u64);
        let mut part = Arrays::default();
        course.save(&mut part);
        arrays.nest("course", part);
        if let Some((score, model)) = &self.best {
            arrays.set_one("score", *score);
            let mut part = Arrays::default();
            model.save(&mut part);
            arrays.nest("best", part);
        }
        arrays
    }

    fn restore(arrays: &Arrays, course: &mut (impl EpochTrainer<Model = M> + ?Sized)) -> Option<Self> {
        let done = usize::try_from(arrays.one::<u64>("done").ok()?).ok()?;
        let mut best = None;
        if arrays.bytes("score").is_some() {
            best = Some((arrays.one("score").ok()?, course.load_model(&arrays.part("best"))?));
        }
        course.restore(&arrays.part("course")).then_some(Self { done, best })
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

    /// Announces ten epochs, but finds itself done after three. Its model is the number of epochs.
    struct Counter(u32);

    impl EpochTrainer for Counter {
        type Model = u32;

        fn n_epochs(&self) -> usize {
            if self.0 < 3 { 10 } else { 3 }
        }

        fn epoch(&mut self, _stop: &dyn Fn() -> bool) -> f64 {
            self.0 += 1;
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

    /// Writes down what it is told, and gives epochs these scores.
    #[derive(Default)]
    struct Notes {
        scores: [f64; 3],
        told: Vec<(usize, usize, f64)>,
        stored: Option<Arrays>,
        stop_after: Option<usize>,
    }

    impl Supervisor<u32> for Notes {
        fn epoch(&mut self, epoch: &Epoch<'_, u32>) -> Next {
            assert_eq!(*epoch.model() as usize, epoch.done);
            self.told.push((epoch.done, epoch.of, epoch.loss));
            Next { score: Some(self.scores[epoch.done - 1]), stop: self.stop_after == Some(epoch.done) }
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
    fn a_course_may_find_itself_done_and_the_later_of_equals_is_best() {
        for (scores, best) in [([0.5, 0.7, 0.6], 2), ([0.7, 0.7, 0.6], 2), ([0.5, 0.6, 0.6], 3)] {
            let mut notes = Notes { scores, ..Notes::default() };
            assert_eq!(fit(|| Box::new(Counter(0)), &mut notes), best);
            assert_eq!(notes.told, [(1, 10, 1.0), (2, 10, 2.0), (3, 3, 3.0)]);
        }
    }

    #[test]
    fn an_interrupted_course_goes_on_with_its_best_epoch() {
        let mut notes = Notes { scores: [0.1, 0.7, 0.6], stop_after: Some(2), ..Notes::default() };
        assert_eq!(fit(|| Box::new(Counter(0)), &mut notes), 2);
        notes.stop_after = None;
        assert_eq!(fit(|| Box::new(Counter(0)), &mut notes), 2);
        assert_eq!(notes.told.last(), Some(&(3, 3, 3.0)));
        assert_eq!(notes.told.len(), 3);
        // What is not of this course counts for nothing.
        notes.stored = Some(Arrays::default());
        fit(|| Box::new(Counter(0)), &mut notes);
        assert_eq!(notes.told.len(), 6);
    }
}
