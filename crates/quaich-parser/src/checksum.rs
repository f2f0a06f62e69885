//! The version of the model format, and the checksum of model files.

use quaich_features::hash;

/// The version of the model format; models of other versions are rejected.
pub const FORMAT_VERSION: u32 = 5;

/// A checksum over the JSON and all tensors.
pub(crate) fn checksum<'a>(json: &'a str, tensors: impl Iterator<Item = &'a [u8]>) -> u64 {
    std::iter::once(json.as_bytes()).chain(tensors).fold(0x5155_4149_4348_0001, |state, part| {
        let (words, rest) = part.as_chunks::<8>();
        // Several independent lanes use the processor's parallel multipliers.
        let (groups, tail) = words.as_chunks::<8>();
        let mut lanes = [state ^ part.len() as u64, 1, 2, 3, 4, 5, 6, 7];
        for group in groups {
            for (lane, word) in lanes.iter_mut().zip(group) {
                *lane =
                    (*lane ^ u64::from_le_bytes(*word)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
            }
        }
        let tail = tail.iter().flatten().chain(rest);
        let end = tail.fold(0, |sum: u64, &byte| sum.wrapping_mul(257).wrapping_add(u64::from(byte) + 1));
        lanes.iter().fold(hash::mix(end), |sum, &lane| hash::mix(sum ^ lane))
    })
}
