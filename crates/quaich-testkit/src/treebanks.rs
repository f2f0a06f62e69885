//! Treebanks that are not part of the project, for tests that want real ones.

use std::io::Write;
use std::path::PathBuf;

/// The folder of treebank folders that `QUAICH_TREEBANKS` names. Where it names none the test that asks for it is skipped, and
/// that is said where everybody sees it: what a test prints otherwise is shown only if it fails.
pub fn treebanks() -> Option<PathBuf> {
    let folder = std::env::var_os("QUAICH_TREEBANKS").map(PathBuf::from);
    if folder.is_none() {
        let thread = std::thread::current();
        let test = thread.name().unwrap_or("a test");
        // Whoever cannot read it does not need it.
        let _ = writeln!(
            std::io::stderr(),
            "skipped: {test} (QUAICH_TREEBANKS does not name a folder of treebanks)"
        );
    }
    folder
}
