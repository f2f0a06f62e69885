//! Combines hashes of several values: a sum of rotated values, so the order of values matters and no multiplication is
//! needed.

use crate::hash;

/// The rotation of the values of a conjunction, by index.
pub(crate) const TURNS: [u32; 4] = [0, 17, 37, 53];

/// Adds one more value to a sum. After every four values the sum is mixed, so rotations can repeat.
#[inline]
pub(crate) fn add(sum: u64, place: usize, value: u64) -> u64 {
    let sum = if place > 0 && place.is_multiple_of(TURNS.len()) { hash::mix(sum) } else { sum };
    sum.wrapping_add(value.rotate_left(TURNS[place % TURNS.len()]))
}

/// Adds all of these values to a sum, from the first index on.
#[inline]
pub(crate) fn add_all(sum: u64, values: impl Iterator<Item = u64>) -> u64 {
    values.enumerate().fold(sum, |sum, (place, value)| add(sum, place, value))
}
