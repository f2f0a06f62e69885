//! `quaich code` on files that are no source code, or more of it than anyone writes.
#![cfg(feature = "code")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn quaich(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quaich"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null()).output().unwrap()
}

/// The exit code, standard output and standard error.
fn printed(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = quaich(folder, arguments);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

#[test]
fn files_that_are_no_source_code() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("binary.py"), b"\x7fELF\0\0").unwrap();
    fs::write(folder.join("empty.py"), b"").unwrap();
    fs::write(folder.join("latin.py"), b"x = 'caf\xe9'\n").unwrap();
    fs::write(folder.join("main.go"), b"package main\n").unwrap();
    fs::write(folder.join("module.c"), b"x = 1\nif x:\n    y()\n").unwrap();

    let parse = |file: &str| printed(folder, &["code", "parse", "--to", "json", file]);
    let (code, out, error) = parse("binary.py");
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert_eq!(error, "error: binary.py: found a NUL byte at offset 4, expected source code\n");
    let (code, out, _) = parse("empty.py");
    let expected = "{\"file\":\"empty.py\",\"language\":\"python\",\"analysis\":\"grammar\",\"tree\":null}\n";
    assert_eq!((code, out.as_str()), (Some(0), expected));
    let (code, out, _) = parse("latin.py");
    assert_eq!(code, Some(0));
    assert!(out.contains("{\"kind\":\"STRING\",\"text\":\"'caf\u{fffd}'\",\"start\":4,\"end\":10}"), "{out}");
    let (code, _, error) = parse("main.go");
    assert_eq!(code, Some(1));
    assert!(
        error.starts_with("error: main.go: the extension tells no language; known: java (.java)"),
        "{error}"
    );
    // The wrong extension: everything is an error, and there is a tree.
    let (code, out, _) = parse("module.c");
    assert_eq!(code, Some(0));
    assert!(out.contains("\"analysis\":\"grammar-with-errors\""), "{out}");
    // The others are parsed.
    let (code, out, error) =
        printed(folder, &["code", "parse", "binary.py", "empty.py", "latin.py", "-o", "out"]);
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(error.ends_with("2 files parsed: 2 by the grammar, 1 not parsed\n"), "{error}");
    assert!(fs::read_to_string(folder.join("out")).unwrap().starts_with("; empty.py: python, grammar\n"));

    // Nothing to train on is an error, and no model is written.
    let (code, _, error) = printed(folder, &["code", "train", "module.c", "-o", "m"]);
    assert_eq!(code, Some(1));
    assert!(error.contains("found no file of c that parses without error among 1 file"), "{error}");
    assert!(!folder.join("m").exists());
    // A file in a folder that is read is not overwritten.
    let (code, _, error) = printed(folder, &["code", "parse", ".", "--language", "python", "-o", "latin.py"]);
    assert_eq!(code, Some(2));
    assert!(error.contains("would overwrite the input"), "{error}");
    for usage in [&["code", "parse", "-"][..], &["code", "parse", "empty.py", "--with", "model"]] {
        assert_eq!(printed(folder, usage).0, Some(2), "{usage:?}");
    }
}

/// The most virtual memory, in KiB, and the longest time for a file of ten megabytes.
const MEMORY: &str = "4000000";
const TIME: Duration = Duration::from_mins(1);

#[test]
#[cfg(target_os = "linux")]
fn ten_megabytes_on_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut list = String::from("x = [");
    for number in 0..500_000 {
        write!(list, "name_{number:012}, ").unwrap();
    }
    list.push_str("]\n");
    let bytes: Vec<u8> = (0..200_000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8 | 1).collect();
    let files = [
        // About a million tokens, more than are read, and no code at all.
        ("list.py", list.into_bytes(), Some(0), ""),
        ("tokens.py", b"1,".repeat(5_000_000), Some(1), "tokens, expected at most 6000000 in a source file"),
        ("noise.py", bytes, Some(0), ""),
    ];
    for (name, content, code, message) in files {
        fs::write(folder.join(name), content).unwrap();
        let started = Instant::now();
        let script = format!("ulimit -v {MEMORY}; exec \"$0\" code parse {name} --to conllu -o out");
        let output = Command::new("sh")
            .current_dir(folder)
            .args(["-c", &script, env!("CARGO_BIN_EXE_quaich")])
            .output();
        let output = output.unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), code, "{name}: {error}");
        assert!(error.contains(message), "{name}: {error}");
        assert!(started.elapsed() < TIME, "{name}: {:?}", started.elapsed());
    }
}

#[test]
fn a_model_of_source_code_parses_files_with_errors() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::create_dir(folder.join("src")).unwrap();
    for number in 0..30 {
        let text = format!("def f{number}(x):\n    return g([x, {number}])\n\nf{number}({number})\n");
        fs::write(folder.join(format!("src/{number:02}.py")), text).unwrap();
    }
    fs::write(folder.join("broken.py"), "def f(x:\n    return x)\n").unwrap();
    let train = |model: &str, jobs: &str| {
        let arguments = ["code", "train", "src", "-o", model, "--jobs", jobs, "--learner", "perceptron"];
        printed(folder, &[&arguments[..], &["--set", "perceptron.epochs=2"]].concat())
    };
    let (code, out, error) = train("one", "1");
    assert_eq!((code, out.as_str()), (Some(0), ""), "{error}");
    for part in ["27 to train on", "3 held out", "by both", "next: quaich code parse -m one FILE…"] {
        assert!(error.contains(part), "{part}: {error}");
    }
    assert_eq!(train("two", "2").0, Some(0));
    assert!(fs::read(folder.join("one")).unwrap() == fs::read(folder.join("two")).unwrap());
    let (_, info, _) = printed(folder, &["info", "one"]);
    for part in ["language", "python", "head-rule", "term", "grammar-columns", "yes", "replace-from"] {
        assert!(info.contains(part), "{info}");
    }
    let (code, out, error) = printed(folder, &["code", "parse", "-m", "one", "broken.py", "src/00.py"]);
    assert_eq!(code, Some(0), "{error}");
    assert!(
        out.contains("; broken.py: python, hybrid\n") && out.contains("; src/00.py: python, grammar\n"),
        "{out}"
    );
    assert_eq!(error, "2 files parsed: 1 by the grammar, 1 by grammar and model\n");
    let (code, out, _) = printed(folder, &["code", "parse", "-m", "one", "src/00.py", "--with", "model"]);
    assert_eq!(code, Some(0));
    assert!(out.starts_with("; src/00.py: python, model\n"), "{out}");
    let (code, out, error) =
        printed(folder, &["code", "damage", "-m", "one", "src", "--min-tokens", "10", "--damage", "many"]);
    assert_eq!(code, Some(0), "{error}");
    assert!(out.contains("grammar F") && out.contains("model F") && out.contains("hybrid F"), "{out}");
    // A model knows one language.
    fs::write(folder.join("a.rs"), "fn f() {}\n").unwrap();
    let (code, _, error) = printed(folder, &["code", "parse", "-m", "one", "a.rs", "--with", "model"]);
    assert_eq!(code, Some(1));
    assert_eq!(error, "error: a.rs: found a file of rust, expected one of the language of the model\n");
    let (code, out, _) = printed(folder, &["code", "parse", "-m", "one", "a.rs"]);
    assert_eq!((code, out.lines().next()), (Some(0), Some("; a.rs: rust, grammar")));
}
