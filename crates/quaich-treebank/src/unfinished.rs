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
    /// An empty file beside `place`; if there is a file, who may read and write it is kept.
    pub(crate) fn create(place: &Path) -> io::Result<(Self, File)> {
        let mut temporary = place.as_os_str().to_owned();
        temporary.push(format!(".{}.part", std::process::id()));
        let unfinished = Self { temporary: PathBuf::from(temporary) };
        let mut files = lock();
        let file = File::create(&unfinished.temporary);
        if file.is_ok() {
            files.insert(unfinished.temporary.clone());
        }
        drop(files);
        let file = file?;
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
