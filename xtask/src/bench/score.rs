//! What `quaich eval` makes of a parse.

use std::io;
use std::path::Path;
use std::process::Command;

use super::process::output;

/// The labelled attachment score of a parsed file.
pub(super) fn las(program: &Path, gold: &Path, parsed: &Path) -> io::Result<f64> {
    let json = output(Command::new(program).args(["eval", "--quiet", "--json"]).arg(gold).arg(parsed))?;
    let json = String::from_utf8_lossy(&json);
    let las = json.lines().find_map(|line| line.trim().strip_prefix("\"las\": "));
    las.and_then(|las| las.trim_end_matches(',').parse().ok()).ok_or_else(|| io::Error::other("no score"))
}
