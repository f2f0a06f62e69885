//! The JSON of `eval` with a model, and with several systems.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value as Json;

fn sample(part: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/sample").join(part)
}

/// Runs a command, its arguments separated by spaces; `GOLD` stands for the sample's test file.
fn quaich(folder: &Path, arguments: &str) -> String {
    let gold = sample("test.conllu");
    let arguments = arguments
        .split(' ')
        .map(|argument| if argument == "GOLD" { gold.to_str().unwrap() } else { argument });
    let output =
        Command::new(env!("CARGO_BIN_EXE_quaich")).current_dir(folder).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A folder with two models and their output for the test set.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let train = sample("train.conllu");
    let train = train.to_str().unwrap();
    for (name, system) in [("one", "arc-eager"), ("two", "arc-standard")] {
        let settings = format!("--learner linear --system {system} --set root=end");
        quaich(folder.path(), &format!("train {train} -o {name}.quaich {settings} -q"));
        quaich(folder.path(), &format!("parse -m {name}.quaich GOLD -o {name}.conllu -q"));
    }
    folder
}

fn number(json: &Json, path: &str) -> f64 {
    json.pointer(path).and_then(Json::as_f64).unwrap_or_else(|| panic!("no {path} in {json:#}"))
}

#[test]
fn transitions_of_a_model_and_several_systems() {
    let folder = folder();
    let by = "--by transitions,running-time --model one.quaich --json";
    let json: Json =
        serde_json::from_str(&quaich(folder.path(), &format!("eval GOLD one.conllu {by}"))).unwrap();
    // Every token was attached by something, and what is right in all is what is right in the parts.
    let transitions = json["transitions"].as_object().unwrap();
    let tokens = |row: &Json| number(row, "/scored_tokens");
    let right = |row: &Json| tokens(row) * number(row, "/las") / 100.0;
    assert!((transitions.values().map(tokens).sum::<f64>() - number(&json, "/scored_tokens")).abs() < 0.5);
    let expected = number(&json, "/las") * number(&json, "/scored_tokens") / 100.0;
    assert!((transitions.values().map(right).sum::<f64>() - expected).abs() < 0.01);
    assert!(transitions.contains_key("LA") && transitions.contains_key("RA"), "{transitions:?}");
    // With the root at the end of the buffer, arc-eager makes two transitions per token.
    assert!((number(&json, "/running-time/all/slope") - 2.0).abs() < 1e-9, "{json:#}");

    let compared = |jobs: u8| {
        quaich(folder.path(), &format!("eval GOLD one.conllu two.conllu --json --seed 7 --jobs {jobs}"))
    };
    assert_eq!(compared(1), compared(4));
    let json: Json = serde_json::from_str(&compared(2)).unwrap();
    assert_eq!(json["systems"].as_array().unwrap().len(), 2);
    assert!((number(&json, "/las") - number(&json, "/systems/0/las")).abs() < 1e-12);
    let pair = &json["significance"][0];
    assert_eq!(
        (&pair["first"], &pair["second"], &pair["measure"]),
        (&"one.conllu".into(), &"two.conllu".into(), &"las".into())
    );
    let difference = number(&json, "/systems/1/las") - number(&json, "/systems/0/las");
    assert!((number(pair, "/difference") - difference).abs() < 1e-9);
    for test in ["mcnemar", "randomised", "t", "z", "bootstrap"] {
        let p = number(pair, &format!("/tests/{test}/p"));
        assert!(
            (0.0..=1.0).contains(&p) && (p - number(pair, &format!("/tests/{test}/p_holm"))).abs() < 1e-12
        );
    }
}
