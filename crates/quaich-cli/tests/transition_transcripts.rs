//! The transcripts of `oracle` and `trace`, which are also the manual's examples: what is typed after `$` must
//! print what stands below it. `[..]` stands for any rest of a line, `? N` for the exit code.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The words of a command line; double quotes keep words together.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (place, part) in line.split('"').enumerate() {
        if place % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

fn check(file: &str) {
    let text = std::fs::read_to_string(root().join(file)).unwrap();
    let mut n_commands = 0;
    for block in text.split("```console\n").skip(1) {
        let block = block.split("```").next().unwrap();
        let (command, expected) = block.split_once('\n').unwrap();
        let arguments = words(command.strip_prefix("$ quaich ").unwrap());
        let output =
            Command::new(env!("CARGO_BIN_EXE_quaich")).args(arguments).current_dir(root()).output().unwrap();
        let (code, expected) = match expected.strip_prefix("? ").and_then(|rest| rest.split_once('\n')) {
            Some((code, rest)) => (code.parse().unwrap(), rest),
            None => (0, expected),
        };
        assert_eq!(output.status.code(), Some(code), "{file}: {command}");
        let found = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
        let (found, expected): (Vec<&str>, Vec<&str>) =
            (found.trim_end().lines().collect(), expected.trim_end().lines().collect());
        let fits = |(found, expected): (&&str, &&str)| match expected.split_once("[..]") {
            Some((before, after)) => found.starts_with(before) && found.ends_with(after),
            None => found == expected,
        };
        let same = found.len() == expected.len() && found.iter().zip(&expected).all(fits);
        assert!(same, "{file}: {command}\nexpected:\n{}\nfound:\n{}", expected.join("\n"), found.join("\n"));
        n_commands += 1;
    }
    assert!(n_commands > 0);
}

#[test]
fn oracle() {
    check("tests/commands/oracle.md");
}

#[test]
fn trace() {
    check("tests/commands/trace.md");
}

#[test]
fn manual() {
    check("docs/systems.md");
}
