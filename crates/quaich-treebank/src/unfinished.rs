//! Temporary files for output in progress, registered with the process, which can remove them when it receives SIGTERM.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A temporary file next to its final path. It is removed when dropped before it is put in place.
#[derive(Debug)]
pub(crate) struct Unfinished {
    temporary: PathBuf,
}

impl Unfinished {
    /// Creates an empty file next to `place`, with a unique name; if there is a file at `place`, its permissions are
    /// kept.
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
            // Some file systems have no permissions to keep.
            let _ = file.set_permissions(existing.permissions());
        }
        Ok((unfinished, file))
    }

    /// Moves the file into place. If the existing file has other hard links, they would keep the old content, so the
    /// file is overwritten instead.
    pub(crate) fn put(self, place: &Path) -> io::Result<()> {
        let _files = lock();
        if n_names(place) > 1 {
            return fs::copy(&self.temporary, place).map(|_| ());
        }
        fs::rename(&self.temporary, place)
    }
}

/// The number of names tried. Such files are left by a killed process with the same id.
const MOST_NAMES: u32 = 100;

/// Returns a name next to `place`, with the id of this process, and a number after the first attempt.
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
            // The file is gone if it was put in place. A failure is ignored: the name marks the file as temporary.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// Removes all unfinished files of this process, and prevents new ones from being created or finished: for programs
/// that are about to exit, on a signal or because memory has run out.
pub fn remove_unfinished() {
    // The lock is free again in a moment, unless this thread holds it because it ran out of memory there.
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
            // A failure is ignored here too.
            let _ = fs::remove_file(file);
        }
        std::mem::forget(files);
        return;
    }
}

fn lock() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the number of hard links of a file.
#[cfg(unix)]
fn n_names(place: &Path) -> u64 {
    fs::metadata(place).map_or(0, |metadata| std::os::unix::fs::MetadataExt::nlink(&metadata))
}

/// Returns the number of hard links of a file; one, on systems where it is not easily known.
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
