//! Histograms of small integers.

use serde::{Serialize, Serializer};

/// Occurrences by number. As JSON, an object from numbers to their counts.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Histogram(Vec<u64>);

impl Histogram {
    /// Counts a number once.
    pub fn add(&mut self, number: u32) {
        self.add_many(number, 1);
    }

    /// Counts a number several times.
    pub fn add_many(&mut self, number: u32, times: u64) {
        let number = number as usize;
        if self.0.len() <= number {
            self.0.resize(number + 1, 0);
        }
        self.0[number] += times;
    }

    /// Adds the counts of another histogram.
    pub fn absorb(&mut self, other: &Self) {
        for (number, &times) in (0..).zip(&other.0) {
            if times > 0 {
                self.add_many(number, times);
            }
        }
    }

    /// Returns the count of a number.
    pub fn count(&self, number: u32) -> u64 {
        self.0.get(number as usize).copied().unwrap_or(0)
    }

    /// Returns the count of all numbers above this one.
    pub fn count_above(&self, number: u32) -> u64 {
        self.0.iter().skip(number as usize + 1).sum()
    }

    /// Iterates over the numbers that occur, in order, with their counts.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u64)> {
        (0..).zip(&self.0).filter(|(_, times)| **times > 0).map(|(number, &times)| (number, times))
    }

    /// Returns the largest number counted.
    pub fn largest(&self) -> Option<u32> {
        self.iter().last().map(|(number, _)| number)
    }
}

impl Serialize for Histogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}
