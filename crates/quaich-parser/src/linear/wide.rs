//! Tables for questions with many classes, such as the label of an arc: a cache line locates the row, then the row is read.
//!
//! A bucket has eight tags, then the low and the high halves of eight row numbers. With few classes, rows have one byte per class; with
//! many, they are lists of (class, weight), so that a word that decides between three of five thousand labels costs three entries, not
//! five thousand. A feature that is active almost everywhere has weights for most classes, which are stored densely.

use super::narrow::{bucket_of, n_buckets, tag_of};
use super::weights::FeatureRow;
use crate::huge_pages::{Line, Lines};
use crate::kernels::{LANES, find, prefetch};

/// Rows of bytes are padded to a multiple of this, for whole vectors.
const PADDING: usize = 32;
/// From this many classes, rows are lists.
const MIN_LIST_CLASSES: usize = 256;
/// A list with weights for more than one in this many classes is stored densely instead.
const FULL: usize = 4;
/// Set in the length of a dense row; its cells hold two weights each.
const IS_FULL: u32 = 1 << 31;
/// The maximum number of classes: entries have 16 bits for them.
pub(crate) const MAX_CLASSES: usize = 1 << 16;

/// A table of quantised weights for any number of classes.
#[derive(Debug)]
pub(crate) struct Wide {
    buckets: Lines,
    rows: Lines,
    n_classes: usize,
    scale: f32,
}

/// The buffers for scoring.
#[derive(Clone, Debug, Default)]
pub(crate) struct WideScratch {
    found: Vec<u32>,
    sums: Vec<i32>,
    /// One score per class.
    pub(crate) scores: Vec<f32>,
}

impl Wide {
    /// Drops the last rows until the rest fits into this many bytes.
    pub(crate) fn cut(rows: &mut Vec<FeatureRow<'_>>, n_classes: usize, bytes: usize) {
        let mut taken = 0;
        let size = |row: &FeatureRow<'_>| {
            if n_classes < MIN_LIST_CLASSES {
                stride(n_classes)
            } else {
                size_of::<u32>() * (1 + n_cells(row.weights.pairs().count(), n_classes))
            }
        };
        let fits = rows.iter().take_while(|row| {
            taken += size(row);
            taken <= bytes
        });
        let n = fits.count();
        rows.truncate(n);
    }

    /// Builds a table of rows, which are sorted by decreasing importance. Usually no more than `n_added` of them are summed.
    ///
    /// # Panics
    /// If there are too many classes or rows.
    pub(crate) fn build(rows: &[FeatureRow<'_>], n_classes: usize, n_added: usize) -> std::io::Result<Self> {
        assert!(n_classes <= MAX_CLASSES, "at most {MAX_CLASSES} classes");
        let n_buckets = n_buckets(rows.len(), LANES);
        // The largest weights are clipped, so that the others keep their precision.
        let cut = rows.get(rows.len() / 2000).map_or(1.0, |row| row.range().max(1e-9));
        let mut store = if n_classes < MIN_LIST_CLASSES {
            Store::bytes(n_classes, n_added, cut)
        } else {
            Store::entries(n_classes, cut)
        };
        let mut used = vec![0u8; n_buckets];
        let mut buckets = Lines::zeroed(n_buckets)?;
        for row in rows {
            let bucket = bucket_of(row.hash, n_buckets);
            let lane = usize::from(used[bucket]);
            let taken = &buckets.as_slice()[bucket].0[..lane];
            if lane == LANES || taken.contains(&tag_of(row.hash)) {
                continue;
            }
            used[bucket] += 1;
            let place = store.put(row);
            let cells = &mut buckets.as_mut_slice()[bucket].0;
            cells[lane] = tag_of(row.hash);
            #[allow(clippy::cast_possible_truncation, reason = "the two halves of the number")]
            {
                cells[LANES + lane] = place as u16;
                cells[2 * LANES + lane] = (place >> 16) as u16;
            }
        }
        let (scale, bytes) = (store.scale, store.into_bytes());
        let mut lines = Lines::zeroed(bytes.len().div_ceil(size_of::<Line>()))?;
        bytemuck::cast_slice_mut::<Line, u8>(lines.as_mut_slice())[..bytes.len()].copy_from_slice(&bytes);
        Ok(Self { buckets, rows: lines, n_classes, scale })
    }

    /// A table from its lines, if they are valid.
    pub(crate) fn from_lines(buckets: Lines, rows: Lines, n_classes: usize, scale: f32) -> Option<Self> {
        let table = Self { buckets, rows, n_classes, scale };
        // `score` relies on valid rows and classes.
        let places = || {
            let cells = table.buckets.as_slice().iter().map(|bucket| &bucket.0);
            cells.flat_map(|cells| (0..LANES).map(|lane| place(cells, lane) as usize))
        };
        let sound = if n_classes < MIN_LIST_CLASSES {
            let n_rows = size_of_val(table.rows.as_slice()) / stride(n_classes);
            places().max().is_some_and(|highest| highest < n_rows)
        } else {
            let cells: &[u32] = bytemuck::cast_slice(table.rows.as_slice());
            // Each row has one entry, so the total length of rows is at most the number of cells.
            let mut left = cells.len();
            let mut is_sound = |start: usize| {
                let (length, is_full) = length_of(*cells.get(start)?);
                left = left.checked_sub(length)?;
                let entries = cells.get(start + 1..start.checked_add(1)?.checked_add(length)?)?;
                Some(if is_full {
                    length == n_classes.div_ceil(2)
                } else {
                    entries.iter().all(|&entry| class_of(entry) < n_classes)
                })
            };
            n_classes <= MAX_CLASSES && places().all(|start| is_sound(start) == Some(true))
        };
        (sound && !table.buckets.as_slice().is_empty()).then_some(table)
    }

    /// The bytes of buckets and rows, for [`from_lines`](Self::from_lines).
    pub(crate) fn bytes(&self) -> (&[u8], &[u8]) {
        (bytemuck::cast_slice(self.buckets.as_slice()), bytemuck::cast_slice(self.rows.as_slice()))
    }

    /// The scale of scores.
    pub(crate) fn scale(&self) -> f32 {
        self.scale
    }

    /// Sums the weights of all features into `scratch.scores`.
    #[inline]
    pub(crate) fn score(&self, hashes: &[u64], scratch: &mut WideScratch) {
        if self.n_classes < MIN_LIST_CLASSES {
            self.score_bytes(hashes, scratch);
        } else {
            self.score_entries(hashes, scratch);
        }
    }

    #[inline]
    fn score_bytes(&self, hashes: &[u64], scratch: &mut WideScratch) {
        let rows: &[i8] = bytemuck::cast_slice(self.rows.as_slice());
        let stride = stride(self.n_classes);
        let n_found =
            self.find_rows(hashes, &mut scratch.found, |row| prefetch(&rows[row as usize * stride]));
        scratch.scores.clear();
        scratch.scores.resize(stride, 0.0);
        for (part, scores) in scratch.scores.as_chunks_mut::<PADDING>().0.iter_mut().enumerate() {
            let mut total = [0i16; PADDING];
            for &row in &scratch.found[..n_found] {
                let start = row as usize * stride + part * PADDING;
                for (total, &byte) in total.iter_mut().zip(&rows[start..start + PADDING]) {
                    *total = total.saturating_add(i16::from(byte));
                }
            }
            *scores = total.map(|total| f32::from(total) * self.scale);
        }
        scratch.scores.truncate(self.n_classes);
    }

    fn score_entries(&self, hashes: &[u64], scratch: &mut WideScratch) {
        let cells: &[u32] = bytemuck::cast_slice(self.rows.as_slice());
        let n_found = self.find_rows(hashes, &mut scratch.found, |row| prefetch(&cells[row as usize]));
        scratch.sums.clear();
        scratch.sums.resize(self.n_classes, 0);
        for &row in &scratch.found[..n_found] {
            let (length, is_full) = length_of(cells[row as usize]);
            let entries = &cells[row as usize + 1..][..length];
            if is_full {
                for (sum, &weight) in scratch.sums.iter_mut().zip(bytemuck::cast_slice::<u32, i16>(entries)) {
                    *sum += i32::from(weight);
                }
            } else {
                for &entry in entries {
                    scratch.sums[class_of(entry)] += weight_of(entry);
                }
            }
        }
        scratch.scores.clear();
        #[allow(clippy::cast_precision_loss, reason = "scores are far below 2²⁴ units")]
        scratch.scores.extend(scratch.sums.iter().map(|&sum| sum as f32 * self.scale));
    }

    /// Finds the rows of the known features; returns their number.
    #[inline]
    fn find_rows(&self, hashes: &[u64], found: &mut Vec<u32>, prefetch_row: impl Fn(u32)) -> usize {
        let buckets = self.buckets.as_slice();
        for &hash in hashes {
            prefetch(&buckets[bucket_of(hash, buckets.len())]);
        }
        found.clear();
        found.resize(hashes.len(), 0);
        let mut n_found = 0;
        for &hash in hashes {
            let bucket = &buckets[bucket_of(hash, buckets.len())];
            // Always writes the row, but counts it only if found: this avoids an unpredictable branch.
            let lane = find(bucket, tag_of(hash));
            let row = place(&bucket.0, lane.unwrap_or(0));
            found[n_found] = row;
            n_found += usize::from(lane.is_some());
            prefetch_row(row);
        }
        n_found
    }
}

/// Rows under construction.
struct Store {
    bytes: Vec<i8>,
    /// Lengths, and entries with 16 bits of class and 16 bits of weight, or with two weights.
    entries: Vec<u32>,
    n_classes: usize,
    /// Bytes per row; 0 if rows are lists.
    stride: usize,
    limit: f32,
    scale: f32,
}

impl Store {
    /// Rows of bytes. The first is all zeros, for absent features.
    fn bytes(n_classes: usize, n_added: usize, cut: f32) -> Self {
        let limit = f32::from(weight_limit(n_added));
        let stride = stride(n_classes);
        let (bytes, entries) = (vec![0; stride], Vec::new());
        Self { bytes, entries, n_classes, stride, limit, scale: cut / 2.0 / limit }
    }

    /// Rows that are lists. The first is empty, for absent features.
    fn entries(n_classes: usize, cut: f32) -> Self {
        let limit = f32::from(i16::MAX);
        Self { bytes: Vec::new(), entries: vec![0], n_classes, stride: 0, limit, scale: cut / limit }
    }

    /// Adds a row; returns its number.
    fn put(&mut self, row: &FeatureRow<'_>) -> u32 {
        let (limit, scale) = (self.limit, self.scale);
        #[allow(clippy::cast_possible_truncation, reason = "cut off before")]
        let round = |weight: f32| (weight / scale).round().clamp(-limit, limit) as i16;
        let number = |place: usize| u32::try_from(place).expect("fewer than 2³² rows");
        if self.stride == 0 {
            let start = self.entries.len();
            let (n_pairs, n_classes) = (row.weights.pairs().count(), self.n_classes);
            let n_cells = n_cells(n_pairs, n_classes);
            if is_full(n_pairs, n_classes) {
                self.entries.resize(start + 1 + n_cells, 0);
                self.entries[start] = number(n_cells) | IS_FULL;
                let weights: &mut [i16] = bytemuck::cast_slice_mut(&mut self.entries[start + 1..]);
                for (class, weight) in row.weights.pairs() {
                    weights[class as usize] = round(weight);
                }
            } else {
                self.entries.push(number(n_cells));
                let entry = |(class, weight)| class | u32::from(round(weight).cast_unsigned()) << 16;
                self.entries.extend(row.weights.pairs().map(entry));
            }
            return number(start);
        }
        // A row is centred between its minimum and maximum.
        let middle = f32::midpoint(row.extremes.0, row.extremes.1);
        let start = self.bytes.len();
        let byte = |weight: f32| i8::try_from(round(weight - middle)).unwrap_or(0);
        self.bytes.resize(start + self.stride, byte(0.0));
        for (class, weight) in row.weights.pairs() {
            self.bytes[start + class as usize] = byte(weight);
        }
        number(start / self.stride)
    }

    fn into_bytes(self) -> Vec<u8> {
        if self.stride == 0 {
            bytemuck::cast_slice(&self.entries).to_vec()
        } else {
            bytemuck::cast_slice(&self.bytes).to_vec()
        }
    }
}

/// Whether a row with this many weights is stored densely.
fn is_full(n_pairs: usize, n_classes: usize) -> bool {
    n_pairs * FULL > n_classes
}

/// The number of cells after the length of a row.
fn n_cells(n_pairs: usize, n_classes: usize) -> usize {
    if is_full(n_pairs, n_classes) { n_classes.div_ceil(2) } else { n_pairs }
}

/// The number of cells after the length, and whether they are dense weights.
#[inline]
fn length_of(cell: u32) -> (usize, bool) {
    ((cell & !IS_FULL) as usize, cell & IS_FULL != 0)
}

fn stride(n_classes: usize) -> usize {
    n_classes.max(1).next_multiple_of(PADDING)
}

#[inline]
fn class_of(entry: u32) -> usize {
    (entry & 0xffff) as usize
}

#[inline]
#[allow(clippy::cast_possible_truncation, reason = "the upper half")]
fn weight_of(entry: u32) -> i32 {
    i32::from(((entry >> 16) as u16).cast_signed())
}

/// The largest weight of which `n` can be summed within 16 bits.
fn weight_limit(n: usize) -> i8 {
    i8::try_from(i16::MAX.unsigned_abs() as usize / n.max(1)).unwrap_or(i8::MAX).max(1)
}

/// The row number of an entry of a bucket.
#[inline]
fn place(cells: &[u16; 32], lane: usize) -> u32 {
    u32::from(cells[LANES + lane]) | u32::from(cells[2 * LANES + lane]) << 16
}

#[cfg(test)]
mod tests {
    use super::*;
    use quaich_features::hash;
    use quaich_learn::Row;

    /// Compares the sums of a table with exact sums.
    fn check(n_classes: usize) {
        #[allow(clippy::cast_precision_loss)]
        let weight = |i: usize, class: usize| {
            let every = if i.is_multiple_of(3) { 2 } else { 7 };
            if (i + class).is_multiple_of(every) { ((i * 31 + class) % 101) as f32 / 50.0 } else { 0.0 }
        };
        let weights: Vec<Vec<f32>> =
            (0..300).map(|i| (0..n_classes).map(|class| weight(i, class)).collect()).collect();
        let rows: Vec<FeatureRow<'_>> = (0u64..)
            .zip(&weights)
            .map(|(i, weights)| FeatureRow {
                hash: hash::mix(i),
                weights: Row::Dense(weights),
                extremes: (0.0, 2.0),
            })
            .collect();
        let table = Wide::build(&rows, n_classes, 100).unwrap();
        let mut scratch = WideScratch::default();
        let (buckets, cells) = table.bytes();
        let lines = |bytes: &[u8]| Lines::copied(bytes).unwrap();
        let again = Wide::from_lines(lines(buckets), lines(cells), n_classes, table.scale()).unwrap();
        for table in [&table, &again] {
            table.score(&(0..100).map(|i| hash::mix(i * 4)).collect::<Vec<_>>(), &mut scratch);
            // Rows may be shifted by a constant: only differences matter.
            for class in 1..n_classes {
                let expected: f32 = (0..75).map(|i| weights[i * 4][class] - weights[i * 4][0]).sum();
                let found = scratch.scores[class] - scratch.scores[0];
                assert!((found - expected).abs() < 1.0, "{n_classes} {class}: {found} {expected}");
            }
        }
        assert!(Wide::from_lines(lines(buckets), Lines::zeroed(0).unwrap(), n_classes, 1.0).is_none());
    }

    #[test]
    fn scores_are_sums_of_rows_of_any_width() {
        for n_classes in [1, 2, 40, 255, 256, 257, 3000] {
            check(n_classes);
        }
    }

    #[test]
    fn rows_of_classes_that_are_not_there_are_refused() {
        let weights: Vec<f32> = (0..300u16).map(f32::from).collect();
        let row = FeatureRow { hash: 1 << 40, weights: Row::Dense(&weights), extremes: (0.0, 299.0) };
        let few: Vec<f32> = (0..300u16).map(|class| f32::from(class / 299)).collect();
        for weights in [&weights, &few] {
            let row = FeatureRow { weights: Row::Dense(weights), ..row };
            let table = Wide::build(&[row], 300, 100).unwrap();
            let (buckets, cells) = table.bytes();
            let lines = |bytes: &[u8]| Lines::copied(bytes).unwrap();
            assert!(Wide::from_lines(lines(buckets), lines(cells), 300, 1.0).is_some());
            assert!(Wide::from_lines(lines(buckets), lines(cells), 298, 1.0).is_none());
        }
    }
}
