//! Where bytes go: standard output, or a file that appears only when it is complete.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::source::Compression;

/// An output. A file is written beside its place and renamed by [`Sink::finish`]; a sink that is
/// dropped before that leaves nothing behind. Names that end in `.gz` or `.zst` are compressed.
pub struct Sink {
    stream: Stream,
    /// The temporary file and its final place.
    place: Option<(PathBuf, PathBuf)>,
}

enum Stream {
    Plain(BufWriter<Box<dyn Write + Send>>),
    Gzip(flate2::write::GzEncoder<BufWriter<File>>),
    #[cfg(feature = "zstd")]
    Zstd(zstd::Encoder<'static, BufWriter<File>>),
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
        let mut temporary = path.as_os_str().to_owned();
        temporary.push(format!(".{}.part", std::process::id()));
        let temporary = PathBuf::from(temporary);
        let file = File::create(&temporary).map_err(failed)?;
        let stream = match Compression::for_writing(path) {
            Compression::None => Stream::Plain(BufWriter::with_capacity(1 << 17, Box::new(file))),
            Compression::Gzip => {
                // No time and no name in the header: the same content gives the same bytes.
                Stream::Gzip(flate2::write::GzEncoder::new(
                    BufWriter::new(file),
                    flate2::Compression::default(),
                ))
            }
            #[cfg(feature = "zstd")]
            Compression::Zstd => Stream::Zstd(zstd::Encoder::new(BufWriter::new(file), 3).map_err(failed)?),
            #[cfg(not(feature = "zstd"))]
            Compression::Zstd => return Err(failed(crate::source::no_zstd())),
        };
        Ok(Self { stream, place: Some((temporary, path.to_owned())) })
    }

    /// Writes what is left and puts the file in its place.
    pub fn finish(mut self) -> Result<()> {
        let name = self.place.as_ref().map_or("<stdout>".to_owned(), |(_, path)| path.display().to_string());
        let failed = |source| Error::io(&name, source);
        match std::mem::replace(&mut self.stream, Stream::Closed) {
            Stream::Plain(mut stream) => stream.flush().map_err(failed)?,
            Stream::Gzip(stream) => stream.finish().and_then(|mut file| file.flush()).map_err(failed)?,
            #[cfg(feature = "zstd")]
            Stream::Zstd(stream) => stream.finish().and_then(|mut file| file.flush()).map_err(failed)?,
            Stream::Closed => {}
        }
        if let Some((temporary, path)) = self.place.take() {
            fs::rename(&temporary, &path).map_err(failed)?;
        }
        Ok(())
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.stream {
            Stream::Plain(stream) => stream.write(bytes),
            Stream::Gzip(stream) => stream.write(bytes),
            #[cfg(feature = "zstd")]
            Stream::Zstd(stream) => stream.write(bytes),
            Stream::Closed => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.stream {
            Stream::Plain(stream) => stream.flush(),
            Stream::Gzip(stream) => stream.flush(),
            #[cfg(feature = "zstd")]
            Stream::Zstd(stream) => stream.flush(),
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
