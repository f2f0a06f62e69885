//! Hashes of values → dense numbers, fixed in training.

use quaich_features::{TokenAttribute, Tokens};
use quaich_learn::network::{ABSENT, UNKNOWN};
use quaich_treebank::Node;

/// How many attributes a token has.
pub(crate) const N_ATTRIBUTES: usize = TokenAttribute::ALL.len();

/// The values of one attribute that occurred often enough in training.
#[derive(Clone, Debug, Default)]
pub struct Dictionary {
    /// By number less [`RESERVED`].
    keys: Vec<u64>,
    counts: Vec<u32>,
    /// Open addressing: numbers, [`UNKNOWN`] where free. Length is a power of two.
    table: Vec<u32>,
}

/// Numbers that are taken before the first value's.
const RESERVED: u32 = ABSENT + 1;

impl Dictionary {
    /// The values that occur at least `min_count` times among these, in first-seen order.
    pub fn build(values: impl Iterator<Item = u64>, min_count: u32) -> Self {
        let mut all = Self::default();
        for value in values {
            let number = all.insert(value);
            all.counts[(number - RESERVED) as usize] += 1;
        }
        let mut kept = Self::default();
        for (&key, &count) in all.keys.iter().zip(&all.counts) {
            if count >= min_count {
                let number = kept.insert(key);
                kept.counts[(number - RESERVED) as usize] = count;
            }
        }
        kept
    }

    /// A dictionary from its keys in the order of their numbers.
    pub fn from_keys(keys: &[u64]) -> Self {
        let mut dictionary = Self::default();
        for &key in keys {
            dictionary.insert(key);
        }
        dictionary
    }

    /// The keys in the order of their numbers.
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// How many numbers there are, those of unknown and absent values counted.
    pub fn size(&self) -> usize {
        self.keys.len() + RESERVED as usize
    }

    /// By number: how often the value occurred in training.
    pub fn counts(&self) -> impl Iterator<Item = u32> + '_ {
        (0..RESERVED).map(|_| 0).chain(self.counts.iter().copied())
    }

    /// The number of a value.
    #[inline]
    pub fn get(&self, value: u64) -> u32 {
        if self.table.is_empty() {
            return UNKNOWN;
        }
        self.table[self.slot(value)]
    }

    #[inline]
    fn slot(&self, value: u64) -> usize {
        let mask = self.table.len() - 1;
        #[allow(clippy::cast_possible_truncation, reason = "some bits choose the slot")]
        let mut slot = (value >> 20) as usize & mask;
        while self.table[slot] != UNKNOWN && self.keys[(self.table[slot] - RESERVED) as usize] != value {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn insert(&mut self, value: u64) -> u32 {
        if self.keys.len() * 2 >= self.table.len() {
            self.table = vec![UNKNOWN; (self.table.len() * 2).max(16)];
            for at in 0..self.keys.len() {
                let slot = self.slot(self.keys[at]);
                self.table[slot] = RESERVED + u32::try_from(at).expect("fewer than 2³² values");
            }
        }
        let slot = self.slot(value);
        if self.table[slot] == UNKNOWN {
            self.table[slot] = u32::try_from(self.size()).expect("fewer than 2³² values");
            self.keys.push(value);
            self.counts.push(0);
        }
        self.table[slot]
    }
}

/// One dictionary an attribute of tokens.
#[derive(Clone, Debug, Default)]
pub struct Dictionaries {
    /// In the order of [`TokenAttribute::ALL`].
    pub attributes: [Dictionary; N_ATTRIBUTES],
}

impl Dictionaries {
    /// The numbers of a node's attributes.
    #[inline]
    pub fn numbers(&self, tokens: &Tokens, node: Node) -> [u32; N_ATTRIBUTES] {
        if node.is_none() {
            return [ABSENT; N_ATTRIBUTES];
        }
        TokenAttribute::ALL
            .map(|attribute| self.attributes[attribute as usize].get(tokens.get(node, attribute)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_numbered_in_first_seen_order() {
        let values = [7u64 << 40, 9, 7 << 40, 8, 9, 9];
        let dictionary = Dictionary::build(values.into_iter(), 2);
        assert_eq!([7 << 40, 8, 9].map(|value| dictionary.get(value)), [2, UNKNOWN, 3]);
        assert_eq!(dictionary.counts().collect::<Vec<_>>(), [0, 0, 2, 3]);
        let again = Dictionary::from_keys(dictionary.keys());
        assert_eq!([7 << 40, 8, 9].map(|value| again.get(value)), [2, UNKNOWN, 3]);
    }

    #[test]
    fn many_values_keep_their_numbers() {
        let dictionary = Dictionary::build((0..5000).map(|i| i * 977), 1);
        for i in 0..5000 {
            assert_eq!(u64::from(dictionary.get(i * 977)), i + 2);
        }
        assert_eq!(dictionary.get(3), UNKNOWN);
    }
}
