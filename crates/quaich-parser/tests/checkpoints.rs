//! If checkpoints cannot be stored, training continues without them.

use std::path::Path;
use std::sync::Mutex;

use quaich_parser::recipe::Recipe;
use quaich_parser::{Checkpoint, Event, Observer, Settings, Trainer, Unobserved};
use quaich_treebank::{ReadOptions, Reader, Sentence, Source};

const TRAIN: &str = include_str!("../../../data/sample/train.conllu");

fn sentences() -> Vec<Sentence> {
    let source = Source::from_stream(TRAIN.as_bytes(), "sample".to_owned(), None).unwrap();
    let reader = Reader::new(source, &ReadOptions::default()).unwrap();
    reader.sentences().take(30).collect::<Result<_, _>>().unwrap()
}

fn settings(assignments: &[&str]) -> Settings {
    assignments.iter().fold(Settings::default(), |settings, assignment| settings.with(assignment).unwrap())
}

/// Records the reasons why checkpoints could not be stored.
#[derive(Default)]
struct NotStored(Mutex<Vec<String>>);

impl Observer for NotStored {
    fn event(&self, event: &Event<'_>) {
        match event {
            Event::NotStored { reason } => self.0.lock().unwrap().push(reason.clone()),
            Event::Member { event, .. } => self.event(event),
            _ => {}
        }
    }
}

/// Trains with checkpoints in a directory that exists and in one that does not, and without checkpoints.
fn check(name: &str, trainer: &Trainer<'_>) {
    let sentences = sentences();
    let folder = tempfile::tempdir().unwrap();
    let train = |checkpoint: Checkpoint, observer: &dyn Observer| {
        let trainer = trainer.clone().checkpoint(checkpoint).observer(observer);
        trainer.train(&sentences).unwrap().to_bytes().unwrap()
    };
    let without = train(Checkpoint::default(), &Unobserved);
    let with = |model: &Path| {
        let told = NotStored::default();
        assert!(train(Checkpoint::beside(model), &told) == without, "{name}");
        told.0.into_inner().unwrap()
    };
    assert_eq!(with(&folder.path().join("model")), [""; 0], "{name}");
    assert!(folder.path().read_dir().unwrap().count() > 0, "{name} stores nothing");
    let nowhere = folder.path().join("no").join("model");
    let told = with(&nowhere);
    let [reason] = &told[..] else { panic!("{name}: {told:?}") };
    assert!(reason.contains(&nowhere.display().to_string()), "{reason}");
    assert!(!folder.path().join("no").exists());
}

#[test]
fn a_folder_that_cannot_be_written_ends_no_training() {
    for assignments in [
        &["learner=recurrent", "encoder.epochs=3", "encoder.units=8", "encoder.networks=2"][..],
        &["learner=linear", "linear.epochs=2"],
        &["learner=network", "network.epochs=3"],
        &["learner=linear+network", "network.epochs=3"],
        &["learner=memory"],
    ] {
        check(assignments[0], &Trainer::new(&settings(assignments)));
    }
    let recipe = "[[parser]]\nsystem = 'arc-eager'\n[[parser]]\nsystem = 'swap-lazy'\n";
    let recipe = Recipe::from_toml(recipe, &settings(&["learner=linear", "linear.epochs=2"])).unwrap();
    check("an ensemble", &Trainer::default().recipe(recipe));
}
