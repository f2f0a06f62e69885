//! Tuples of numbers ↔ their indices.

use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;

use crate::hash;

/// Different tuples of one length, numbered in order of addition.
#[derive(Clone, Debug)]
pub(crate) struct Tuples {
    arity: usize,
    /// Concatenated.
    numbers: Vec<u32>,
    /// Open addressing over numbers. The length is a power of two.
    slots: Vec<u32>,
}

/// No tuple.
const FREE: u32 = u32::MAX;

/// The start of hashes: random, so that nobody can construct a file whose tuples all collide. Numbers do not depend on
/// it.
fn start() -> u64 {
    static START: OnceLock<u64> = OnceLock::new();
    *START.get_or_init(|| RandomState::new().hash_one(0))
}

impl Tuples {
    /// Creates an empty list of tuples of this length, which must not be 0.
    pub(crate) fn new(arity: usize) -> Self {
        Self { arity, numbers: Vec::new(), slots: vec![FREE; 16] }
    }

    /// Returns the length of each tuple.
    pub(crate) fn arity(&self) -> usize {
        self.arity
    }

    /// Iterates over the tuples in numeric order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.numbers.chunks_exact(self.arity)
    }

    /// Returns the concatenated tuples.
    pub(crate) fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    /// Returns the number of tuples.
    pub(crate) fn len(&self) -> usize {
        self.numbers.len() / self.arity
    }

    /// Returns the tuple with a number.
    pub(crate) fn get(&self, number: usize) -> &[u32] {
        &self.numbers[number * self.arity..][..self.arity]
    }

    /// Returns the number of a tuple, or the free slot where it belongs.
    pub(crate) fn find(&self, tuple: &[u32]) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let hash =
            tuple.iter().fold(start(), |hash, &number| hash::mix(hash ^ u64::from(number)).wrapping_add(1));
        #[allow(clippy::cast_possible_truncation, reason = "some bits choose the slot")]
        let mut slot = hash as usize & mask;
        while self.slots[slot] != FREE {
            if self.get(self.slots[slot] as usize) == tuple {
                return Ok(self.slots[slot]);
            }
            slot = (slot + 1) & mask;
        }
        Err(slot)
    }

    /// Returns the number of a tuple, adding it if it is new.
    pub(crate) fn insert(&mut self, tuple: &[u32]) -> u32 {
        let slot = match self.find(tuple) {
            Ok(number) => return number,
            Err(slot) => slot,
        };
        let number = u32::try_from(self.len()).ok().filter(|&n| n != FREE).expect("fewer than 2³² values");
        self.numbers.extend_from_slice(tuple);
        self.slots[slot] = number;
        if self.len() * 2 > self.slots.len() {
            self.slots = vec![FREE; self.slots.len() * 2];
            for number in 0..=number {
                let slot = self.find(self.get(number as usize)).expect_err("tuples in a table are distinct");
                self.slots[slot] = number;
            }
        }
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tuples_keep_their_numbers() {
        let mut tuples = Tuples::new(2);
        let tuple = |i: u32| [i % 50, i / 50];
        for i in 0..1000 {
            assert_eq!(tuples.find(&tuple(i)).ok(), None);
            assert_eq!(tuples.insert(&tuple(i)), i);
            assert_eq!(tuples.insert(&tuple(i / 2)), i / 2);
        }
        assert!((0..1000).all(|i| tuples.find(&tuple(i)) == Ok(i) && tuples.get(i as usize) == tuple(i)));
        assert_eq!((tuples.len(), tuples.iter().count(), tuples.numbers().len()), (1000, 1000, 2000));
    }
}
