//! Weights for choosing labels: a cache line that says which row, then a row of bytes.
//!
//! A bucket has eight tags, then the low and the high halves of eight row numbers.

use crate::kernels::{LANES, find, prefetch};
use crate::memory::{Line, Lines};
use crate::transition_table::{Row, bucket_of, n_buckets, tag_of};

/// Rows are padded to a multiple of this, so that sums run in whole vectors.
const PADDING: usize = 32;

/// A table of quantised weights for any number of classes.
#[derive(Debug)]
pub struct LabelTable {
    buckets: Lines,
    rows: Lines,
    n_classes: usize,
    /// Bytes a row.
    stride: usize,
    scale: f32,
}

/// Space for scoring, reused from arc to arc.
#[derive(Clone, Debug, Default)]
pub struct LabelScores {
    found: Vec<u32>,
    /// One sum a class.
    pub sums: Vec<i16>,
}

impl LabelTable {
    /// A table of the given rows, which come in falling order of what they can change. No more than
    /// `n_templates` of them are added up at a time.
    ///
    /// # Panics
    /// When there are 2³² rows or more.
    pub fn build(rows: &[Row<'_>], n_classes: usize, n_templates: usize) -> std::io::Result<Self> {
        let n_buckets = n_buckets(rows.len(), LANES);
        // A row is centred between its extremes; the largest ones are cut off so that the others
        // keep their precision.
        let cut = rows.get(rows.len() / 2000).map_or(1.0, |row| row.range.max(1e-9));
        let limit = f32::from(weight_limit(n_templates));
        let scale = cut / 2.0 / limit;
        let stride = n_classes.next_multiple_of(PADDING);
        let mut used = vec![0u8; n_buckets];
        let mut kept = Vec::new();
        let mut buckets = Lines::zeroed(n_buckets)?;
        for row in rows {
            let bucket = bucket_of(row.hash, n_buckets);
            let lane = usize::from(used[bucket]);
            let taken = &buckets.as_slice()[bucket].0[..lane];
            if lane == LANES || taken.contains(&tag_of(row.hash)) {
                continue;
            }
            used[bucket] += 1;
            let number = u32::try_from(kept.len() + 1).expect("fewer than 2³² rows");
            kept.push(row);
            let cells = &mut buckets.as_mut_slice()[bucket].0;
            cells[lane] = tag_of(row.hash);
            #[allow(clippy::cast_possible_truncation, reason = "the two halves of the number")]
            {
                cells[LANES + lane] = number as u16;
                cells[2 * LANES + lane] = (number >> 16) as u16;
            }
        }
        // Row 0 is all zeros: what an absent feature adds.
        let mut bytes = vec![0i8; (kept.len() + 1) * stride];
        for (row, out) in kept.iter().zip(bytes[stride..].chunks_mut(stride)) {
            let (low, high) = row
                .weights
                .iter()
                .fold((f32::INFINITY, f32::NEG_INFINITY), |(l, h), &w| (l.min(w), h.max(w)));
            let middle = f32::midpoint(low, high);
            for (out, weight) in out.iter_mut().zip(row.weights) {
                #[allow(clippy::cast_possible_truncation, reason = "clamped to eight bits")]
                let weight = ((weight - middle) / scale).round().clamp(-limit, limit) as i8;
                *out = weight;
            }
        }
        let mut lines = Lines::zeroed(bytes.len().div_ceil(size_of::<Line>()))?;
        bytemuck::cast_slice_mut::<Line, i8>(lines.as_mut_slice())[..bytes.len()].copy_from_slice(&bytes);
        Ok(Self { buckets, rows: lines, n_classes, stride, scale })
    }

    /// A table from its lines, if they make one.
    pub fn from_lines(buckets: Lines, rows: Lines, n_classes: usize, scale: f32) -> Option<Self> {
        let stride = n_classes.next_multiple_of(PADDING);
        let n_rows = size_of_val(rows.as_slice()).checked_div(stride)?;
        // What `score` relies on: rows that exist.
        let highest =
            buckets.as_slice().iter().flat_map(|bucket| (0..LANES).map(|lane| row_number(&bucket.0, lane)));
        let sound = highest.max().is_some_and(|highest| (highest as usize) < n_rows);
        sound.then_some(Self { buckets, rows, n_classes, stride, scale })
    }

    /// The bytes of buckets and rows, for [`from_lines`](Self::from_lines).
    pub fn bytes(&self) -> (&[u8], &[u8]) {
        (bytemuck::cast_slice(self.buckets.as_slice()), bytemuck::cast_slice(self.rows.as_slice()))
    }

    /// The number of classes.
    pub fn n_classes(&self) -> usize {
        self.n_classes
    }

    /// What a unit of a score is worth.
    pub fn scale(&self) -> f32 {
        self.scale
    }

    /// Adds the weights of all features into `scores.sums`.
    #[inline]
    pub fn score(&self, hashes: &[u64], scores: &mut LabelScores) {
        let buckets = self.buckets.as_slice();
        let rows: &[i8] = bytemuck::cast_slice(self.rows.as_slice());
        for &hash in hashes {
            prefetch(&buckets[bucket_of(hash, buckets.len())]);
        }
        scores.found.clear();
        scores.found.resize(hashes.len(), 0);
        let mut n_found = 0;
        for &hash in hashes {
            let bucket = &buckets[bucket_of(hash, buckets.len())];
            // Written always and counted only if found: whether a feature is there cannot be foreseen.
            let lane = find(bucket, tag_of(hash));
            let row = row_number(&bucket.0, lane.unwrap_or(0));
            scores.found[n_found] = row;
            n_found += usize::from(lane.is_some());
            prefetch(&rows[row as usize * self.stride]);
        }
        scores.sums.clear();
        scores.sums.resize(self.stride, 0);
        for (part, sums) in scores.sums.as_chunks_mut::<PADDING>().0.iter_mut().enumerate() {
            let mut total = [0i16; PADDING];
            for &row in &scores.found[..n_found] {
                let start = row as usize * self.stride + part * PADDING;
                for (total, &byte) in total.iter_mut().zip(&rows[start..start + PADDING]) {
                    *total = total.wrapping_add(i16::from(byte));
                }
            }
            *sums = total;
        }
        scores.sums.truncate(self.n_classes);
    }
}

/// The largest weight of which `n_templates` can be added up within 16 bits.
fn weight_limit(n_templates: usize) -> i8 {
    i8::try_from(i16::MAX.unsigned_abs() as usize / n_templates.max(1)).unwrap_or(i8::MAX).max(1)
}

/// The row number of an entry.
#[inline]
fn row_number(cells: &[u16; 32], lane: usize) -> u32 {
    u32::from(cells[LANES + lane]) | u32::from(cells[2 * LANES + lane]) << 16
}
