//! How hashes of several values become one: a sum of turned values, so that the order of values counts
//! and no multiplication is needed.

use crate::hash;

/// How far the values of a conjunction are turned, by their place.
pub(crate) const TURNS: [u32; 4] = [0, 17, 37, 53];

/// The sum with one more value. After every four the sum is mixed, so that turns can begin anew.
#[inline]
pub(crate) fn add(sum: u64, place: usize, value: u64) -> u64 {
    let sum = if place > 0 && place.is_multiple_of(TURNS.len()) { hash::mix(sum) } else { sum };
    sum.wrapping_add(value.rotate_left(TURNS[place % TURNS.len()]))
}

/// The sum with all of these values from the first place on.
#[inline]
pub(crate) fn add_all(sum: u64, values: impl Iterator<Item = u64>) -> u64 {
    values.enumerate().fold(sum, |sum, (place, value)| add(sum, place, value))
}
