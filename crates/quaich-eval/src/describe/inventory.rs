//! The different strings of a column and their counts.

use quaich_treebank::symbols::{Symbol, Symbols};

/// Strings with their counts, in the order of first occurrence.
#[derive(Clone, Debug)]
pub struct Inventory<S> {
    symbols: Symbols<S>,
    counts: Vec<u64>,
    total: u64,
}

impl<S: Symbol> Default for Inventory<S> {
    fn default() -> Self {
        Self { symbols: Symbols::new(), counts: Vec::new(), total: 0 }
    }
}

impl<S: Symbol> Inventory<S> {
    /// Counts a string once.
    pub fn add(&mut self, text: &str) -> S {
        self.add_many(text, 1)
    }

    /// Adds the counts of another inventory.
    pub fn absorb(&mut self, other: &Self) {
        for (text, times) in other.iter() {
            self.add_many(text, times);
        }
    }

    /// Returns the number of different strings.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Returns the number of strings counted.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns how many of the strings counted do not occur in `other`.
    pub fn total_missing_in(&self, other: &Self) -> u64 {
        self.iter().filter(|(text, _)| other.symbols.get(text).is_none()).map(|(_, times)| times).sum()
    }

    /// Iterates over the strings with their counts, in the order of first occurrence.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.symbols.iter().zip(&self.counts).map(|((_, text), &times)| (text, times))
    }

    fn add_many(&mut self, text: &str, times: u64) -> S {
        let symbol = self.symbols.intern(text);
        let index = symbol.id() as usize;
        if index == self.counts.len() {
            self.counts.push(0);
        }
        self.counts[index] += times;
        self.total += times;
        symbol
    }
}
