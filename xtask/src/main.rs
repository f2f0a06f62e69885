//! Chores of the workspace: `cargo xtask ci` before a change is handed in, `cargo xtask bench` to measure.

mod bench;
mod ci;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["ci"] => ci::run(),
        ["bench", name] => bench::run(name, 100),
        ["bench", name, times] if times.parse::<usize>().is_ok() => {
            bench::run(name, times.parse().unwrap_or(100))
        }
        _ => {
            say("usage: cargo xtask ci\n       cargo xtask bench NAME [TIMES]");
            ExitCode::from(2)
        }
    }
}

/// Tells the developer something.
#[allow(clippy::print_stderr, reason = "the one place where the chores speak")]
fn say(message: &str) {
    eprintln!("{message}");
}
