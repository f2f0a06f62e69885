//! Tells the program what it is built with, for `--version`: nothing that differs between two builds of the same.

#![allow(clippy::print_stdout, reason = "this is how build scripts talk to cargo")]

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let version = env::var_os("RUSTC")
        .and_then(|rustc| Command::new(rustc).arg("--version").output().ok())
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .unwrap_or_else(|| "unknown".to_owned());
    // What follows in parentheses is the compiler's own history.
    let compiler = version.split(" (").next().unwrap_or_default().trim();
    println!("cargo::rustc-env=QUAICH_COMPILER={compiler}");
    println!("cargo::rustc-env=QUAICH_TARGET={}", env::var("TARGET").unwrap_or_default());
    let mut features: Vec<String> = env::vars()
        .filter_map(|(name, _)| Some(name.strip_prefix("CARGO_FEATURE_")?.to_lowercase().replace('_', "-")))
        .filter(|feature| feature != "default")
        .collect();
    features.sort();
    println!("cargo::rustc-env=QUAICH_FEATURES={}", features.join(", "));
}
