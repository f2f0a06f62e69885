//! Finds separators and line ends, 64 bytes at a time.
//!
//! Cells are so short (seven bytes with their tab, in most treebanks) that starting a search for each costs more than
//! the search itself. So a row is scanned once, in blocks of about its length, and every block returns all its
//! separators and line ends as the bits of a word. With blocks of eight bytes, reading a treebank took 20 % longer.

/// The number of bits of a word.
const BLOCK: usize = 64;

/// Calls `found` with the position of every separator from `start` to the end of the line. Returns the position of the
/// line's `\n`, or the length of the text if the last line has none.
#[inline]
pub(crate) fn line(text: &[u8], start: usize, separator: u8, mut found: impl FnMut(usize)) -> usize {
    let mut at = start;
    while at < text.len() {
        let rest = &text[at..];
        let mut last = [0; BLOCK];
        let block = if let Some(block) = rest.first_chunk() {
            block
        } else {
            // Padded with zeros, which are neither separators nor line ends.
            last[..rest.len()].copy_from_slice(rest);
            &last
        };
        let ends = marks(block, b'\n');
        let mut cells = marks(block, separator);
        if ends != 0 {
            // Only those before the first line end.
            cells &= (ends & ends.wrapping_neg()) - 1;
        }
        while cells != 0 {
            found(at + first(cells));
            cells &= cells - 1;
        }
        if ends != 0 {
            return at + first(ends);
        }
        at += BLOCK;
    }
    text.len()
}

/// Returns the position of the lowest bit.
#[inline]
fn first(marks: u64) -> usize {
    marks.trailing_zeros() as usize
}

/// Returns one bit per byte of the block, set where the byte equals this one.
#[inline]
fn marks(block: &[u8; BLOCK], byte: u8) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const LOW_BITS: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    // A multiplication moves the lowest bits of eight bytes into the highest byte.
    const GATHER: u64 = 0x0102_0408_1020_4080;

    let wanted = ONES * u64::from(byte);
    let (words, _) = block.as_chunks::<8>();
    words.iter().rev().fold(0, |marks, word| {
        let differs = u64::from_le_bytes(*word) ^ wanted;
        // The high bit of every zero byte, and no other bit.
        let equal = !(((differs & LOW_BITS) + LOW_BITS) | differs | LOW_BITS);
        marks << 8 | ((equal >> 7).wrapping_mul(GATHER) >> 56)
    })
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
        // Bytes next to the wanted ones, and with the high bit set, would reveal a carry.
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

    #[test]
    fn blocks_are_marked_where_they_have_the_byte() {
        // A linear congruential generator (Knuth's MMIX), folded for frequent matches.
        let mut state = 1u64;
        for _ in 0..10_000 {
            let block = std::array::from_fn(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let [.., high] = state.to_le_bytes();
                if high < 128 { b'\t' ^ (high & 1) ^ (high & 128) } else { high }
            });
            let expected = (0..BLOCK).filter(|&i| block[i] == b'\t').fold(0, |marks, i| marks | 1 << i);
            assert_eq!(marks(&block, b'\t'), expected);
        }
    }
}
