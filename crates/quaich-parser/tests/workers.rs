//! Workers: their results depend only on the model and the sentence, wherever they are and whatever they parsed before.

use quaich_parser::recipe::Recipe;
use quaich_parser::{Model, Settings, Trainer, Unobserved, train};
use quaich_treebank::{ReadOptions, Reader, Sentence, Source, Tree};

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

fn read(text: &str) -> Vec<Sentence> {
    let source = Source::from_stream(std::io::Cursor::new(text.to_owned()), "test".to_owned(), None).unwrap();
    let reader = Reader::new(source, &ReadOptions::default()).unwrap();
    reader.sentences().collect::<Result<_, _>>().unwrap()
}

/// The treebank, repeated so that no word is too rare to be known.
fn treebank() -> Vec<Sentence> {
    read(&TREEBANK.repeat(4))
}

/// Sentences of the treebank, and some with feature bundles that it does not contain.
fn seen_and_unseen() -> Vec<Sentence> {
    let unseen = TREEBANK.replace("Case=Nom|Number=Sing", "Case=Acc|Number=Plur");
    read(&(TREEBANK.repeat(2) + &unseen + TREEBANK))
}

fn settings(assignments: &[&str]) -> Settings {
    assignments.iter().fold(Settings::default(), |settings, assignment| settings.with(assignment).unwrap())
}

fn model(assignments: &[&str]) -> Model {
    train(&treebank(), &settings(assignments), &Unobserved).unwrap()
}

/// Two parsers that share an encoder, and one without.
fn ensemble() -> Model {
    let text = "[[parser]]\nencoder = 1\n[[parser]]\nsystem = 'rtl:arc-hybrid'\nencoder = 1\n\
                [[parser]]\nlearner = 'network'\nsystem = 'arc-eager'\n'network.epochs' = 10\n";
    let text = text.replace("encoder = 1\n", "encoder = 1\n'encoder.epochs' = 30\n'encoder.units' = 16\n");
    let recipe = Recipe::from_toml(&text, &Settings::default()).unwrap();
    Trainer::default().recipe(recipe).train(&treebank()).unwrap()
}

/// A model of each kind.
fn models() -> [(&'static str, Model); 4] {
    [
        ("network", model(&["learner=network", "network.epochs=40"])),
        (
            "recurrent",
            model(&["learner=recurrent", "encoder.epochs=30", "encoder.units=16", "encoder.networks=2"]),
        ),
        ("linear+network", model(&["learner=linear+network", "mixture.network-weight=0.5"])),
        ("an ensemble", ensemble()),
    ]
}

#[test]
fn a_network_learns_a_small_treebank_by_heart() {
    let small = ["learner=network", "network.epochs=150", "network.hidden=64", "network.label-hidden=64"];
    let model = model(&[&small[..], &["held-out=no"]].concat());
    let mut worker = model.worker();
    let (mut right, mut all) = (0, 0);
    for sentence in treebank() {
        let tree = worker.parse(&sentence);
        let is_right = |&token: &quaich_treebank::Node| {
            tree.head(token) == sentence.heads()[token.index()]
                && model.labels().text(tree.label(token)) == sentence.label(token)
        };
        right += sentence.tokens().filter(is_right).count();
        all += sentence.n_tokens();
    }
    assert_eq!((right, all), (40, 40));
}

#[test]
fn what_a_worker_parsed_before_changes_nothing() {
    for (name, model) in models() {
        let parse = |worker: &mut quaich_parser::Worker, sentence: &Sentence| {
            let mut probabilities = Vec::new();
            let plain = worker.parse(sentence).clone();
            let tree = worker.parse_with_scores(sentence, &mut probabilities).clone();
            (plain, tree, probabilities[1..].to_vec(), worker.trace(sentence))
        };
        let mut used = model.worker();
        for sentence in seen_and_unseen() {
            assert_eq!(parse(&mut used, &sentence), parse(&mut model.worker(), &sentence), "{name}");
        }
    }
}

/// A worker that outlives all other handles to its model.
fn owned<T: Send + 'static>(value: T) -> T {
    value
}

#[test]
fn a_worker_outlives_all_other_handles_of_its_model() {
    for (name, model) in models() {
        let sentences = seen_and_unseen();
        let mut worker = model.worker();
        let expected: Vec<Tree> = sentences.iter().map(|sentence| worker.parse(sentence).clone()).collect();
        drop(worker);
        let mut worker = owned(model.clone().worker());
        drop(model);
        let parse = move || -> Vec<Tree> {
            sentences.iter().map(|sentence| worker.parse(sentence).clone()).collect()
        };
        assert_eq!(std::thread::spawn(parse).join().unwrap(), expected, "{name}");
    }
}
