//! Where bytes come from: files or standard input, compressed or not, in any encoding.
//!
//! Compression is recognised from the first bytes, not from the file's name.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;

use encoding_rs::{CoderResult, Decoder, Encoding};

use crate::error::{Error, Result};

/// A stream of decompressed UTF-8 (or, without an encoding, of whatever bytes the file holds).
pub struct Source {
    stream: Box<dyn Read + Send>,
    name: String,
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Source").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Source {
    /// Opens a file, or standard input for `-`.
    pub fn open(path: &Path, encoding: Option<&'static Encoding>) -> Result<Self> {
        if path.as_os_str() == "-" {
            return Self::from_stream(io::stdin(), "<stdin>".to_owned(), encoding);
        }
        let name = path.display().to_string();
        let file = File::open(path).map_err(|source| Error::io(&name, source))?;
        Self::from_stream(file, name, encoding)
    }

    /// Any stream, with a name for messages.
    pub fn from_stream(
        mut stream: impl Read + Send + 'static,
        name: String,
        encoding: Option<&'static Encoding>,
    ) -> Result<Self> {
        let head = read_up_to(&mut stream, 4).map_err(|source| Error::io(&name, source))?;
        let compression = Compression::of(&head);
        let whole = Cursor::new(head).chain(stream);
        let stream = compression.decompress(whole).map_err(|source| Error::io(&name, source))?;
        let stream = match encoding {
            None => stream,
            Some(encoding) => Box::new(Transcode::new(stream, encoding)),
        };
        Ok(Self { stream, name })
    }

    /// The file's name for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Reads up to `limit` bytes, fewer only at the end of the input.
    pub(crate) fn peek(&mut self, limit: usize) -> Result<Vec<u8>> {
        read_up_to(&mut self.stream, limit).map_err(|source| Error::io(&self.name, source))
    }
}

impl Read for Source {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.stream.read(out)
    }
}

/// An encoding by its name, as the web knows it (`latin1`, `windows-1252`, `gb18030`, `utf-16le`, …).
pub fn encoding_by_name(name: &str) -> Result<&'static Encoding> {
    const COMMON: [&str; 10] = [
        "utf-8",
        "latin1",
        "windows-1252",
        "iso-8859-2",
        "windows-1250",
        "iso-8859-15",
        "koi8-r",
        "gb18030",
        "euc-jp",
        "utf-16le",
    ];
    Encoding::for_label(name.as_bytes()).ok_or_else(|| Error::unknown_name("encoding", name, COMMON))
}

fn read_up_to(stream: &mut impl Read, limit: usize) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    stream.by_ref().take(limit as u64).read_to_end(&mut head)?;
    Ok(head)
}

/// How a stream is compressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Compression {
    None,
    Gzip,
    Zstd,
}

impl Compression {
    fn of(head: &[u8]) -> Self {
        match head {
            [0x1f, 0x8b, ..] => Self::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Zstd,
            _ => Self::None,
        }
    }

    /// What a file's name asks for when it is written.
    pub(crate) fn for_writing(path: &Path) -> Self {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("gz") => Self::Gzip,
            Some("zst") => Self::Zstd,
            _ => Self::None,
        }
    }

    fn decompress(self, stream: impl Read + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
        Ok(match self {
            Self::None => Box::new(stream),
            Self::Gzip => Box::new(flate2::read::MultiGzDecoder::new(stream)),
            #[cfg(feature = "zstd")]
            Self::Zstd => Box::new(zstd::Decoder::new(stream)?),
            #[cfg(not(feature = "zstd"))]
            Self::Zstd => return Err(no_zstd()),
        })
    }
}

#[cfg(not(feature = "zstd"))]
pub(crate) fn no_zstd() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "this build does not read or write .zst (feature `zstd`)")
}

/// Decodes a stream to UTF-8 as it is read.
struct Transcode<R> {
    source: R,
    decoder: Decoder,
    input: Vec<u8>,
    start: usize,
    end: usize,
    /// Decoded text that did not fit in the caller's buffer.
    output: Vec<u8>,
    given: usize,
    finished: bool,
}

impl<R: Read> Transcode<R> {
    fn new(source: R, encoding: &'static Encoding) -> Self {
        Self {
            source,
            decoder: encoding.new_decoder_with_bom_removal(),
            input: vec![0; 1 << 16],
            start: 0,
            end: 0,
            output: Vec::new(),
            given: 0,
            finished: false,
        }
    }

    /// Decodes some more into `output`.
    fn decode(&mut self) -> io::Result<()> {
        if self.start == self.end {
            self.start = 0;
            self.end = self.source.read(&mut self.input)?;
            if self.end == 0 && self.finished {
                return Ok(());
            }
        }
        let last = self.end == 0;
        self.output.resize(1 << 17, 0);
        let (result, read, written, _) =
            self.decoder.decode_to_utf8(&self.input[self.start..self.end], &mut self.output, last);
        self.start += read;
        self.output.truncate(written);
        self.given = 0;
        self.finished = last && result == CoderResult::InputEmpty;
        Ok(())
    }
}

impl<R: Read> Read for Transcode<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.given == self.output.len() && !self.finished {
            self.decode()?;
        }
        let ready = &self.output[self.given..];
        let n = ready.len().min(out.len());
        out[..n].copy_from_slice(&ready[..n]);
        self.given += n;
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn read(bytes: Vec<u8>, encoding: Option<&str>) -> io::Result<String> {
        let encoding = encoding.map(|name| encoding_by_name(name).unwrap());
        let mut text = String::new();
        Source::from_stream(Cursor::new(bytes), "f".to_owned(), encoding)
            .unwrap()
            .read_to_string(&mut text)?;
        Ok(text)
    }

    #[test]
    fn compression_is_recognised_from_the_content() {
        let text = "1\tå\n\n".repeat(10_000);
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(text.as_bytes()).unwrap();
        let gzip = gzip.finish().unwrap();
        assert_eq!(read(text.clone().into_bytes(), None).unwrap(), text);
        assert_eq!(read(gzip.clone(), None).unwrap(), text);
        // Two members one after the other are one file.
        assert_eq!(read([gzip.clone(), gzip.clone()].concat(), None).unwrap(), text.repeat(2));
        assert!(read(gzip[..gzip.len() / 2].to_vec(), None).is_err());
        #[cfg(feature = "zstd")]
        assert_eq!(read(zstd::encode_all(text.as_bytes(), 1).unwrap(), None).unwrap(), text);
    }

    #[test]
    fn encodings_are_decoded() {
        let latin: Vec<u8> = b"bl\xe5b\xe6r\n".repeat(30_000);
        assert_eq!(read(latin, Some("latin1")).unwrap(), "blåbær\n".repeat(30_000));
        let wide: Vec<u8> = "åß\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(read(wide, Some("utf-16le")).unwrap(), "åß\n");
        assert_eq!(read(Vec::new(), Some("latin1")).unwrap(), "");
        assert!(encoding_by_name("latin-99").unwrap_err().to_string().contains("latin1"));
    }
}
