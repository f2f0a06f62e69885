//! Training and parsing from the user's point of view: every treebank trains, every sentence gets a tree, models survive saving and
//! loading, and nothing depends on the number of threads.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use quaich_parser::{
    Checkpoint, Error, Event, Model, Observer, ParseOptions, Settings, Trainer, Unobserved, describe,
    learners, parse_stream, readers, train,
};
use quaich_treebank::{ReadOptions, Reader, Sentence, Source};

const TRAIN: &str = include_str!("../../../data/sample/train.conllu");
const TEST: &str = include_str!("../../../data/sample/test.conllu");

fn reader(text: &str) -> Reader {
    let source = Source::from_stream(std::io::Cursor::new(text.to_owned()), "test".to_owned(), None).unwrap();
    Reader::new(source, &ReadOptions::default()).unwrap()
}

fn read(text: &str) -> Vec<Sentence> {
    reader(text).sentences().collect::<Result<_, _>>().unwrap()
}

/// Settings that train in a moment.
fn quick(learner: &str) -> Settings {
    let settings = Settings::default().with(&format!("learner={learner}")).unwrap();
    let quick = [
        "linear.epochs=3",
        "perceptron.epochs=4",
        "network.epochs=2",
        "encoder.epochs=4",
        "encoder.layers=2",
        "encoder.networks=1",
        "encoder.units=32",
        "encoder.hidden=32",
    ];
    changed(&settings, &quick)
}

/// The same settings with others, as far as the learner reads them.
fn changed(settings: &Settings, assignments: &[&str]) -> Settings {
    let is_read = |assignment: &&&str| {
        let (name, _) = assignment.split_once('=').unwrap();
        name.split_once('.').is_none_or(|(group, _)| readers(group).contains(&&*settings.learner()))
    };
    let read = assignments.iter().filter(is_read);
    read.fold(settings.clone(), |settings, assignment| settings.with(assignment).unwrap())
}

/// Quick settings with additional ones.
fn quick_with(learner: &str, assignments: &[&str]) -> Settings {
    assignments.iter().fold(quick(learner), |settings, assignment| settings.with(assignment).unwrap())
}

fn train_on(text: &str, settings: &Settings) -> Model {
    try_train(text, settings).unwrap()
}

fn try_train(text: &str, settings: &Settings) -> Result<Model, Error> {
    train(&read(text), settings, &Unobserved)
}

fn parse(parser: &Model, text: &str, scores: bool) -> String {
    let mut out = Vec::new();
    parse_stream(
        parser,
        &mut reader(text),
        &mut out,
        ParseOptions { scores, ..ParseOptions::default() },
        |_| {},
    )
    .unwrap();
    String::from_utf8(out).unwrap()
}

fn las(gold: &str, parsed: &str) -> f64 {
    let (mut right, mut all) = (0.0, 0.0);
    for (gold, parsed) in read(gold).iter().zip(&read(parsed)) {
        for token in gold.tokens() {
            all += 1.0;
            let same = gold.heads()[token.index()] == parsed.heads()[token.index()]
                && gold.label(token) == parsed.label(token);
            right += f64::from(u8::from(same));
        }
    }
    100.0 * right / all
}

fn in_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

fn temporary(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("quaich-parser-test-{}-{name}", std::process::id()))
}

/// Stops after some steps.
struct Impatient(AtomicUsize);

impl Observer for Impatient {
    fn event(&self, event: &Event<'_>) {
        if *event == Event::Step {
            let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        }
    }

    fn stop(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }
}

#[test]
fn an_interrupted_training_comes_to_the_same_end() {
    comes_to_the_same_end(
        &quick_with("linear+network", &["network.epochs=6"]),
        ["linear", "network", "held-out"],
    );
    // With a dynamic oracle it explores, and explored states are not stored.
    comes_to_the_same_end(
        &quick_with("linear+recurrent", &["encoder.epochs=40", "system=arc-hybrid"]),
        ["linear", "recurrent", "held-out"],
    );
    let two = quick_with("recurrent", &["encoder.epochs=40", "encoder.networks=2"]);
    comes_to_the_same_end(&two, ["recurrent-2", "recurrent", "held-out-2"]);
    let held_out = two.with("encoder.held-out-from=1").unwrap();
    comes_to_the_same_end(&held_out, ["recurrent-2", "recurrent", "recurrent-2"]);
}

fn comes_to_the_same_end(settings: &Settings, parts: [&str; 3]) {
    let model = temporary(&format!("resumed-{}.quaich", parts.join("-")));
    let (mut sentences, mut dev) = (read(TRAIN), read(TEST));
    sentences.truncate(60);
    dev.truncate(10);
    let try_train = |settings: &Settings, checkpoint: &Checkpoint, observer: &dyn Observer| {
        let trainer = Trainer::new(settings).dev(&dev).checkpoint(checkpoint.clone()).observer(observer);
        trainer.train(&sentences)
    };
    let train = |settings: &Settings, checkpoint: &Checkpoint, observer: &dyn Observer| {
        try_train(settings, checkpoint, observer).unwrap()
    };
    let bytes = |parser: &Model| {
        parser.save(&model).unwrap();
        std::fs::read(&model).unwrap()
    };
    let nowhere = Checkpoint::default();
    let whole = bytes(&train(settings, &nowhere, &Unobserved));
    let checkpoint = Checkpoint::beside(&model);
    let stored = |part: &str| model.with_extension(format!("quaich.{part}.part")).exists();
    for steps in [2, 7, 30] {
        // Interrupted training returns a parser if each of its models has finished an epoch, and leaves a checkpoint.
        match try_train(settings, &checkpoint, &Impatient(AtomicUsize::new(steps))) {
            Ok(parser) => assert!(parser.description().interrupted),
            Err(error) => assert!(matches!(error, Error::Stopped), "{error}"),
        }
    }
    assert!(stored(parts[1]));
    let resumed = bytes(&train(settings, &checkpoint, &Unobserved));
    assert_eq!(whole, resumed);
    assert!(stored(parts[0]));
    // A checkpoint of another run is ignored.
    let other = settings.with("seed=2").unwrap();
    let fresh = bytes(&train(&other, &nowhere, &Unobserved));
    assert_eq!(fresh, bytes(&train(&other, &checkpoint, &Unobserved)));
    checkpoint.remove();
    assert!(!parts.into_iter().any(stored));
    std::fs::remove_file(model).unwrap();
}

/// The scores of several networks are the means of the scores of networks trained alone with each seed.
#[test]
fn several_networks_decide_together() {
    let settings = |seed: u64, networks: usize| {
        let [seed, networks] = [format!("seed={seed}"), format!("encoder.networks={networks}")];
        quick_with("recurrent", &[&seed, &networks, "held-out=no"])
    };
    let single = |seed: u64| train_on(TRAIN, &settings(seed, 1));
    let apart = 0x5851_f42d_4c95_7f2d;
    let singles = [single(5), single(5 + apart)];
    let both = train_on(TRAIN, &settings(5, 2));
    let file = temporary("two-networks.quaich");
    both.save(&file).unwrap();
    let again = Model::load(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    // The scores of permissible transitions at the first choice, whose state is the same for all, relative to the best.
    let behind = |parser: &Model, sentence: &Sentence| -> Vec<f32> {
        let steps = parser.worker().trace(sentence).derivation.steps;
        let scores: Vec<f32> = steps.iter().find_map(|step| step.scores.clone()).unwrap_or_default();
        scores.iter().map(|score| score - scores[0]).collect()
    };
    let mut differ = false;
    for sentence in read(TEST) {
        let found = behind(&both, &sentence);
        assert_eq!(found, behind(&again, &sentence));
        let [one, other] = [&singles[0], &singles[1]].map(|parser| behind(parser, &sentence));
        differ |= one != other;
        for (found, (one, other)) in found.iter().zip(one.iter().zip(&other)) {
            assert!((found - (one + other) / 2.0).abs() < 1e-3, "{found}: {one} and {other}");
        }
    }
    assert!(differ);
}

/// With a threshold of zero, the network decides alone: the scores are those of the network without a linear model.
#[test]
fn a_network_whose_margin_is_always_enough_decides_alone() {
    for networks in ["encoder.networks=1", "encoder.networks=2"] {
        let settings = |learner: &str| {
            let more = [networks, "mixture.margin-threshold=0", "linear.folds=0", "held-out=no"];
            changed(&quick(learner), &more)
        };
        let alone = train_on(TRAIN, &settings("recurrent"));
        let mixed = train_on(TRAIN, &settings("linear+recurrent"));
        let (mut one, mut other) = (alone.worker(), mixed.worker());
        for sentence in read(TEST) {
            assert_eq!(one.trace(&sentence), other.trace(&sentence));
        }
    }
}

/// Some sentences of a large treebank are held out for calibration.
#[test]
fn sentences_are_held_out() {
    let with = |held_out_from: usize| {
        let held_out_from = format!("encoder.held-out-from={held_out_from}");
        train_on(TRAIN, &quick_with("recurrent", &[&held_out_from]))
    };
    let (all, fewer) = (with(1_000_000), with(1));
    let counts = |parser: &Model| (parser.description().sentences, parser.description().tokens);
    let ((sentences, tokens), (fewer_sentences, fewer_tokens)) = (counts(&all), counts(&fewer));
    assert_eq!(sentences - fewer_sentences, sentences.div_ceil(50));
    assert!(fewer_tokens < tokens && fewer_tokens > tokens * 9 / 10, "{fewer_tokens} of {tokens}");
    let scores = parse(&fewer, TEST, true);
    assert!(scores.contains("Score=") && !scores.contains("Score=0.5000"));
}

/// A sentence that is encoded in windows is parsed like others: most of its words are in the middle of a window.
#[test]
fn long_sentences_are_read_in_parts() {
    let parser = train_on(TRAIN, &quick_with("recurrent", &["encoder.epochs=20"]));
    let long = |n: usize| -> String {
        let rows = (1..=n).map(|id| {
            let (form, tag) = [("the", "DET"), ("old", "ADJ"), ("man", "NOUN"), ("sleeps", "VERB")][id % 4];
            format!("{id}\t{form}\t{form}\t{tag}\t_\t_\t_\t_\t_\t_\n")
        });
        rows.collect::<String>() + "\n"
    };
    let heads = |n: usize| read(&parse(&parser, &long(n), false))[0].heads().to_vec();
    // As far as the first window's last words and their dependents.
    let (whole, parts) = (heads(1000), heads(5000));
    assert_eq!(parts.len(), 5001);
    let same = whole.iter().zip(&parts).take(800).filter(|(a, b)| a == b).count();
    assert!(same > 700, "{same} of 800");
}

/// Counts the steps of a run, and compares them with the announced number.
#[derive(Default)]
struct Count {
    announced: AtomicUsize,
    steps: AtomicUsize,
}

impl Observer for Count {
    fn event(&self, event: &Event<'_>) {
        match event {
            Event::Work { steps } => {
                assert_eq!(self.announced.swap(*steps, Ordering::Relaxed), 0, "announced twice");
                assert_eq!(self.steps.load(Ordering::Relaxed), 0, "announced too late");
            }
            Event::Step => drop(self.steps.fetch_add(1, Ordering::Relaxed)),
            _ => {}
        }
    }
}

#[test]
fn every_learner_takes_as_many_steps_as_it_announces() {
    let mut sentences = read(TRAIN);
    sentences.truncate(20);
    let folder = tempfile::tempdir().unwrap();
    for (learner, _) in learners() {
        let assignments = [
            "held-out=no",
            "held-out=yes",
            "linear.folds=0",
            "decision=branch",
            "split=b0:p>=10",
            "encoder.networks=2",
            "encoder.held-out-from=1",
        ];
        for assignment in assignments {
            let settings = quick_with(learner, &[assignment]);
            if settings.check().is_err() {
                continue;
            }
            let checkpoint = Checkpoint::beside(&folder.path().join("m"));
            // The second run finds everything in the checkpoint.
            for _ in 0..2 {
                let count = Count::default();
                let trainer = Trainer::new(&settings).checkpoint(checkpoint.clone()).observer(&count);
                trainer.train(&sentences).unwrap();
                let (announced, steps) = (count.announced.into_inner(), count.steps.into_inner());
                assert!(announced > 0);
                assert_eq!(steps, announced, "{learner}, {assignment}");
            }
            checkpoint.remove();
        }
    }
}

#[test]
fn of_a_large_treebank_evenly_spaced_sentences_are_learned_from() {
    let tokens = |max_tokens: usize| {
        let max_tokens = format!("max-tokens={max_tokens}");
        let parser = train_on(TRAIN, &quick_with("linear", &[&max_tokens, "linear.folds=0"]));
        (parser.description().tokens, parser.description().sentences)
    };
    let all = tokens(1_000_000);
    let half = tokens(all.0 / 2);
    assert!(half.0 <= all.0 / 2 && half.0 > all.0 / 3 && half.1 > all.1 / 3, "{half:?} of {all:?}");
    assert_eq!(tokens(1).1, 1);
    // Online learners learn from all tokens and reject the setting.
    let error = try_train(TRAIN, &quick_with("perceptron", &["max-tokens=1"])).unwrap_err();
    assert!(error.is_usage() && error.to_string().contains("it learns online from all tokens"), "{error}");
}

#[test]
fn every_learner_learns_the_sample() {
    let least = [
        ("linear", 82.0),
        ("network", 60.0),
        ("linear+network", 80.0),
        ("perceptron", 80.0),
        ("recurrent", 60.0),
        ("linear+recurrent", 80.0),
        ("linear-svm", 82.0),
        ("svm", 80.0),
        ("memory", 75.0),
        ("mcle", 50.0),
    ];
    assert!(learners().all(|(name, _)| least.iter().any(|(learner, _)| *learner == name)));
    for (learner, least) in least {
        // On so little data a network needs a few more epochs.
        let epochs = if learner == "network" { "network.epochs=12" } else { "network.epochs=2" };
        let settings = changed(&quick(learner), &[epochs, "encoder.epochs=60"]);
        let parser = train_on(TRAIN, &settings);
        let parsed = parse(&parser, TEST, false);
        let found = las(TEST, &parsed);
        assert!(found > least, "{learner}: {found}");
        // Everything except heads and labels is kept.
        let cut = |text: &str| -> Vec<String> {
            text.lines()
                .map(|line| {
                    let mut cells: Vec<&str> = line.split('\t').collect();
                    if cells.len() == 10 {
                        cells.drain(6..8);
                    }
                    cells.join("\t")
                })
                .collect()
        };
        assert_eq!(cut(&parsed), cut(TEST));
        // A tree with a single root, as in training.
        for sentence in read(&parsed) {
            assert_eq!(sentence.heads()[1..].iter().filter(|head| head.is_root()).count(), 1);
        }
    }
}

#[test]
fn models_and_output_do_not_depend_on_the_number_of_threads() {
    let two = quick_with("recurrent", &["encoder.networks=2", "encoder.held-out-from=1"]);
    let others = ["linear+network", "perceptron", "recurrent"].map(quick);
    for settings in others.into_iter().chain([two]) {
        let learner = settings.learner();
        let mut seen: Option<(Vec<u8>, String)> = None;
        for threads in [1, 2, 4] {
            let file = temporary(&format!("threads-{learner}-{threads}"));
            let parsed = in_threads(threads, || {
                let parser = train_on(TRAIN, &settings);
                parser.save(&file).unwrap();
                parse(&parser, TEST, true)
            });
            let model = std::fs::read(&file).unwrap();
            std::fs::remove_file(&file).unwrap();
            match &seen {
                None => seen = Some((model, parsed)),
                Some((first_model, first_parsed)) => {
                    assert!(*first_model == model, "{learner}: the model differs with {threads} threads");
                    assert_eq!(*first_parsed, parsed);
                }
            }
        }
    }
}

#[test]
fn a_model_survives_the_file_and_damage_is_noticed() {
    for learner in learners().map(|(name, _)| name) {
        let parser = train_on(TRAIN, &quick(learner));
        let file = temporary(&format!("file-{learner}"));
        parser.save(&file).unwrap();
        let loaded = Model::load(&file).unwrap();
        assert_eq!(parse(&loaded, TEST, true), parse(&parser, TEST, true));
        assert_eq!(describe(&file).unwrap().model, *loaded.description());

        let bytes = std::fs::read(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        for end in [0, 1, 7, 8, 100, bytes.len() / 2, bytes.len() - 1] {
            let message = Model::from_bytes(&bytes[..end], "m").unwrap_err().to_string();
            assert!(message.starts_with("m: "), "{message}");
        }
        for at in [9, 200, bytes.len() / 3, bytes.len() / 2, bytes.len() - 5] {
            let mut changed = bytes.clone();
            changed[at] ^= 0x10;
            assert!(Model::from_bytes(&changed, "m").is_err(), "a change at {at} goes unnoticed");
        }
    }
    let foreign = Model::from_bytes(TRAIN.as_bytes(), "m").unwrap_err().to_string();
    assert_eq!(foreign, "m: not a quaich model");
}

#[test]
fn any_treebank_trains() {
    let row = |id: usize, form: &str, head: usize, label: &str| {
        format!("{id}\t{form}\t_\tX\t_\t_\t{head}\t{label}\t_\t_\n")
    };
    let one_token = row(1, "a", 0, "root") + "\n";
    let one_sentence = row(1, "a", 2, "x") + &row(2, "b", 0, "root") + "\n";
    let no_labels = (row(1, "a", 2, "_") + &row(2, "b", 0, "_") + "\n").repeat(9);
    let several_roots = (row(1, "a", 0, "r") + &row(2, "b", 0, "s") + &row(3, "c", 2, "x") + "\n").repeat(20);
    let crossing =
        (row(1, "a", 3, "x") + &row(2, "b", 4, "y") + &row(3, "c", 0, "r") + &row(4, "d", 3, "z") + "\n")
            .repeat(10);
    let mut many_labels = String::new();
    for i in 0..500 {
        let _ = writeln!(
            many_labels,
            "{}{}",
            row(1, &format!("w{i}"), 2, &format!("label{i}")),
            row(2, "b", 0, "root")
        );
    }
    let mut long = String::new();
    for i in 1..=10_000usize {
        long += &row(i, &format!("w{}", i % 97), i - 1, if i == 1 { "root" } else { "next" });
    }
    long.push('\n');
    let blind = "# a sentence\n1\ta\t_\tX\t_\t_\t_\t_\t_\t_\n2\tb\t_\tY\t_\t_\t_\t_\t_\t_\n\n";
    let mut failures = Vec::new();
    // The minimum accuracy on the training data in percent of the tokens: 100 if there are enough sentences to memorise them. What occurs
    // only once is left to chance: features must occur twice to count.
    for (name, treebank, floor) in [
        ("one token", one_token, 100.0),
        ("one sentence", one_sentence, 50.0),
        ("no labels", no_labels, 100.0),
        ("several roots", several_roots, 100.0),
        ("crossing arcs", crossing, 100.0),
        ("many labels", many_labels, 50.0),
        ("a long sentence", long, 99.0),
    ] {
        // A comment identifies the format as CoNLL-U.
        let treebank = format!("# a treebank\n{treebank}");
        for learner in ["linear", "network", "linear+network", "perceptron", "recurrent"] {
            let is_long = name == "a long sentence";
            // One sentence gives few examples, and this system needs the fewest.
            let epochs: &[&str] = if is_long {
                &["network.epochs=2", "encoder.epochs=20", "system=arc-eager"]
            } else {
                &["network.epochs=60", "encoder.epochs=60"]
            };
            let settings = changed(&quick(learner), epochs);
            let parser = train_on(&treebank, &settings);
            let found = las(&treebank, &parse(&parser, &treebank, false));
            if found < floor {
                failures.push(format!("{name}, {learner}: {found} below {floor}"));
            }
            for text in [blind, treebank.as_str(), "", "# only a comment\n"] {
                for sentence in read(&parse(&parser, text, true)) {
                    assert!(
                        sentence.tree(&mut quaich_treebank::Symbols::new()).is_well_formed(),
                        "{name}, {learner}"
                    );
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let message = |text: &str| try_train(text, &quick("linear")).unwrap_err().to_string();
    assert!(message(blind).contains("found 1 sentence, none of them with a tree"));
    assert!(message("").contains("found no sentences;"));
}

#[test]
fn the_perceptron_makes_do_with_little_memory() {
    let las_with = |assignment: &str| {
        let parser = train_on(TRAIN, &quick("perceptron").with(assignment).unwrap());
        las(TEST, &parse(&parser, TEST, false))
    };
    let (plenty, little) = (las_with("perceptron.megabytes=512"), las_with("perceptron.megabytes=1"));
    assert!(little > plenty - 6.0, "{little} against {plenty}");
    let aggressive = las_with("perceptron.update=passive-aggressive");
    assert!(aggressive > 78.0, "{aggressive}");
}

#[test]
fn training_that_is_stopped_leaves_a_parser_or_says_that_there_is_none() {
    let mut n_left = 0;
    for learner in learners().map(|(name, _)| name) {
        for patience in [0, 3, 9] {
            let (sentences, dev) = (read(TRAIN), read(TEST));
            let settings = quick(learner);
            let impatient = Impatient(AtomicUsize::new(patience));
            let parser = match Trainer::new(&settings).dev(&dev).observer(&impatient).train(&sentences) {
                Err(Error::Stopped) => continue,
                parser => parser.unwrap(),
            };
            assert!(patience > 0, "{learner}: less than an epoch is no parser");
            n_left += 1;
            let parsed = parse(&parser, TEST, false);
            for sentence in read(&parsed) {
                assert!(sentence.tree(&mut quaich_treebank::Symbols::new()).is_well_formed(), "{learner}");
            }
            // After a few epochs, some learners can do no more than build trees.
            let found = las(TEST, &parsed);
            assert!(learner == "recurrent" || found > 5.0, "{learner}, {patience}: {found}");
        }
    }
    assert!(n_left > 4, "{n_left} parsers");
}

#[test]
fn learners_reject_settings_that_do_not_fit() {
    let settings = quick_with("mcle", &["mcle.back-off=2,500"]);
    assert_eq!(
        try_train(TRAIN, &settings).unwrap_err().to_string(),
        "the setting `mcle.back-off` must be a list of positions below 7; found `500`"
    );
}

#[test]
fn columns_that_a_text_lacks_are_named_whatever_the_learner() {
    let bare: String = TEST
        .lines()
        .map(|line| {
            let mut cells: Vec<&str> = line.split('\t').collect();
            if cells.len() == 10 {
                cells[2..6].fill("_");
            }
            cells.join("\t") + "\n"
        })
        .collect();
    for (learner, expected) in [
        ("linear", &["LEMMA", "UPOS", "FEATS"][..]),
        ("svm", &["LEMMA", "UPOS", "FEATS"]),
        ("mcle", &["UPOS"]),
    ] {
        let parser = train_on(TRAIN, &quick(learner));
        let missing = |text: &str| {
            let parsed = parse_stream(
                &parser,
                &mut reader(text),
                &mut Vec::new(),
                ParseOptions { scores: false, ..ParseOptions::default() },
                |_| {},
            )
            .unwrap();
            parsed.missing_columns
        };
        let found = missing(&bare);
        assert!(expected.iter().all(|column| found.iter().any(|it| it == column)), "{learner}: {found:?}");
        assert!(!missing(TEST).contains(&"UPOS".to_owned()), "{learner}");
    }
}

#[test]
fn probabilities_are_probabilities() {
    let parser = train_on(TRAIN, &quick("linear"));
    let (mut worker, mut probabilities) = (parser.worker(), Vec::new());
    let (mut expected, mut right, mut tokens) = (0.0, 0.0, 0.0);
    for sentence in read(TEST) {
        let tree = worker.parse_with_scores(&sentence, &mut probabilities);
        for token in sentence.tokens() {
            let p = f64::from(probabilities[token.index()]);
            assert!((0.0..=1.0).contains(&p));
            expected += p;
            tokens += 1.0;
            let same = tree.head(token) == sentence.heads()[token.index()]
                && parser.labels().text(tree.label(token)) == sentence.label(token);
            right += f64::from(u8::from(same));
        }
    }
    // The models behind the calibration have learned from half of this small treebank, so their probabilities are too low.
    assert!((expected - right).abs() / tokens < 0.12, "{expected} expected, {right} right of {tokens}");
}

/// A trace shows what parsing does: the same tree, and only transitions that the model prefers.
#[test]
fn a_trace_is_the_parse_step_by_step() {
    for (learner, system, decision) in [
        ("linear", "arc-eager", "branch"),
        ("network", "arc-hybrid-swap", "joint"),
        ("linear+network", "planar", "sequence"),
    ] {
        let settings = quick(learner).with(&format!("system={system}")).unwrap();
        let parser = train_on(TRAIN, &settings.with(&format!("decision={decision}")).unwrap());
        let (mut worker, mut other) = (parser.worker(), parser.worker());
        for sentence in read(TEST) {
            let trace = worker.trace(&sentence);
            assert_eq!(&trace.tree, other.parse(&sentence), "{learner}");
            for step in &trace.derivation.steps {
                let place =
                    step.permissible.iter().position(|kind| kind == step.step.transition.kind).unwrap();
                match &step.scores {
                    Some(scores) => {
                        assert_eq!(scores.len(), step.permissible.len());
                        assert_eq!(scores[place].to_bits(), 0f32.to_bits());
                        assert!(scores.iter().all(|score| *score <= 0.0), "{learner}: {scores:?}");
                    }
                    None => assert!(step.step.forced || step.permissible.len() == 1),
                }
                assert_eq!(step.label_margin.is_some(), step.arc.is_some());
                assert!(step.optimal.is_some());
            }
        }
        let blind = worker.trace(&read("1\tblind\n\n")[0]);
        assert!(blind.derivation.steps[0].optimal.is_none());
    }
}
