//! Sequences → encodings, by one encoder or several that are fed the same.
//!
//! What the first layers make of items is kept from sequence to sequence: a few thousand items make up most of any text.

use std::collections::HashMap;

use super::encoding::{Encoder, EncoderScratch, Encoding};

/// Items that are kept; more would not stay near the processor.
const MAX_ROWS: usize = 8192;
/// Items of a long sequence that are encoded together.
const WINDOW: usize = 1024;
/// Items before and after a part that are encoded with it.
const CONTEXT: usize = 128;

/// A sequence to be encoded.
pub trait ItemSource {
    /// The number of its items.
    fn n_items(&self) -> usize;

    /// A number that is different for items with different values.
    fn key(&self, item: usize) -> u64;

    /// By attribute: the values of an item.
    fn values(&self, item: usize, values: &mut Vec<Vec<u32>>);
}

/// What one thread needs to encode sequences; it belongs to some encoders.
#[derive(Debug, Default)]
pub struct Reader {
    /// By key: the row of an item.
    rows: HashMap<u64, u32, rustc_hash::FxBuildHasher>,
    /// By encoder.
    caches: Vec<RowCache>,
    /// By item of the part: its row.
    items: Vec<u32>,
    values: Vec<Vec<u32>>,
    scratch: EncoderScratch,
}

/// What one encoder makes of items.
#[derive(Debug, Default)]
struct RowCache {
    /// By row: what the first layer makes of the item.
    cells: Vec<f32>,
    /// The vectors of new items.
    inputs: Vec<f32>,
}

impl Reader {
    /// Fills an encoding per encoder.
    ///
    /// A long sequence is encoded in parts, each with some items around it: memory stays small, and what is further away
    /// makes no difference.
    pub fn read(&mut self, encoders: &[Encoder], source: &impl ItemSource, into: &mut Vec<Encoding>) {
        self.caches.resize_with(encoders.len(), RowCache::default);
        into.resize_with(encoders.len(), Encoding::default);
        into.iter_mut().for_each(Encoding::clear);
        let n_items = source.n_items();
        for first in (0..n_items).step_by(WINDOW) {
            let kept = first..n_items.min(first + WINDOW);
            let start = first.saturating_sub(CONTEXT);
            self.look_up(encoders, source, start..n_items.min(kept.end + CONTEXT));
            let kept = kept.start - start..kept.end - start;
            for ((encoder, caches), encoding) in encoders.iter().zip(&mut self.caches).zip(&mut *into) {
                let RowCache { cells, inputs } = caches;
                let written = cells.len();
                cells.resize(self.rows.len() * encoder.shape().gates_width(), 0.0);
                encoder.first_layer(inputs, &mut cells[written..], &mut self.scratch.rounded);
                inputs.clear();
                encoder.encode(cells, &self.items, kept.clone(), &mut self.scratch, encoding);
            }
        }
    }

    /// Finds the rows of some items, and takes the values of new ones.
    fn look_up(&mut self, encoders: &[Encoder], source: &impl ItemSource, range: std::ops::Range<usize>) {
        let Self { rows, caches, items, values, .. } = self;
        if rows.len() >= MAX_ROWS {
            rows.clear();
            for caches in caches.iter_mut() {
                caches.cells.clear();
            }
        }
        items.clear();
        for item in range {
            let next = u32::try_from(rows.len()).expect("far fewer than 2³² items");
            let row = *rows.entry(source.key(item)).or_insert(next);
            items.push(row);
            if row == next {
                source.values(item, values);
                for (encoder, caches) in encoders.iter().zip(&mut *caches) {
                    encoder.embed(values.iter().map(Vec::as_slice), &mut caches.inputs);
                }
            }
        }
    }
}
