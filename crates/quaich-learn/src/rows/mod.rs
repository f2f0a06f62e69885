//! Sparse rows: a feature or an instance has values for a few of thousands of classes, and only those are stored.
//!
//! The entries of all rows share one array. A row's block is replaced by one of twice the size when it overflows, and halved when it
//! becomes half empty; free blocks are reused.

mod blocks;

use std::collections::TryReserveError;

use blocks::Blocks;
use bytemuck::{AnyBitPattern, NoUninit};

use crate::arrays::{Arrays, LoadError};

/// The value of a row for one class.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Entry<T = f32> {
    /// The class.
    pub class: u32,
    /// The value.
    pub value: T,
}

/// Rows with entries sorted by class.
#[derive(Clone, Debug)]
pub(crate) struct Rows<T> {
    heads: Vec<Head>,
    entries: Vec<Entry<T>>,
    blocks: Blocks,
}

/// The block of a row, which has 2 to the power of [`log_size`]`(len)` places.
#[derive(Clone, Copy, Debug, Default)]
struct Head {
    start: u32,
    len: u32,
}

/// The logarithm of the block size for this number of entries, at least two: weights move from one class to another, so a row with an
/// entry for one class nearly always has one for another.
fn log_size(len: u32) -> u32 {
    len.next_power_of_two().trailing_zeros().max(1)
}

impl<T: Copy + Default> Rows<T> {
    /// The size of a row without its entries.
    pub(crate) const BYTES_PER_ROW: usize = size_of::<Head>();

    /// Empty rows, with unlimited entries.
    pub(crate) fn new(n_rows: usize) -> Self {
        Self { heads: vec![Head::default(); n_rows], entries: Vec::new(), blocks: Blocks::new(u32::MAX) }
    }

    /// No rows; at most `max_rows` with `max_entries` in total. Memory is reserved at once, but operating systems only provide it as it
    /// is used.
    pub(crate) fn bounded(max_rows: usize, max_entries: u32) -> Result<Self, TryReserveError> {
        let mut new = Self { heads: Vec::new(), entries: Vec::new(), blocks: Blocks::new(max_entries) };
        new.heads.try_reserve_exact(max_rows)?;
        new.entries.try_reserve_exact(max_entries as usize)?;
        Ok(new)
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.heads.len()
    }

    /// Adds an empty row.
    pub(crate) fn push(&mut self) {
        self.heads.push(Head::default());
    }

    /// The entries of a row, sorted by class.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> &[Entry<T>] {
        let Head { start, len } = self.heads[row];
        &self.entries[start as usize..][..len as usize]
    }

    /// The entries of a row, mutable; must stay sorted by class.
    pub(crate) fn get_mut(&mut self, row: usize) -> &mut [Entry<T>] {
        let Head { start, len } = self.heads[row];
        &mut self.entries[start as usize..][..len as usize]
    }

    /// The value of a class in a row, added if it is missing; `None` if there is no space.
    #[inline]
    pub(crate) fn entry(&mut self, row: usize, class: u32) -> Option<&mut T> {
        let Head { start, len } = self.heads[row];
        let entries = &self.entries[start as usize..][..len as usize];
        let at = match entries.binary_search_by_key(&class, |entry| entry.class) {
            Ok(at) => at,
            Err(at) => {
                self.resize(row, len + 1)?;
                let start = self.heads[row].start as usize;
                let entries = &mut self.entries[start..=start + len as usize];
                entries.copy_within(at..len as usize, at + 1);
                entries[at] = Entry { class, value: T::default() };
                at
            }
        };
        Some(&mut self.entries[self.heads[row].start as usize + at].value)
    }

    /// Removes an entry of a row.
    pub(crate) fn remove(&mut self, row: usize, at: usize) {
        let entries = self.get_mut(row);
        entries.copy_within(at + 1.., at);
        let len = self.heads[row].len - 1;
        // Shrinking a block needs no space; if it fails, nothing is lost.
        let _ = self.resize(row, len);
    }

    /// Replaces the entries of a row, sorted by class; returns whether there is space.
    #[must_use]
    pub(crate) fn replace(&mut self, row: usize, entries: &[Entry<T>]) -> bool {
        let Ok(len) = u32::try_from(entries.len()) else { return false };
        if self.resize(row, len).is_none() {
            return false;
        }
        self.get_mut(row).copy_from_slice(entries);
        true
    }

    /// Removes all entries of a row.
    pub(crate) fn clear(&mut self, row: usize) {
        // An empty row needs no space.
        let _ = self.resize(row, 0);
    }

    /// Applies a function to all values.
    pub(crate) fn map<U: Copy + Default>(self, of: impl Fn(T) -> U) -> Rows<U> {
        let entries =
            self.entries.into_iter().map(|Entry { class, value }| Entry { class, value: of(value) });
        Rows { heads: self.heads, entries: entries.collect(), blocks: self.blocks }
    }

    /// Changes the number of entries of a row; new ones are at the end, without a class.
    fn resize(&mut self, row: usize, len: u32) -> Option<()> {
        let old = self.heads[row];
        let (from, to) = (log_size(old.len), log_size(len));
        if old.len == 0 || len == 0 || from != to {
            let mut start = old.start;
            if len == 0 {
                start = 0;
            } else if old.len == 0 || to > from {
                start = self.blocks.take(to)?;
                self.entries.resize(self.blocks.end(), Entry::default());
                let kept = old.start as usize..(old.start + old.len) as usize;
                self.entries.copy_within(kept, start as usize);
            } else {
                // The row stays at the start of its block.
                for half in to..from {
                    self.blocks.give(start + (1 << half), half);
                }
            }
            if old.len > 0 && (len == 0 || to > from) {
                self.blocks.give(old.start, from);
            }
            self.heads[row].start = start;
        }
        self.heads[row].len = len;
        Some(())
    }
}

impl<T: Copy + Default + NoUninit + AnyBitPattern> Rows<T> {
    /// Saves the rows, for [`load`](Self::load).
    pub(crate) fn save(&self, arrays: &mut Arrays) {
        let mut end = 0;
        let ends = self.heads.iter().map(|head| {
            end += u64::from(head.len);
            end
        });
        arrays.set("ends", &ends.collect::<Vec<u64>>());
        let entries = || (0..self.len()).flat_map(|row| self.get(row));
        arrays.set("classes", &entries().map(|entry| entry.class).collect::<Vec<u32>>());
        arrays.set("values", &entries().map(|entry| entry.value).collect::<Vec<T>>());
    }

    /// Loads rows for `n_classes` classes.
    pub(crate) fn load(arrays: &Arrays, n_classes: usize) -> Result<Self, LoadError> {
        let ends = arrays.get::<u64>("ends")?;
        let (classes, values) = (arrays.get::<u32>("classes")?, arrays.get::<T>("values")?);
        if classes.len() != values.len() {
            return Err(LoadError::unfit("values", "does not have one number per class"));
        }
        let mut rows = Self::new(ends.len());
        let mut rest = classes.into_iter().zip(values).map(|(class, value)| Entry { class, value });
        let (mut start, mut entries) = (0, Vec::new());
        for (row, &end) in ends.iter().enumerate() {
            let len = end.checked_sub(start).and_then(|len| usize::try_from(len).ok());
            let len = len.filter(|&len| len <= rest.len());
            let len = len.ok_or_else(|| LoadError::unfit("ends", "does not fit the classes"))?;
            start = end;
            entries.clear();
            entries.extend(rest.by_ref().take(len));
            let is_ordered = entries.is_sorted_by(|a, b| a.class < b.class);
            if !is_ordered || entries.last().is_some_and(|last| last.class as usize >= n_classes) {
                return Err(LoadError::unfit("classes", "is not sorted"));
            }
            if !rows.replace(row, &entries) {
                return Err(LoadError::unfit("classes", "is too long"));
            }
        }
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn rows_are_maps_from_classes_to_values() {
        let mut rows = Rows::<f32>::bounded(10, 100).unwrap();
        let mut slow = vec![BTreeMap::<u32, f32>::new(); 10];
        (0..10).for_each(|_| rows.push());
        let mut state = 9u32;
        let mut n_refused = 0;
        for _ in 0..30_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let row = (state >> 28) as usize % 10;
            let class = (state >> 20) % 50;
            match (state >> 12) % 16 {
                0 => {
                    assert!(rows.replace(row, &[]));
                    slow[row].clear();
                }
                1..5 => {
                    if let Some(at) = rows.get(row).iter().position(|entry| entry.class == class) {
                        rows.remove(row, at);
                        slow[row].remove(&class);
                    }
                }
                5 => {
                    let entries = [3, 7, 11].map(|class| Entry { class, value: 0.5 });
                    if rows.replace(row, &entries) {
                        slow[row] = entries.map(|entry| (entry.class, entry.value)).into();
                    }
                }
                _ => match rows.entry(row, class) {
                    Some(value) => {
                        *value += 1.0;
                        *slow[row].entry(class).or_default() += 1.0;
                    }
                    None => n_refused += 1,
                },
            }
            let found = rows.get(row).iter().map(|entry| (entry.class, entry.value));
            assert!(found.eq(slow[row].iter().map(|(&class, &value)| (class, value))));
        }
        for (row, slow) in slow.iter().enumerate() {
            let found = rows.get(row).iter().map(|entry| (entry.class, entry.value));
            assert!(found.eq(slow.iter().map(|(&class, &value)| (class, value))));
        }
        assert!((100..10_000).contains(&n_refused), "{n_refused}");
        let mut arrays = Arrays::default();
        rows.save(&mut arrays);
        let loaded = Rows::<f32>::load(&arrays, 50).unwrap();
        assert!((0..10).all(|row| loaded.get(row) == rows.get(row)));
        assert!(Rows::<f32>::load(&arrays, 20).is_err());
    }
}
