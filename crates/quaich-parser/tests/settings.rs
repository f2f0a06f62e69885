//! Settings and learners: a setting that the learner does not read is an error that names the learners that do.

use quaich_features::FeatureModel;
use quaich_parser::recipe::Recipe;
use quaich_parser::settings::groups;
use quaich_parser::{Error, PRESETS, Settings, Trainer, Unobserved, learners, readers, train};
use quaich_treebank::{ReadOptions, Reader, Sentence, Source};

const TRAIN: &str = include_str!("../../../data/sample/train.conllu");

fn sentences() -> Vec<Sentence> {
    let source = Source::from_stream(TRAIN.as_bytes(), "sample".to_owned(), None).unwrap();
    let reader = Reader::new(source, &ReadOptions::default()).unwrap();
    reader.sentences().take(20).collect::<Result<_, _>>().unwrap()
}

fn with(learner: &str, assignment: &str) -> Settings {
    Settings::default().with(&format!("learner={learner}")).unwrap().with(assignment).unwrap()
}

/// A linear model that trains in a moment.
fn quick(assignments: &[&str]) -> Settings {
    let quick = ["learner=linear", "linear.epochs=1"];
    let all = quick.iter().chain(assignments);
    all.fold(Settings::default(), |settings, assignment| settings.with(assignment).unwrap())
}

/// Checks that a usage error contains these words.
fn says(error: &Error, words: &[&str]) {
    let text = error.to_string();
    assert!(error.is_usage(), "{text}");
    // Compares whole words, because names of learners are parts of others.
    let found: Vec<&str> = text.split(|c: char| c.is_whitespace() || "`,();".contains(c)).collect();
    for word in words {
        assert!(found.contains(word), "{text}: no {word}");
    }
}

/// Every setting of every group, given to every learner.
#[test]
fn a_setting_of_another_learner_is_an_error_that_names_whose_it_is() {
    let (mut n_read, mut n_refused) = (0, 0);
    for group in groups().filter(|group| !group.name.is_empty()) {
        let readers = readers(group.name);
        assert!(!readers.is_empty(), "nobody reads `{}`", group.name);
        for setting in group.settings {
            let name = group.full_name(setting);
            for (learner, _) in learners() {
                let settings = with(learner, &format!("{name}={}", setting.default()));
                if readers.contains(&learner) {
                    settings.check().unwrap();
                    n_read += 1;
                } else {
                    let error = settings.check().unwrap_err();
                    says(&error, &[&[&*name, learner], &readers[..]].concat());
                    n_refused += 1;
                }
            }
        }
    }
    assert!(n_read > 50 && n_refused > 300, "{n_read} {n_refused}");
    // Training checks them, too.
    let error = train(&sentences(), &with("network", "linear.c=1"), &Unobserved).unwrap_err();
    says(&error, &["linear.c", "network", "linear", "linear+network", "linear+recurrent"]);
}

#[test]
fn general_settings_that_a_learner_does_not_read_are_errors() {
    let from_instances = ["linear-svm", "svm", "memory", "mcle"];
    for (learner, _) in learners() {
        let split = with(learner, "split=b0:p>=10").check();
        if from_instances.contains(&learner) {
            split.unwrap();
        } else {
            says(&split.unwrap_err(), &[&["split", learner], &from_instances[..]].concat());
        }
        let max_tokens = with(learner, "max-tokens=10").check();
        if learner == "perceptron" {
            says(&max_tokens.unwrap_err(), &["max-tokens", learner]);
        } else {
            max_tokens.unwrap();
        }
        with(learner, "held-out=no").check().unwrap();
        with(learner, "split=none").check().unwrap();
    }
}

#[test]
fn a_feature_model_for_a_learner_without_templates_is_an_error_that_names_those_with() {
    let features = FeatureModel::parse("transition = ['s0:p b0:p']\nlabel = ['h:p d:p']").unwrap();
    let sentences = sentences();
    let without = ["network", "recurrent"];
    let with: Vec<&str> = learners().map(|(name, _)| name).filter(|name| !without.contains(name)).collect();
    for (learner, _) in learners() {
        let settings = Settings::default().with(&format!("learner={learner}")).unwrap();
        let trainer = Trainer::new(&settings).features(features.clone());
        if without.contains(&learner) {
            let error = trainer.train(&sentences).unwrap_err();
            says(&error, &[&[learner], &with[..]].concat());
        } else if !learner.contains('+') {
            trainer.train(&sentences).unwrap();
        }
    }
}

#[test]
fn every_preset_has_settings_that_its_learner_reads() {
    for preset in PRESETS {
        let settings = preset.settings();
        let recipe = Recipe::of(&settings).unwrap();
        for settings in recipe.settings() {
            settings.check().unwrap();
        }
        assert_eq!(Settings::preset(preset.name).unwrap(), settings);
    }
    assert!(
        Settings::preset("bets").unwrap_err().to_string().starts_with("unknown preset `bets`; known: best")
    );
}

/// Every setting can be set to its default, or to `auto` if that is its default, without any effect.
#[test]
fn a_default_can_be_given() {
    let plain = train(&sentences(), &quick(&[]), &Unobserved).unwrap();
    for group in groups().filter(|group| group.name.is_empty() || group.name == "linear") {
        for setting in group.settings.iter().filter(|setting| !["learner", "epochs"].contains(&setting.name))
        {
            let name = group.full_name(setting);
            let default = format!("{name}={}", setting.default());
            let given = train(&sentences(), &quick(&[&default]), &Unobserved).unwrap();
            let (mut one, mut other) = (plain.worker(), given.worker());
            assert!(
                sentences().iter().all(|sentence| one.parse(sentence) == other.parse(sentence)),
                "{default}"
            );
        }
    }
    // The parsers of an ensemble have systems of their own.
    let ensemble = Settings::default().with("ensemble=six-over-two").unwrap();
    assert!(Recipe::of(&ensemble.with("system=auto").unwrap()).is_ok());
}

/// The settings shown for a learner are a valid file that trains it.
#[test]
fn settings_shown_in_full_can_be_given() {
    for (learner, _) in learners() {
        let settings =
            Settings::default().with(&format!("learner={learner}")).unwrap().with("seed=7").unwrap();
        let shown = settings.in_full().unwrap();
        let given = Settings::default().with_toml(&shown).unwrap();
        given.check().unwrap();
        assert_eq!(given.in_full().unwrap(), shown);
        for group in groups().filter(|group| !group.name.is_empty()) {
            let is_shown = shown.lines().any(|line| line.starts_with(&format!("{}.", group.name)));
            assert_eq!(is_shown, readers(group.name).contains(&learner), "{learner}: {}", group.name);
        }
        assert!(shown.contains("seed = 7\n") && shown.contains(&format!("learner = \"{learner}\"\n")));
    }
}
