//! Numbers for pairs of values, in the order of their first occurrence.

/// No number.
const NONE: u32 = u32::MAX;

/// A hash table from keys to consecutive numbers, with open addressing.
#[derive(Clone, Debug)]
pub(super) struct Keys {
    /// Keys with their numbers; the length is a power of two, and at most half of the slots are used.
    slots: Vec<(u64, u32)>,
    n: u32,
}

/// The key of two values; of one value if both are the same.
#[inline]
pub(super) fn key(low: u32, high: u32) -> u64 {
    u64::from(low) << 32 | u64::from(high)
}

/// The keys of all pairs of an ascending row.
pub(super) fn pairs(row: &[u32]) -> impl Iterator<Item = u64> {
    row.iter().enumerate().flat_map(|(at, &low)| row[at + 1..].iter().map(move |&high| key(low, high)))
}

impl Keys {
    pub(super) fn new() -> Self {
        Self { slots: vec![(0, NONE); 16], n: 0 }
    }

    /// The number of keys.
    pub(super) fn len(&self) -> usize {
        self.n as usize
    }

    /// The number of a key, which is added if it is new.
    pub(super) fn insert(&mut self, key: u64) -> u32 {
        if self.len() * 2 >= self.slots.len() {
            let larger = vec![(0, NONE); self.slots.len() * 2];
            for slot in std::mem::replace(&mut self.slots, larger) {
                if slot.1 != NONE {
                    let at = self.slot(slot.0);
                    self.slots[at] = slot;
                }
            }
        }
        let at = self.slot(key);
        if self.slots[at].1 == NONE {
            self.slots[at] = (key, self.n);
            self.n += 1;
        }
        self.slots[at].1
    }

    /// The number of a key, if it is known.
    #[inline]
    pub(super) fn get(&self, key: u64) -> Option<u32> {
        let number = self.slots[self.slot(key)].1;
        (number != NONE).then_some(number)
    }

    /// The size in bytes.
    pub(super) fn n_bytes(&self) -> usize {
        size_of_val(&self.slots[..])
    }

    /// The slot of a key.
    #[inline]
    fn slot(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        // Multiplication by an odd number (2⁶⁴ over the golden ratio) mixes into the high bits.
        let mixed = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        #[allow(clippy::cast_possible_truncation, reason = "it is masked")]
        let mut at = (mixed ^ mixed >> 32) as usize & mask;
        while self.slots[at].1 != NONE && self.slots[at].0 != key {
            at = (at + 1) & mask;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_numbered_as_they_come() {
        let mut keys = Keys::new();
        for i in 0..3000u32 {
            assert_eq!(keys.insert(key(i / 7, i)), i);
            assert_eq!(keys.insert(key(i / 14, i / 2)), i / 2);
        }
        assert_eq!(keys.len(), 3000);
        assert_eq!((keys.get(key(100, 700)), keys.get(key(100, 900))), (Some(700), None));
    }

    #[test]
    fn pairs_are_all_pairs() {
        assert_eq!(pairs(&[2, 3, 9]).collect::<Vec<_>>(), [key(2, 3), key(2, 9), key(3, 9)]);
        assert_eq!(pairs(&[2]).count() + pairs(&[]).count(), 0);
    }
}
