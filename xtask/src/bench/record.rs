//! Figures that are kept in a file of the project: hours of measuring are not to be lost, and one treebank can be measured at a time.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What was measured before; nothing where there is no file yet.
pub(super) fn load<T: Default>(record: &Path, read: impl Fn(&str) -> io::Result<T>) -> io::Result<T> {
    match fs::read_to_string(record) {
        Ok(text) => read(&text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(T::default()),
        Err(error) => Err(error),
    }
}

/// Saves the measurements to a temporary file first, then renames it, so that the record is always complete.
pub(super) fn save(record: &Path, text: &str) -> io::Result<()> {
    let new = record.with_extension("new");
    fs::write(&new, text)?;
    fs::rename(&new, record)
}

/// The folder of treebanks, which the environment names.
pub(super) fn treebanks() -> io::Result<PathBuf> {
    let folder = std::env::var_os("QUAICH_TREEBANKS").map(PathBuf::from);
    folder.ok_or_else(|| io::Error::other("QUAICH_TREEBANKS has to name a folder of treebanks"))
}
