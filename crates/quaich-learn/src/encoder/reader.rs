//! Sequences → encodings, with one or more encoders that have the same input.
//!
//! The first layers' outputs are cached across sequences: a few thousand items make up most of any text.

use std::collections::HashMap;

use super::encoding::{Encoder, EncoderScratch, Encoding};

/// The maximum number of cached items; more would not fit into the processor's cache.
const MAX_ROWS: usize = 8192;
/// Long sequences are encoded in windows of this many items.
const WINDOW: usize = 1024;
/// The number of context items before and after a window.
const CONTEXT: usize = 128;

/// A sequence to be encoded.
pub trait ItemSource {
    /// The number of its items.
    fn n_items(&self) -> usize;

    /// A key that differs between items with different values.
    fn key(&self, item: usize) -> u64;

    /// Fills in the values of an item, one list per attribute.
    fn values(&self, item: usize, values: &mut Vec<Vec<u32>>);
}

/// The buffers and caches that one thread needs to encode sequences. A reader must always be used with the same encoders.
#[derive(Debug, Default)]
pub struct Reader {
    /// The cached row of each item, by key.
    rows: HashMap<u64, u32, rustc_hash::FxBuildHasher>,
    /// One per encoder.
    caches: Vec<RowCache>,
    /// One per item of the window: its row.
    items: Vec<u32>,
    values: Vec<Vec<u32>>,
    scratch: EncoderScratch,
}

/// The cached outputs of one encoder's first layer.
#[derive(Debug, Default)]
struct RowCache {
    /// One row per item.
    cells: Vec<f32>,
    /// One row per item: the contribution of its embedding to the hidden units of the classifier.
    own_hidden: Vec<i16>,
    /// The embeddings of new items.
    inputs: Vec<f32>,
}

impl Reader {
    /// Fills one encoding per encoder.
    ///
    /// A long sequence is encoded in windows with context items on both sides. This bounds memory, and more distant items do not change the
    /// result.
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
                let RowCache { cells, own_hidden, inputs } = caches;
                let written = (cells.len(), own_hidden.len());
                cells.resize(self.rows.len() * encoder.shape().gates_width(), 0.0);
                own_hidden.resize(self.rows.len() * encoder.n_hidden(), 0);
                encoder.first_layer(inputs, &mut cells[written.0..], &mut self.scratch.rounded);
                encoder.own_hidden(inputs, &mut own_hidden[written.1..], &mut self.scratch.rounded);
                inputs.clear();
                encoder.encode((cells, own_hidden), &self.items, kept.clone(), &mut self.scratch, encoding);
            }
        }
    }

    /// Looks up the rows of some items, and embeds new ones.
    fn look_up(&mut self, encoders: &[Encoder], source: &impl ItemSource, range: std::ops::Range<usize>) {
        let Self { rows, caches, items, values, .. } = self;
        if rows.len() >= MAX_ROWS {
            rows.clear();
            for caches in caches.iter_mut() {
                caches.cells.clear();
                caches.own_hidden.clear();
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
