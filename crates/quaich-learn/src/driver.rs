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
