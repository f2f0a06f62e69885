//! An inverted index of rows. The number of values that a row shares with each of very many others is counted by traversing the lists of
//! its values, which is many times faster than comparing rows one by one.
//!
//! ```text
//!   rare values       a list of rows               increments one counter per row
//!   frequent values   a column of zeros and ones   is added to all counters, vectorised
//! ```

use std::ops::Range;

use crate::kernels;
use crate::lists::Lists;

/// Values of more than one row in this many get a column.
const COMMON: usize = 32;

/// The maximum size of all columns.
const MAX_COLUMN_BYTES: usize = 256 << 20;

/// Marks values without a column.
const LISTED: u32 = u32::MAX;

/// A counter of shared values: one byte, or two if rows are long.
pub(super) trait Count: Copy + Default + PartialEq + Send + Sync + std::fmt::Debug + 'static {
    /// Adds one.
    fn increment(&mut self);

    /// The counter as an index.
    fn place(self) -> usize;

    /// A counter from a number that fits.
    fn of(number: usize) -> Self;

    /// Adds columns to counters.
    fn add_columns(counts: &mut [Self], columns: &[&[u8]]);

    /// Subtracts from every value the table entries of its two codes. Tables have an entry for every code that occurs, and at least
    /// [`TABLE`].
    fn descend(values: &mut [f64], codes: [&[Self]; 2], tables: [&[f64]; 2]);
}

/// The minimum length of a table.
pub(super) const TABLE: usize = 256;

impl Count for u8 {
    #[inline]
    fn increment(&mut self) {
        *self = self.wrapping_add(1);
    }

    #[inline]
    fn place(self) -> usize {
        usize::from(self)
    }

    #[inline]
    fn of(number: usize) -> Self {
        #[allow(clippy::cast_possible_truncation, reason = "known to fit")]
        let number = number as Self;
        number
    }

    fn add_columns(counts: &mut [Self], columns: &[&[u8]]) {
        kernels::add_columns(counts, columns);
    }

    fn descend(values: &mut [f64], codes: [&[Self]; 2], tables: [&[f64]; 2]) {
        let tables = tables.map(|table| table.first_chunk().expect("tables have a number for every byte"));
        kernels::descend(values, codes, tables);
    }
}

impl Count for u16 {
    #[inline]
    fn increment(&mut self) {
        *self = self.wrapping_add(1);
    }

    #[inline]
    fn place(self) -> usize {
        usize::from(self)
    }

    #[inline]
    fn of(number: usize) -> Self {
        #[allow(clippy::cast_possible_truncation, reason = "known to fit")]
        let number = number as Self;
        number
    }

    fn add_columns(counts: &mut [Self], columns: &[&[u8]]) {
        for column in columns {
            for (count, &one) in counts.iter_mut().zip(*column) {
                *count = count.wrapping_add(Self::from(one));
            }
        }
    }

    fn descend(values: &mut [f64], codes: [&[Self]; 2], tables: [&[f64]; 2]) {
        for ((value, a), b) in values.iter_mut().zip(codes[0]).zip(codes[1]) {
            *value -= tables[0][a.place()] + tables[1][b.place()];
        }
    }
}

/// The rows of each value.
#[derive(Clone, Debug)]
pub(super) struct Index {
    n_rows: usize,
    /// One per value: the start of its list; and the end of the last.
    starts: Vec<usize>,
    /// Row numbers, ascending per value. The lists of values with columns are empty.
    postings: Vec<u32>,
    /// One per value: its column, or [`LISTED`].
    column_of: Vec<u32>,
    /// All columns, one byte per row.
    columns: Vec<u8>,
}

impl Index {
    /// Builds the index of rows whose values are below `n_features`.
    pub(super) fn new(rows: &Lists<u32>, n_features: usize) -> Self {
        let n_rows = rows.len();
        let mut n_of = vec![0usize; n_features];
        (0..n_rows).flat_map(|row| rows.get(row)).for_each(|&value| n_of[value as usize] += 1);
        let max_columns = MAX_COLUMN_BYTES / n_rows.max(1);
        let mut column_of = vec![LISTED; n_features];
        let mut n_columns = 0;
        for (column, &n) in column_of.iter_mut().zip(&n_of) {
            if n * COMMON > n_rows && n > 1 && n_columns < max_columns {
                *column = u32::try_from(n_columns).unwrap_or(LISTED);
                n_columns += 1;
            }
        }
        let mut starts = Vec::with_capacity(n_features + 1);
        let mut start = 0;
        for (&column, &n) in column_of.iter().zip(&n_of) {
            starts.push(start);
            start += if column == LISTED { n } else { 0 };
        }
        starts.push(start);
        let (mut postings, mut filled) = (vec![0u32; start], starts.clone());
        let mut columns = vec![0u8; n_columns * n_rows];
        for (row, number) in (0..n_rows).zip(0u32..) {
            for &value in rows.get(row) {
                match column_of[value as usize] {
                    LISTED => {
                        let at = &mut filled[value as usize];
                        postings[*at] = number;
                        *at += 1;
                    }
                    column => columns[column as usize * n_rows + row] = 1,
                }
            }
        }
        Self { n_rows, starts, postings, column_of, columns }
    }

    /// Counts the values that `row` shares with each row in a range. Unknown values are ignored.
    pub(super) fn count<T: Count>(&self, row: &[u32], range: Range<usize>, counts: &mut [T]) {
        counts.fill(T::default());
        // More columns than a row of a parser has; longer rows are added in several rounds.
        let mut columns: [&[u8]; 32] = [&[]; 32];
        let mut n_columns = 0;
        for &value in row {
            match self.column_of.get(value as usize) {
                None => {}
                Some(&LISTED) => {
                    let list = &self.postings[self.starts[value as usize]..self.starts[value as usize + 1]];
                    let list = if range.len() == self.n_rows { list } else { within(list, &range) };
                    for &number in list {
                        counts[number as usize - range.start].increment();
                    }
                }
                Some(&column) => {
                    let start = column as usize * self.n_rows;
                    columns[n_columns] = &self.columns[start + range.start..start + range.end];
                    n_columns += 1;
                    if n_columns == columns.len() {
                        T::add_columns(counts, &columns);
                        n_columns = 0;
                    }
                }
            }
        }
        T::add_columns(counts, &columns[..n_columns]);
    }

    /// The size in bytes.
    pub(super) fn n_bytes(&self) -> usize {
        self.columns.len() + 4 * self.postings.len() + 12 * self.column_of.len()
    }
}

/// The part of an ascending list within a range.
fn within<'a>(list: &'a [u32], range: &Range<usize>) -> &'a [u32] {
    let list = &list[list.partition_point(|&number| (number as usize) < range.start)..];
    &list[..list.partition_point(|&number| (number as usize) < range.end)]
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg32;

    use super::*;

    /// The number of values that two ascending rows share, by merging.
    fn merged(a: &[u32], b: &[u32]) -> usize {
        a.iter().filter(|value| b.binary_search(value).is_ok()).count()
    }

    #[test]
    fn rows_counted_are_rows_compared() {
        let mut random = Pcg32::seed_from_u64(5);
        for (n_features, n_rows) in [(1u32, 3), (10, 40), (300, 500), (5000, 300)] {
            let mut rows = Lists::default();
            for _ in 0..n_rows {
                // Low values are frequent.
                let row = (0..n_features.min(600))
                    .filter(|&value| random.random_range(0..1 + value / 4) == 0)
                    .collect::<Vec<u32>>();
                rows.push(&row);
            }
            let index = Index::new(&rows, n_features as usize);
            for start in [0, n_rows / 3] {
                let range = start..n_rows - start / 2;
                let (mut bytes, mut words) = (vec![7u8; range.len()], vec![7u16; range.len()]);
                for i in 0..n_rows {
                    index.count(rows.get(i), range.clone(), &mut bytes);
                    index.count(rows.get(i), range.clone(), &mut words);
                    for (at, j) in range.clone().enumerate() {
                        let expected = merged(rows.get(i), rows.get(j));
                        assert_eq!((bytes[at].place(), words[at].place()), (expected, expected));
                    }
                }
            }
            assert!(index.n_bytes() > 0);
        }
    }

    #[test]
    fn unknown_values_are_shared_with_none() {
        let mut rows = Lists::default();
        rows.push(&[0, 2]);
        rows.push(&[1]);
        let mut counts = [9u8; 2];
        Index::new(&rows, 3).count(&[0, 2, 3, u32::MAX], 0..2, &mut counts);
        assert_eq!(counts, [2, 0]);
    }
}
