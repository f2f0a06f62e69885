//! `cargo xtask ci`: what must pass before a change is handed in.

use std::process::{Command, ExitCode};

use crate::say;

/// The steps in order: what is quickly found wrong comes first, the tests last.
const STEPS: &[(&str, &[&str])] = &[
    ("formatting", &["fmt", "--all", "--check"]),
    ("lints", &["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"]),
    ("without zstd", &["check", "--package", "quaich-cli", "--no-default-features"]),
    ("documentation", &["doc", "--workspace", "--no-deps"]),
    ("tests", &["test", "--workspace"]),
];

/// Runs every step; stops at the first that fails.
pub(crate) fn run() -> ExitCode {
    for (name, arguments) in STEPS {
        say(&format!("== {name}: cargo {}", arguments.join(" ")));
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let status = Command::new(cargo).args(*arguments).env("RUSTDOCFLAGS", "--deny warnings").status();
        match status {
            Ok(status) if status.success() => {}
            Ok(_) => {
                say(&format!("== {name} failed"));
                return ExitCode::FAILURE;
            }
            Err(error) => {
                say(&format!("== cargo did not start: {error}"));
                return ExitCode::FAILURE;
            }
        }
    }
    say("== all passed");
    ExitCode::SUCCESS
}
