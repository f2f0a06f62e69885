//! Files that are being written: beside their place until they are complete, and known to the whole process, so that
//! one that is told to end can take them away first.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A file beside its place. Dropped before it is put there, it is removed.
#[derive(Debug)]
pub(crate) struct Unfinished {
    temporary: PathBuf,
}

impl Unfinished {
    /// An empty file beside `place`, with a name that no other file has; if there is a file at `place`, who may read and
    /// write it is kept.
    pub(crate) fn create(place: &Path) -> io::Result<(Self, File)> {
        let mut files = lock();
        let mut names = (0..MOST_NAMES).map(|number| temporary_name(place, number));
        let (temporary, file) = loop {
            let Some(name) = names.next() else { return Err(io::ErrorKind::AlreadyExists.into()) };
            match File::create_new(&name) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                file => break (name, file?),
            }
        };
        files.insert(temporary.clone());
        drop(files);
        let unfinished = Self { temporary };
        if let Ok(existing) = fs::metadata(place) {
            // Some file systems know no modes; then there is none to keep.
            let _ = file.set_permissions(existing.permissions());
        }
        Ok((unfinished, file))
    }

    /// Puts the file in its place. Where the file there has other names as well they would go on naming the old content,
    /// so it gets the new content instead.
    pub(crate) fn put(self, place: &Path) -> io::Result<()> {
        let _files = lock();
        if n_names(place) > 1 {
            return fs::copy(&self.temporary, place).map(|_| ());
        }
        fs::rename(&self.temporary, place)
    }
}

/// As many names are tried. Files with such names are there where a process with the same number was killed.
const MOST_NAMES: u32 = 100;

/// A name beside `place`: with the number of this process, and after the first with another number.
fn temporary_name(place: &Path, number: u32) -> PathBuf {
    let mut name = place.as_os_str().to_owned();
    name.push(format!(".{}", std::process::id()));
    if number > 0 {
        name.push(format!("-{number}"));
    }
    name.push(".part");
    name.into()
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let mut files = lock();
        if files.remove(&self.temporary) {
            // It is not there any more if it was put in its place. Nothing can be done if this fails; the file's
            // name says that it is a part.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// Removes every unfinished file of this process, and lets none be begun or finished from here on: for programs
/// that are about to end, because they were told to or because there is no memory left.
pub fn remove_unfinished() {
    // Whoever holds the lock gives it back in a moment, unless it is this thread, which ran out of memory there.
    for _ in 0..100 {
        let files = match UNFINISHED.try_lock() {
            Ok(files) => files,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                std::thread::sleep(Duration::from_millis(1));
                continue;
            }
        };
        for file in &*files {
            // Nothing can be done if this fails either.
            let _ = fs::remove_file(file);
        }
        std::mem::forget(files);
        return;
    }
}

fn lock() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many names (hard links) a file has.
#[cfg(unix)]
fn n_names(place: &Path) -> u64 {
    fs::metadata(place).map_or(0, |metadata| std::os::unix::fs::MetadataExt::nlink(&metadata))
}

/// How many names a file has; one, where that is not easily told.
#[cfg(not(unix))]
fn n_names(_place: &Path) -> u64 {
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unfinished_file_replaces_no_other_file() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("out");
        let other = temporary_name(&place, 0);
        fs::write(&other, "kept").unwrap();
        let (unfinished, _) = Unfinished::create(&place).unwrap();
        assert_eq!(fs::read(&other).unwrap(), b"kept");
        drop(unfinished);
        assert_eq!(fs::read(&other).unwrap(), b"kept");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
