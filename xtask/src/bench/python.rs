//! The Python package against the command line: `benchmarks/python.py`, run in the environment that `cargo xtask python` makes.

use std::env;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{Place, machine};

pub(super) const USAGE: &str =
    "[TREEBANK_FOLDER [--only NAME,NAME] [--copies N] [--engine-copies N] [--models FOLDER] [--epochs N]]";
pub(super) const PAGE: &str = "docs/results/python.md";

/// The interpreter with the package and everything that is compared.
const PYTHON: &str = "target/python/environment/bin/python";

pub(super) fn run(place: &Place, options: &[&str]) -> io::Result<String> {
    let (treebank, others) = match options {
        [] => {
            let treebanks = env::var_os("QUAICH_TREEBANKS")
                .ok_or_else(|| io::Error::other("expected QUAICH_TREEBANKS, a folder of treebanks"))?;
            (Path::new(&treebanks).join("maltese-mudt"), options)
        }
        [folder, others @ ..] => (PathBuf::from(folder), others),
    };
    let python = place.root.join(PYTHON);
    if !python.exists() {
        return Err(io::Error::other(format!("{PYTHON} was not found; `cargo xtask python` makes it")));
    }
    let mut command = Command::new(python);
    command.arg(place.root.join("benchmarks/python.py")).arg(treebank).args(others).stderr(Stdio::inherit());
    let output = command.output()?;
    if !output.status.success() {
        return Err(io::Error::other(format!("benchmarks/python.py: {}", output.status)));
    }
    let table = String::from_utf8_lossy(&output.stdout);
    Ok(format!(
        "# Python, Arrow, Spark and Ray against the command line\n\n\
         Made by `cargo xtask bench python` on {}: {}.\n\n\
         Speeds and ratios are of processor seconds, the start of the command line included, the least of three \
         runs (for engines, one run). Rows with *clock* are of time on the clock, which other work on the machine \
         changes: the load average says how busy it was. *Asked* is what the package is meant \
         to reach. *Key and new columns*: of the input, only a key is kept.\n\n{table}",
        machine::today(),
        machine::cpu()
    ))
}
