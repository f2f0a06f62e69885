//! Treebanks and scores that are not part of the project, for tests that want real ones.

use std::path::PathBuf;

use crate::skipped;

/// The folder of treebank folders that `QUAICH_TREEBANKS` names.
pub fn treebanks() -> Option<PathBuf> {
    folder("QUAICH_TREEBANKS", "a folder of treebanks")
}

/// The folder that `QUAICH_SCORER_VECTORS` names: pairs of files, and what the scorers of the shared tasks print for them.
pub fn scorer_vectors() -> Option<PathBuf> {
    folder("QUAICH_SCORER_VECTORS", "a folder of what scorers print")
}

/// The folder that a variable names. Where it names none the test that asks for it is skipped, and that is said.
fn folder(variable: &str, what: &str) -> Option<PathBuf> {
    let folder = std::env::var_os(variable).map(PathBuf::from);
    if folder.is_none() {
        skipped(&format!("{variable} does not name {what}"));
    }
    folder
}
