//! Students learn from teachers.

use std::sync::Arc;

use quaich_parser::distillation::Taught;
use quaich_parser::recipe::Recipe;
use quaich_parser::{HeadDistribution, Model, Settings, Trainer, Unobserved, train};
use quaich_treebank::{ReadOptions, Reader, Sentence, Source};

const TRAIN: &str = include_str!("../../../data/sample/train.conllu");
const DEV: &str = include_str!("../../../data/sample/dev.conllu");

fn read(text: &str) -> Vec<Sentence> {
    let source = Source::from_stream(std::io::Cursor::new(text.to_owned()), "test".to_owned(), None).unwrap();
    let reader = Reader::new(source, &ReadOptions::default()).unwrap();
    reader.sentences().collect::<Result<_, _>>().unwrap()
}

fn settings(assignments: &[&str]) -> Settings {
    assignments.iter().fold(Settings::default(), |settings, assignment| settings.with(assignment).unwrap())
}

fn ensemble(sentences: &[Sentence]) -> Model {
    let text = "[[parser]]\nsystem = 'arc-eager'\n[[parser]]\nsystem = 'rtl:covington'\n[[parser]]\nsystem = 'arc-hybrid'\n";
    let recipe =
        Recipe::from_toml(text, &settings(&["learner=linear", "linear.epochs=2", "linear.folds=0"])).unwrap();
    Trainer::default().recipe(recipe).equal(true).train(sentences).unwrap()
}

/// The sentences without their heads and labels.
fn bare(text: &str) -> Vec<Sentence> {
    let without = |line: &str| {
        let mut cells: Vec<&str> = line.split('\t').collect();
        if cells.len() == 10 {
            (cells[6], cells[7]) = ("_", "_");
        }
        cells.join("\t")
    };
    read(&text.lines().map(|line| without(line) + "\n").collect::<String>())
}

#[test]
fn a_teacher_says_what_it_makes_of_a_text() {
    let teacher = ensemble(&read(TRAIN)[..100]);
    let (text, gold) = (bare(DEV), read(DEV));
    let taught = teacher.teach(&text).unwrap();
    let mut worker = teacher.worker();
    for ((Taught { sentence, head_distribution, confidence }, bare), gold) in
        taught.iter().zip(&text).zip(&gold)
    {
        let tree = worker.parse(bare);
        assert_eq!(sentence.heads(), tree.heads());
        assert!(
            sentence.tokens().all(|token| sentence.label(token) == teacher.labels().text(tree.label(token)))
        );
        assert!(gold.tokens().all(|token| gold.form(token) == sentence.form(token)));
        assert!((0.0..=1.0).contains(confidence));
        assert!(head_distribution.is_some());
    }
    // The heads of the text are ignored.
    let again: Vec<Sentence> =
        teacher.teach(&gold).unwrap().into_iter().map(|taught| taught.sentence).collect();
    assert!(taught.iter().zip(&again).all(|(one, other)| one.sentence.heads() == other.heads()));
    // A single parser has no votes.
    let alone =
        train(&read(TRAIN)[..40], &settings(&["learner=linear", "linear.folds=0"]), &Unobserved).unwrap();
    assert!(alone.teach(&text).unwrap().iter().all(|taught| taught.head_distribution.is_none()));
}

/// A student trained only on the teacher's parses of a text reproduces them.
#[test]
fn a_student_does_as_its_teacher() {
    let teacher = ensemble(&read(TRAIN)[..100]);
    let taught: Vec<Sentence> =
        teacher.teach(&bare(TRAIN)).unwrap().into_iter().map(|taught| taught.sentence).collect();
    let student = train(&taught, &settings(&["learner=linear", "linear.folds=0"]), &Unobserved).unwrap();
    let mut worker = student.worker();
    let (mut same, mut all) = (0, 0);
    for sentence in &taught {
        let tree = worker.parse(sentence);
        all += sentence.n_tokens();
        same +=
            sentence.tokens().filter(|token| tree.head(*token) == sentence.heads()[token.index()]).count();
    }
    assert!(same * 100 > all * 95, "{same} of {all}");
}

/// Head distributions make a difference in both reading directions, and none if trees are transformed.
#[test]
fn recurrent_networks_learn_how_votes_fell() {
    let teacher = ensemble(&read(TRAIN)[..60]);
    let taught = teacher.teach(&bare(DEV)).unwrap();
    let sentences: Vec<Sentence> = taught.iter().map(|taught| taught.sentence.clone()).collect();
    let head_distributions: Vec<HeadDistribution> =
        taught.into_iter().filter_map(|taught| taught.head_distribution).collect();
    assert_eq!(head_distributions.len(), sentences.len());
    let small =
        ["encoder.epochs=2", "encoder.units=16", "encoder.hidden=16", "encoder.networks=1", "held-out=no"];
    for (system, transform, differs) in [
        ("swap-lazy", "none", true),
        ("rtl:swap-lazy", "none", true),
        ("arc-eager", "pseudo-projective:head", false),
    ] {
        let [system, transform] = [format!("system={system}"), format!("transform={transform}")];
        let settings = settings(&[&small[..], &[&system, &transform]].concat());
        let student = |head_distributions: &[HeadDistribution]| {
            let trainer = Trainer::new(&settings).head_distributions(head_distributions);
            Arc::new(trainer.train(&sentences).unwrap().to_bytes().unwrap())
        };
        assert_eq!(student(&head_distributions) != student(&[]), differs, "{system}");
    }
}
