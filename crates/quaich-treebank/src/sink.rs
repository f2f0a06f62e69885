//! Output: standard output, or a file that appears only when it is complete.

use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use crate::compression::{Compression, Packer};
use crate::error::{Error, Result};
use crate::unfinished::Unfinished;
use crate::visible::{Filter, Style};

/// An output. A file is written under a temporary name and renamed by [`Sink::finish`]; a sink that is dropped before
/// leaves nothing behind. Names that end in `.gz`, `.zst`, `.xz` or `.bz2` are compressed. Errors name the file.
///
/// An existing file keeps its permissions, and a link keeps its target.
pub struct Sink {
    stream: Stream,
    /// Escapes control characters.
    filter: Option<Filter>,
    /// The file name for messages.
    name: String,
    /// The temporary file, and the path of the final one.
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
    /// Opens a file for writing, or standard output for `None` or `-`. On a terminal, control characters are
    /// [escaped](crate::visible).
    pub fn create(path: Option<&Path>) -> Result<Self> {
        let (mut sink, is_terminal) = Self::open(path)?;
        sink.filter = is_terminal.then(|| Filter::new(Style::People));
        Ok(sink)
    }

    /// Like `create`, for output that people read: control characters are escaped everywhere.
    pub fn for_people(path: Option<&Path>) -> Result<Self> {
        let (mut sink, _) = Self::open(path)?;
        sink.filter = Some(Filter::new(Style::People));
        Ok(sink)
    }

    /// Like `create`, for JSON: control characters are written as JSON escapes, with the same meaning.
    pub fn for_json(path: Option<&Path>) -> Result<Self> {
        let (mut sink, _) = Self::open(path)?;
        sink.filter = Some(Filter::new(Style::Json));
        Ok(sink)
    }

    /// Like `create`, for drawings with colours: nothing is escaped.
    pub fn for_drawing(path: Option<&Path>) -> Result<Self> {
        Ok(Self::open(path)?.0)
    }

    /// Opens a sink without a filter; returns whether it is a terminal.
    fn open(path: Option<&Path>) -> Result<(Self, bool)> {
        let Some(path) = path.filter(|path| path.as_os_str() != "-") else {
            let stdout = io::stdout();
            let is_terminal = stdout.is_terminal();
            return Ok((Self::plain(stdout, "<stdout>".to_owned()), is_terminal));
        };
        let name = path.display().to_string();
        let failed = |source| Error::io(&name, source);
        if path.is_dir() {
            return Err(failed(io::Error::new(
                io::ErrorKind::IsADirectory,
                "is a directory, expected a file",
            )));
        }
        // Devices and pipes are written directly: renaming would replace them.
        if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
            let file = File::create(path).map_err(failed)?;
            let is_terminal = file.is_terminal();
            return Ok((Self::plain(file, name), is_terminal));
        }
        let place = end_of_links(path).map_err(failed)?;
        let (unfinished, file) = Unfinished::create(&place).map_err(failed)?;
        let stream = Compression::for_writing(path).compress(file).map_err(failed)?;
        let (stream, place) = (Stream::File(stream), Some((unfinished, place)));
        Ok((Self { stream, filter: None, name, place }, false))
    }

    /// Creates a sink that is not a file.
    fn plain(stream: impl Write + Send + 'static, name: String) -> Self {
        let stream: Box<dyn Write + Send> = Box::new(stream);
        let stream = Stream::Plain(BufWriter::with_capacity(1 << 17, stream));
        Self { stream, filter: None, name, place: None }
    }

    /// Whether a file with this name is compressed.
    pub fn compresses(path: &Path) -> bool {
        Compression::for_writing(path) != Compression::None
    }

    /// Writes what remains and renames the file.
    pub fn finish(mut self) -> Result<()> {
        let name = std::mem::take(&mut self.name);
        let failed = |source| Error::io(&name, source);
        if let Some(filter) = &mut self.filter {
            filter.rest(|bytes| self.stream.write_all(bytes)).map_err(failed)?;
        }
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

    /// Returns an error of the same kind that names the file.
    fn named(&self, source: io::Error) -> io::Error {
        io::Error::new(source.kind(), Error::io(&self.name, source))
    }
}

/// Follows links to the file, which may not exist.
fn end_of_links(path: &Path) -> io::Result<PathBuf> {
    // The limit of Linux.
    const MOST: usize = 40;
    let mut place = path.to_owned();
    for _ in 0..MOST {
        match fs::read_link(&place) {
            Ok(target) => place = place.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => return Ok(place),
        }
    }
    Err(io::Error::other("is a broken link, expected a file"))
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(filter) = &mut self.filter else {
            return self.stream.write(bytes).map_err(|source| self.named(source));
        };
        if filter.push(bytes) {
            let given = filter.give(|shown| self.stream.write_all(shown));
            given.map_err(|source| self.named(source))?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let given = match &mut self.filter {
            Some(filter) => filter.give(|shown| self.stream.write_all(shown)),
            None => Ok(()),
        };
        given.and_then(|()| self.stream.flush()).map_err(|source| self.named(source))
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.write(bytes),
            Self::File(stream) => stream.write(bytes),
            Self::Closed => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(stream) => stream.flush(),
            Self::File(stream) => stream.flush(),
            Self::Closed => Ok(()),
        }
    }
}
