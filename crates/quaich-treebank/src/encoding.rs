//! Encodings by name and by byte-order mark; decodes streams to UTF-8.

use std::io::{self, Read};

use encoding_rs::{Decoder, DecoderResult, Encoding, UTF_8, UTF_16BE, UTF_16LE};

use crate::error::{Error, Level, Problem, Result};

/// Returns an encoding by its WHATWG name (`latin1`, `windows-1252`, `gb18030`, `utf-16le`, …).
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
    // Excludes the names that WHATWG maps to the replacement encoding.
    Encoding::for_label_no_replacement(name.as_bytes())
        .ok_or_else(|| Error::unknown_name("encoding", name, COMMON))
}

/// The number of bytes of a text that contain its byte-order mark.
pub(crate) const HEAD: usize = 4;

/// Returns the encoding that a byte-order mark indicates, if it is not UTF-8.
pub(crate) fn by_mark(head: &[u8]) -> io::Result<Option<&'static Encoding>> {
    match head {
        [0xff, 0xfe, 0, 0] | [0, 0, 0xfe, 0xff] => {
            Err(io::Error::new(io::ErrorKind::Unsupported, "found UTF-32, expected UTF-8 or UTF-16"))
        }
        [0xff, 0xfe, ..] => Ok(Some(UTF_16LE)),
        [0xfe, 0xff, ..] => Ok(Some(UTF_16BE)),
        _ => Ok(None),
    }
}

/// Returns what is odd about text that is read as UTF-8, and how to fix it: other encodings and line ends cause errors
/// far from where they occur. The byte order of UTF-16 is known only at the beginning of a file.
pub(crate) fn oddity(text: &[u8], is_beginning: bool) -> Option<(&'static str, &'static str)> {
    // In UTF-16, every other byte of ASCII text is zero.
    let zeros = |from: usize| text.iter().skip(from).step_by(2).filter(|&&byte| byte == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    if 4 * even.max(odd) > text.len() && 16 * even.min(odd) < text.len() {
        let what = "every other byte is zero, as in UTF-16 without a byte-order mark";
        let help = match (is_beginning, odd >= even) {
            (true, true) => "name the encoding: `--encoding utf-16le`",
            (true, false) => "name the encoding: `--encoding utf-16be`",
            (false, _) => "name the encoding: `--encoding utf-16le` or `--encoding utf-16be`",
        };
        return Some((what, help));
    }
    // A single carriage return in a line may be an error in a cell.
    let returns = memchr::memchr_iter(b'\r', text).filter(|at| at + 1 < text.len()).count();
    if returns > usize::from(!is_beginning) && !text.contains(&b'\n') {
        let what = "lines end in CR alone, as on old Macs";
        return Some((what, "make them end in LF, for example with `tr '\\r' '\\n'`"));
    }
    None
}

/// How to handle bytes that are invalid in an encoding.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Undecodable {
    /// Report an error with the place.
    #[default]
    Refuse,
    /// Replace them by U+FFFD.
    Replace,
}

/// Decodes a stream to UTF-8 while reading.
pub(crate) struct Transcode<R> {
    source: R,
    decoder: Decoder,
    undecodable: Undecodable,
    input: Vec<u8>,
    start: usize,
    end: usize,
    /// Decoded text that did not fit in the caller's buffer.
    output: Vec<u8>,
    given: usize,
    finished: bool,
    /// The error after the decoded text.
    wrong: Option<WrongBytes>,
    /// The end of the decoded text: the line, and the characters in it.
    line: u64,
    column: usize,
}

impl<R: Read> Transcode<R> {
    pub(crate) fn new(source: R, encoding: &'static Encoding, undecodable: Undecodable) -> Self {
        let decoder = if encoding == UTF_8 {
            // UTF-8 text keeps its byte-order mark.
            encoding.new_decoder_without_bom_handling()
        } else if encoding == UTF_16LE || encoding == UTF_16BE {
            // `utf-16` names both byte orders; the mark decides.
            encoding.new_decoder()
        } else {
            encoding.new_decoder_with_bom_removal()
        };
        Self {
            source,
            decoder,
            undecodable,
            input: vec![0; 1 << 16],
            start: 0,
            end: 0,
            output: Vec::new(),
            given: 0,
            finished: false,
            wrong: None,
            line: 1,
            column: 0,
        }
    }

    /// Decodes more data into `output`.
    fn decode(&mut self) -> io::Result<()> {
        if self.start == self.end {
            self.start = 0;
            self.end = self.source.read(&mut self.input)?;
        }
        let last = self.end == 0;
        self.output.resize(1 << 18, 0);
        let input = &self.input[self.start..self.end];
        let (result, read, mut written) =
            self.decoder.decode_to_utf8_without_replacement(input, &mut self.output, last);
        self.count(written);
        match result {
            DecoderResult::InputEmpty => self.finished = last,
            DecoderResult::OutputFull => {}
            DecoderResult::Malformed(..) if self.undecodable == Undecodable::Replace => {
                const REPLACEMENT: &[u8] = "\u{fffd}".as_bytes();
                self.output.truncate(written);
                self.output.extend_from_slice(REPLACEMENT);
                written += REPLACEMENT.len();
                self.column += 1;
            }
            DecoderResult::Malformed(length, after) => {
                // The bytes may begin in the previous read; then only their end is shown.
                let end = read.saturating_sub(usize::from(after));
                let input = &self.input[self.start..self.end];
                let bytes = input[end.saturating_sub(usize::from(length))..end].to_vec();
                let encoding = self.decoder.encoding().name();
                self.wrong = Some(WrongBytes { bytes, encoding, line: self.line, column: self.column + 1 });
                self.finished = true;
            }
        }
        self.start += read;
        self.output.truncate(written);
        self.given = 0;
        Ok(())
    }

    /// Moves the position to the end of the decoded text, in lines and characters.
    fn count(&mut self, written: usize) {
        let decoded = &self.output[..written];
        self.line += memchr::memchr_iter(b'\n', decoded).count() as u64;
        let line = match memchr::memrchr(b'\n', decoded) {
            Some(newline) => {
                self.column = 0;
                &decoded[newline + 1..]
            }
            None => decoded,
        };
        self.column += line.iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
    }
}

impl<R: Read> Read for Transcode<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.given == self.output.len() && !self.finished {
            self.decode()?;
        }
        let ready = &self.output[self.given..];
        if let Some(wrong) = self.wrong.take_if(|_| ready.is_empty()) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, wrong));
        }
        let n = ready.len().min(out.len());
        out[..n].copy_from_slice(&ready[..n]);
        self.given += n;
        Ok(n)
    }
}

/// Bytes that are invalid in an encoding, and their place.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{line}:{column}: {}", self.message())]
pub(crate) struct WrongBytes {
    bytes: Vec<u8>,
    encoding: &'static str,
    line: u64,
    column: usize,
}

impl WrongBytes {
    fn message(&self) -> String {
        let bytes: Vec<String> = self.bytes.iter().map(|byte| format!("0x{byte:02X}")).collect();
        let what = match &bytes[..] {
            [] => "an incomplete character".to_owned(),
            [byte] => format!("byte {byte}"),
            several => format!("bytes {}", several.join(" ")),
        };
        format!("found {what}, expected text in {}", self.encoding)
    }

    /// Returns the error as a problem of the file.
    pub(crate) fn problem(&self) -> Problem {
        Problem {
            line: self.line,
            column: self.column,
            level: Level::Error,
            code: "undecodable",
            message: self.message(),
            help: "name the file's encoding with `--encoding`, or replace such bytes with `--lossy`".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn read(bytes: &[u8], encoding: &str, undecodable: Undecodable) -> io::Result<String> {
        let encoding = encoding_by_name(encoding).unwrap();
        let mut text = String::new();
        Transcode::new(Cursor::new(bytes.to_vec()), encoding, undecodable).read_to_string(&mut text)?;
        Ok(text)
    }

    fn check(bytes: &[u8], encoding: &str, expected: &str) {
        assert_eq!(read(bytes, encoding, Undecodable::Refuse).unwrap(), expected);
        assert_eq!(read(bytes, encoding, Undecodable::Replace).unwrap(), expected);
    }

    #[test]
    fn encodings_are_decoded() {
        check(&b"bl\xe5b\xe6r\n".repeat(30_000), "latin1", &"blåbær\n".repeat(30_000));
        let wide = |mark: &str| mark.encode_utf16().chain("åß\n".encode_utf16()).collect::<Vec<u16>>();
        let little: Vec<u8> = wide("").into_iter().flat_map(u16::to_le_bytes).collect();
        check(&little, "utf-16le", "åß\n");
        for bytes in [u16::to_le_bytes, u16::to_be_bytes] {
            let marked: Vec<u8> = wide("\u{feff}").into_iter().flat_map(bytes).collect();
            check(&marked, "utf-16", "åß\n");
        }
        check(b"", "latin1", "");
        assert!(encoding_by_name("iso-2022-kr").is_err());
        assert!(encoding_by_name("latin-99").unwrap_err().to_string().contains("latin1"));
    }

    fn check_wrong(bytes: &[u8], encoding: &str, message: &str, replaced: &str) {
        assert_eq!(read(bytes, encoding, Undecodable::Refuse).unwrap_err().to_string(), message);
        assert_eq!(read(bytes, encoding, Undecodable::Replace).unwrap(), replaced);
    }

    #[test]
    fn what_an_encoding_does_not_have_is_refused_or_replaced() {
        check_wrong(
            b"a\n\xa4\xa2\xff\n",
            "euc-jp",
            "2:2: found byte 0xFF, expected text in EUC-JP",
            "a\nあ\u{fffd}\n",
        );
        check_wrong(b"\xe5\xff", "utf-8", "1:1: found byte 0xE5, expected text in UTF-8", "\u{fffd}\u{fffd}");
        check_wrong(
            b"a\0b",
            "utf-16le",
            "1:2: found an incomplete character, expected text in UTF-16LE",
            "a\u{fffd}",
        );
        // Far into the text.
        let (lines, end) = ("1\tå\n".repeat(50_000), b"\xc3\xa5\xff".to_vec());
        check_wrong(
            &[lines.clone().into_bytes(), end].concat(),
            "utf-8",
            "50001:2: found byte 0xFF, expected text in UTF-8",
            &(lines + "å\u{fffd}"),
        );
    }
}
