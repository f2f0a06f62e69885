//! Positions: where in an instance a value may stand.
//!
//! Values are numbered through all positions, so that a value's number says all that a linear
//! classifier needs. Learners that compare instances position by position find out here whose a value is:
//!
//! ```text
//!   position    0            1      2
//!   values      0 1 2 3 4 5  6 7 8  9 10 11 12 …
//!   offsets     0            6      9             …  n_values
//! ```

use std::ops::Range;

/// Which position owns which values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Positions {
    /// By position: its first value; after the last, the number of values.
    offsets: Vec<u32>,
}

impl Positions {
    /// Position `p` owns the values from `offsets[p]` to before `offsets[p + 1]`.
    ///
    /// # Panics
    /// When the offsets do not begin with 0 or fall.
    pub fn new(offsets: Vec<u32>) -> Self {
        assert!(offsets.first() == Some(&0) && offsets.is_sorted(), "offsets begin with 0 and do not fall");
        Self { offsets }
    }

    /// One position that owns all values, for those who do not tell positions apart.
    pub fn one(n_values: u32) -> Self {
        Self { offsets: vec![0, n_values] }
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of values of all positions.
    pub fn n_values(&self) -> u32 {
        self.offsets.last().copied().unwrap_or(0)
    }

    /// The values of a position; none if there is no such position.
    pub fn range(&self, position: usize) -> Range<u32> {
        let offset = |position: usize| self.offsets.get(position).copied().unwrap_or(self.n_values());
        offset(position)..offset(position + 1)
    }

    /// The position that owns a value; the number of positions if none does.
    pub fn of(&self, value: u32) -> usize {
        // Positions without values share their offset with the next, which comes later.
        self.offsets.partition_point(|&offset| offset <= value) - 1
    }

    /// The values that a row has at a position: one, several or none.
    pub fn at<'a>(&self, row: &'a [u32], position: usize) -> &'a [u32] {
        let Range { start, end } = self.range(position);
        // Rows are in the order of positions, so each limit cuts them in two.
        let row = &row[row.partition_point(|&value| value < start)..];
        &row[..row.partition_point(|&value| value < end)]
    }

    /// By position: its first value; after the last, the number of values.
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_at_their_positions() {
        let positions = Positions::new(vec![0, 3, 3, 5, 9]);
        assert_eq!((positions.len(), positions.n_values()), (4, 9));
        assert_eq!([0, 2, 3, 4, 5, 8, 9].map(|value| positions.of(value)), [0, 0, 2, 2, 3, 3, 4]);
        // Values of one position need no order among themselves.
        let row = [1, 4, 8, 6, 5];
        assert_eq!(positions.at(&row, 0), [1]);
        assert_eq!(positions.at(&row, 1), []);
        assert_eq!(positions.at(&row, 2), [4]);
        assert_eq!(positions.at(&row, 3), [8, 6, 5]);
        assert_eq!(positions.at(&[7], 0), []);
    }

    #[test]
    fn one_position_owns_everything() {
        let positions = Positions::one(5);
        assert_eq!(positions.at(&[4, 0, 2], 0), [4, 0, 2]);
    }
}
