//! Training on partial trees: every learner and system, and what is learned from them.
#![allow(clippy::print_stderr, reason = "shows how much is learned")]

use quaich_parser::{Event, Model, Observer, Settings, Trainer};
use quaich_treebank::{Sentence, Treebank};

const TRAIN: &str = include_str!("../../../data/sample/train.conllu");
const DEV: &str = include_str!("../../../data/sample/dev.conllu");

fn sentences(text: &str) -> Vec<Sentence> {
    Treebank::from_text(text).unwrap().to_vec()
}

fn settings(assignments: &[&str]) -> Settings {
    assignments.iter().fold(Settings::default(), |settings, assignment| settings.with(assignment).unwrap())
}

/// The text without the heads and labels of the words for which `is_known` is false, given the number of the word in the text.
fn without_heads(text: &str, is_known: impl Fn(usize) -> bool) -> String {
    let mut number = 0;
    let line = |line: &str| {
        let mut cells: Vec<&str> = line.split('\t').collect();
        if cells.len() < 8 || cells[0].contains(['-', '.']) {
            return format!("{line}\n");
        }
        number += 1;
        if !is_known(number) {
            (cells[6], cells[7]) = ("_", "_");
        }
        cells.join("\t") + "\n"
    };
    text.lines().map(line).collect()
}

/// The percentage of words with the right head and label.
fn las_of(model: &Model) -> f64 {
    model.score(&sentences(DEV)).unwrap().las
}

struct Messages(std::sync::Mutex<Vec<String>>);

impl Observer for Messages {
    fn event(&self, event: &Event<'_>) {
        self.0.lock().unwrap().push(event.to_string());
    }
}

#[test]
fn every_kind_of_learner_and_system_learns_from_parts_of_trees() {
    let all = sentences(TRAIN);
    let half = sentences(&without_heads(TRAIN, |number| number % 5 < 3));
    for assignments in [
        &["learner=linear", "linear.epochs=3", "linear.folds=0"][..],
        &[
            "learner=linear",
            "linear.epochs=3",
            "linear.folds=0",
            "system=arc-eager",
            "transform=pseudo-projective:path",
        ],
        &["learner=linear", "linear.epochs=3", "linear.folds=0", "system=two-planar", "decision=joint"],
        &["learner=recurrent", "encoder.epochs=25", "encoder.units=32", "encoder.networks=1"],
        &["learner=mcle"],
    ] {
        let messages = Messages(std::sync::Mutex::default());
        let model = Trainer::new(&settings(assignments)).observer(&messages).train(&half).unwrap();
        let messages = messages.0.into_inner().unwrap();
        assert!(messages.iter().any(|message| message.contains(" with partial trees: ")), "{messages:?}");
        assert!(!messages.iter().any(|message| message.contains("skipped")), "{messages:?}");
        let las = las_of(&model);
        let whole = las_of(&Trainer::new(&settings(assignments)).train(&all).unwrap());
        eprintln!("{assignments:?}: {las:.1}, from whole trees {whole:.1}");
        assert!(las > 50.0 && las > whole - 15.0, "{assignments:?}: {las}, {whole}");
    }
}

/// Unknown heads leave no trace in scores.
#[test]
fn unknown_heads_are_not_scored() {
    let model = Trainer::new(&settings(&["learner=linear", "linear.epochs=2", "linear.folds=0"]));
    let model = model.train(&sentences(TRAIN)).unwrap();
    let all = sentences(DEV);
    let mut worker = model.worker();
    let is_right: Vec<bool> = all
        .iter()
        .flat_map(|sentence| {
            let tree = worker.parse(sentence).clone();
            let right = |token| {
                tree.head(token) == sentence.heads()[token.index()]
                    && model.labels().text(tree.label(token)) == sentence.label(token)
            };
            sentence.tokens().map(right).collect::<Vec<_>>()
        })
        .collect();
    let only_right = sentences(&without_heads(DEV, |number| is_right[number - 1]));
    assert!((model.score(&only_right).unwrap().las - 100.0).abs() < 1e-9);
    assert!(model.score(&all).unwrap().las < 100.0);
}
