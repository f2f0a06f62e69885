//! Characters and words in bytes that may not be text.

/// Returns the character that starts at a byte; `None` if the bytes are not UTF-8, or at the end.
pub(super) fn char_at(source: &[u8], at: usize) -> Option<char> {
    let first = *source.get(at)?;
    let length = match first {
        0..0x80 => return Some(char::from(first)),
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0..0xf8 => 4,
        _ => return None,
    };
    std::str::from_utf8(source.get(at..at + length)?).ok()?.chars().next()
}

/// Whether a word starts at a byte; `extra` are more bytes of words.
pub(super) fn is_word_start(source: &[u8], at: usize, extra: &[u8]) -> bool {
    match source.get(at) {
        Some(byte) if byte.is_ascii() => byte.is_ascii_alphabetic() || *byte == b'_' || extra.contains(byte),
        Some(_) => char_at(source, at).is_some_and(char::is_alphabetic),
        None => false,
    }
}

/// Returns the end of the letters, digits and `_` that start at a byte.
pub(super) fn word_end(source: &[u8], mut at: usize, extra: &[u8]) -> usize {
    while let Some(&byte) = source.get(at) {
        if byte.is_ascii() {
            if !(byte.is_ascii_alphanumeric() || byte == b'_' || extra.contains(&byte)) {
                break;
            }
            at += 1;
        } else {
            match char_at(source, at).filter(|char| char.is_alphanumeric()) {
                Some(char) => at += char.len_utf8(),
                None => break,
            }
        }
    }
    at
}

/// Returns the length of the line end after the backslash at a byte; 0 if none follows.
pub(super) fn joined_line(source: &[u8], backslash: usize) -> usize {
    match source.get(backslash + 1..) {
        Some([b'\n', ..]) => 1,
        Some([b'\r', b'\n', ..]) => 2,
        _ => 0,
    }
}

/// Returns the end of the line of a byte, before its line end.
pub(super) fn line_end(source: &[u8], at: usize) -> usize {
    let end = memchr::memchr(b'\n', &source[at..]).map_or(source.len(), |length| at + length);
    if end > at && source[end - 1] == b'\r' { end - 1 } else { end }
}
