//! Students learn from teachers.

use std::sync::Arc;

use quaich_parser::blend::{BlendTrainer, Recipe};
use quaich_parser::distillation::{HeadShares, Taught};
use quaich_parser::{Parser, Settings, Trainer, Unobserved, train};
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

fn blend(sentences: &[Sentence]) -> Parser {
    let text = "[[parser]]\nsystem = 'arc-eager'\n[[parser]]\nsystem = 'rtl:covington'\n[[parser]]\nsystem = 'arc-hybrid'\n";
    let recipe = Recipe::from_toml(text, &settings(&["learner=linear", "passes=2", "folds=0"])).unwrap();
    BlendTrainer::new(&recipe).equal(true).train(sentences, &Unobserved).unwrap()
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
    let teacher = blend(&read(TRAIN)[..100]);
    let (text, gold) = (bare(DEV), read(DEV));
    let taught = teacher.teach(&text);
    let mut worker = teacher.worker();
    for ((Taught { sentence, opinion, sure }, bare), gold) in taught.iter().zip(&text).zip(&gold) {
        let tree = worker.parse(bare);
        assert_eq!(sentence.heads(), tree.heads());
        assert!(
            sentence.tokens().all(|token| sentence.label(token) == teacher.labels().text(tree.label(token)))
        );
        assert!(gold.tokens().all(|token| gold.form(token) == sentence.form(token)));
        assert!((0.0..=1.0).contains(sure));
        assert!(opinion.is_some());
    }
    // Heads that a text has are not looked at.
    let again: Vec<Sentence> = teacher.teach(&gold).into_iter().map(|taught| taught.sentence).collect();
    assert!(taught.iter().zip(&again).all(|(one, other)| one.sentence.heads() == other.heads()));
    // One parser has no votes.
    let alone = train(&read(TRAIN)[..40], &settings(&["learner=linear", "folds=0"]), &Unobserved).unwrap();
    assert!(alone.teach(&text).iter().all(|taught| taught.opinion.is_none()));
}

/// A student that has seen nothing but the teacher's trees of a text does with it what the teacher does.
#[test]
fn a_student_does_as_its_teacher() {
    let teacher = blend(&read(TRAIN)[..100]);
    let taught: Vec<Sentence> =
        teacher.teach(&bare(TRAIN)).into_iter().map(|taught| taught.sentence).collect();
    let student = train(&taught, &settings(&["learner=linear", "folds=0"]), &Unobserved).unwrap();
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

/// How votes fell makes a difference, in both directions of reading, and none where trees are transformed.
#[test]
fn recurrent_networks_learn_how_votes_fell() {
    let teacher = blend(&read(TRAIN)[..60]);
    let taught = teacher.teach(&bare(DEV));
    let sentences: Vec<Sentence> = taught.iter().map(|taught| taught.sentence.clone()).collect();
    let opinions: Vec<HeadShares> = taught.into_iter().filter_map(|taught| taught.opinion).collect();
    assert_eq!(opinions.len(), sentences.len());
    let small = [
        "recurrent-passes=2",
        "recurrent-units=16",
        "recurrent-hidden=16",
        "recurrent-networks=1",
        "folds=0",
    ];
    for (system, transform, differs) in [
        ("swap-lazy", "none", true),
        ("rtl:swap-lazy", "none", true),
        ("arc-eager", "pseudo-projective:head", false),
    ] {
        let [system, transform] = [format!("system={system}"), format!("transform={transform}")];
        let settings = settings(&[&small[..], &[&system, &transform]].concat());
        let student = |opinions: &[HeadShares]| {
            let trainer = Trainer::new(&settings).opinions(opinions);
            Arc::new(trainer.train(&sentences, &Unobserved).unwrap().to_bytes().unwrap())
        };
        assert_eq!(student(&opinions) != student(&[]), differs, "{system}");
    }
}
