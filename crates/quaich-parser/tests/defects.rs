//! Regression tests, each with the treebank that revealed the defect.

use std::fmt::Write as _;

use quaich_parser::{Model, Settings, Unobserved, train};
use quaich_treebank::{ReadOptions, Reader, Sentence, Source};

const TRAIN: &str = include_str!("../../../data/sample/train.conllu");

fn read(text: &str) -> Vec<Sentence> {
    let source = Source::from_stream(std::io::Cursor::new(text.to_owned()), "test".to_owned(), None).unwrap();
    let reader = Reader::new(source, &ReadOptions::default()).unwrap();
    reader.sentences().collect::<Result<_, _>>().unwrap()
}

/// Settings that train in a moment, with some changes.
fn settings(assignments: &[&str]) -> Settings {
    let quick = Settings::default().with("learner=linear+network").unwrap();
    assignments.iter().fold(quick, |settings, assignment| settings.with(assignment).unwrap())
}

fn train_on(sentences: &[Sentence], assignments: &[&str]) -> Model {
    train(sentences, &settings(assignments), &Unobserved).unwrap()
}

/// LAS and UAS on some sentences.
fn score(parser: &Model, sentences: &[Sentence]) -> (f64, f64) {
    let mut worker = parser.worker();
    let (mut labelled, mut attached, mut all) = (0.0, 0.0, 0.0);
    for sentence in sentences {
        let tree = worker.parse(sentence);
        for token in sentence.tokens() {
            let head = tree.head(token) == sentence.heads()[token.index()];
            let label = parser.labels().text(tree.label(token)) == sentence.label(token);
            attached += f64::from(u8::from(head));
            labelled += f64::from(u8::from(head && label));
            all += 1.0;
        }
    }
    (100.0 * labelled / all, 100.0 * attached / all)
}

/// The sample with changed labels.
fn relabelled(relabel: impl Fn(&str) -> String) -> Vec<Sentence> {
    let mut text = String::new();
    for line in TRAIN.lines() {
        let mut cells: Vec<&str> = line.split('\t').collect();
        let label = cells.get(7).map(|label| relabel(label));
        if let Some(label) = &label {
            cells[7] = label;
        }
        let _ = writeln!(text, "{}", cells.join("\t"));
    }
    text.push('\n');
    read(&text)
}

#[test]
fn an_underscore_beside_other_labels_is_a_label() {
    let common = ["punct", "det", "nsubj", "case", "obj", "advmod", "obl", "amod"];
    let sentences =
        relabelled(|label| if common.contains(&label) { "_".to_owned() } else { label.to_owned() });
    let n_unlabelled: usize =
        sentences.iter().map(|s| s.tokens().filter(|&token| s.label(token) == "_").count()).sum();
    let n_tokens: usize = sentences.iter().map(Sentence::n_tokens).sum();
    assert!(n_unlabelled * 2 > n_tokens, "{n_unlabelled} of {n_tokens}");
    let (las, uas) = score(&train_on(&sentences, &["learner=linear"]), &sentences);
    assert!(las > 95.0 && uas > 95.0, "{las} {uas}");
}

#[test]
fn a_treebank_without_labels_keeps_its_heads() {
    let sentences = relabelled(|_| "_".to_owned());
    for transform in ["auto", "pseudo-projective:head", "pseudo-projective:path"] {
        let parser = train_on(&sentences, &["learner=linear", &format!("transform={transform}")]);
        assert_eq!(parser.labels().len(), 1);
        let (las, uas) = score(&parser, &sentences);
        assert!(uas > 93.0 && (las - uas).abs() < 1e-9, "{transform}: {las} {uas}");
    }
}

/// Sentences in which the word determines its label, out of many labels.
fn labels_by_word(n_labels: usize) -> Vec<Sentence> {
    let mut text = String::new();
    for i in 0..3 * n_labels.max(200) {
        let row = |id: usize, word: usize, head: usize| {
            let (form, label) = (format!("w{}", word % n_labels), format!("l{}", word % n_labels));
            format!("{id}\t{form}\t{form}\tX\t_\t_\t{head}\t{label}\t_\t_\n")
        };
        let _ =
            write!(text, "{}{}3\tend\tend\tY\t_\t_\t0\troot\t_\t_\n\n", row(1, i, 3), row(2, i * 7 + 3, 3));
    }
    read(&text)
}

#[test]
fn labels_by_the_thousand_are_learned_as_well_as_by_the_dozen() {
    let las = |n_labels: usize, assignments: &[&str]| {
        let sentences = labels_by_word(n_labels);
        score(&train_on(&sentences, assignments), &sentences).0
    };
    for assignments in [
        ["learner=linear", "linear.folds=0", "linear.epochs=3"],
        ["learner=perceptron", "held-out=no", "perceptron.epochs=4"],
    ] {
        let (few, many) = (las(50, &assignments), las(1000, &assignments));
        assert!(many > few - 2.0, "{}: {many} against {few}", assignments[0]);
    }
    // With too many labels for networks, a linear model supports them.
    let sentences = labels_by_word(1000);
    let small =
        ["learner=recurrent", "encoder.epochs=2", "encoder.units=16", "encoder.hidden=16", "held-out=no"];
    let model = train_on(&sentences, &small);
    let (las, _) = score(&model, &sentences);
    assert!(las > 98.0, "{las}");
}

#[test]
fn a_system_that_builds_a_few_nonprojective_trees_still_gets_a_transformation() {
    let sentences = read(TRAIN);
    let parser = train_on(
        &sentences,
        &["learner=linear", "system=arc-eager+lnba", "linear.folds=0", "linear.epochs=1"],
    );
    assert_eq!(parser.plan().transform, "pseudo-projective:head");
    assert_eq!(parser.plan().underivable, 0);
    let parser =
        train_on(&sentences, &["learner=linear", "transform=none", "linear.folds=0", "linear.epochs=1"]);
    assert!(parser.plan().underivable > 20 && parser.plan().describe().contains("trees cannot be derived"));
}

#[test]
fn maltparsers_systems_have_their_own_way_with_node_0() {
    let sentences = read(TRAIN);
    let parser = train_on(
        &sentences,
        &["learner=linear", "system=arc-eager:malt", "linear.folds=0", "linear.epochs=1"],
    );
    let told = parser.plan().describe();
    assert!(told.contains("root node as in MaltParser") && !told.contains("one root"), "{told}");
    let error =
        train(&sentences, &settings(&["system=arc-eager:malt", "root=end"]), &Unobserved).unwrap_err();
    assert!(error.is_usage(), "{error}");
}

/// Enhanced dependencies would reveal the heads.
#[test]
fn what_is_to_be_found_is_not_seen() {
    let mut told = String::new();
    for line in TRAIN.lines() {
        let mut cells: Vec<String> = line.split('\t').map(str::to_owned).collect();
        if cells.len() == 10 {
            cells[8] = format!("{}:{}", cells[6], cells[7]);
        }
        told += &(cells.join("\t") + "\n");
    }
    let quick =
        ["learner=recurrent", "encoder.epochs=2", "encoder.units=16", "encoder.networks=1", "held-out=no"];
    let (seeing, blind) = (train_on(&read(&told), &quick), train_on(&read(TRAIN), &quick));
    let (mut seeing, mut blind) = (seeing.worker(), blind.worker());
    for (told, plain) in read(&told).iter().zip(&read(TRAIN)) {
        assert_eq!(seeing.parse(told), blind.parse(plain));
    }
}
