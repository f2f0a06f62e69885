//! Transformations and parsers: chains, and models that contain the files that their transformations name.

use std::fs;

use quaich_parser::{Model, ParseOptions, Settings, Unobserved, parse_stream, train};
use quaich_treebank::{Label, ReadOptions, Reader, Sentence, Source, Symbols};

const TRAIN: &str = include_str!("../../../data/sample/train.conllu");
const DEV: &str = include_str!("../../../data/sample/dev.conllu");

fn sentences(text: &str) -> Vec<Sentence> {
    let source = Source::from_stream(std::io::Cursor::new(text.to_owned()), "test".to_owned(), None).unwrap();
    let reader = Reader::new(source, &ReadOptions::default()).unwrap();
    reader.sentences().collect::<Result<_, _>>().unwrap()
}

fn parser(assignments: &[&str]) -> Model {
    let settings = assignments.iter().fold(Settings::default(), |settings, one| settings.with(one).unwrap());
    train(&sentences(TRAIN), &settings, &Unobserved).unwrap()
}

fn parse(parser: &Model, text: &str) -> String {
    let source = Source::from_stream(std::io::Cursor::new(text.to_owned()), "test".to_owned(), None).unwrap();
    let mut reader = Reader::new(source, &ReadOptions::default()).unwrap();
    let mut out = Vec::new();
    parse_stream(
        parser,
        &mut reader,
        &mut out,
        ParseOptions { scores: false, ..ParseOptions::default() },
        |_| {},
    )
    .unwrap();
    String::from_utf8(out).unwrap()
}

/// The labels of parsed text are those of the treebank, and the results are trees.
fn check(parser: &Model, what: &str) -> String {
    let mut known = Symbols::<Label>::new();
    for sentence in sentences(TRAIN) {
        sentence.tree(&mut known);
    }
    let parsed = parse(parser, DEV);
    for sentence in sentences(&parsed) {
        let n_known = known.len();
        let tree = sentence.tree(&mut known);
        assert!(tree.is_well_formed(), "{what}");
        assert_eq!(known.len(), n_known, "{what}: {}", sentence.text());
    }
    parsed
}

#[test]
fn a_model_remembers_the_files_that_its_transformation_names() {
    let folder = std::env::temp_dir().join(format!("quaich-transformations-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let (map, profile, model) = (folder.join("mine.map"), folder.join("mine.toml"), folder.join("model"));
    fs::write(&map, "nsubj subject\nobj object\n").unwrap();
    let text = "[coordination]\nstyle = \"first-conjunct\"\nconjunctions = [\"cc\"]\nseparators = [\"punct\"]\nconjuncts = [\"conj\"]\n";
    fs::write(&profile, text).unwrap();
    let spec = format!(
        "transform=relabel:{}, coordination:c+:{}, function-heads:aux, pseudo-projective:head+path",
        map.display(),
        profile.display()
    );
    let parser = parser(&["learner=linear", "linear.epochs=2", "linear.folds=0", &spec]);
    let plan = &parser.plan().transform;
    assert_eq!(
        plan,
        "relabel:mine.map,coordination:c+:mine.toml,function-heads:aux,pseudo-projective:head+path"
    );
    let parsed = check(&parser, plan);
    parser.save(&model).unwrap();
    fs::remove_file(&map).unwrap();
    fs::remove_file(&profile).unwrap();
    assert_eq!(parse(&Model::load(&model).unwrap(), DEV), parsed);
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn chains_go_with_every_kind_of_system_and_learner() {
    let chain = "transform=pseudo-projective:head+path,verb-groups:ud,coordination:c+*:ud";
    for (system, learner) in [
        ("arc-eager", "linear"),
        ("rtl:arc-standard", "perceptron"),
        ("swap-lazy", "linear"),
        ("two-planar", "mcle"),
        ("undirected-planar", "linear"),
        ("arc-eager:malt", "linear"),
    ] {
        let (system_is, learner_is) = (format!("system={system}"), format!("learner={learner}"));
        let quick: &[&str] = match learner {
            "linear" => &["linear.epochs=1", "linear.folds=0"],
            "perceptron" => &["perceptron.epochs=1"],
            _ => &[],
        };
        let fixed = [&system_is, &learner_is, "held-out=no", chain];
        let parser = parser(&[&fixed[..], quick].concat());
        check(&parser, &format!("{system}, {learner}"));
    }
}

#[test]
fn missing_files_are_reported() {
    let settings = Settings::default().with("transform=relabel:no/such.map").unwrap();
    let error = train(&sentences(TRAIN), &settings, &Unobserved).unwrap_err();
    assert!(error.to_string().contains("no/such.map: "), "{error}");
    assert!(!error.is_usage());
}
