//! Conformance tests for every learner: the entries of [`LEARNERS`] and the template.

use crate::{
    Arrays, Assignments, Classifier, Epoch, Instances, LEARNERS, Learner, Next, Positions, Right, Scratch,
    Supervisor, Trainable, learn,
};

#[path = "_template.rs"]
mod template;

fn learners() -> impl Iterator<Item = &'static dyn Learner> {
    LEARNERS.iter().copied().chain([&template::Name as &dyn Learner])
}

/// With default settings, except for kernels with a factor for long rows: these rows are short.
fn trainable(learner: &dyn Learner) -> Box<dyn Trainable> {
    let mut given = Assignments::default();
    if learner.settings().iter().any(|parameter| parameter.name == "gamma") {
        given.set("gamma", "1");
    }
    learner.check(&given).expect("defaults are valid")
}

fn train(learner: &dyn Learner, instances: &Instances) -> Box<dyn Classifier> {
    learn(&*trainable(learner), instances, &mut ()).unwrap()
}

/// The scores of all classes.
fn scores(classifier: &dyn Classifier, row: &[u32]) -> Vec<f32> {
    let mut scores = vec![f32::NAN; classifier.n_classes()];
    classifier.scores(row, &mut Scratch::default(), &mut scores);
    assert!(scores.iter().all(|score| score.is_finite()), "{scores:?}");
    scores
}

/// The class with the highest score.
fn best(classifier: &dyn Classifier, row: &[u32]) -> u32 {
    let scores = scores(classifier, row);
    let class =
        (0..scores.len()).max_by(|&a, &b| scores[a].total_cmp(&scores[b])).expect("there are classes");
    u32::try_from(class).unwrap()
}

fn saved(classifier: &dyn Classifier) -> Arrays {
    let mut arrays = Arrays::default();
    classifier.save(&mut arrays);
    arrays
}

/// Accuracy: the fraction of the instances for which a correct class wins.
fn accuracy(classifier: &dyn Classifier, instances: &Instances) -> f64 {
    let is_right = |&i: &usize| instances.right(i).contains(best(classifier, instances.row(i)));
    #[allow(clippy::cast_precision_loss)]
    let accuracy = (0..instances.len()).filter(is_right).count() as f64 / instances.len() as f64;
    accuracy
}

/// The value at position 0 determines the class; position 1 is noise, and so are the several values of position 2.
fn toy(n: usize, n_classes: u32) -> Instances {
    let positions = Positions::new(vec![0, n_classes, n_classes + 5, n_classes + 30]);
    let mut instances = Instances::new(positions, n_classes as usize);
    let mut state = 7u32;
    for _ in 0..n {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let class = (state >> 8) % n_classes;
        let mut row = vec![class, n_classes + (state >> 20) % 5];
        row.extend((0..(state >> 24) % 4).map(|i| n_classes + 5 + i * 6 + (state >> 14) % 6));
        // Class numbers differ from value numbers.
        instances.push(&row, Right::Class((class + 1) % n_classes), 1.0);
    }
    instances
}

#[test]
fn names_and_help_are_in_order() {
    for learner in learners() {
        let name = learner.name();
        assert_eq!(learners().filter(|other| other.name() == name).count(), 1, "{name}");
        let texts = learner.settings().iter().map(|parameter| parameter.help).chain([learner.about()]);
        for about in texts {
            assert!(!about.is_empty() && !about.contains('\n') && !about.ends_with('.'), "{name}: {about}");
        }
        let mut assigned = Assignments::default();
        for parameter in learner.settings() {
            assigned.set(parameter.name, &parameter.default().to_string());
        }
        assert!(learner.check(&assigned).is_ok(), "{name}");
        assert!(learner.check(&assigned.with("no such parameter", "1")).is_err(), "{name}");
        assert_eq!(trainable(learner).learner().name(), name);
    }
}

#[test]
fn what_can_be_learned_is_learned() {
    for learner in learners() {
        for n_classes in [2, 3, 7, 40] {
            let instances = toy(1000, n_classes);
            let accuracy = accuracy(&*train(learner, &instances), &instances);
            assert!(accuracy > 0.99, "{}: {accuracy} with {n_classes} classes", learner.name());
        }
    }
}

#[test]
fn classes_by_the_thousand_are_learned() {
    for learner in learners() {
        let classifier = train(learner, &toy(10_000, 1200));
        // The first of them are enough.
        let accuracy = accuracy(&*classifier, &toy(500, 1200));
        assert!(accuracy > 0.97, "{}: {accuracy}", learner.name());
    }
}

#[test]
fn a_saved_classifier_is_the_same() {
    for learner in learners() {
        for n_classes in [3, 300] {
            let instances = toy(500, n_classes);
            let classifier = train(learner, &instances);
            let loaded = learner.load(&saved(&*classifier)).expect("what was saved can be loaded");
            assert_eq!(loaded.n_classes(), n_classes as usize);
            for i in 0..instances.len() {
                let row = instances.row(i);
                assert_eq!(scores(&*classifier, row), scores(&*loaded, row), "{}", learner.name());
            }
        }
    }
}

#[test]
fn broken_files_are_refused_or_harmless() {
    for learner in learners() {
        for n_classes in [3, 300] {
            let whole = saved(&*train(learner, &toy(200, n_classes)));
            for (broken, _) in whole.iter() {
                for n_bytes in [None, Some(0), Some(1), Some(4), Some(8), Some(100)] {
                    let mut arrays = Arrays::default();
                    for (name, bytes) in whole.iter().filter(|(name, _)| *name != broken || n_bytes.is_some())
                    {
                        let n_bytes = n_bytes.filter(|_| name == broken).unwrap_or(bytes.len());
                        arrays.set_bytes(name, bytes.iter().copied().take(n_bytes).collect());
                    }
                    if let Ok(classifier) = learner.load(&arrays) {
                        let mut scores = vec![0.0; classifier.n_classes()];
                        classifier.scores(&[0, 1, 9, 400], &mut Scratch::default(), &mut scores);
                    }
                }
            }
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    for learner in learners() {
        let instances = toy(500, 5);
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| saved(&*train(learner, &instances)))
        };
        assert_eq!(with(1), with(4), "{}", learner.name());
    }
}

/// Stops after some epochs and keeps the checkpoint; the second epoch is the best.
struct Interrupting {
    after: usize,
    scores: bool,
    kept: Option<Arrays>,
}

impl Supervisor<Box<dyn Classifier>> for Interrupting {
    fn epoch(&mut self, epoch: &Epoch<'_, Box<dyn Classifier>>) -> Next {
        assert!(epoch.done <= epoch.of && epoch.loss.is_finite());
        assert!(epoch.model().n_classes() > 0);
        let score = self.scores.then_some(if epoch.done == 2 { 1.0 } else { 0.0 });
        Next { score, stop: epoch.done == self.after }
    }

    fn stored(&self) -> Option<Arrays> {
        self.kept.clone()
    }

    fn stores(&self) -> bool {
        true
    }

    fn store(&mut self, state: &Arrays) {
        self.kept = Some(state.clone());
    }
}

#[test]
fn an_interrupted_run_resumes_with_the_same_result() {
    for learner in learners() {
        for (n_classes, scores) in [(4, false), (4, true), (250, false)] {
            let instances = toy(400, n_classes);
            let trainable = trainable(learner);
            let supervisor = |after| Interrupting { after, scores, kept: None };
            let whole = learn(&*trainable, &instances, &mut supervisor(usize::MAX)).unwrap();
            for after in 1..4 {
                let mut supervisor = supervisor(after);
                learn(&*trainable, &instances, &mut supervisor).unwrap();
                supervisor.after = usize::MAX;
                let resumed = learn(&*trainable, &instances, &mut supervisor).unwrap();
                assert_eq!(saved(&*resumed), saved(&*whole), "{} after epoch {after}", learner.name());
            }
        }
    }
}

#[test]
fn a_checkpoint_of_another_run_is_ignored() {
    for learner in learners() {
        let mut supervisor = Interrupting { after: 1, scores: false, kept: None };
        learn(&*trainable(learner), &toy(100, 9), &mut supervisor).unwrap();
        let instances = toy(300, 4);
        supervisor.after = usize::MAX;
        let found = learn(&*trainable(learner), &instances, &mut supervisor).unwrap();
        assert_eq!(saved(&*found), saved(&*train(learner, &instances)), "{}", learner.name());
    }
}

#[test]
fn the_best_epoch_is_the_result() {
    for learner in learners() {
        let instances = toy(300, 3);
        let mut stopped = Interrupting { after: 2, scores: false, kept: None };
        let second = learn(&*trainable(learner), &instances, &mut stopped).unwrap();
        let mut judged = Interrupting { after: usize::MAX, scores: true, kept: None };
        let best = learn(&*trainable(learner), &instances, &mut judged).unwrap();
        assert_eq!(saved(&*best), saved(&*second), "{}", learner.name());
    }
}

/// The winning class for a row with several targets, each with a count.
fn winner(learner: &dyn Learner, targets: &[(Right<'_>, f32, usize)]) -> u32 {
    let mut instances = Instances::new(Positions::new(vec![0, 2, 4]), 4);
    for &(right, weight, times) in targets {
        (0..times).for_each(|_| instances.push(&[0, 2], right, weight));
        // Another row, so that there are several classes.
        (0..times).for_each(|_| instances.push(&[1, 3], Right::Class(3), 1.0));
    }
    best(&*train(learner, &instances), &[0, 2])
}

#[test]
fn weights_count() {
    for learner in learners() {
        let vote = |weight| winner(learner, &[(Right::Class(0), 1.0, 30), (Right::Class(1), weight, 10)]);
        assert_eq!((vote(1.0), vote(10.0)), (0, 1), "{}", learner.name());
        let without = winner(learner, &[(Right::Class(2), 1.0, 2), (Right::Class(1), 0.0, 30)]);
        assert_eq!(without, 2, "{}", learner.name());
    }
}

#[test]
fn any_of_several_classes_is_right() {
    for learner in learners() {
        let found = winner(learner, &[(Right::AnyOf(&[1, 2]), 1.0, 20)]);
        assert!([1, 2].contains(&found), "{}: {found}", learner.name());
        let found = winner(learner, &[(Right::AnyOf(&[0, 1]), 1.0, 20), (Right::AnyOf(&[1, 2]), 1.0, 20)]);
        assert_eq!(found, 1, "{}", learner.name());
    }
}

#[test]
fn the_most_probable_class_of_a_distribution_wins() {
    for learner in learners() {
        let soft = Right::Distribution(&[(0, 0.2), (2, 0.7), (3, 0.1)]);
        assert_eq!(winner(learner, &[(soft, 1.0, 20)]), 2, "{}", learner.name());
    }
}

#[test]
fn unknown_values_are_ignored() {
    for learner in learners() {
        for n_classes in [3, 300] {
            let instances = toy(200, n_classes);
            let classifier = train(learner, &instances);
            let row = instances.row(0);
            let unknown = u32::try_from(instances.n_features()).unwrap();
            let more = [row, &[unknown, unknown + 77, u32::MAX]].concat();
            assert_eq!(scores(&*classifier, row), scores(&*classifier, &more), "{}", learner.name());
        }
    }
}

#[test]
fn little_is_enough() {
    for learner in learners() {
        // No instances, no values, one class.
        let none = train(learner, &Instances::new(Positions::one(3), 2));
        assert_eq!(scores(&*none, &[0, 2]).len(), 2, "{}", learner.name());
        let mut empty = Instances::new(Positions::new(vec![0]), 2);
        empty.push(&[], Right::Class(1), 1.0);
        scores(&*train(learner, &empty), &[]);
        let mut single = Instances::new(Positions::one(2), 1);
        single.push(&[0], Right::Class(0), 1.0);
        single.push(&[], Right::AnyOf(&[0]), 1.0);
        assert_eq!(best(&*train(learner, &single), &[1]), 0, "{}", learner.name());
        // Some rows have no values.
        let mut some = toy(200, 3);
        some.push(&[], Right::Class(0), 1.0);
        let classifier = train(learner, &some);
        scores(&*classifier, &[]);
        assert!(accuracy(&*classifier, &some) > 0.98, "{}", learner.name());
    }
}
