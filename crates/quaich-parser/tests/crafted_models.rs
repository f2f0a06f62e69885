//! Malicious models with correct checksums are rejected with a reason. Everything in their descriptions is validated before it is used.
//! The tests of the fuzz targets make random changes.

use quaich_features::FeatureModel;
use quaich_parser::recipe::Recipe;
use quaich_parser::{Model, Settings, Trainer, describe, with_checksum_repaired};
use quaich_treebank::{ReadOptions, Reader, Sentence, Source};
use serde_json::{Value, json};

const TRAIN: &str = include_str!("../../../data/sample/train.conllu");
const FEATURES: &str = "transition = ['s0:p b0:p', 's0:w', 'b0:w']\nlabel = ['h:p d:p', 'd:w']";

fn sentences() -> Vec<Sentence> {
    let source = Source::from_stream(TRAIN.as_bytes(), "sample".to_owned(), None).unwrap();
    let reader = Reader::new(source, &ReadOptions::default()).unwrap();
    reader.sentences().take(40).collect::<Result<_, _>>().unwrap()
}

/// Settings that train each learner in a moment.
const LINEAR: [&str; 3] = ["learner=linear", "linear.folds=0", "linear.epochs=1"];
const NETWORK: [&str; 3] = ["learner=network", "held-out=no", "network.epochs=1"];
const MIXTURE: [&str; 4] =
    ["learner=linear+network", "linear.folds=0", "linear.epochs=1", "network.epochs=1"];
const RECURRENT: [&str; 4] = ["held-out=no", "encoder.epochs=1", "encoder.units=8", "encoder.hidden=8"];

fn settings(assignments: &[&str]) -> Settings {
    assignments.iter().fold(Settings::default(), |settings, one| settings.with(one).unwrap())
}

/// The content of a model file.
fn model(assignments: &[&str], more: &[&str]) -> Vec<u8> {
    let settings = settings(&[assignments, more].concat());
    let mut trainer = Trainer::new(&settings);
    if settings.learner().contains("linear") {
        trainer = trainer.features(FeatureModel::parse(FEATURES).unwrap());
    }
    trainer.train(&sentences()).unwrap().to_bytes().unwrap()
}

fn ensemble(recipe: &str, assignments: &[&str]) -> Vec<u8> {
    let recipe = Recipe::from_toml(recipe, &settings(assignments)).unwrap();
    Trainer::default().recipe(recipe).train(&sentences()).unwrap().to_bytes().unwrap()
}

/// The model with a modified description.
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

/// The reason why a modified model is rejected, without the file and the common prefix.
fn reason(model: &[u8], change: &dyn Fn(&mut Value)) -> String {
    let model = Model::from_bytes(&changed(model, change), "m").map(drop);
    let error = model.expect_err("a crafted model is refused");
    error.to_string().strip_prefix("m: ").unwrap().to_owned()
}

/// A modified model that is unusual but harmless.
fn parses(model: &[u8]) {
    let model = Model::from_bytes(model, "m").unwrap();
    let mut worker = model.worker();
    assert!(sentences().iter().all(|sentence| worker.parse(sentence).is_well_formed()));
}

fn member(description: &mut Value) -> &mut Value {
    &mut description["members"][0]
}

#[test]
fn labels_are_as_many_as_classes_and_fit_their_cells() {
    let model = model(&LINEAR, &[]);
    let broken = "its list of labels is invalid";
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
    let model = ensemble(text, &LINEAR);
    assert!(Model::from_bytes(&changed(&model, &|_| ()), "m").is_ok());
    let none = "it has no parsers";
    assert_eq!(reason(&model, &|d| d["members"] = json!([])), none);
    let silent = "it has several parsers but no description of the vote";
    assert_eq!(reason(&model, &|d| d["ensemble"] = Value::Null), silent);
    let unfit = "the description of the vote does not fit its parsers";
    let points = |points: Value| move |d: &mut Value| d["ensemble"]["certainty"]["points"] = points.clone();
    let changes: [&dyn Fn(&mut Value); 6] = [
        &|d| d["ensemble"]["weights"] = json!([]),
        &|d| d["ensemble"]["settings"] = json!([]),
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
    for (learner, assignments) in
        [("linear", &LINEAR[..]), ("network", &NETWORK), ("linear+network", &MIXTURE)]
    {
        let model = model(assignments, &[]);
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
    let model = model(&RECURRENT, &["encoder.networks=1"]);
    let set = |seen: Value| move |d: &mut Value| member(d)["content"]["seen"][0] = seen.clone();
    let broken = "its list of features is invalid";
    assert_eq!(reason(&model, &set(json!([format!("s0{}", ".h".repeat(100_000))]))), broken);
    assert_eq!(reason(&model, &set(json!((0..70_000).map(|i| format!("s{i}")).collect::<Vec<_>>()))), broken);
    assert_eq!(reason(&model, &set(json!(["s0:w"]))), broken);
    assert_eq!(reason(&model, &set(json!(["s0"]))), "its list of classifiers is invalid");
    let columns = |d: &mut Value| d["encoders"][0]["content"]["columns"] = json!(["form"]);
    assert_eq!(reason(&model, &columns), "its encoder is invalid");
    let networks = |n: u64| move |d: &mut Value| d["encoders"][0]["content"]["networks"] = n.into();
    for n in [0, 17, 1 << 60] {
        assert_eq!(reason(&model, &networks(n)), "its number of networks is invalid");
    }
    assert!(reason(&model, &networks(2)).starts_with("in its encoder, "));
}

#[test]
fn networks_are_as_many_as_a_model_says() {
    let model = model(&RECURRENT, &["encoder.networks=2"]);
    let networks = |n: u64| move |d: &mut Value| d["encoders"][0]["content"]["networks"] = n.into();
    for n in [0, 17, 1 << 60] {
        assert_eq!(reason(&model, &networks(n)), "its number of networks is invalid");
    }
    assert!(reason(&model, &networks(3)).starts_with("in its encoder, "));
    // Additional content of the file is ignored.
    parses(&changed(&model, &networks(1)));
}

#[test]
fn parsers_read_encoders_that_there_are_and_that_fit() {
    let encoder = |number: usize, units: usize| {
        let sizes = "'encoder.epochs' = 1\n'encoder.networks' = 1\n'encoder.hidden' = 8\n";
        format!("encoder = {number}\n{sizes}'encoder.units' = {units}\n")
    };
    let text = format!(
        "[[parser]]\n{first}[[parser]]\nsystem = 'rtl:arc-hybrid'\n{first}[[parser]]\n{second}\
         [[parser]]\nlearner = 'linear'\n'linear.epochs' = 1\n",
        first = encoder(1, 8),
        second = encoder(2, 16)
    );
    let model = ensemble(&text, &["held-out=no"]);
    let reads = |member: usize, encoder: Value| {
        move |d: &mut Value| d["members"][member]["encoder"] = encoder.clone()
    };
    for member in [0, 1, 2] {
        for other in [json!(2), json!(1u64 << 60), Value::Null] {
            assert_eq!(reason(&model, &reads(member, other)), "its encoder is invalid");
        }
    }
    // Some heads read beyond the one encoder's projections; the others give nonsense, but no harm is done.
    let swapped = [(0, 1), (1, 1), (2, 0)].map(|(member, encoder)| {
        let model = changed(&model, &reads(member, json!(encoder)));
        Model::from_bytes(&model, "m").map(|_| parses(&model)).map_err(|error| error.to_string())
    });
    let broken = Err("m: its list of classifiers is invalid".to_owned());
    assert!(swapped.contains(&broken), "{swapped:?}");
    assert!(swapped.iter().all(|swapped| *swapped == Ok(()) || *swapped == broken), "{swapped:?}");
    // A model that reads no encoding parses normally.
    parses(&changed(&model, &reads(3, json!(0))));
    let columns =
        |columns: Value| move |d: &mut Value| d["encoders"][1]["content"]["columns"] = columns.clone();
    assert_eq!(reason(&model, &columns(json!([]))), "its encoder is invalid");
    assert_eq!(reason(&model, &columns(json!(["colour"]))), "its list of columns is invalid");
    // Unused encoders are harmless, but every encoder that is used must exist.
    assert_eq!(reason(&model, &|d| d["encoders"] = json!([])), "its encoder is invalid");
}

#[test]
fn numbers_are_numbers() {
    let model = model(&MIXTURE, &["mixture.network-weight=0.4"]);
    let mixing = |weight: f64| move |d: &mut Value| member(d)["content"]["weight"] = weight.into();
    assert_eq!(reason(&model, &mixing(0.0)), "its mixture is invalid");
    assert_eq!(reason(&model, &mixing(-1.0)), "its mixture is invalid");
    let scale = |d: &mut Value| member(d)["content"]["linear"]["scales"][0] = (-1.0).into();
    assert_eq!(reason(&model, &scale), "its table of weights is invalid");
    let classes =
        |d: &mut Value| member(d)["content"]["network"]["networks"][1]["classes"] = 9_000_000_000u64.into();
    assert_eq!(reason(&model, &classes), "its list of questions is invalid");
    let hidden =
        |d: &mut Value| member(d)["content"]["network"]["networks"][0]["hidden"] = (1u64 << 62).into();
    assert_eq!(reason(&model, &hidden), "its network is invalid");
}

#[test]
fn what_a_model_says_of_its_system_is_no_matter_of_usage() {
    let model = model(&LINEAR, &[]);
    let error = |change: &dyn Fn(&mut Value)| Model::from_bytes(&changed(&model, change), "m").unwrap_err();
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
    let model = model(&NETWORK, &[]);
    std::fs::write(&path, &model).unwrap();
    assert_eq!(describe(&path).unwrap().members.len(), 1);
    let mut damaged = model.clone();
    *damaged.last_mut().unwrap() ^= 1;
    std::fs::write(&path, &damaged).unwrap();
    assert!(describe(&path).unwrap_err().to_string().contains("the checksum does not match"));
    std::fs::write(&path, changed(&model, &|d| member(d)["label_classes"] = 3.into())).unwrap();
    assert!(describe(&path).is_err());
}

#[test]
fn a_model_that_is_cut_short_or_written_over_while_it_is_used_still_parses() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.quaich");
    std::fs::write(&path, model(&MIXTURE, &[])).unwrap();
    let parser = Model::load(&path).unwrap();
    let sentences = sentences();
    let parse = |parser: &Model| {
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
