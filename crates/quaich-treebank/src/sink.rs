//! Where bytes go: standard output, or a file that appears only when it is complete.

use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use crate::compression::{Compression, Packer};
use crate::error::{Error, Result};
use crate::unfinished::Unfinished;
use crate::visible::Visible;

/// An output. A file is written beside its place and renamed by [`Sink::finish`]; a sink that is
/// dropped before that leaves nothing behind. Names that end in `.gz`, `.zst`, `.xz` or
/// `.bz2` are compressed. Errors name the file.
///
/// A file that is there already keeps who may read and write it, and a link goes on leading where it led.
pub struct Sink {
    stream: Stream,
    /// The file's name for messages.
    name: String,
    /// The file beside its place, and the place.
    place: Option<(Unfinished, PathBuf)>,
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
    /// Opens a file for writing, or standard output for none or `-`. On a terminal, what it would obey instead of
    /// showing it is made [visible](crate::visible).
    pub fn create(path: Option<&Path>) -> Result<Self> {
        Self::open(path, true)
    }

    /// The same for what is made to be obeyed by a terminal: drawings with colours.
    pub fn for_drawing(path: Option<&Path>) -> Result<Self> {
        Self::open(path, false)
    }

    fn open(path: Option<&Path>, visible: bool) -> Result<Self> {
        let Some(path) = path.filter(|path| path.as_os_str() != "-") else {
            let stream: Box<dyn Write + Send> = if visible && io::stdout().is_terminal() {
                Box::new(Visible::new(io::stdout()))
            } else {
                Box::new(io::stdout())
            };
            return Ok(Self {
                stream: Stream::Plain(BufWriter::with_capacity(1 << 17, stream)),
                name: "<stdout>".to_owned(),
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
            let file = File::create(path).map_err(failed)?;
            let file: Box<dyn Write + Send> =
                if visible && file.is_terminal() { Box::new(Visible::new(file)) } else { Box::new(file) };
            let stream = Stream::Plain(BufWriter::with_capacity(1 << 17, file));
            return Ok(Self { stream, name, place: None });
        }
        let place = end_of_links(path).map_err(failed)?;
        let (unfinished, file) = Unfinished::create(&place).map_err(failed)?;
        let stream = Compression::for_writing(path).compress(file).map_err(failed)?;
        Ok(Self { stream: Stream::File(stream), name, place: Some((unfinished, place)) })
    }

    /// Whether a file of that name is compressed.
    pub fn compresses(path: &Path) -> bool {
        Compression::for_writing(path) != Compression::None
    }

    /// Writes what is left and puts the file in its place.
    pub fn finish(mut self) -> Result<()> {
        let name = std::mem::take(&mut self.name);
        let failed = |source| Error::io(&name, source);
        match std::mem::replace(&mut self.stream, Stream::Closed) {
            Stream::Plain(mut stream) => stream.flush().map_err(failed)?,
            Stream::File(stream) => stream.finish().map_err(failed)?,
            Stream::Closed => {}
        }
        match self.place {
            Some((unfinished, path)) => unfinished.put(&path).map_err(failed),
            None => Ok(()),
        }
    }

    /// An error of the same kind that names the file.
    fn named(&self, source: io::Error) -> io::Error {
        io::Error::new(source.kind(), Error::io(&self.name, source))
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

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match &mut self.stream {
            Stream::Plain(stream) => stream.write(bytes),
            Stream::File(stream) => stream.write(bytes),
            Stream::Closed => Err(io::ErrorKind::BrokenPipe.into()),
        };
        written.map_err(|source| self.named(source))
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = match &mut self.stream {
            Stream::Plain(stream) => stream.flush(),
            Stream::File(stream) => stream.flush(),
            Stream::Closed => Ok(()),
        };
        flushed.map_err(|source| self.named(source))
    }
}
