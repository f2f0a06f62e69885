//! Real treebanks and scorer output outside the repository, for tests that use them.

use std::path::PathBuf;

use crate::skipped;

/// Returns the folder of treebank folders in `QUAICH_TREEBANKS`.
pub fn treebanks() -> Option<PathBuf> {
    folder("QUAICH_TREEBANKS", "a folder of treebanks")
}

/// Returns the folder in `QUAICH_SCORER_VECTORS`: pairs of files, and the output of the shared tasks' scorers.
pub fn scorer_vectors() -> Option<PathBuf> {
    folder("QUAICH_SCORER_VECTORS", "a folder with output of the scorers")
}

/// Returns the folder in a variable. If it is not set, the test is reported as skipped.
fn folder(variable: &str, what: &str) -> Option<PathBuf> {
    let folder = std::env::var_os(variable).map(PathBuf::from);
    if folder.is_none() {
        skipped(&format!("{variable} does not name {what}"));
    }
    folder
}
