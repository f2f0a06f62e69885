//! The hash function of features. It is part of the model file format: models trained with another version would be
//! invalid, so it never changes within a format version.

/// An odd constant with well-spread bits (the golden ratio in 64 bits).
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Spreads every bit of `x` over the whole result.
#[inline]
pub const fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let x = (x ^ (x >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    x ^ (x >> 32)
}

/// Spreads a fingerprint over 64-bit values: distinct fingerprints stay distinct, and sums of rotated values stay well
/// spread.
#[inline]
pub const fn expand(fingerprint: u32) -> u64 {
    (fingerprint as u64).wrapping_mul(SPREAD)
}

/// Returns the fingerprint that was expanded to this value.
#[inline]
#[allow(clippy::cast_possible_truncation, reason = "the fingerprint is in the low half")]
pub const fn fingerprint(value: u64) -> u32 {
    value.wrapping_mul(UNSPREAD) as u32
}

/// The inverse of `SPREAD` modulo 2⁶⁴.
const UNSPREAD: u64 = {
    // Newton's iteration doubles the number of correct bits; the first guess has three.
    let mut inverse = SPREAD;
    let mut round = 0;
    while round < 5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(SPREAD.wrapping_mul(inverse)));
        round += 1;
    }
    inverse
};

/// Returns the hash of bytes under a seed.
#[inline]
pub fn bytes(seed: u64, text: &[u8]) -> u64 {
    let mut state = mix(seed ^ (text.len() as u64).wrapping_mul(SPREAD));
    let (chunks, rest) = text.as_chunks::<8>();
    for chunk in chunks {
        state = (state ^ u64::from_le_bytes(*chunk)).wrapping_mul(SPREAD);
        state ^= state >> 29;
    }
    shorten(mix(state ^ word(rest)))
}

/// Returns fewer than eight bytes as a number, padded with zeros. Two overlapping reads are faster than a copy of
/// unknown length, and most words are this short.
#[inline]
fn word(bytes: &[u8]) -> u64 {
    let n = bytes.len();
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        return u64::from(first) | u64::from(last) << (8 * (n - 4));
    }
    let at = |i: usize| u64::from(bytes[i]) << (8 * i);
    if n == 0 { 0 } else { at(0) | at(n / 2) | at(n - 1) }
}

/// Returns the hash of a number under a seed.
#[inline]
pub const fn number(seed: u64, value: u64) -> u64 {
    shorten(mix(mix(seed ^ SPREAD) ^ value))
}

/// Values are expanded fingerprints, so training can store them in half the space.
#[inline]
#[allow(clippy::cast_possible_truncation, reason = "the upper half is kept")]
const fn shorten(hash: u64) -> u64 {
    expand((hash >> 32) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_are_filled_up_with_zeros() {
        let text = b"\x81bcdefg";
        for n in 0..8 {
            let mut filled = [0; 8];
            filled[..n].copy_from_slice(&text[..n]);
            assert_eq!(word(&text[..n]), u64::from_le_bytes(filled), "{n}");
        }
    }

    #[test]
    fn the_function_is_fixed() {
        // These values are part of the model file format.
        let found = [bytes(1, b""), bytes(1, b"a"), bytes(2, b"a"), bytes(1, b"harbour town"), number(1, 7)];
        let fingerprints = found.map(fingerprint);
        assert_eq!(fingerprints.map(expand), found);
        assert_eq!(fingerprints, [482_426_888, 2_208_195_365, 2_974_091_758, 3_033_239_412, 1_258_142_048]);
    }

    #[test]
    fn every_byte_counts() {
        assert_ne!(bytes(1, b"a"), bytes(1, b"a\0"));
        assert_ne!(bytes(1, b"abcdefgh"), bytes(1, b"abcdefgi"));
        assert_ne!(bytes(1, b"abcdefghi"), bytes(1, b"abcdefghj"));
    }
}
