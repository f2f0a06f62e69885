//! Instances of trainings and of models: they are the same where the model was trained on them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use quaich_features::NamedModel;
use quaich_parser::instances::{Format, ModelInstances, training_instances};
use quaich_parser::{Parser, Settings, Trainer, Unobserved};
use quaich_treebank::{ReadOptions, Reader, Sentence};

fn sentences() -> Vec<Sentence> {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../data/sample/dev.conllu");
    Reader::open(Path::new(&file), &ReadOptions::default()).unwrap().sentences().map(Result::unwrap).collect()
}

fn settings(assignments: &[&str]) -> Settings {
    let mut settings = Settings::default();
    for assignment in ["learner=linear", "folds=0", "seed=1"].iter().chain(assignments) {
        settings = settings.with(assignment).unwrap();
    }
    settings
}

type Lines = BTreeMap<String, Vec<String>>;

fn of_model(parser: &Parser, sentences: &[Sentence], format: Format, predict: bool) -> Lines {
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
        // Everything is pooled, so there is one classifier a question.
        let settings = settings(&[&format!("decision={decision}"), "split=b0:p>=1000000"]);
        let features = NamedModel::by_name("phi3").unwrap().model();
        let parser = Trainer::new(&settings).features(features).train(&sentences, &Unobserved).unwrap();
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
    let parser =
        Trainer::new(&settings(&[])).train(&sentences[..20.min(sentences.len())], &Unobserved).unwrap();
    let error = ModelInstances::new(&parser, Format::Libsvm, false).unwrap_err().to_string();
    assert!(error.starts_with("found a model of the kind `linear`"), "{error}");
}
