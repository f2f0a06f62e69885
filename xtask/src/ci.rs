//! `cargo xtask ci`: what must pass before a change is handed in.

use std::collections::BTreeSet;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Command, ExitCode, Stdio};

use crate::{modules, say};

/// A step: its name and the arguments of cargo.
type Step = (&'static str, &'static [&'static str]);

/// The steps in order: what is quickly found wrong comes first, the tests last.
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

/// Where examples run: `train_and_parse` finds a treebank there.
const EXAMPLES: &str = "target/examples";

/// How a line begins by which a test says that it is skipped.
const SKIPPED: &str = "skipped: ";

/// Runs every step; stops at the first that fails.
pub(crate) fn run() -> ExitCode {
    let mut skipped = BTreeSet::new();
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
        match passes(command, &mut skipped) {
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

/// Puts the first sentences of the sample where examples run.
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

/// Runs a command and shows what it says; notes the tests that are skipped. Whether it succeeds.
fn passes(mut command: Command, skipped: &mut BTreeSet<Vec<u8>>) -> io::Result<bool> {
    let mut child = command.spawn()?;
    if let Some(stderr) = child.stderr.take() {
        show(BufReader::new(stderr), io::stderr(), skipped)?;
    }
    Ok(child.wait()?.success())
}

/// Copies lines, and notes those of tests that are skipped; a test may say so more than once.
fn show(mut from: impl BufRead, mut to: impl Write, skipped: &mut BTreeSet<Vec<u8>>) -> io::Result<()> {
    let mut line = Vec::new();
    while from.read_until(b'\n', &mut line)? > 0 {
        // Whoever cannot read it does not need it.
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
        1 => "== all passed, but 1 test or a part of it was skipped for want of a tool or data".to_owned(),
        n => format!("== all passed, but {n} tests or parts of them were skipped for want of a tool or data"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_that_are_skipped_are_counted() {
        let told = "   Compiling x\nskipped: a (no data)\nskipped: b (no browser)\nskipped: a (no data)\nx skipped: c";
        let (mut shown, mut skipped) = (Vec::new(), BTreeSet::new());
        show(told.as_bytes(), &mut shown, &mut skipped).unwrap();
        assert_eq!(String::from_utf8(shown).unwrap(), told);
        assert_eq!(skipped.len(), 2);
        assert!(outcome(2).contains("2 tests"));
    }
}
