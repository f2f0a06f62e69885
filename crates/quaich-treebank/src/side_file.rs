//! Small text files written by users, apart from treebanks: settings, feature models, formats, label maps.
//!
//! They are read into memory, so there is a size limit: a file named by mistake may be a large treebank or endless.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::error::{Error, Result};

/// The most bytes of such a file: many times the size of a map of all labels of a treebank.
pub const MAX_BYTES: u64 = 1 << 20;

/// Reads such a file.
pub fn read(path: impl AsRef<Path>) -> Result<String> {
    let path = path.as_ref();
    let file = path.display().to_string();
    let failed = |source| Error::io(&file, source);
    let mut stream = File::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    stream.by_ref().take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_BYTES {
        let length = stream.metadata().ok().filter(std::fs::Metadata::is_file).map(|found| found.len());
        let found = match length {
            Some(length) => format!("{length} bytes"),
            None => format!("more than {MAX_BYTES} bytes"),
        };
        return Err(Error::TooLarge { file, found, limit: MAX_BYTES });
    }
    String::from_utf8(bytes).map_err(|error| {
        let end = error.utf8_error().valid_up_to();
        let (text, rest) = error.as_bytes().split_at(end);
        let line = 1 + memchr::memchr_iter(b'\n', text).count() as u64;
        let line_start = memchr::memrchr(b'\n', text).map_or(0, |newline| newline + 1);
        let column = 1 + String::from_utf8_lossy(&text[line_start..]).chars().count();
        Error::NotText { file, line, column, byte: rest.first().copied().unwrap_or_default() }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(content: &[u8], expected: &str) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("f");
        std::fs::write(&file, content).unwrap();
        let told = match read(&file) {
            Ok(text) => text,
            Err(error) => error.to_string().replace(&file.display().to_string(), "f"),
        };
        assert_eq!(told, expected);
    }

    #[test]
    fn small_texts_are_read_and_others_are_not() {
        check(b"", "");
        check("å = 1\n".as_bytes(), "å = 1\n");
        check(b"a\n\xc3\xa5b\xff", "f:2:3: found byte 0xFF, expected text in UTF-8");
        let most = "a".repeat(usize::try_from(MAX_BYTES).unwrap());
        check(most.as_bytes(), &most);
        check(
            (most + "b").as_bytes(),
            "f: found 1048577 bytes, expected a text file of at most 1048576 bytes",
        );
    }

    #[cfg(unix)]
    #[test]
    fn what_has_no_end_is_not_read_to_it() {
        assert_eq!(
            read("/dev/zero").unwrap_err().to_string(),
            "/dev/zero: found more than 1048576 bytes, expected a text file of at most 1048576 bytes"
        );
    }
}
