//! A small treebank, learned by heart, and what of it is seen.

use quaich_features::TokenValues;
use quaich_transition::configuration::Configuration;
use quaich_treebank::{ReadOptions, Reader, Sentence, Source};

use super::NetworkTraining;
use super::model::NetworkModel;
use crate::apprentice::Apprentice;
use crate::checkpoint::Checkpoint;
use crate::decider::{DeciderWorker, ModelWorker, Watch};
use crate::development::Development;
use crate::held_out::{judge, n_right};
use crate::observer::Unobserved;
use crate::prepare::Prepared;
use crate::settings::Settings;
use crate::train::Training;

const TREEBANK: &str = "\
1	the	the	DET	DT	Definite=Def	2	det	_	_
2	dog	dog	NOUN	NN	Case=Nom|Number=Sing	3	nsubj	_	_
3	sees	see	VERB	VBZ	Number=Sing	0	root	_	_
4	a	a	DET	DT	Definite=Ind	5	det	_	_
5	cat	cat	NOUN	NN	Case=Acc|Number=Sing	3	obj	_	_

1	cats	cat	NOUN	NNS	Case=Nom|Number=Plur	2	nsubj	_	_
2	sleep	sleep	VERB	VBP	Number=Plur	0	root	_	_
3	here	here	ADV	RB	_	2	advmod	_	_

1	sleep	sleep	VERB	VB	_	0	root	_	_
2	well	well	ADV	RB	_	1	advmod	_	_

";

fn sentences(text: &str) -> Vec<Sentence> {
    let source =
        Source::from_stream(std::io::Cursor::new(text.to_owned()), "treebank".to_owned(), None).unwrap();
    let reader = Reader::new(source, &ReadOptions::default()).unwrap();
    reader.sentences().collect::<Result<_, _>>().unwrap()
}

/// Trains on the small treebank and shows the result.
fn with_trained(show: impl FnOnce(&Training<'_>, &NetworkModel, &TokenValues)) {
    // Repeated, so that no word is too rare to be known.
    let sentences = sentences(&TREEBANK.repeat(4));
    let settings = ["learner=network", "network-passes=150", "transition-hidden=64", "label-hidden=64"]
        .iter()
        .fold(Settings::default(), |settings, assignment| settings.with(assignment).unwrap());
    let features = quaich_features::FeatureModel::default_model();
    let data = Prepared::new(&sentences, &[], features, &settings, true, &Unobserved).unwrap();
    let training = Training {
        settings: &settings,
        observer: &Unobserved,
        data: &data,
        development: Development::new(&[], &data.labels, None),
        checkpoint: Checkpoint::default(),
    };
    let mut token_values = TokenValues::default();
    let networks = NetworkTraining::new(&training, &mut token_values).unwrap();
    let model = networks.train(&training.examples()).unwrap();
    show(&training, &model, &token_values);
}

#[test]
fn a_small_treebank_is_learned_by_heart() {
    with_trained(|training, model, token_values| {
        let judged = judge(model, token_values, training.way(), &training.examples());
        assert_eq!((judged.len(), n_right(&judged)), (40, 40));
    });
}

#[test]
fn what_a_worker_saw_before_changes_nothing() {
    with_trained(|training, model, token_values| {
        let parse = |sentence: &Sentence, worker: &mut ModelWorker<'_, NetworkModel>| {
            let (mut c, mut evidence) = (Configuration::new(), Vec::new());
            worker.parse(sentence, &mut c, Watch::Evidence(&mut evidence));
            (c.tree(), evidence)
        };
        let worker = || ModelWorker::new(model, token_values, training.way());
        let mut used = worker();
        // Bundles of features that training never saw are known by their parts.
        let unseen = TREEBANK.replace("Case=Nom|Number=Sing", "Case=Acc|Number=Plur");
        for sentence in sentences(&(TREEBANK.repeat(2) + &unseen + TREEBANK)) {
            let fresh = parse(&sentence, &mut worker());
            assert_eq!(parse(&sentence, &mut used), fresh);
        }
    });
}
