//! Chores of the workspace: `cargo xtask ci` before a change is handed in, `cargo xtask bench` to measure.

mod bench;
mod ci;
mod modules;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match &arguments[..] {
        ["ci"] => ci::run(),
        ["bench", name, options @ ..] => bench::run(name, options),
        _ => {
            say(&format!("usage: cargo xtask ci\n{}", bench::usage()));
            ExitCode::from(2)
        }
    }
}

/// Tells the developer something.
#[allow(clippy::print_stderr, reason = "the one place where the chores speak")]
fn say(message: &str) {
    eprintln!("{message}");
}
