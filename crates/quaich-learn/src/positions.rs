//! Positions: the places of an instance that can have a value.
//!
//! Values are numbered over all positions, so that a linear classifier only needs the number of a value. Learners that compare instances
//! position by position look up the position of a value here:
//!
//! ```text
//!   position    0            1      2
//!   values      0 1 2 3 4 5  6 7 8  9 10 11 12 …
//!   offsets     0            6      9             …  n_values
//! ```

use std::ops::Range;

/// The values of each position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Positions {
    /// One per position: its first value; and the number of values.
    offsets: Vec<u32>,
}

impl Positions {
    /// Position `p` has the values from `offsets[p]` to below `offsets[p + 1]`.
    ///
    /// # Panics
    /// If the offsets do not start with 0 or decrease.
    pub fn new(offsets: Vec<u32>) -> Self {
        assert!(offsets.first() == Some(&0) && offsets.is_sorted(), "offsets begin with 0 and do not fall");
        Self { offsets }
    }

    /// One position with all values, for learners that ignore positions.
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

    /// The number of values over all positions.
    pub fn n_values(&self) -> u32 {
        self.offsets.last().copied().unwrap_or(0)
    }

    /// The values of a position; empty if it does not exist.
    pub fn range(&self, position: usize) -> Range<u32> {
        let offset = |position: usize| self.offsets.get(position).copied().unwrap_or(self.n_values());
        offset(position)..offset(position + 1)
    }

    /// The position of a value; the number of positions if there is none.
    pub fn of(&self, value: u32) -> usize {
        // Positions without values share their offset with the next, which comes later.
        self.offsets.partition_point(|&offset| offset <= value) - 1
    }

    /// The values of a row at a position: one, several or none.
    pub fn at<'a>(&self, row: &'a [u32], position: usize) -> &'a [u32] {
        let Range { start, end } = self.range(position);
        // Rows are sorted by position, so each limit is found by bisection.
        let row = &row[row.partition_point(|&value| value < start)..];
        &row[..row.partition_point(|&value| value < end)]
    }

    /// One per position: its first value; and the number of values.
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
        // The values of one position need no order.
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
