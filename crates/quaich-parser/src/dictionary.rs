//! Hashes of values → consecutive numbers, fixed in training.

use quaich_learn::network::{NO_VALUE, UNKNOWN};

use crate::kernels::prefetch;

/// The values that are frequent enough in training.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dictionary {
    /// The keys in order; a key's index is its place.
    keys: Vec<u64>,
    /// Open addressing. Length is a power of two.
    table: Vec<Slot>,
}

/// Stores the key next to the place, so that a lookup needs one memory access.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    key: u64,
    /// Starts at 1; 0 if the slot is free.
    place: u32,
}

/// The number of reserved numbers.
const RESERVED: u32 = NO_VALUE + 1;

impl Dictionary {
    /// A dictionary of the distinct keys, in the order of their first occurrence.
    pub(crate) fn from_keys(keys: impl IntoIterator<Item = u64>) -> Self {
        let mut dictionary = Self::default();
        for key in keys {
            dictionary.insert(key);
        }
        dictionary
    }

    /// A dictionary of distinct keys from a file. `None` if keys repeat, or if they are crafted to collide, which hashes practically
    /// never do.
    pub(crate) fn read(keys: &[u64]) -> Option<Self> {
        let n_slots = (2 * keys.len() + 16).next_power_of_two();
        let mut dictionary = Self { keys: Vec::new(), table: vec![Slot::default(); n_slots] };
        let mut homes: Vec<usize> = keys.iter().map(|&key| dictionary.home(key)).collect();
        homes.sort_unstable();
        // Keys with the same home slot occupy it and the following ones.
        let (mut walked, mut free) = (0, 0);
        for home in homes {
            free = home.max(free);
            walked += free - home;
            free += 1;
        }
        if walked > 16 * keys.len() + 1024 {
            return None;
        }
        for &key in keys {
            dictionary.insert(key);
        }
        (dictionary.len() == keys.len()).then_some(dictionary)
    }

    /// The keys, by place.
    pub(crate) fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// The number of keys.
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The number of values, including the unknown and the absent value.
    pub(crate) fn size(&self) -> usize {
        self.keys.len() + RESERVED as usize
    }

    /// The number of a value: its place, after the reserved numbers.
    #[inline]
    pub(crate) fn get(&self, value: u64) -> u32 {
        self.place(value).map_or(UNKNOWN, |place| RESERVED + place)
    }

    /// The place of a key.
    #[inline]
    pub(crate) fn place(&self, key: u64) -> Option<u32> {
        if self.table.is_empty() { None } else { self.table[self.slot(key)].place.checked_sub(1) }
    }

    /// Prefetches the slot of a key.
    #[inline]
    pub(crate) fn prefetch(&self, key: u64) {
        if !self.table.is_empty() {
            prefetch(&self.table[self.home(key)]);
        }
    }

    /// The slot of a key if no other key has taken it.
    #[inline]
    #[allow(clippy::cast_possible_truncation, reason = "some bits choose the slot")]
    fn home(&self, key: u64) -> usize {
        (key >> 20) as usize & (self.table.len() - 1)
    }

    #[inline]
    fn slot(&self, key: u64) -> usize {
        let mask = self.table.len() - 1;
        let mut slot = self.home(key);
        while self.table[slot].place != 0 && self.table[slot].key != key {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn insert(&mut self, key: u64) {
        let number = |n: usize| u32::try_from(n).expect("fewer than 2³² values");
        if self.keys.len() * 2 >= self.table.len() {
            self.table = vec![Slot::default(); (self.table.len() * 2).max(16)];
            for at in 0..self.keys.len() {
                let key = self.keys[at];
                let slot = self.slot(key);
                self.table[slot] = Slot { key, place: number(at + 1) };
            }
        }
        let slot = self.slot(key);
        if self.table[slot].place == 0 {
            self.keys.push(key);
            self.table[slot] = Slot { key, place: number(self.keys.len()) };
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

    #[test]
    fn keys_of_a_file_that_are_no_hashes_are_refused() {
        let hashes: Vec<u64> = (0..50_000).map(quaich_features::hash::mix).collect();
        let dictionary = Dictionary::read(&hashes).unwrap();
        assert!((2u32..).zip(&hashes).all(|(number, &key)| dictionary.get(key) == number));
        assert!(Dictionary::read(&[1, 2, 1]).is_none());
        // All have the same home slot: the last would be found after probing all others.
        assert!(Dictionary::read(&(0..500_000).collect::<Vec<u64>>()).is_none());
    }
}
