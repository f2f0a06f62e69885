//! Words that were seen before: what the first layers of encoders make of them is kept from sentence to sentence.

use std::collections::HashMap;

/// Words that are kept. A few thousand make up most of any text, and more would not stay near the processor.
const MOST: usize = 8192;

/// Rows of words by key.
#[derive(Debug, Default)]
pub(super) struct WordCache {
    rows: HashMap<u64, u32, rustc_hash::FxBuildHasher>,
}

/// What one encoder makes of the words.
#[derive(Debug, Default)]
pub(super) struct Rows {
    cells: Vec<f32>,
}

impl WordCache {
    /// Makes room for other words if there is none: forgets all rows, and whether it did.
    pub(super) fn make_room(&mut self) -> bool {
        let is_full = self.rows.len() >= MOST;
        if is_full {
            self.rows.clear();
        }
        is_full
    }

    /// How many words there are.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The row of a word, and whether it is new.
    pub(super) fn row(&mut self, key: u64) -> (u32, bool) {
        let next = u32::try_from(self.rows.len()).expect("far fewer than 2³² words");
        let row = *self.rows.entry(key).or_insert(next);
        (row, row == next)
    }
}

impl Rows {
    /// Forgets all rows.
    pub(super) fn clear(&mut self) {
        self.cells.clear();
    }

    /// The rows of the words that are new since they were last asked for, to be written, if there are so many in all.
    pub(super) fn new_rows(&mut self, n_words: usize, width: usize) -> &mut [f32] {
        let start = self.cells.len();
        self.cells.resize(n_words * width, 0.0);
        &mut self.cells[start..]
    }

    /// All rows.
    pub(super) fn cells(&self) -> &[f32] {
        &self.cells
    }
}
