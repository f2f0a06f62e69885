//! Hashes of values → dense numbers, fixed in training.

use quaich_learn::network::{ABSENT, UNKNOWN};

/// The values that occurred often enough in training.
#[derive(Clone, Debug, Default)]
pub(super) struct Dictionary {
    /// By place.
    keys: Vec<u64>,
    /// Open addressing: places from 1 on, 0 where free. Length is a power of two.
    table: Vec<u32>,
}

/// Numbers that are taken before the first value's.
const RESERVED: u32 = ABSENT + 1;

impl Dictionary {
    /// A dictionary of these keys, each once, in the order in which they come first.
    pub(super) fn from_keys(keys: impl IntoIterator<Item = u64>) -> Self {
        let mut dictionary = Self::default();
        for key in keys {
            dictionary.insert(key);
        }
        dictionary
    }

    /// The keys by place.
    pub(super) fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// How many keys there are.
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// How many numbers there are, those of unknown and absent values counted.
    pub(super) fn size(&self) -> usize {
        self.keys.len() + RESERVED as usize
    }

    /// The number of a value: its place after those of unknown and absent ones.
    #[inline]
    pub(super) fn get(&self, value: u64) -> u32 {
        self.place(value).map_or(UNKNOWN, |place| RESERVED + place)
    }

    /// The place of a key.
    #[inline]
    pub(super) fn place(&self, key: u64) -> Option<u32> {
        if self.table.is_empty() { None } else { self.table[self.slot(key)].checked_sub(1) }
    }

    #[inline]
    fn slot(&self, key: u64) -> usize {
        let mask = self.table.len() - 1;
        #[allow(clippy::cast_possible_truncation, reason = "some bits choose the slot")]
        let mut slot = (key >> 20) as usize & mask;
        while self.table[slot] != 0 && self.keys[self.table[slot] as usize - 1] != key {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn insert(&mut self, key: u64) {
        let number = |n: usize| u32::try_from(n).expect("fewer than 2³² values");
        if self.keys.len() * 2 >= self.table.len() {
            self.table = vec![0; (self.table.len() * 2).max(16)];
            for at in 0..self.keys.len() {
                let slot = self.slot(self.keys[at]);
                self.table[slot] = number(at + 1);
            }
        }
        let slot = self.slot(key);
        if self.table[slot] == 0 {
            self.keys.push(key);
            self.table[slot] = number(self.keys.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_numbered_in_first_seen_order() {
        let dictionary = Dictionary::from_keys([7u64 << 40, 9, 7 << 40]);
        assert_eq!([7 << 40, 8, 9].map(|value| dictionary.get(value)), [2, UNKNOWN, 3]);
        assert_eq!((dictionary.len(), dictionary.size()), (2, 4));
    }

    #[test]
    fn many_values_keep_their_numbers() {
        let dictionary = Dictionary::from_keys((0..5000).map(|i| i * 977));
        for i in 0..5000 {
            assert_eq!(u64::from(dictionary.get(i * 977)), i + 2);
        }
        assert_eq!(dictionary.get(3), UNKNOWN);
    }
}
