//! Bytes as text without spaces, for cells of CoNLL-U.
//!
//! As in `SpacesBefore` of Universal Dependencies: `\s` is a space, `\t`, `\n` and `\r` are what they are elsewhere, `\p` is `|`
//! and `\\` a backslash. Other spaces and control characters, and bytes that are not text, are `\xE9`.

use std::fmt::Write;

const ESCAPES: [(u8, u8); 6] =
    [(b' ', b's'), (b'\t', b't'), (b'\n', b'n'), (b'\r', b'r'), (b'|', b'p'), (b'\\', b'\\')];

/// Writes bytes with everything escaped that a cell cannot have.
pub fn escape(bytes: &[u8], out: &mut String) {
    for chunk in bytes.utf8_chunks() {
        for char in chunk.valid().chars() {
            match u8::try_from(char).ok().and_then(|byte| ESCAPES.iter().find(|(plain, _)| *plain == byte)) {
                Some((_, letter)) => out.extend(['\\', char::from(*letter)]),
                None if needs_escape(char) => push_bytes(char.encode_utf8(&mut [0; 4]).as_bytes(), out),
                None => out.push(char),
            }
        }
        push_bytes(chunk.invalid(), out);
    }
}

/// Whether a character that has no letter is escaped. A byte-order mark in the middle of a file may get lost.
fn needs_escape(char: char) -> bool {
    char.is_whitespace() || char.is_control() || char == '\u{feff}'
}

fn push_bytes(bytes: &[u8], out: &mut String) {
    for byte in bytes {
        write!(out, "\\x{byte:02X}").expect("writing to a string cannot fail");
    }
}

/// Whether [`escape`] writes these bytes as they are.
pub fn is_plain(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes)
        .is_ok_and(|text| text.chars().all(|char| !needs_escape(char) && char != '|' && char != '\\'))
}

/// Reads what [`escape`] wrote. Returns the byte offset of what it would not write.
pub fn unescape(text: &str, out: &mut Vec<u8>) -> Result<(), usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte != b'\\' {
            out.push(byte);
            at += 1;
            continue;
        }
        match bytes.get(at + 1) {
            Some(b'x') => {
                let digits = text.get(at + 2..at + 4).ok_or(at)?;
                out.push(u8::from_str_radix(digits, 16).map_err(|_| at)?);
                at += 4;
            }
            Some(letter) => {
                let (plain, _) = ESCAPES.iter().find(|(_, other)| other == letter).ok_or(at)?;
                out.push(*plain);
                at += 2;
            }
            None => return Err(at),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(bytes: &[u8], expected: &str) {
        let mut text = String::new();
        escape(bytes, &mut text);
        assert_eq!(text, expected);
        assert_eq!(is_plain(bytes), text.as_bytes() == bytes);
        let mut back = Vec::new();
        unescape(&text, &mut back).unwrap();
        assert_eq!(back, bytes);
    }

    #[test]
    fn examples() {
        check(b"a_b", "a_b");
        check(b" \t\r\n|\\", "\\s\\t\\r\\n\\p\\\\");
        check("é\u{a0}\u{feff}\u{7f}".as_bytes(), "é\\xC2\\xA0\\xEF\\xBB\\xBF\\x7F");
        check(b"caf\xe9\xf0\x9f", "caf\\xE9\\xF0\\x9F");
        for wrong in ["a\\", "\\q", "\\x4", "\\xZZ", "\\xé"] {
            assert!(unescape(wrong, &mut Vec::new()).is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_come_back(bytes: Vec<u8>) {
            let mut text = String::new();
            escape(&bytes, &mut text);
            prop_assert!(!text.contains(|char: char| char.is_whitespace() || char.is_control() || char == '|'));
            let mut back = Vec::new();
            prop_assert_eq!(unescape(&text, &mut back), Ok(()));
            prop_assert_eq!(back, bytes);
        }
    }
}
