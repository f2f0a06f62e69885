//! Finding separators and line ends, eight bytes at a time.
//!
//! Cells are so short (seven bytes with their tab, in most treebanks) that starting a search for
//! every one costs more than the search. So a row is gone through once, and every word of eight
//! bytes tells all its separators and its line end.

const ONES: u64 = 0x0101_0101_0101_0101;
const LOW_BITS: u64 = 0x7f7f_7f7f_7f7f_7f7f;

/// Calls `found` with the place of every separator from `start` to the end of the line. Gives the
/// place of the line's `\n`, or the length of the text where the last line has none.
#[inline]
pub(crate) fn line(text: &[u8], start: usize, separator: u8, mut found: impl FnMut(usize)) -> usize {
    let separators = ONES * u64::from(separator);
    let newlines = ONES * u64::from(b'\n');
    let mut at = start;
    while let Some(bytes) = text.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let word = u64::from_le_bytes(*bytes);
        let ends = zero_bytes(word ^ newlines);
        let mut cells = zero_bytes(word ^ separators);
        if ends != 0 {
            // Only what is before the first line end.
            cells &= (ends & ends.wrapping_neg()) - 1;
        }
        while cells != 0 {
            found(at + byte_of(cells));
            cells &= cells - 1;
        }
        if ends != 0 {
            return at + byte_of(ends);
        }
        at += 8;
    }
    for (offset, &byte) in text[at.min(text.len())..].iter().enumerate() {
        if byte == b'\n' {
            return at + offset;
        }
        if byte == separator {
            found(at + offset);
        }
    }
    text.len()
}

/// The high bit of every byte that is zero, and no other bit.
#[inline]
fn zero_bytes(word: u64) -> u64 {
    !(((word & LOW_BITS) + LOW_BITS) | word | LOW_BITS)
}

/// The place of the lowest marked byte in a word.
#[inline]
fn byte_of(marks: u64) -> usize {
    (marks.trailing_zeros() / 8) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &[u8], start: usize) {
        let mut found = Vec::new();
        let end = line(text, start, b'\t', |at| found.push(at));
        let expected_end = (start..text.len()).find(|&at| text[at] == b'\n').unwrap_or(text.len());
        let expected: Vec<usize> = (start..expected_end).filter(|&at| text[at] == b'\t').collect();
        assert_eq!((end, found), (expected_end, expected), "{text:?} from {start}");
    }

    #[test]
    fn every_separator_of_the_line_is_found() {
        // Bytes next to those looked for, and with the high bit, would show a carry.
        let alphabet = [b'\t', b'\n', b'a', b'\t' - 1, b'\t' + 0x80, b'\n' + 1, 0xff, 0];
        let mut state = 1u32;
        for length in 0..40 {
            for _ in 0..50 {
                let text: Vec<u8> = (0..length)
                    .map(|_| {
                        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                        alphabet[(state >> 24) as usize % alphabet.len()]
                    })
                    .collect();
                for start in 0..=length {
                    check(&text, start);
                }
            }
        }
    }
}
