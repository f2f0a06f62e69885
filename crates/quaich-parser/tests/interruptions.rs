//! Training can be interrupted at any moment: it asks all the time whether to stop.

use std::sync::Mutex;

use quaich_parser::{Error, Event, Observer, Settings, Trainer};
use quaich_treebank::{Sentence, Treebank};

const TRAIN: &str = include_str!("../../../data/sample/train.conllu");
const DEV: &str = include_str!("../../../data/sample/dev.conllu");

/// Counts how often it is asked whether to stop, and wants to from some number on.
struct Counting {
    stop_from: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    asked: usize,
    /// The events, each with the number of asks before it.
    events: Vec<(usize, String)>,
}

impl Counting {
    fn new(stop_from: usize) -> Self {
        Self { stop_from, state: Mutex::default() }
    }
}

impl Observer for Counting {
    fn event(&self, event: &Event<'_>) {
        let event = match event {
            Event::Member { event, .. } => event,
            event => event,
        };
        let text = match event {
            Event::Part { name, .. } | Event::Stage { name, .. } => (*name).to_owned(),
            _ => return,
        };
        let mut state = self.state.lock().unwrap();
        let asked = state.asked;
        state.events.push((asked, text));
    }

    fn stop(&self) -> bool {
        let mut state = self.state.lock().unwrap();
        state.asked += 1;
        state.asked >= self.stop_from
    }
}

fn settings(assignments: &[&str]) -> Settings {
    let quick =
        ["parts=parse", "encoder.epochs=2", "encoder.units=16", "encoder.hidden=16", "encoder.networks=1"];
    let mut settings = Settings::default();
    let has_encoder = !assignments
        .iter()
        .any(|text| ["learner=linear", "learner=perceptron", "learner=network"].contains(text));
    for assignment in
        quick.iter().filter(|text| has_encoder || !text.starts_with("encoder")).chain(assignments)
    {
        settings = settings.with(assignment).unwrap();
    }
    settings
}

/// All learners, an ensemble, and a model with all parts.
fn trainings() -> Vec<(&'static str, Settings)> {
    vec![
        ("linear", settings(&["learner=linear", "linear.epochs=2", "linear.folds=3", "system=arc-hybrid"])),
        ("perceptron", settings(&["learner=perceptron", "perceptron.epochs=2", "perceptron.megabytes=4"])),
        ("network", settings(&["learner=network", "network.epochs=2"])),
        ("recurrent", settings(&["learner=recurrent", "system=arc-hybrid"])),
        ("ensemble", settings(&["ensemble=six-over-two"])),
        ("all parts", settings(&["parts=all"])),
    ]
}

fn treebank() -> (Vec<Sentence>, Vec<Sentence>) {
    let read = |text: &str, n: usize| Treebank::from_text(text).unwrap()[..n].to_vec();
    (read(TRAIN, 40), read(DEV, 5))
}

/// Trains on one thread, so that asks have the same numbers every time.
fn train(settings: &Settings, observer: &Counting) -> Result<quaich_parser::Model, Error> {
    let (sentences, dev) = treebank();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| Trainer::new(settings).dev(&dev).observer(observer).train(&sentences))
}

/// When training has to stop, nothing new begins, and it asks only a few times more.
#[test]
fn training_ends_wherever_it_is_interrupted() {
    /// Interruptions per training. The tokenizer makes training of all parts slow.
    const POINTS: usize = 16;
    const POINTS_OF_ALL_PARTS: usize = 6;
    /// The most asks afterwards: folds and parsers that have not begun, and the loops around what was interrupted.
    const MOST: usize = 40;
    for (name, settings) in trainings() {
        let never = Counting::new(usize::MAX);
        let whole = train(&settings, &never).unwrap();
        assert!(!whole.description().interrupted, "{name}");
        let n_asks = never.state.into_inner().unwrap().asked;
        let (mut with_model, mut without) = (0, 0);
        let n_points = if name == "all parts" { POINTS_OF_ALL_PARTS } else { POINTS };
        for point in 0..n_points {
            let stop_from = 1 + point * (n_asks - 1) / (n_points - 1);
            let observer = Counting::new(stop_from);
            match train(&settings, &observer) {
                Ok(model) => {
                    with_model += 1;
                    let mut worker = model.worker();
                    for sentence in &treebank().1 {
                        assert!(worker.parse(sentence).is_well_formed(), "{name}, {stop_from}");
                    }
                    let complete = model.to_bytes().unwrap() == whole.to_bytes().unwrap();
                    assert!(
                        model.description().interrupted || complete || stop_from > n_asks * 9 / 10,
                        "{name}, {stop_from}"
                    );
                }
                Err(error) => {
                    without += 1;
                    assert!(matches!(error, Error::Stopped), "{name}, {stop_from}: {error}");
                }
            }
            let State { asked, events } = observer.state.into_inner().unwrap();
            assert!(
                asked >= stop_from && asked < stop_from + MOST,
                "{name}: asked {asked} times, told to stop at {stop_from}"
            );
            let later: Vec<&(usize, String)> =
                events.iter().filter(|(asked, _)| *asked >= stop_from).collect();
            assert!(later.is_empty(), "{name}, {stop_from}: {later:?}");
        }
        assert!(with_model > 0 && without > 0, "{name}: {with_model} with a model, {without} without");
    }
}
