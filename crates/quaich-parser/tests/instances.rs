//! Training instances are the same as those of a model trained on them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use quaich_features::NamedModel;
use quaich_parser::instances::{Format, ModelInstances, training_instances};
use quaich_parser::{Model, Settings, Trainer, Unobserved};
use quaich_treebank::{ReadOptions, Reader, Sentence, Source};

fn sentences() -> Vec<Sentence> {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../data/sample/dev.conllu");
    Reader::open(Path::new(&file), &ReadOptions::default()).unwrap().sentences().map(Result::unwrap).collect()
}

fn settings(assignments: &[&str]) -> Settings {
    let mut settings = Settings::default();
    for assignment in ["learner=linear-svm", "held-out=no", "seed=1"].iter().chain(assignments) {
        settings = settings.with(assignment).unwrap();
    }
    settings
}

type Lines = BTreeMap<String, Vec<String>>;

fn of_model(parser: &Model, sentences: &[Sentence], format: Format, predict: bool) -> Lines {
    let mut found = Lines::new();
    let mut keep = |classifier: &str, line: &str| {
        found.entry(classifier.to_owned()).or_default().push(line.to_owned());
        Ok(())
    };
    let mut instances = ModelInstances::new(parser, format, predict).unwrap();
    for sentence in sentences {
        assert!(instances.read(sentence, &mut keep).unwrap());
    }
    found
}

fn of_training(settings: &Settings, sentences: &[Sentence], format: Format) -> Lines {
    let mut found = Lines::new();
    let mut keep = |classifier: &str, line: &str| {
        found.entry(classifier.to_owned()).or_default().push(line.to_owned());
        Ok(())
    };
    let features = NamedModel::by_name("phi3").unwrap().model();
    training_instances(sentences, features, settings, format, &Unobserved, &mut keep).unwrap();
    found
}

#[test]
fn a_model_has_the_numbers_of_its_training() {
    let sentences = sentences();
    for decision in ["joint", "sequence", "branch"] {
        // Everything is pooled, so there is one classifier per question.
        let settings = settings(&[&format!("decision={decision}"), "split=b0:p>=1000000"]);
        let features = NamedModel::by_name("phi3").unwrap().model();
        let parser = Trainer::new(&settings).features(features).train(&sentences).unwrap();
        for format in [Format::Libsvm, Format::Timbl] {
            let trained = of_training(&settings, &sentences, format);
            let by_model = of_model(&parser, &sentences, format, false);
            let renamed: Lines = by_model
                .into_iter()
                .map(|(name, lines)| {
                    (name.trim_end_matches("MASTER").trim_end_matches('.').to_owned(), lines)
                })
                .collect();
            assert_eq!(renamed, trained, "{decision}");
        }
        let right = of_model(&parser, &sentences, Format::Libsvm, false);
        let decided = of_model(&parser, &sentences, Format::Libsvm, true);
        for (name, lines) in &right {
            let classes = lines.iter().map(|line| line.split(' ').next().unwrap());
            let same = classes.zip(&decided[name]).filter(|(class, decided)| class == decided).count();
            assert_eq!(lines.len(), decided[name].len());
            assert!(same * 4 > lines.len() * 3, "{name}: {same} of {}", lines.len());
        }
    }
}

#[test]
fn models_without_numbers_are_refused() {
    let sentences = sentences();
    let settings = settings(&["learner=linear"]);
    let parser = Trainer::new(&settings).train(&sentences[..20.min(sentences.len())]).unwrap();
    let error = ModelInstances::new(&parser, Format::Libsvm, false).unwrap_err().to_string();
    assert!(error.starts_with("the learner `linear` has no numbered features"), "{error}");
}

/// The sample with one label renamed.
fn renamed(to: &str) -> Vec<Sentence> {
    let text: String = sentences()
        .iter()
        .flat_map(|sentence| sentence.text().lines().chain([""]).map(str::to_owned).collect::<Vec<_>>())
        .map(|line| line.replace("\tnsubj\t", &format!("\t{to}\t")) + "\n")
        .collect();
    let source = Source::from_stream(std::io::Cursor::new(text), "sample.conllu".into(), None).unwrap();
    let reader = Reader::new(source, &ReadOptions::default()).unwrap();
    reader.sentences().map(Result::unwrap).collect()
}

#[test]
fn an_underscore_is_a_label_like_any_other() {
    let (underscored, named) = (renamed("_"), renamed("XX"));
    for settings in [
        settings(&["decision=joint"]),
        settings(&["decision=branch", "system=swap-lazy"]),
        settings(&["decision=sequence", "system=arc-standard"]),
        settings(&["decision=sequence", "system=undirected-planar"]),
    ] {
        for format in [Format::Libsvm, Format::Timbl] {
            let found = of_training(&settings, &underscored, format);
            let expected = of_training(&settings, &named, format);
            for (name, lines) in expected {
                // Names may be escaped, but distinct names remain distinct.
                let (mut there, mut back) = (BTreeMap::new(), BTreeMap::new());
                for (found, expected) in found[&name].iter().zip(&lines) {
                    if format == Format::Libsvm {
                        assert_eq!(found, expected, "{name}");
                    }
                    for (at, (a, b)) in found.split('\t').zip(expected.split('\t')).enumerate() {
                        assert_eq!(*there.entry((at, a)).or_insert(b), b, "{name}");
                        assert_eq!(*back.entry((at, b)).or_insert(a), a, "{name}");
                    }
                }
                assert_eq!(found[&name].len(), lines.len());
            }
        }
    }
}

#[test]
fn labels_of_edges_are_named_with_their_direction() {
    let settings = settings(&["decision=sequence", "system=undirected-planar"]);
    let lines = of_training(&settings, &sentences(), Format::Timbl).remove("label").unwrap();
    let named: BTreeSet<&str> = lines.iter().map(|line| line.rsplit('\t').next().unwrap()).collect();
    assert!(named.contains("nsubj_l") && named.contains("obj_r"), "{named:?}");
    assert!(named.iter().all(|name| name.ends_with("_l") || name.ends_with("_r")), "{named:?}");
}
