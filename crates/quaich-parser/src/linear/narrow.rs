//! Tables for questions with few classes, such as the kind of transition: one cache line per lookup.
//!
//! A bucket has eight entries, each with a 16-bit tag and a weight for every class except the first, whose weight is subtracted from the
//! others. A lookup compares all eight tags at once; a feature that is not found adds nothing. Rows that do not fit in their bucket are
//! dropped, the least important first. The first line of a bucket holds three weights, each further line four.

use super::weights::FeatureRow;
use crate::huge_pages::Lines;
use crate::kernels::{LANES, Sums, prefetch};

/// Weights in the first line of a bucket, next to the tags.
const FIRST: usize = 3;
/// Weights in each further line.
const FURTHER: usize = 4;
/// The maximum number of classes: one more than the number of kinds of transitions.
pub(crate) const MAX_CLASSES: usize = 16;

/// A table of quantised weights.
#[derive(Debug)]
pub(crate) struct Narrow {
    lines: Lines,
    n_classes: usize,
    /// The scale of weights.
    scale: f32,
}

/// The load factor: more would drop rows, less would waste cache.
pub(crate) const FILL: f32 = 0.55;

/// The number of buckets of `lanes` entries for this many rows.
pub(crate) fn n_buckets(n_rows: usize, lanes: usize) -> usize {
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let buckets = (n_rows as f32 / (lanes as f32 * FILL)).ceil() as usize;
    buckets.max(1)
}

impl Narrow {
    /// Builds a table of rows, which are sorted by decreasing importance.
    ///
    /// # Panics
    /// If there are fewer than two or more than sixteen classes.
    pub(crate) fn build(rows: &[FeatureRow<'_>], n_classes: usize) -> std::io::Result<Self> {
        assert!((2..=MAX_CLASSES).contains(&n_classes), "two to sixteen classes");
        let per_bucket = lines_per_bucket(n_classes);
        let n_buckets = n_buckets(rows.len(), LANES);
        let mut dense = vec![0.0f32; n_classes];
        let mut highest = 1e-9f32;
        for row in rows {
            row.write(&mut dense);
            highest = dense.iter().map(|weight| (weight - dense[0]).abs()).fold(highest, f32::max);
        }
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
            row.write(&mut dense);
            for (i, weight) in dense[1..].iter().enumerate() {
                #[allow(clippy::cast_possible_truncation, reason = "the scale keeps it within 16 bits")]
                let weight = ((weight - dense[0]) / scale).round() as i16;
                let (line, cell) = place(i);
                bucket[line].0[cell + lane] = weight.cast_unsigned();
            }
        }
        Ok(Self { lines, n_classes, scale })
    }

    /// A table from its lines, if their number is valid.
    pub(crate) fn from_lines(lines: Lines, n_classes: usize, scale: f32) -> Option<Self> {
        let per_bucket = (2..=MAX_CLASSES).contains(&n_classes).then(|| lines_per_bucket(n_classes))?;
        let n_lines = lines.as_slice().len();
        (n_lines > 0 && n_lines.is_multiple_of(per_bucket)).then_some(Self { lines, n_classes, scale })
    }

    /// The bytes of the lines, for [`from_lines`](Self::from_lines).
    pub(crate) fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(self.lines.as_slice())
    }

    /// The scale of scores.
    pub(crate) fn scale(&self) -> f32 {
        self.scale
    }

    /// Sums the weights of all features; class 0 always scores 0.
    #[inline]
    pub(crate) fn score(&self, hashes: &[u64]) -> [i32; MAX_CLASSES] {
        match lines_per_bucket(self.n_classes) {
            1 => self.score_lines::<0>(hashes),
            2 => self.score_lines::<1>(hashes),
            3 => self.score_lines::<2>(hashes),
            _ => self.score_lines::<3>(hashes),
        }
    }

    #[inline]
    fn score_lines<const MORE: usize>(&self, hashes: &[u64]) -> [i32; MAX_CLASSES] {
        let lines = self.lines.as_slice();
        let n_buckets = lines.len() / (1 + MORE);
        for &hash in hashes {
            let at = bucket_of(hash, n_buckets) * (1 + MORE);
            lines[at..=at + MORE].iter().for_each(prefetch);
        }
        let mut first = Sums::<FIRST>::zero();
        let mut further: [Sums<FURTHER>; MORE] = std::array::from_fn(|_| Sums::zero());
        for &hash in hashes {
            let at = bucket_of(hash, n_buckets) * (1 + MORE);
            first.add::<1>(&lines[at], &lines[at], tag_of(hash));
            for (i, sums) in further.iter_mut().enumerate() {
                sums.add::<0>(&lines[at], &lines[at + 1 + i], tag_of(hash));
            }
        }
        let mut scores = [0; MAX_CLASSES];
        scores[1..=FIRST].copy_from_slice(&first.totals());
        for (scores, sums) in scores[1 + FIRST..].chunks_mut(FURTHER).zip(&further) {
            scores.copy_from_slice(&sums.totals());
        }
        scores
    }
}

fn lines_per_bucket(n_classes: usize) -> usize {
    1 + (n_classes - 1).saturating_sub(FIRST).div_ceil(FURTHER)
}

/// The line and the first cell of weight `i` in a bucket.
fn place(i: usize) -> (usize, usize) {
    match i.checked_sub(FIRST) {
        None => (0, LANES * (i + 1)),
        Some(i) => (1 + i / FURTHER, LANES * (i % FURTHER)),
    }
}

#[inline]
#[allow(clippy::cast_possible_truncation, reason = "the product's upper half is below n_buckets")]
pub(crate) fn bucket_of(hash: u64, n_buckets: usize) -> usize {
    (((hash >> 32) * n_buckets as u64) >> 32) as usize
}

/// The tag of a hash; never 0, which marks an empty entry.
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
            let rows: Vec<FeatureRow<'_>> = (0u64..)
                .zip(&weights)
                .map(|(i, w)| FeatureRow {
                    hash: hash::mix(i),
                    weights: quaich_learn::Row::Dense(w),
                    extremes: (-1.0, 1.0),
                })
                .collect();
            let table = Narrow::build(&rows, n_classes).unwrap();
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
