//! Workspace tasks: `cargo xtask ci` runs all checks and tests, `cargo xtask python` those of the Python package, `cargo xtask
//! phrases` the check of wording alone, `cargo xtask pages` that of links, `cargo xtask bench` the benchmarks.

mod bench;
mod ci;
mod modules;
mod pages;
mod phrases;
mod python;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match &arguments[..] {
        ["ci"] => ci::run(),
        ["python"] => python::run(),
        ["phrases"] => ci::check_phrases(),
        ["pages"] => ci::check_pages(),
        ["bench", name, options @ ..] => bench::run(name, options),
        _ => {
            say(&format!(
                "usage: cargo xtask ci\n       cargo xtask python\n       cargo xtask phrases\n       cargo xtask pages\n{}",
                bench::usage()
            ));
            ExitCode::from(2)
        }
    }
}

/// Prints a message for the developer.
#[allow(clippy::print_stderr, reason = "the only place where xtask prints")]
fn say(message: &str) {
    eprintln!("{message}");
}
