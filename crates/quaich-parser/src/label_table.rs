//! Weights for choosing labels: a cache line that says which row, then a row of bytes.

use crate::memory::{Line, Lines, prefetch};
use crate::transition_table::{Row, bucket_of, tag_of};

/// Entries in a bucket: eight tags, then eight row numbers in two cells each.
const LANES: usize = 8;
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
    /// A table of the given rows. `fill` is the part of the entries to be used.
    pub fn build(rows: &[Row<'_>], n_classes: usize, n_templates: usize, fill: f32) -> std::io::Result<Self> {
        #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let n_buckets = ((rows.len() as f32 / (LANES as f32 * fill)).ceil() as usize).max(1);
        let mut order: Vec<&Row<'_>> = rows.iter().collect();
        order.sort_by(|a, b| b.range().total_cmp(&a.range()).then(a.hash.cmp(&b.hash)));
        // A row is centred between its extremes; the largest ones are cut off so that the others
        // keep their precision.
        let cut = order.get(rows.len() / 2000).map_or(1.0, |row| row.range().max(1e-9));
        // Sums must stay within 16 bits.
        let limit =
            (i32::from(i16::MAX) / i32::try_from(n_templates.max(1)).unwrap_or(i32::MAX)).clamp(1, 127);
        #[allow(clippy::cast_precision_loss)]
        let scale = cut / 2.0 / limit as f32;
        let stride = n_classes.next_multiple_of(PADDING);
        let mut used = vec![0u8; n_buckets];
        let mut kept = Vec::new();
        let mut buckets = Lines::zeroed(n_buckets)?;
        for row in order {
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
                #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)]
                let weight = ((weight - middle) / scale).round().clamp(-(limit as f32), limit as f32) as i8;
                *out = weight;
            }
        }
        let mut lines = Lines::zeroed(bytes.len().div_ceil(size_of::<Line>()))?;
        bytemuck::cast_slice_mut::<Line, i8>(lines.as_mut_slice())[..bytes.len()].copy_from_slice(&bytes);
        Ok(Self { buckets, rows: lines, n_classes, stride, scale })
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
        for &hash in hashes {
            let row = find(&buckets[bucket_of(hash, buckets.len())], hash);
            if row != 0 {
                prefetch(&rows[row as usize * self.stride]);
                scores.found.push(row);
            }
        }
        scores.sums.clear();
        scores.sums.resize(self.stride, 0);
        for &row in &scores.found {
            let row = &rows[row as usize * self.stride..][..self.stride];
            for (sums, bytes) in
                scores.sums.as_chunks_mut::<PADDING>().0.iter_mut().zip(row.as_chunks::<PADDING>().0)
            {
                for (sum, &byte) in sums.iter_mut().zip(bytes) {
                    *sum += i16::from(byte);
                }
            }
        }
        scores.sums.truncate(self.n_classes);
    }
}

/// The number of the row whose tag matches, 0 if there is none.
#[inline(always)]
fn find(bucket: &Line, hash: u64) -> u32 {
    let tag = tag_of(hash);
    let cells = &bucket.0;
    let mut low = 0;
    let mut high = 0;
    for lane in 0..LANES {
        let mask = if cells[lane] == tag { u16::MAX } else { 0 };
        low |= cells[LANES + lane] & mask;
        high |= cells[2 * LANES + lane] & mask;
    }
    u32::from(low) | u32::from(high) << 16
}
