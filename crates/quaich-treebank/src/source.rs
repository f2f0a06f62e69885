//! Input: files or standard input, compressed or not, in any encoding.
//!
//! Compression and UTF-16 are detected from the first bytes, not from the file name.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use encoding_rs::Encoding;

use crate::compression::{self, Compression};
use crate::encoding::{self, Transcode, Undecodable};
use crate::error::{Error, Result};

/// A stream of decompressed UTF-8, or of the raw bytes of the file if no encoding is given.
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
    pub fn open(
        path: &Path,
        encoding: Option<&'static Encoding>,
        undecodable: Undecodable,
        meter: Meter,
    ) -> Result<Self> {
        if path.as_os_str() == "-" {
            let stream = Metered { stream: io::stdin(), meter };
            return Self::decoding(stream, "<stdin>".to_owned(), encoding, undecodable);
        }
        let name = path.display().to_string();
        let file = File::open(path).map_err(|source| Error::io(&name, source))?;
        Self::decoding(Metered { stream: file, meter }, name, encoding, undecodable)
    }

    /// Wraps a stream, with a name for messages.
    pub fn from_stream(
        stream: impl Read + Send + 'static,
        name: String,
        encoding: Option<&'static Encoding>,
    ) -> Result<Self> {
        Self::decoding(stream, name, encoding, Undecodable::default())
    }

    fn decoding(
        stream: impl Read + Send + 'static,
        name: String,
        encoding: Option<&'static Encoding>,
        undecodable: Undecodable,
    ) -> Result<Self> {
        let stream = decode(stream, encoding, undecodable).map_err(|source| Error::io(&name, source))?;
        Ok(Self { stream, name })
    }

    /// Returns the file name for messages.
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

/// Counts the bytes read from files, before decompression and decoding. Clones share one count.
#[derive(Clone, Debug, Default)]
pub struct Meter(Arc<AtomicU64>);

impl Meter {
    /// Returns the number of bytes read.
    pub fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

struct Metered<R> {
    stream: R,
    meter: Meter,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.stream.read(out)?;
        self.meter.0.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

/// Decodes a stream. UTF-8, valid or not, is unchanged: the reader reports invalid bytes.
fn decode(
    mut stream: impl Read + Send + 'static,
    encoding: Option<&'static Encoding>,
    undecodable: Undecodable,
) -> io::Result<Box<dyn Read + Send>> {
    let head = read_up_to(&mut stream, compression::HEAD)?;
    let mut stream = Compression::of(&head).decompress(Cursor::new(head).chain(stream))?;
    let head = read_up_to(&mut stream, encoding::HEAD)?;
    let encoding = match encoding {
        None => encoding::by_mark(&head)?.unwrap_or(encoding_rs::UTF_8),
        Some(encoding) => encoding,
    };
    let whole = Cursor::new(head).chain(stream);
    Ok(if encoding == encoding_rs::UTF_8 && undecodable == Undecodable::Refuse {
        Box::new(whole)
    } else {
        Box::new(Transcode::new(whole, encoding, undecodable))
    })
}

fn read_up_to(stream: &mut impl Read, limit: usize) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    stream.by_ref().take(limit as u64).read_to_end(&mut head)?;
    Ok(head)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn read(bytes: &[u8], encoding: Option<&'static Encoding>) -> String {
        let mut text = String::new();
        let mut source = Source::from_stream(Cursor::new(bytes.to_vec()), "f".to_owned(), encoding).unwrap();
        source.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn compression_and_marks_are_recognised_from_the_content() {
        let text = "\u{feff}1\tå\n\n".repeat(2);
        assert_eq!(read(text.as_bytes(), None), text);
        for bytes in [u16::to_le_bytes, u16::to_be_bytes] {
            let wide: Vec<u8> = text.encode_utf16().flat_map(bytes).collect();
            let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            gzip.write_all(&wide).unwrap();
            for bytes in [wide, gzip.finish().unwrap()] {
                assert_eq!(read(&bytes, None), &text[3..]);
                assert_eq!(read(&bytes, Some(encoding_rs::UTF_16LE)), &text[3..]);
            }
        }
        let wider: Vec<u8> = "\u{feff}a".chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
        let error = Source::from_stream(Cursor::new(wider), "f".to_owned(), None).unwrap_err();
        assert_eq!(error.to_string(), "f: found UTF-32, expected UTF-8 or UTF-16");
    }
}
