//! Treebanks and scores that are not part of the project, for tests that want real ones.

use std::io::Write;
use std::path::PathBuf;

/// The folder of treebank folders that `QUAICH_TREEBANKS` names.
pub fn treebanks() -> Option<PathBuf> {
    folder("QUAICH_TREEBANKS", "a folder of treebanks")
}

/// The folder that `QUAICH_SCORER_VECTORS` names: pairs of files, and what the scorers of the shared tasks print for them.
pub fn scorer_vectors() -> Option<PathBuf> {
    folder("QUAICH_SCORER_VECTORS", "a folder of what scorers print")
}

/// The folder that a variable names. Where it names none the test that asks for it is skipped, and that is said where everybody
/// sees it: what a test prints otherwise is shown only if it fails.
fn folder(variable: &str, what: &str) -> Option<PathBuf> {
    let folder = std::env::var_os(variable).map(PathBuf::from);
    if folder.is_none() {
        let thread = std::thread::current();
        let test = thread.name().unwrap_or("a test");
        // Whoever cannot read it does not need it.
        let _ = writeln!(std::io::stderr(), "skipped: {test} ({variable} does not name {what})");
    }
    folder
}
