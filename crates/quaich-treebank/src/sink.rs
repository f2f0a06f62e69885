//! Where bytes go: standard output, or a file that appears only when it is complete.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::compression::{Compression, Packer};
use crate::error::{Error, Result};

/// An output. A file is written beside its place and renamed by [`Sink::finish`]; a sink that is
/// dropped before that leaves nothing behind. Names that end in `.gz`, `.zst`, `.xz` or
/// `.bz2` are compressed.
///
/// A file that is there already keeps who may read and write it, and a link goes on leading where it led.
pub struct Sink {
    stream: Stream,
    /// The temporary file and its final place.
    place: Option<(PathBuf, PathBuf)>,
}

enum Stream {
    Plain(BufWriter<Box<dyn Write + Send>>),
    File(Box<dyn Packer>),
    Closed,
}

impl std::fmt::Debug for Sink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sink").field("place", &self.place).finish_non_exhaustive()
    }
}

impl Sink {
    /// Opens a file for writing, or standard output for none or `-`.
    pub fn create(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path.filter(|path| path.as_os_str() != "-") else {
            let stream: Box<dyn Write + Send> = Box::new(io::stdout());
            return Ok(Self {
                stream: Stream::Plain(BufWriter::with_capacity(1 << 17, stream)),
                place: None,
            });
        };
        let name = path.display().to_string();
        let failed = |source| Error::io(&name, source);
        if path.is_dir() {
            return Err(failed(io::Error::new(
                io::ErrorKind::IsADirectory,
                "is a directory, expected a file",
            )));
        }
        // Devices and pipes are written straight: renaming over them would replace them.
        if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
            let file: Box<dyn Write + Send> = Box::new(File::create(path).map_err(failed)?);
            return Ok(Self { stream: Stream::Plain(BufWriter::with_capacity(1 << 17, file)), place: None });
        }
        let place = end_of_links(path).map_err(failed)?;
        let mut temporary = place.as_os_str().to_owned();
        temporary.push(format!(".{}.part", std::process::id()));
        let temporary = PathBuf::from(temporary);
        let file = File::create(&temporary).map_err(failed)?;
        if let Ok(existing) = fs::metadata(&place) {
            // Some file systems know no modes; then there is none to keep.
            let _ = file.set_permissions(existing.permissions());
        }
        let stream = Compression::for_writing(path).compress(file).map_err(|source| {
            let _ = fs::remove_file(&temporary);
            failed(source)
        })?;
        Ok(Self { stream: Stream::File(stream), place: Some((temporary, place)) })
    }

    /// Writes what is left and puts the file in its place.
    pub fn finish(mut self) -> Result<()> {
        let name = self.place.as_ref().map_or("<stdout>".to_owned(), |(_, path)| path.display().to_string());
        let failed = |source| Error::io(&name, source);
        match std::mem::replace(&mut self.stream, Stream::Closed) {
            Stream::Plain(mut stream) => stream.flush().map_err(failed)?,
            Stream::File(stream) => stream.finish().map_err(failed)?,
            Stream::Closed => {}
        }
        if let Some((temporary, path)) = self.place.take() {
            put(&temporary, &path).map_err(failed)?;
        }
        Ok(())
    }
}

/// The file that a path leads to, whether it is there or not.
fn end_of_links(path: &Path) -> io::Result<PathBuf> {
    // As many as Linux follows.
    const MOST: usize = 40;
    let mut place = path.to_owned();
    for _ in 0..MOST {
        match fs::read_link(&place) {
            Ok(target) => place = place.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => return Ok(place),
        }
    }
    Err(io::Error::other("is a link that leads nowhere, expected a file"))
}

/// Puts a finished file in its place. Where the file there has other names as well they would go on naming the old
/// content, so it gets the new content instead.
fn put(temporary: &Path, place: &Path) -> io::Result<()> {
    if n_names(place) > 1 {
        fs::copy(temporary, place)?;
        return fs::remove_file(temporary);
    }
    fs::rename(temporary, place)
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

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.stream {
            Stream::Plain(stream) => stream.write(bytes),
            Stream::File(stream) => stream.write(bytes),
            Stream::Closed => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.stream {
            Stream::Plain(stream) => stream.flush(),
            Stream::File(stream) => stream.flush(),
            Stream::Closed => Ok(()),
        }
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        if let Some((temporary, _)) = self.place.take() {
            // Nothing can be done if this fails; the file's name says that it is a part.
            let _ = fs::remove_file(temporary);
        }
    }
}
