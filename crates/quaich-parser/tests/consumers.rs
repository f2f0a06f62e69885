//! Columns that are predicted from the parser's encoder in addition to heads and labels.

use quaich_parser::{Model, Settings, Trainer};
use quaich_treebank::{Sentence, Treebank};

const TRAIN: &str = include_str!("../../../data/sample/train.conllu");
const DEV: &str = include_str!("../../../data/sample/dev.conllu");

/// A treebank without the columns that reveal tags, and optionally without tags.
fn treebank(text: &str, tags: bool) -> Treebank {
    let blank = |line: &str| {
        let mut cells: Vec<&str> = line.split('\t').collect();
        if cells.len() == 10 {
            (cells[4], cells[5]) = ("_", "_");
            if !tags {
                cells[3] = "_";
            }
        }
        cells.join("\t") + "\n"
    };
    Treebank::from_text(&text.lines().map(blank).collect::<String>()).unwrap()
}

fn settings(assignments: &[&str]) -> Settings {
    let quick = ["encoder.units=64", "encoder.networks=1", "encoder.epochs=80", "held-out=no"];
    let all = quick.iter().chain(assignments);
    all.fold(Settings::default(), |settings, assignment| settings.with(assignment).unwrap())
}

/// Sentences as the model writes them.
fn written(model: &Model, treebank: &Treebank) -> Treebank {
    let (mut worker, mut out) = (model.worker(), Vec::new());
    treebank.iter().for_each(|sentence| worker.parse_text(sentence, false, &mut out));
    Treebank::from_text(std::str::from_utf8(&out).unwrap()).unwrap()
}

/// Tagging accuracy in percent.
fn accuracy(found: &Treebank, gold: &Treebank) -> usize {
    let tags = |sentence: &Sentence| -> Vec<String> {
        sentence.tokens().map(|token| sentence.cell(token, 3).to_owned()).collect()
    };
    let pairs = found.iter().flat_map(tags).zip(gold.iter().flat_map(tags));
    let (right, all) =
        pairs.fold((0, 0), |(right, all), (found, gold)| (right + usize::from(found == gold), all + 1));
    100 * right / all
}

#[test]
fn tags_are_learned_beside_trees_and_stay_in_a_file() {
    let (train, blind, gold) = (treebank(TRAIN, true), treebank(DEV, false), treebank(DEV, true));
    let model = Trainer::new(&settings(&["encoder.predict=upos"])).train(&train).unwrap();
    let found = written(&model, &blind);
    assert!(accuracy(&found, &gold) > 75, "{} %", accuracy(&found, &gold));
    assert!(model.score(&blind).unwrap().uas > 40.0);
    // The tags of the input have no effect: the encoder does not see what it predicts.
    assert_eq!(accuracy(&written(&model, &gold), &found), 100);
    let again = Model::from_bytes(&model.to_bytes().unwrap(), "model").unwrap();
    assert_eq!(accuracy(&written(&again, &blind), &found), 100);
}

#[test]
fn what_is_not_predicted_stays_as_it_is() {
    let train = treebank(TRAIN, true);
    let model = Trainer::new(&settings(&["encoder.epochs=1"])).train(&train).unwrap();
    assert_eq!(accuracy(&written(&model, &treebank(DEV, true)), &treebank(DEV, true)), 100);
    let error = Trainer::new(&settings(&["encoder.predict=moods"])).train(&train).unwrap_err().to_string();
    assert!(error.starts_with("unknown predicted column `moods`; known: upos"), "{error}");
}
