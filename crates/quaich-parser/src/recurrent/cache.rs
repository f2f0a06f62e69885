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
    /// Makes room for the words of another sentence if there is none.
    pub(super) fn start_sentence(&mut self) {
        if self.rows.len() >= MOST {
            self.rows.clear();
            self.cells.clear();
        }
    }

    /// The row of a word, which is worked out where it is new.
    pub(super) fn row(&mut self, key: u64, width: usize, work_out: impl FnOnce(&mut [f32])) -> &[f32] {
        let Self { rows, cells } = self;
        let row = *rows.entry(key).or_insert_with(|| {
            let row = cells.len() / width;
            cells.resize(cells.len() + width, 0.0);
            work_out(&mut cells[row * width..]);
            u32::try_from(row).expect("far fewer than 2³² words")
        });
        &cells[row as usize * width..][..width]
    }
}
