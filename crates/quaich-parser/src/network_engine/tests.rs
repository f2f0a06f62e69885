//! A small treebank, learned by heart.

use quaich_features::Tokens;
use quaich_learn::network::Verdict;
use quaich_transition::configuration::Configuration;
use quaich_transition::systems::{ArcEager, Options};
use quaich_treebank::{Label, ReadOptions, Reader, Sentence, Source, Symbols};

use super::parts::{NetworkParts, PartsError};
use super::train::{NetworkSettings, train};
use super::{NetworkEngine, NetworkScratch};
use crate::checkpoint::Checkpoint;
use crate::collect::Example;
use crate::held_out::judge;
use crate::parser::parse_with;

const TREEBANK: &str = "\
1	the	the	DET	DT	_	2	det	_	_
2	dog	dog	NOUN	NN	_	3	nsubj	_	_
3	sees	see	VERB	VBZ	_	0	root	_	_
4	a	a	DET	DT	_	5	det	_	_
5	cat	cat	NOUN	NN	_	3	obj	_	_

1	cats	cat	NOUN	NNS	_	2	nsubj	_	_
2	sleep	sleep	VERB	VBP	_	0	root	_	_
3	here	here	ADV	RB	_	2	advmod	_	_

1	sleep	sleep	VERB	VB	_	0	root	_	_
2	well	well	ADV	RB	_	1	advmod	_	_

";

fn treebank() -> (Vec<Example>, usize) {
    let mut labels = Symbols::<Label>::new();
    let source = Source::from_stream(TREEBANK.as_bytes(), "treebank".to_owned(), None).unwrap();
    let reader = Reader::new(source, &ReadOptions::default()).unwrap();
    let examples = reader
        .sentences()
        .map(|sentence| {
            let sentence = sentence.unwrap();
            let tree = sentence.tree(&mut labels);
            Example { sentence, tree }
        })
        .collect();
    (examples, labels.len())
}

fn trained() -> NetworkEngine {
    let (examples, n_labels) = treebank();
    let mut settings = NetworkSettings::new(&[]);
    settings.min_counts = [1; 6];
    settings.learner.passes = 200;
    settings.learner.rate = 0.01;
    (settings.transition_hidden, settings.label_hidden) = (64, 64);
    let system = ArcEager::new(Options::default());
    let examples: Vec<&Example> = examples.iter().collect();
    let nowhere = (&Checkpoint::default(), "network");
    train(&system, &settings, &examples, n_labels, nowhere, |_| Verdict::default()).unwrap()
}

#[test]
fn a_small_treebank_is_learned_by_heart() {
    let (examples, _) = treebank();
    let system = ArcEager::new(Options::default());
    let examples: Vec<&Example> = examples.iter().collect();
    let judged = judge(&trained(), &system, &examples);
    assert_eq!((judged.len(), judged.iter().filter(|arc| arc.right).count()), (10, 10));
}

#[test]
fn what_a_worker_saw_before_changes_nothing() {
    let engine = trained();
    let system = ArcEager::new(Options::default());
    let (examples, _) = treebank();
    let parse = |sentence: &Sentence, scratch: &mut NetworkScratch| {
        let (mut tokens, mut c, mut margins) = (Tokens::default(), Configuration::new(), Vec::new());
        parse_with(&engine, &system, sentence, &mut tokens, scratch, &mut c, &mut margins);
        (c.tree(), margins)
    };
    let mut used = NetworkScratch::default();
    for _ in 0..2 {
        for example in &examples {
            let fresh = parse(&example.sentence, &mut NetworkScratch::default());
            assert_eq!(parse(&example.sentence, &mut used), fresh);
        }
    }
}

#[test]
fn parts_make_the_same_engine() {
    let parts = trained().parts();
    let again = NetworkEngine::from_parts(parts.clone()).unwrap().parts();
    assert_eq!(again.keys, parts.keys);
    for (again, before) in [(&again.transitions, &parts.transitions), (&again.labels, &parts.labels)] {
        assert_eq!(again.0, before.0);
        assert_eq!(again.1.as_slice(), before.1.as_slice());
    }
    let wrong = |spoil: fn(&mut NetworkParts)| {
        let mut parts = parts.clone();
        spoil(&mut parts);
        NetworkEngine::from_parts(parts).map(|_| ()).unwrap_err()
    };
    assert_eq!(wrong(|parts| parts.keys[0].push(7)), PartsError::Sizes("transition"));
    assert_eq!(wrong(|parts| parts.labels.0.bias.truncate(3)), PartsError::Sizes("label"));
    assert_eq!(wrong(|parts| parts.kinds.truncate(1)), PartsError::Sizes("transition"));
    assert!(matches!(wrong(|parts| parts.label_slots.push_str(" q:w")), PartsError::Notation(_)));
}
