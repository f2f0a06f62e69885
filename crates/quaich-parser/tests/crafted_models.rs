//! Models that are made to do harm, with correct checksums: each is refused with a reason. What they say of themselves is
//! checked against everything else before it is used. Random changes are in the tests of the fuzz targets.

use quaich_features::FeatureModel;
use quaich_parser::blend::{BlendTrainer, Recipe};
use quaich_parser::{Parser, Settings, Trainer, Unobserved, describe, with_checksum_repaired};
use quaich_treebank::{ReadOptions, Reader, Sentence, Source};
use serde_json::{Value, json};

const TRAIN: &str = include_str!("../../../data/sample/train.conllu");
const FEATURES: &str = "transition = ['s0:p b0:p', 's0:w', 'b0:w']\nlabel = ['h:p d:p', 'd:w']";

fn sentences() -> Vec<Sentence> {
    let source = Source::from_stream(TRAIN.as_bytes(), "sample".to_owned(), None).unwrap();
    let reader = Reader::new(source, &ReadOptions::default()).unwrap();
    reader.sentences().take(40).collect::<Result<_, _>>().unwrap()
}

fn model(assignments: &[&str]) -> Vec<u8> {
    let fixed = ["learner=linear+network", "folds=0", "passes=1", "network-passes=1"];
    let settings = fixed.iter().chain(assignments);
    let settings = settings.fold(Settings::default(), |settings, one| settings.with(one).unwrap());
    let trainer = Trainer::new(&settings).features(FeatureModel::parse(FEATURES).unwrap());
    trainer.train(&sentences(), &Unobserved).unwrap().to_bytes().unwrap()
}

/// The model with another description.
fn changed(model: &[u8], change: &dyn Fn(&mut Value)) -> Vec<u8> {
    let (length, rest) = model.split_first_chunk::<8>().unwrap();
    let (header, data) = rest.split_at(usize::try_from(u64::from_le_bytes(*length)).unwrap());
    let mut header: Value = serde_json::from_slice(header).unwrap();
    let mut description: Value =
        serde_json::from_str(header["__metadata__"]["quaich"].as_str().unwrap()).unwrap();
    change(&mut description);
    header["__metadata__"]["quaich"] = description.to_string().into();
    let header = header.to_string();
    let bytes = [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), data].concat();
    with_checksum_repaired(&bytes).unwrap_or(bytes)
}

/// Why a changed model is refused; the file and everything that is the same for all are left out.
fn reason(model: &[u8], change: &dyn Fn(&mut Value)) -> String {
    let error = Parser::from_bytes(&changed(model, change), "m").expect_err("a crafted model is refused");
    error.to_string().strip_prefix("m: ").unwrap().to_owned()
}

fn member(description: &mut Value) -> &mut Value {
    &mut description["members"][0]
}

/// What a model says of recurrent networks that are its own.
fn own_networks(description: &mut Value) -> &mut Value {
    &mut member(description)["content"]["networks"]["own"]
}

#[test]
fn labels_are_as_many_as_classes_and_fit_their_cells() {
    let model = model(&["learner=linear"]);
    let broken = "its list of labels cannot be used";
    let labels =
        |labels: Value| move |description: &mut Value| member(description)["labels"] = labels.clone();
    assert_eq!(reason(&model, &labels(json!([]))), broken);
    assert_eq!(reason(&model, &labels(json!(["root"]))), broken);
    let text = |text: &'static str| move |d: &mut Value| member(d)["labels"][0] = text.into();
    assert_eq!(reason(&model, &text("a\tb")), broken);
    assert_eq!(reason(&model, &text("a\nb")), broken);
    let classes = |n: u64| move |d: &mut Value| member(d)["label_classes"] = n.into();
    assert_eq!(reason(&model, &classes(0)), broken);
    assert_eq!(reason(&model, &classes(1 << 60)), broken);
    assert_eq!(
        reason(&model, &|d| {
            member(d)["labels"] = json!([]);
            member(d)["label_classes"] = 0.into();
        }),
        broken
    );
}

#[test]
fn members_that_vote_say_how() {
    let text = "[[parser]]\nsystem = 'arc-eager'\n[[parser]]\nsystem = 'arc-hybrid'\n";
    let settings = Settings::default().with("learner=linear").unwrap().with("passes=1").unwrap();
    let recipe = Recipe::from_toml(text, &settings.with("folds=0").unwrap()).unwrap();
    let model = BlendTrainer::new(&recipe).train(&sentences(), &Unobserved).unwrap().to_bytes().unwrap();
    assert!(Parser::from_bytes(&changed(&model, &|_| ()), "m").is_ok());
    let none = "it has no members";
    assert_eq!(reason(&model, &|d| d["members"] = json!([])), none);
    let silent = "it has several members and does not say how they vote";
    assert_eq!(reason(&model, &|d| d["blend"] = Value::Null), silent);
    let unfit = "how its members vote does not fit them";
    let points = |points: Value| move |d: &mut Value| d["blend"]["certainty"]["points"] = points.clone();
    let changes: [&dyn Fn(&mut Value); 6] = [
        &|d| d["blend"]["weights"] = json!([]),
        &|d| d["blend"]["settings"] = json!([]),
        &|d| drop(d["members"].as_array_mut().and_then(Vec::pop)),
        &points(json!([[0.5, 0.9], [0.4, 0.9]])),
        &points(json!([[0.5, 0.9], [0.6, 0.8]])),
        &points(json!([[0.5, 7.0]])),
    ];
    for change in changes {
        assert_eq!(reason(&model, change), unfit);
    }
}

#[test]
fn templates_have_their_limits() {
    for learner in ["linear", "network", "linear+network"] {
        let model = model(&[&format!("learner={learner}")]);
        let set = |description: &mut Value, templates: Value| {
            let content = &mut member(description)["content"];
            *match learner {
                "linear" => &mut content["templates"][0],
                "network" => &mut content["networks"][0]["slots"],
                _ => &mut content["network"]["networks"][0]["slots"],
            } = templates;
        };
        let long = format!("s0{}:w", ".h".repeat(100_000));
        let told = reason(&model, &|d| set(d, json!([long])));
        assert!(told.starts_with("its list of") || told.contains("100000 steps"), "{told}");
        let many: Vec<String> = (0..70_000).map(|i| format!("s0:f.F{i}")).collect();
        let told = reason(&model, &|d| set(d, json!(many)));
        assert_eq!(told, "found more than 16384 nodes and values in the templates, expected fewer");
    }
}

#[test]
fn what_a_recurrent_network_sees_has_its_limits() {
    let model = model(&[
        "learner=recurrent",
        "recurrent-networks=1",
        "recurrent-passes=1",
        "recurrent-units=8",
        "recurrent-hidden=8",
    ]);
    let set = |seen: Value| move |d: &mut Value| member(d)["content"]["seen"][0] = seen.clone();
    let broken = "its list of what it sees cannot be used";
    assert_eq!(reason(&model, &set(json!([format!("s0{}", ".h".repeat(100_000))]))), broken);
    assert_eq!(reason(&model, &set(json!((0..70_000).map(|i| format!("s{i}")).collect::<Vec<_>>()))), broken);
    assert_eq!(reason(&model, &set(json!(["s0:w"]))), broken);
    assert_eq!(reason(&model, &set(json!(["s0"]))), "its encoder cannot be used");
    let columns = |d: &mut Value| own_networks(d)["columns"] = json!(["form"]);
    assert_eq!(reason(&model, &columns), "its encoder cannot be used");
    let networks = |n: u64| move |d: &mut Value| own_networks(d)["number"] = n.into();
    for n in [0, 17, 1 << 60] {
        assert_eq!(reason(&model, &networks(n)), "its number of networks cannot be used");
    }
    assert!(reason(&model, &networks(2)).starts_with("in its encoder, "));
}

#[test]
fn networks_are_as_many_as_a_model_says() {
    let model = model(&[
        "learner=recurrent",
        "recurrent-networks=2",
        "recurrent-passes=1",
        "recurrent-units=8",
        "recurrent-hidden=8",
    ]);
    let networks = |n: u64| move |d: &mut Value| own_networks(d)["number"] = n.into();
    assert_eq!(reason(&model, &networks(1)), "its list of networks cannot be used");
    assert!(reason(&model, &networks(3)).starts_with("in its encoder, "));
}

#[test]
fn encoders_are_shared_with_those_who_have_them() {
    let text = "[[parser]]\nencoder = 1\n[[parser]]\nsystem = 'rtl:arc-hybrid'\nencoder = 1\n";
    let small = ["recurrent-passes=1", "recurrent-units=8", "recurrent-hidden=8", "recurrent-networks=1"];
    let settings = small.iter().fold(Settings::default(), |settings, one| settings.with(one).unwrap());
    let recipe = Recipe::from_toml(text, &settings).unwrap();
    let model = BlendTrainer::new(&recipe).train(&sentences(), &Unobserved).unwrap().to_bytes().unwrap();
    let second = |d: &mut Value, name: &str, value: Value| d["members"][1]["content"][name] = value;
    for other in [1, 2, 9] {
        let networks = json!({ "of-member": other });
        let told = reason(&model, &|d| second(d, "networks", networks.clone()));
        assert_eq!(told, "its shared encoder cannot be used");
    }
    for first_question in [0u64, 1, 3, 1 << 60] {
        let told = reason(&model, &|d| second(d, "first_question", first_question.into()));
        assert_eq!(told, "its encoder cannot be used");
    }
    // Whoever reads the other way round than it learned to is a bad parser, but one.
    let turned = changed(&model, &|d| second(d, "is_turned", false.into()));
    let parser = Parser::from_bytes(&turned, "m").unwrap();
    let mut worker = parser.worker();
    assert!(sentences().iter().all(|sentence| worker.parse(sentence).is_well_formed()));
}

#[test]
fn numbers_are_numbers() {
    let model = model(&["learner=linear+network", "network-weight=0.4"]);
    let mixing = |weight: f64| move |d: &mut Value| member(d)["content"]["weight"] = weight.into();
    assert_eq!(reason(&model, &mixing(0.0)), "its mixing cannot be used");
    assert_eq!(reason(&model, &mixing(-1.0)), "its mixing cannot be used");
    let scale = |d: &mut Value| member(d)["content"]["linear"]["scales"][0] = (-1.0).into();
    assert_eq!(reason(&model, &scale), "its table of weights cannot be used");
    let classes =
        |d: &mut Value| member(d)["content"]["network"]["networks"][1]["classes"] = 9_000_000_000u64.into();
    assert_eq!(reason(&model, &classes), "its list of questions cannot be used");
    let hidden =
        |d: &mut Value| member(d)["content"]["network"]["networks"][0]["hidden"] = (1u64 << 62).into();
    assert_eq!(reason(&model, &hidden), "its network cannot be used");
}

#[test]
fn what_a_model_says_of_its_system_is_no_matter_of_usage() {
    let model = model(&["learner=linear"]);
    let error = |change: &dyn Fn(&mut Value)| Parser::from_bytes(&changed(&model, change), "m").unwrap_err();
    for (name, value) in
        [("transform", "pseudo-projective:sideways"), ("system", "arc-eagre"), ("system", "covington")]
    {
        let error = error(&|d| member(d)["plan"][name] = value.into());
        assert!(!error.is_usage() && error.to_string().starts_with("m: "), "{error}");
    }
}

#[test]
fn a_description_is_of_a_model_that_works() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.quaich");
    let model = model(&["learner=network"]);
    std::fs::write(&path, &model).unwrap();
    assert_eq!(describe(&path).unwrap().members.len(), 1);
    let mut damaged = model.clone();
    *damaged.last_mut().unwrap() ^= 1;
    std::fs::write(&path, &damaged).unwrap();
    assert!(describe(&path).unwrap_err().to_string().contains("the checksum does not agree"));
    std::fs::write(&path, changed(&model, &|d| member(d)["label_classes"] = 3.into())).unwrap();
    assert!(describe(&path).is_err());
}

#[test]
fn a_model_that_is_cut_short_or_written_over_while_it_is_used_still_parses() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.quaich");
    std::fs::write(&path, model(&["learner=linear+network"])).unwrap();
    let parser = Parser::load(&path).unwrap();
    let sentences = sentences();
    let parse = |parser: &Parser| {
        let mut worker = parser.worker();
        sentences.iter().map(|sentence| worker.parse(sentence).clone()).collect::<Vec<_>>()
    };
    let before = parse(&parser);
    let length = std::fs::metadata(&path).unwrap().len();
    std::fs::write(&path, vec![0xff; usize::try_from(length).unwrap()]).unwrap();
    assert_eq!(parse(&parser), before);
    std::fs::File::options().write(true).open(&path).unwrap().set_len(10).unwrap();
    assert_eq!(parse(&parser), before);
}
