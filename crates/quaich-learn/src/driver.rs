//! The one loop that drives every course: pass by pass, watched, interrupted and taken up again.

use crate::arrays::Arrays;
use crate::instances::Instances;
use crate::learner::{Classifier, Course, Learner, Trainable};
use crate::watch::{Pass, Watch};

/// Learns from instances. The result is the classifier of the pass that the watch finds best, or of
/// the last.
pub fn learn(trainable: &dyn Trainable, instances: &Instances, watch: &dyn Watch) -> Box<dyn Classifier> {
    let mut course = trainable.start(instances);
    let mut progress = Progress::default();
    if let Some(kept) = watch.kept() {
        match Progress::restore(&kept, &mut *course, trainable.learner()) {
            Some(restored) => progress = restored,
            // Whatever it is, it is not this course: one that half went on from it would be another.
            None => course = trainable.start(instances),
        }
    }
    while progress.done < course.n_passes() {
        let loss = course.pass();
        progress.done += 1;
        let pass = Pass::new(progress.done, course.n_passes().max(progress.done), loss, &*course);
        let verdict = watch.pass(&pass);
        if let Some(score) = verdict.score
            && progress.best.as_ref().is_none_or(|best| score >= best.score)
        {
            progress.best = Some(Best { score, classifier: pass.into_classifier() });
        }
        if verdict.keep {
            watch.keep(&progress.save(&*course));
        }
        if verdict.stop {
            break;
        }
    }
    match progress.best {
        Some(best) => best.classifier,
        None => course.finish(),
    }
}

/// How far a course has come.
#[derive(Default)]
struct Progress {
    done: usize,
    best: Option<Best>,
}

/// The best pass so far.
struct Best {
    score: f64,
    classifier: Box<dyn Classifier>,
}

impl Progress {
    fn save(&self, course: &dyn Course) -> Arrays {
        let mut arrays = Arrays::default();
        arrays.set_one("done", self.done as u64);
        let mut part = Arrays::default();
        course.save(&mut part);
        arrays.nest("course", part);
        if let Some(best) = &self.best {
            arrays.set_one("score", best.score);
            let mut part = Arrays::default();
            best.classifier.save(&mut part);
            arrays.nest("best", part);
        }
        arrays
    }

    fn restore(arrays: &Arrays, course: &mut dyn Course, learner: &dyn Learner) -> Option<Self> {
        let done = usize::try_from(arrays.one::<u64>("done").ok()?).ok()?;
        let mut best = None;
        if arrays.bytes("score").is_some() {
            let classifier = learner.load(&arrays.part("best")).ok()?;
            best = Some(Best { score: arrays.one("score").ok()?, classifier });
        }
        course.restore(&arrays.part("course")).then_some(Self { done, best })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::linear::{Linear, LinearClassifier};
    use crate::positions::Positions;
    use crate::watch::Verdict;
    use crate::weights::Weights;

    /// Announces ten passes, but finds itself done after three. Its weight is the number of passes.
    #[derive(Clone, Copy, Debug)]
    struct Counter(u8);

    impl Trainable for Counter {
        fn learner(&self) -> &'static dyn Learner {
            &Linear
        }

        fn start<'a>(&self, _instances: &'a Instances) -> Box<dyn Course + 'a> {
            Box::new(*self)
        }
    }

    impl Course for Counter {
        fn n_passes(&self) -> usize {
            if self.0 < 3 { 10 } else { 3 }
        }

        fn pass(&mut self) -> f64 {
            self.0 += 1;
            f64::from(self.0)
        }

        fn classifier(&self) -> Box<dyn Classifier> {
            Box::new(LinearClassifier::new(Weights::from_values(1, vec![f32::from(self.0)])))
        }
    }

    /// Writes down what it is told, and gives passes these scores.
    struct Notes {
        scores: [f64; 3],
        told: Mutex<Vec<(usize, usize, f64)>>,
    }

    impl Watch for Notes {
        fn pass(&self, pass: &Pass<'_>) -> Verdict {
            self.told.lock().unwrap().push((pass.done, pass.of, pass.loss));
            Verdict { score: Some(self.scores[pass.done - 1]), ..Verdict::default() }
        }
    }

    #[test]
    fn a_course_may_find_itself_done_and_the_later_of_equals_is_best() {
        for (scores, best) in [([0.5, 0.7, 0.6], 2.0), ([0.7, 0.7, 0.6], 2.0), ([0.5, 0.6, 0.6], 3.0)] {
            let notes = Notes { scores, told: Mutex::default() };
            let found = learn(&Counter(0), &Instances::new(Positions::one(1), 1), &notes);
            let expected = LinearClassifier::new(Weights::from_values(1, vec![best]));
            let found: Box<dyn std::any::Any> = found;
            assert_eq!(found.downcast_ref(), Some(&expected));
            assert_eq!(*notes.told.lock().unwrap(), [(1, 10, 1.0), (2, 10, 2.0), (3, 3, 3.0)]);
        }
    }
}
