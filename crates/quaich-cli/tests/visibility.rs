//! Control characters in data are escaped in output for people, and kept in output for programs.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use quaich::treebank::visible::is_obeyed;

/// A treebank with control characters in its file name, comments, forms, lemmas, tags, features and labels.
const NAME: &str = "a\u{1b}[31m\u{202e}.conllu";

fn treebank() -> String {
    let sentence = |number: usize, label: &str| {
        format!(
            "# sent_id = {number}\u{1b}[2J\u{2066}\n\
             1\ta\u{1b}[31m\u{202e}\tl\u{7}\tT\u{9b}2J\tX\u{202d}\tA=\u{200f}b\t2\tdet\u{7}{label}\t_\tx=\u{1b}\n\
             2\tb\0\u{2069}\t\u{feff}c\tNOUN\tNN\t_\t0\troot\t_\t_\n\
             3\tc\td\tVERB\u{1b}c\tVB\t_\t1\tobj\u{202e}{label}\t_\t_\n\n"
        )
    };
    (1..=24).map(|number| sentence(number, if number % 2 == 0 { "" } else { "\u{2067}:x" })).collect()
}

fn quaich(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_quaich"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// A folder with the treebank, other analyses of it, and a model trained on it.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let text = treebank();
    fs::write(place(NAME), &text).unwrap();
    fs::write(place("other.conllu"), text.replace("\t1\tobj", "\t2\tobj").replace("det\u{7}", "amod\u{1b}"))
        .unwrap();
    fs::write(place("words.conllu"), text.replace("a\u{1b}[31m", "z\u{1b}[32m")).unwrap();
    fs::write(place("broken.conllu"), text.replace("\t0\troot", "\t\u{1b}[31m7\troot")).unwrap();
    fs::write(place("map.txt"), "det\u{7} a\u{1b}\u{202e} b\n").unwrap();
    fs::write(place("odd.toml"), "transition = [\"s0:\u{202e}\u{9b}\"]\nlabel = []\n").unwrap();
    let note = ["--note", "by=me\u{1b}[31m\u{202e}"];
    let quick = ["--learner", "linear", "--set", "linear.epochs=2", "-o", "model"];
    let trained = quaich(folder.path(), &[&["train", NAME], &quick[..], &note].concat());
    assert!(trained.status.success(), "{trained:?}");
    folder
}

/// Commands with output for people, and their exit codes.
const COMMANDS: &[(i32, &[&str])] = &[
    (0, &["oracle", "--system", "swap-lazy", NAME]),
    (0, &["oracle", "--malt", "-a nivreeager", NAME]),
    (0, &["trace", "--system", "swap-lazy", NAME]),
    (0, &["trace", "-m", "model", NAME]),
    (0, &["trace", "--json", "-m", "model", NAME]),
    (0, &["validate", "--all", NAME, "other.conllu"]),
    (0, &["validate", "--all", "--json", NAME, "other.conllu"]),
    (1, &["validate", "broken.conllu"]),
    (0, &["info", "model"]),
    (0, &["info", "model", "--json"]),
    (0, &["stats", NAME, "other.conllu"]),
    (0, &["stats", NAME, "--json"]),
    (0, &["eval", NAME, "other.conllu", "--by", "label,tag,confusions,frames,construction"]),
    (0, &["eval", NAME, "other.conllu", "--by", "label,tag,confusions,frames,construction", "--json"]),
    (0, &["eval", NAME, "other.conllu", "--by", "label,tag", "--to", "md"]),
    (0, &["eval", NAME, "other.conllu", "--by", "label,tag", "--to", "latex"]),
    (0, &["eval", NAME, "other.conllu", NAME]),
    (0, &["eval", NAME, "other.conllu", "--scorer", "conllx"]),
    (0, &["eval", NAME, "other.conllu", "--scorer", "conll07"]),
    (1, &["eval", NAME, "words.conllu"]),
    (0, &["diff", NAME, "other.conllu"]),
    (0, &["diff", NAME, "other.conllu", "--draw"]),
    (0, &["diff", NAME, "other.conllu", "--json"]),
    (1, &["diff", NAME, "words.conllu"]),
    (0, &["draw", NAME]),
    (0, &["draw", NAME, "--tree"]),
    (0, &["transform", "pseudo-projective:head", NAME, "--report"]),
    (1, &["transform", "relabel:map.txt", NAME]),
    (2, &["transform", "no\u{1b}\u{202e}ne", NAME]),
    (
        0,
        &[
            "blend",
            "vote",
            NAME,
            "other.conllu",
            "--gold-dev",
            NAME,
            "--dev",
            NAME,
            "other.conllu",
            "--weights",
        ],
    ),
    (0, &["features", "check", "odd.toml"]),
    (0, &["features", "show", "odd.toml"]),
    (1, &["parse", "-m", "model", "broken.conllu", "-o", "parsed"]),
    (1, &["parse", "-m", NAME, "broken.conllu"]),
    (1, &["convert", "none\u{1b}\u{202e}", "--to", "conllu"]),
    (2, &["convert", NAME, "--to", "none\u{1b}\u{202e}"]),
    (2, &["convert", NAME, "--to", "conllu", "-o", NAME]),
    (2, &["list", "none\u{1b}\u{202e}"]),
    (0, &["crossval", NAME, "--folds", "2", "--learner", "linear", "--set", "linear.epochs=1"]),
];

#[test]
fn output_for_people_has_no_control_characters() {
    let folder = folder();
    for (code, arguments) in COMMANDS {
        let run = quaich(folder.path(), arguments);
        assert_eq!(run.status.code(), Some(*code), "{arguments:?}: {}", String::from_utf8_lossy(&run.stderr));
        for stream in [&run.stdout, &run.stderr] {
            let text = std::str::from_utf8(stream).unwrap();
            if let Some(at) = text.find(is_obeyed) {
                let line = text[..at].lines().count();
                panic!("{arguments:?}: {:?}", text.lines().nth(line.saturating_sub(1)));
            }
        }
    }
}

#[test]
fn output_for_programs_keeps_all_characters() {
    let folder = folder();
    let text = treebank();
    let printed = |arguments: &[&str]| {
        let run = quaich(folder.path(), arguments);
        assert!(run.status.success(), "{run:?}");
        String::from_utf8(run.stdout).unwrap()
    };
    assert_eq!(printed(&["convert", NAME, "--to", "conllu"]), text);
    let cells = |text: &str| -> Vec<String> {
        let token = |line: &&str| line.starts_with(['1', '2', '3']);
        text.lines().filter(token).map(|line| line.split('\t').take(6).collect()).collect()
    };
    assert_eq!(cells(&printed(&["parse", "-m", "model", NAME])), cells(&text));
    // JSON encodes the same characters.
    let json = printed(&["trace", "--json", "--system", "swap-lazy", NAME, "--sentence", "2"]);
    let trace: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(trace["tokens"][0], "a\u{1b}[31m\u{202e}");
    assert_eq!(trace["labels"][2], "obj\u{202e}");
    let json = printed(&["validate", "--json", NAME]);
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(report["files"][0]["file"], NAME);
}
