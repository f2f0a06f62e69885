//! `cargo xtask ci`: the checks and tests that every change must pass.

use std::collections::BTreeSet;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Command, ExitCode, Stdio};

use crate::{modules, pages, phrases, say};

/// A step: its name and the arguments of cargo.
type Step = (&'static str, &'static [&'static str]);

/// The steps in order: fast checks first, tests last.
const STEPS: &[Step] = &[
    ("formatting", &["fmt", "--all", "--check"]),
    ("dependencies", &["deny", "check", "bans", "licenses", "sources"]),
    ("lints", &["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"]),
    ("without zstd", &["check", "--package", "quaich-cli", "--no-default-features"]),
    ("documentation", &["doc", "--workspace", "--no-deps"]),
    ("tests", &["test", "--workspace"]),
    ("example: evaluate", &["run", "--quiet", "--package", "quaich", "--example", "evaluate"]),
    ("example: draw", &["run", "--quiet", "--package", "quaich", "--example", "draw"]),
    ("example: derivation", &["run", "--quiet", "--package", "quaich", "--example", "derivation"]),
    (
        "example: threads_and_progress",
        &["run", "--quiet", "--package", "quaich", "--example", "threads_and_progress"],
    ),
    ("example: train_and_parse", &["run", "--quiet", "--package", "quaich", "--example", "train_and_parse"]),
];

/// The working directory of examples, with a treebank for `train_and_parse`.
const EXAMPLES: &str = "target/examples";

/// The beginning of the line that a skipped test prints.
const SKIPPED: &str = "skipped: ";

/// Checks the phrases of all texts.
pub(crate) fn check_phrases() -> ExitCode {
    report("phrases", phrases::check())
}

/// Checks the links and lengths of pages.
pub(crate) fn check_pages() -> ExitCode {
    report("pages", pages::check())
}

/// Prints the result of a check: the number of files, or what was found in them.
fn report(name: &str, result: Result<usize, Vec<String>>) -> ExitCode {
    match result {
        Ok(n_files) => {
            say(&format!("== {name}: {n_files} files checked"));
            ExitCode::SUCCESS
        }
        Err(found) => {
            say(&found.join("\n"));
            say(&format!("== {name} failed"));
            ExitCode::FAILURE
        }
    }
}

/// Runs every step; stops at the first that fails.
pub(crate) fn run() -> ExitCode {
    let mut skipped = BTreeSet::new();
    for check in [check_phrases, check_pages] {
        let checked = check();
        if checked != ExitCode::SUCCESS {
            return checked;
        }
    }
    if let Err(cycle) = modules::check() {
        say(&format!("== {cycle}"));
        return ExitCode::FAILURE;
    }
    for &(name, arguments) in STEPS {
        say(&format!("== {name}: cargo {}", arguments.join(" ")));
        if arguments[0] == "deny" && !has_deny() {
            say("== dependencies are not checked: cargo-deny is not installed");
            continue;
        }
        let mut command = cargo();
        command.args(arguments).env("RUSTDOCFLAGS", "--deny warnings").stderr(Stdio::piped());
        if arguments[0] == "run" {
            if let Err(error) = prepare_examples() {
                say(&format!("== {EXAMPLES}: {error}"));
                return ExitCode::FAILURE;
            }
            command.current_dir(EXAMPLES);
        }
        match succeeds(command, &mut skipped) {
            Ok(true) => {}
            Ok(false) => {
                say(&format!("== {name} failed"));
                return ExitCode::FAILURE;
            }
            Err(error) => {
                say(&format!("== cargo did not start: {error}"));
                return ExitCode::FAILURE;
            }
        }
    }
    say(&outcome(skipped.len()));
    ExitCode::SUCCESS
}

fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Writes the first sentences of the sample treebank to the working directory of examples.
fn prepare_examples() -> io::Result<()> {
    const SENTENCES: usize = 60;
    std::fs::create_dir_all(EXAMPLES)?;
    let sample = std::fs::read_to_string("data/sample/train.conllu")?;
    let first: String = sample.split_inclusive("\n\n").take(SENTENCES).collect();
    std::fs::write(format!("{EXAMPLES}/train.conllu"), first)
}

fn has_deny() -> bool {
    let mut command = cargo();
    let status = command.args(["deny", "--version"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// Runs a command, shows its output and collects the tests that are skipped. Returns whether it succeeds.
fn succeeds(mut command: Command, skipped: &mut BTreeSet<Vec<u8>>) -> io::Result<bool> {
    let mut child = command.spawn()?;
    if let Some(stderr) = child.stderr.take() {
        show(BufReader::new(stderr), io::stderr(), skipped)?;
    }
    Ok(child.wait()?.success())
}

/// Copies lines and collects those of skipped tests; a test may print its line more than once.
fn show(mut from: impl BufRead, mut to: impl Write, skipped: &mut BTreeSet<Vec<u8>>) -> io::Result<()> {
    let mut line = Vec::new();
    while from.read_until(b'\n', &mut line)? > 0 {
        // Output that cannot be written is ignored.
        let _ = to.write_all(&line);
        if line.starts_with(SKIPPED.as_bytes()) {
            skipped.insert(std::mem::take(&mut line));
        }
        line.clear();
    }
    Ok(())
}

fn outcome(n_skipped: usize) -> String {
    match n_skipped {
        0 => "== all passed, no test was skipped".to_owned(),
        1 => "== all passed, but 1 test or a part of it was skipped because a tool or data are missing"
            .to_owned(),
        n => format!(
            "== all passed, but {n} tests or parts of them were skipped because a tool or data are missing"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skipped_tests_are_counted() {
        let output = "   Compiling x\nskipped: a (no data)\nskipped: b (no browser)\nskipped: a (no data)\nx skipped: c";
        let (mut shown, mut skipped) = (Vec::new(), BTreeSet::new());
        show(output.as_bytes(), &mut shown, &mut skipped).unwrap();
        assert_eq!(String::from_utf8(shown).unwrap(), output);
        assert_eq!(skipped.len(), 2);
        assert!(outcome(2).contains("2 tests"));
    }
}
