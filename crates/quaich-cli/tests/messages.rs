//! Error messages: what was found and how to fix it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn sample(part: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/sample").join(part)
}

fn quaich(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_quaich"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// Standard error of a command that exits with this code.
fn stderr_of(folder: &Path, code: i32, arguments: &[&str]) -> String {
    let run = quaich(folder, arguments);
    let stderr = String::from_utf8(run.stderr).unwrap();
    assert_eq!(run.status.code(), Some(code), "{arguments:?}: {stderr}");
    stderr
}

/// A folder with the dev set of the sample.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(sample("dev.conllu"), folder.path().join("dev.conllu")).unwrap();
    folder
}

#[test]
fn a_label_map_can_have_a_name_without_an_extension() {
    let folder = folder();
    let folder = folder.path();
    fs::write(folder.join("labels"), "det determiner\n").unwrap();
    let run = quaich(folder, &["transform", "relabel:labels", "dev.conllu"]);
    assert!(run.status.success(), "{run:?}");
    assert!(String::from_utf8(run.stdout).unwrap().contains("\tdeterminer\t"));
    let missing = stderr_of(folder, 1, &["transform", "relabel:passwd", "dev.conllu"]);
    assert!(missing.starts_with("error: passwd: No such file"), "{missing}");
    let none = stderr_of(folder, 2, &["transform", "relabel", "dev.conllu"]);
    assert!(none.contains("as in `relabel:FILE`"), "{none}");
    let misspelt = stderr_of(folder, 2, &["transform", "coordination:cc", "dev.conllu"]);
    assert!(misspelt.contains("unknown variant `cc`; known: c"), "{misspelt}");
}

#[test]
fn a_model_given_for_a_text_file_is_recognised() {
    let folder = folder();
    let folder = folder.path();
    let quick = ["--learner", "linear", "--set", "linear.epochs=1", "-o", "m"];
    assert!(quaich(folder, &[&["train", "dev.conllu"], &quick[..]].concat()).status.success());
    for arguments in [
        &["features", "show", "m"][..],
        &["features", "check", "m"],
        &["train", "dev.conllu", "-o", "n", "--config", "m"],
        &["train", "dev.conllu", "-o", "n", "--features", "m"],
        &["blend", "train", "dev.conllu", "-o", "n", "--parsers", "m"],
    ] {
        let stderr = stderr_of(folder, 1, arguments);
        assert_eq!(stderr, "error: m: found a model, expected a text file; `quaich info m` describes it\n");
    }
    fs::write(folder.join("latin1.toml"), b"seed = 1 # \xe5\n").unwrap();
    let other = stderr_of(folder, 1, &["train", "dev.conllu", "-o", "n", "--config", "latin1.toml"]);
    assert_eq!(other, "error: latin1.toml:1:12: found byte 0xE5, expected text in UTF-8\n");
}

#[test]
fn text_of_other_systems_is_recognised() {
    let folder = folder();
    let folder = folder.path();
    let text = fs::read_to_string(folder.join("dev.conllu")).unwrap();
    let utf16 = |bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
    fs::write(folder.join("little.conllu"), utf16(u16::to_le_bytes)).unwrap();
    fs::write(folder.join("big"), utf16(u16::to_be_bytes)).unwrap();
    fs::write(folder.join("mac.conllu"), text.replace('\n', "\r")).unwrap();
    let (wide, mac) = ("UTF-16 without a byte-order mark", "lines end in CR alone, as on old Macs");
    for (file, what, help) in [
        ("little.conllu", wide, "`--encoding utf-16le`"),
        ("big", wide, "`--encoding utf-16be`"),
        ("mac.conllu", mac, "end in LF"),
    ] {
        for format in [&[][..], &["--format", "conllu"]] {
            let converted = stderr_of(folder, 1, &[&["convert", file, "--to", "conllx"], format].concat());
            let run = quaich(folder, &[&["validate", file], format].concat());
            assert_eq!(run.status.code(), Some(1));
            let validated = String::from_utf8(run.stdout).unwrap();
            assert!(converted.contains(what), "{file}: {converted}");
            assert!(validated.contains(what) && validated.contains(help), "{file}: {validated}");
            // The format is known, or will be: naming one does not help.
            assert!(!validated.contains("known formats"), "{file}: {validated}");
        }
    }
    for (file, encoding) in [("little.conllu", "utf-16le"), ("big", "utf-16be")] {
        let run = quaich(folder, &["convert", file, "--encoding", encoding, "--to", "conllu"]);
        assert_eq!(String::from_utf8(run.stdout).unwrap(), text);
    }
}

#[test]
fn too_few_sentences_cause_a_warning() {
    let folder = folder();
    let folder = folder.path();
    let text = fs::read_to_string(sample("train.conllu")).unwrap();
    let first = |n: usize| text.split_inclusive("\n\n").take(n).collect::<String>();
    for (n, warned) in [(1, true), (99, true), (100, false)] {
        fs::write(folder.join("t.conllu"), first(n)).unwrap();
        let arguments = ["train", "t.conllu", "-o", "m", "--learner", "linear", "--set", "linear.epochs=1"];
        let stderr = stderr_of(folder, 0, &arguments);
        let found = format!("warning: only {n} sentence");
        assert_eq!(stderr.contains(&found), warned, "{stderr}");
        assert_eq!(stderr.contains("fewer than 100"), warned, "{stderr}");
    }
}

#[test]
fn a_treebank_without_sentences_is_an_error() {
    let folder = folder();
    fs::write(folder.path().join("none.conllu"), "\n\n").unwrap();
    let stderr = stderr_of(folder.path(), 1, &["train", "none.conllu", "-o", "m"]);
    assert!(stderr.contains("found no sentences") && !stderr.contains("only 0 sentences"), "{stderr}");
}

#[test]
fn numbers_that_are_too_large_are_rejected() {
    let folder = folder();
    let arguments = ["train", "dev.conllu", "-o", "m", "--seed", "99999999999999999999"];
    let stderr = stderr_of(folder.path(), 2, &arguments);
    assert!(stderr.contains("the number is too large"), "{stderr}");
}

#[test]
fn negative_numbers_are_rejected() {
    let folder = folder();
    let folder = folder.path();
    for (arguments, from) in [
        (&["train", "dev.conllu", "-o", "m", "--seed", "-1"][..], "an integer of at least 0"),
        (&["train", "dev.conllu", "-o", "m", "--jobs", "-1"], "an integer of at least 1"),
        (&["crossval", "dev.conllu", "--folds", "-1"], "an integer of at least 1"),
        (&["crossval", "dev.conllu", "--curve", "-1"], "a number above 0"),
        (&["eval", "dev.conllu", "dev.conllu", "--seed", "-1"], "an integer of at least 0"),
        (&["eval", "dev.conllu", "dev.conllu", "--samples", "-1"], "an integer of at least 0"),
        (&["parse", "-m", "m", "--parser", "-1"], "an integer of at least 1"),
        (&["draw", "dev.conllu", "--width", "-1"], "an integer of at least 0"),
        (&["trace", "--system", "arc-eager", "--sentence", "-1"], "an integer of at least 0"),
        (&["trace", "--system", "arc-eager", "--nodes", "-1"], "an integer of at least 0"),
        (
            &["distill", "m", "--on", "dev.conllu", "-o", "n", "--gold-weight", "-1"],
            "an integer from 0 to 100",
        ),
        (&["distill", "m", "--on", "dev.conllu", "-o", "n", "--min-confidence", "-1"], "a number from 0"),
    ] {
        let stderr = stderr_of(folder, 2, arguments);
        assert!(stderr.contains(&format!("expected {from}")), "{arguments:?}: {stderr}");
        assert!(!stderr.contains("-- -1"), "{arguments:?}: {stderr}");
    }
}

#[test]
fn the_oracle_prints_json() {
    let folder = folder();
    let folder = folder.path();
    for choice in [&["--system", "arc-standard"][..], &["--malt", "-a nivreeager"]] {
        let run = |more: &[&str]| {
            let run = quaich(folder, &[&["oracle", "dev.conllu"], choice, more].concat());
            assert!(run.status.success(), "{run:?}");
            String::from_utf8(run.stdout).unwrap()
        };
        let (plain, json) = (run(&[]), run(&["--json"]));
        assert_eq!(run(&["-o", "out", "--json"]), "");
        assert_eq!(fs::read_to_string(folder.join("out")).unwrap(), json);
        assert_eq!(run(&["-o", "out"]), "");
        assert_eq!(fs::read_to_string(folder.join("out")).unwrap(), plain);
        assert_eq!(plain.lines().count(), json.lines().count());
        for (number, (plain, json)) in (1..).zip(plain.lines().zip(json.lines())) {
            let found: serde_json::Value = serde_json::from_str(json).unwrap();
            assert_eq!(found["sentence"], number);
            let transitions = found["transitions"]
                .as_array()
                .map(|list| list.iter().map(|name| name.as_str().unwrap()).collect::<Vec<_>>().join(" "));
            assert_eq!(transitions.as_deref().unwrap_or("!"), plain);
            assert_eq!(transitions.is_none(), found["transitions"].is_null());
        }
    }
}

#[test]
fn messages_cut_long_texts() {
    let folder = folder();
    let folder = folder.path();
    let long = "s0:t ".repeat(10_000);
    fs::write(folder.join("f.toml"), format!("transition = ['{long}!']\nlabel = []\n")).unwrap();
    fs::write(folder.join("f.par"), format!("{long}\n")).unwrap();
    fs::write(folder.join("l.conllu"), format!("1\ta\t_\t_\t_\t_\t{}\troot\t_\t_\n\n", "x".repeat(50_000)))
        .unwrap();
    let name = "n".repeat(50_000);
    for (code, arguments) in [
        (1, &["features", "check", "f.toml"][..]),
        (1, &["features", "check", "f.par"]),
        (1, &["convert", "l.conllu", "--to", "conllu"]),
        (1, &["validate", "l.conllu"]),
        (2, &["transform", &name, "dev.conllu"]),
        (1, &["convert", &name, "--to", "conllu"]),
        (2, &["train", "dev.conllu", "-o", "m", "--seed", &name]),
        (2, &["train", "dev.conllu", "-o", "m", "--set", &name]),
        (2, &[&name]),
    ] {
        let run = quaich(folder, arguments);
        assert_eq!(run.status.code(), Some(code), "{run:?}");
        for stream in [run.stdout, run.stderr] {
            assert!(stream.len() < 10_000, "{:?}: {}", arguments[0], stream.len());
        }
    }
}

#[test]
fn a_vote_that_fails_prints_nothing() {
    let folder = folder();
    let folder = folder.path();
    let text = fs::read_to_string(folder.join("dev.conllu")).unwrap();
    let (whole, last) = text.trim_end().rsplit_once("\n\n").unwrap();
    fs::write(folder.join("shorter.conllu"), format!("{whole}\n\n")).unwrap();
    fs::write(folder.join("broken.conllu"), format!("{whole}\n\n{}\n\n", last.replace('\t', " "))).unwrap();
    for other in ["shorter.conllu", "broken.conllu"] {
        let run = quaich(folder, &["blend", "vote", "dev.conllu", other]);
        assert_eq!((run.status.code(), run.stdout.len()), (Some(1), 0), "{other}");
    }
    let run = quaich(folder, &["blend", "vote", "dev.conllu", "dev.conllu"]);
    assert_eq!(String::from_utf8(run.stdout).unwrap(), text);
}
