//! What the first layer makes of words, kept from sentence to sentence.

use std::collections::HashMap;

/// Words that are kept. A few thousand make up most of any text, and more would not stay near the processor.
const MOST: usize = 8192;

/// Rows of words by key.
#[derive(Debug, Default)]
pub(super) struct WordCache {
    rows: HashMap<u64, u32, rustc_hash::FxBuildHasher>,
    cells: Vec<f32>,
}

impl WordCache {
    /// Makes room for other words if there is none.
    pub(super) fn make_room(&mut self) {
        if self.rows.len() >= MOST {
            self.rows.clear();
            self.cells.clear();
        }
    }

    /// The row of a word, and whether it is new.
    pub(super) fn row(&mut self, key: u64) -> (u32, bool) {
        let next = u32::try_from(self.rows.len()).expect("far fewer than 2³² words");
        let row = *self.rows.entry(key).or_insert(next);
        (row, row == next)
    }

    /// The rows of the words that are new since they were last asked for, to be written.
    pub(super) fn new_rows(&mut self, width: usize) -> &mut [f32] {
        let start = self.cells.len();
        self.cells.resize(self.rows.len() * width, 0.0);
        &mut self.cells[start..]
    }

    /// All rows.
    pub(super) fn cells(&self) -> &[f32] {
        &self.cells
    }
}
