//! Compressed files: detected from their first bytes when read, from their names when written.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::num::NonZeroU64;
use std::path::Path;

/// The compression of a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Compression {
    None,
    Gzip,
    Zstd,
    Xz,
    Bzip2,
}

/// The file name ending and the first bytes of each kind of compression.
const KINDS: &[(Compression, &str, &[u8])] = &[
    (Compression::Gzip, "gz", &[0x1f, 0x8b]),
    (Compression::Zstd, "zst", &[0x28, 0xb5, 0x2f, 0xfd]),
    (Compression::Xz, "xz", &[0xfd, b'7', b'z', b'X', b'Z', 0]),
    (Compression::Bzip2, "bz2", b"BZh"),
];

/// The number of bytes of a file that identify its compression.
pub(crate) const HEAD: usize = 6;

/// The memory limit for reading an `.xz` file, in KiB: four times what `xz -9` needs. A file may claim to need more
/// than the machine has.
const XZ_MEMORY: u32 = 256 << 10;
/// The preset for writing `.xz` files: the default of `xz`.
const XZ_PRESET: u32 = 6;

impl Compression {
    /// Detects the compression of a stream from its first [`HEAD`] bytes.
    pub(crate) fn of(head: &[u8]) -> Self {
        let kind = KINDS.iter().find(|(.., first_bytes)| head.starts_with(first_bytes));
        kind.map_or(Self::None, |(compression, ..)| *compression)
    }

    /// Returns the compression that a file name asks for in writing.
    pub(crate) fn for_writing(path: &Path) -> Self {
        let given = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let kind = KINDS.iter().find(|(_, extension, _)| given.eq_ignore_ascii_case(extension));
        kind.map_or(Self::None, |(compression, ..)| *compression)
    }

    /// Returns a stream of the decompressed data.
    pub(crate) fn decompress(self, stream: impl Read + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
        let unpacked: Box<dyn Read + Send> = match self {
            Self::None => return Ok(Box::new(stream)),
            Self::Gzip => Box::new(Gunzip::new(BufReader::new(stream))),
            #[cfg(feature = "zstd")]
            Self::Zstd => Box::new(zstd::Decoder::new(stream)?),
            #[cfg(not(feature = "zstd"))]
            Self::Zstd => return Err(no_zstd()),
            Self::Xz => {
                Box::new(lzma_rust2::XzReader::new_mem_limit(BufReader::new(stream), true, XZ_MEMORY))
            }
            Self::Bzip2 => Box::new(bzip2::read::MultiBzDecoder::new(stream)),
        };
        Ok(Box::new(Unpacked(unpacked)))
    }

    /// Returns a stream that compresses data into a file.
    pub(crate) fn compress(self, file: File) -> io::Result<Box<dyn Packer>> {
        let file = BufWriter::with_capacity(1 << 17, file);
        Ok(match self {
            Self::None => Box::new(file),
            // The header has no time and no name: the same content gives the same bytes.
            Self::Gzip => Box::new(flate2::write::GzEncoder::new(file, flate2::Compression::default())),
            #[cfg(feature = "zstd")]
            Self::Zstd => Box::new(zstd::Encoder::new(file, 3)?),
            #[cfg(not(feature = "zstd"))]
            Self::Zstd => return Err(no_zstd()),
            Self::Xz => {
                let mut options = lzma_rust2::XzOptions::with_preset(XZ_PRESET);
                // Blocks, as written by `xz` with several threads, limit memory use.
                options.set_block_size(NonZeroU64::new(1 << 25));
                Box::new(lzma_rust2::XzWriter::new(file, options)?)
            }
            Self::Bzip2 => Box::new(bzip2::write::BzEncoder::new(file, bzip2::Compression::best())),
        })
    }
}

/// Decompressed data; a truncated stream is reported in plain words.
struct Unpacked(Box<dyn Read + Send>);

impl Read for Unpacked {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.0.read(out).map_err(|error| match error.kind() {
            kind @ io::ErrorKind::UnexpectedEof => io::Error::new(kind, "the compressed data are cut short"),
            _ => error,
        })
    }
}

/// A writer that compresses its output.
pub(crate) trait Packer: Write + Send {
    /// Writes what remains.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

impl Packer for BufWriter<File> {
    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.flush()
    }
}

impl Packer for flate2::write::GzEncoder<BufWriter<File>> {
    fn finish(self: Box<Self>) -> io::Result<()> {
        (*self).finish()?.flush()
    }
}

#[cfg(feature = "zstd")]
impl Packer for zstd::Encoder<'static, BufWriter<File>> {
    fn finish(self: Box<Self>) -> io::Result<()> {
        (*self).finish()?.flush()
    }
}

impl Packer for lzma_rust2::XzWriter<BufWriter<File>> {
    fn finish(self: Box<Self>) -> io::Result<()> {
        (*self).finish()?.flush()
    }
}

impl Packer for bzip2::write::BzEncoder<BufWriter<File>> {
    fn finish(self: Box<Self>) -> io::Result<()> {
        (*self).finish()?.flush()
    }
}

/// The members of a gzip file, one after the other. Zeros after the last member, as left by tapes and block devices,
/// are ignored as in `gzip`.
struct Gunzip<R> {
    /// `None` after the last member.
    member: Option<flate2::bufread::GzDecoder<R>>,
}

impl<R: BufRead> Gunzip<R> {
    fn new(source: R) -> Self {
        Self { member: Some(flate2::bufread::GzDecoder::new(source)) }
    }
}

impl<R: BufRead> Read for Gunzip<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let n = member.read(out)?;
            if n > 0 || out.is_empty() {
                return Ok(n);
            }
            let source = self.member.take().map(flate2::bufread::GzDecoder::into_inner);
            self.member = source.map(skip_zeros).transpose()?.flatten().map(flate2::bufread::GzDecoder::new);
        }
        Ok(0)
    }
}

/// Skips zeros; returns `None` at the end of the stream.
fn skip_zeros<R: BufRead>(mut source: R) -> io::Result<Option<R>> {
    loop {
        let ready = source.fill_buf()?;
        if ready.is_empty() {
            return Ok(None);
        }
        let (zeros, ends) = match ready.iter().position(|&byte| byte != 0) {
            Some(zeros) => (zeros, true),
            None => (ready.len(), false),
        };
        source.consume(zeros);
        if ends {
            return Ok(Some(source));
        }
    }
}

#[cfg(not(feature = "zstd"))]
fn no_zstd() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "this build does not read or write .zst (feature `zstd`)")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn gzip(text: &str) -> Vec<u8> {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(text.as_bytes()).unwrap();
        gzip.finish().unwrap()
    }

    fn read(bytes: Vec<u8>) -> io::Result<String> {
        let mut text = String::new();
        Compression::of(&bytes).decompress(Cursor::new(bytes))?.read_to_string(&mut text)?;
        Ok(text)
    }

    #[test]
    fn what_is_packed_can_be_unpacked() {
        let folder = std::env::temp_dir().join(format!("quaich-packed-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let text = "1\tå\n\n".repeat(10_000);
        for &(compression, extension, _) in KINDS {
            if cfg!(not(feature = "zstd")) && compression == Compression::Zstd {
                continue;
            }
            let path = folder.join(format!("f.{extension}"));
            assert_eq!(Compression::for_writing(&path), compression);
            let mut packer = compression.compress(File::create(&path).unwrap()).unwrap();
            packer.write_all(text.as_bytes()).unwrap();
            packer.finish().unwrap();
            let bytes = std::fs::read(&path).unwrap();
            assert!(bytes.len() < text.len() / 10, "{extension}");
            assert_eq!(read(bytes.clone()).unwrap(), text, "{extension}");
            // Two streams in a row are one file; a truncated one is an error.
            assert_eq!(read([bytes.clone(), bytes.clone()].concat()).unwrap(), text.repeat(2), "{extension}");
            let error = read(bytes[..bytes.len() / 2].to_vec()).unwrap_err();
            assert_eq!(error.to_string(), "the compressed data are cut short", "{extension}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn zeros_may_follow_a_gzip_file() {
        let (one, zeros) = (gzip("one "), vec![0; 100_000]);
        assert_eq!(read([one.clone(), zeros.clone()].concat()).unwrap(), "one ");
        assert_eq!(read([one.clone(), zeros, one.clone()].concat()).unwrap(), "one one ");
        assert!(read([one, b"rubbish".to_vec()].concat()).is_err());
    }
}
