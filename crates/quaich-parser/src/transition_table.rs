//! Weights for choosing transitions: one cache line a probe.
//!
//! A bucket has eight entries of a 16-bit tag and a weight for every class but the first, whose
//! weight is subtracted from the others. An entry is found by comparing all eight tags at once; a
//! feature that is not there adds nothing. What does not fit in its bucket is left out, the rows
//! that matter least first.

use crate::kernels::{LANES, Sums, prefetch};
use crate::memory::Lines;

/// Weights in the first line of a bucket; a second line holds four more.
const WEIGHTS: usize = 3;
/// The most classes a table can hold.
pub const MAX_CLASSES: usize = 8;

/// A table of quantised weights.
#[derive(Debug)]
pub struct TransitionTable {
    lines: Lines,
    n_classes: usize,
    /// What a unit of a weight is worth.
    scale: f32,
}

/// Weights of one feature, one a class.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// The feature's hash.
    pub hash: u64,
    /// Its weights.
    pub weights: &'a [f32],
    /// The highest weight less the lowest: how much the feature can change a decision.
    pub range: f32,
}

/// The part of a table's entries that is used: more would crowd out rows, less would waste cache.
pub(crate) const FILL: f32 = 0.55;

/// How many buckets of `lanes` entries hold this many rows.
pub(crate) fn n_buckets(n_rows: usize, lanes: usize) -> usize {
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let buckets = (n_rows as f32 / (lanes as f32 * FILL)).ceil() as usize;
    buckets.max(1)
}

impl TransitionTable {
    /// A table of the given rows, which come in falling order of what they can change.
    ///
    /// # Panics
    /// When there are fewer than two or more than eight classes.
    pub fn build(rows: &[Row<'_>], n_classes: usize) -> std::io::Result<Self> {
        assert!((2..=MAX_CLASSES).contains(&n_classes), "two to eight classes");
        let per_bucket = lines_per_bucket(n_classes);
        let n_buckets = n_buckets(rows.len(), LANES);
        let highest = rows
            .iter()
            .flat_map(|row| row.weights.iter().map(|weight| (weight - row.weights[0]).abs()))
            .fold(1e-9f32, f32::max);
        let scale = highest / f32::from(i16::MAX);
        let mut lines = Lines::zeroed(n_buckets * per_bucket)?;
        let cells = lines.as_mut_slice();
        let mut used = vec![0u8; n_buckets];
        for row in rows {
            let bucket = bucket_of(row.hash, n_buckets);
            let lane = usize::from(used[bucket]);
            if lane == LANES || cells[bucket * per_bucket].0[..lane].contains(&tag_of(row.hash)) {
                continue;
            }
            used[bucket] += 1;
            let bucket = &mut cells[bucket * per_bucket..][..per_bucket];
            bucket[0].0[lane] = tag_of(row.hash);
            for (i, weight) in row.weights[1..].iter().enumerate() {
                #[allow(clippy::cast_possible_truncation, reason = "the scale keeps it within 16 bits")]
                let weight = ((weight - row.weights[0]) / scale).round() as i16;
                let (line, cell) = place(i);
                bucket[line].0[cell + lane] = weight.cast_unsigned();
            }
        }
        Ok(Self { lines, n_classes, scale })
    }

    /// A table from its lines, if there are as many as a table has.
    pub fn from_lines(lines: Lines, n_classes: usize, scale: f32) -> Option<Self> {
        let per_bucket = (2..=MAX_CLASSES).contains(&n_classes).then(|| lines_per_bucket(n_classes))?;
        let n_lines = lines.as_slice().len();
        (n_lines > 0 && n_lines.is_multiple_of(per_bucket)).then_some(Self { lines, n_classes, scale })
    }

    /// The bytes of the lines, for [`from_lines`](Self::from_lines).
    pub fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(self.lines.as_slice())
    }

    /// The number of classes.
    pub fn n_classes(&self) -> usize {
        self.n_classes
    }

    /// What a unit of a score is worth.
    pub fn scale(&self) -> f32 {
        self.scale
    }

    /// Adds the weights of all features, class 0 always scoring 0.
    #[inline]
    pub fn score(&self, hashes: &[u64]) -> [i32; MAX_CLASSES] {
        let lines = self.lines.as_slice();
        let mut scores = [0; MAX_CLASSES];
        if lines_per_bucket(self.n_classes) == 1 {
            for &hash in hashes {
                prefetch(&lines[bucket_of(hash, lines.len())]);
            }
            let mut sums = Sums::<WEIGHTS>::zero();
            for &hash in hashes {
                let line = &lines[bucket_of(hash, lines.len())];
                sums.add::<1>(line, line, tag_of(hash));
            }
            scores[1..=WEIGHTS].copy_from_slice(&sums.totals());
        } else {
            let n_buckets = lines.len() / 2;
            for &hash in hashes {
                let at = bucket_of(hash, n_buckets) * 2;
                prefetch(&lines[at]);
                prefetch(&lines[at + 1]);
            }
            let (mut first, mut second) =
                (Sums::<WEIGHTS>::zero(), Sums::<{ MAX_CLASSES - 1 - WEIGHTS }>::zero());
            for &hash in hashes {
                let at = bucket_of(hash, n_buckets) * 2;
                first.add::<1>(&lines[at], &lines[at], tag_of(hash));
                second.add::<0>(&lines[at], &lines[at + 1], tag_of(hash));
            }
            scores[1..=WEIGHTS].copy_from_slice(&first.totals());
            scores[WEIGHTS + 1..].copy_from_slice(&second.totals());
        }
        scores
    }
}

fn lines_per_bucket(n_classes: usize) -> usize {
    if n_classes - 1 <= WEIGHTS { 1 } else { 2 }
}

/// The line and first cell of weight `i` in a bucket.
fn place(i: usize) -> (usize, usize) {
    if i < WEIGHTS { (0, LANES * (i + 1)) } else { (1, LANES * (i - WEIGHTS)) }
}

#[inline]
#[allow(clippy::cast_possible_truncation, reason = "the product's upper half is below n_buckets")]
pub(crate) fn bucket_of(hash: u64, n_buckets: usize) -> usize {
    (((hash >> 32) * n_buckets as u64) >> 32) as usize
}

/// Never 0, which marks an empty entry.
#[inline]
#[allow(clippy::cast_possible_truncation, reason = "the low bits are the tag")]
pub(crate) fn tag_of(hash: u64) -> u16 {
    (hash as u16).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use quaich_features::hash;

    #[test]
    fn scores_are_sums_of_rows() {
        for n_classes in 2..=MAX_CLASSES {
            #[allow(clippy::cast_precision_loss)]
            let weights: Vec<Vec<f32>> = (0..500usize)
                .map(|i| (0..n_classes).map(|c| ((i * 31 + c * 17) % 101) as f32 / 50.0 - 1.0).collect())
                .collect();
            let rows: Vec<Row<'_>> = (0u64..)
                .zip(&weights)
                .map(|(i, w)| Row { hash: hash::mix(i), weights: w, range: 1.0 })
                .collect();
            let table = TransitionTable::build(&rows, n_classes).unwrap();
            let hashes: Vec<u64> = (0..100).map(|i| hash::mix(i * 7)).collect();
            let scores = table.score(&hashes);
            for (class, &score) in scores.iter().enumerate().take(n_classes) {
                let expected: f32 = (0..72).map(|i| weights[i * 7][class] - weights[i * 7][0]).sum();
                #[allow(clippy::cast_precision_loss)]
                let found = score as f32 * table.scale();
                assert!((found - expected).abs() < 0.5, "{n_classes} {class}: {found} {expected}");
            }
        }
    }
}
