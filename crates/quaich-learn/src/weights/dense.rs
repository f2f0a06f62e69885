//! Dense weights: one per feature and class, with those of one feature side by side.

use crate::rows::Entry;

/// The weights.
#[derive(Clone, Debug)]
pub(super) struct Dense {
    pub(super) n_classes: usize,
    pub(super) values: Vec<f32>,
}

/// Classes that are summed together: as many as registers hold.
const PART: usize = 16;

impl Dense {
    #[inline]
    pub(super) fn row(&self, feature: u32) -> &[f32] {
        &self.values[feature as usize * self.n_classes..][..self.n_classes]
    }

    pub(super) fn score(&self, features: &[u32], scores: &mut [f32]) {
        // With a width known at compile time, the sums stay in registers.
        match self.n_classes {
            0 => {}
            1 => self.sum_rows::<1>(features, scores),
            2 => self.sum_rows::<2>(features, scores),
            3 => self.sum_rows::<3>(features, scores),
            4 => self.sum_rows::<4>(features, scores),
            5 => self.sum_rows::<5>(features, scores),
            6 => self.sum_rows::<6>(features, scores),
            7 => self.sum_rows::<7>(features, scores),
            8 => self.sum_rows::<8>(features, scores),
            9 => self.sum_rows::<9>(features, scores),
            10 => self.sum_rows::<10>(features, scores),
            11 => self.sum_rows::<11>(features, scores),
            12 => self.sum_rows::<12>(features, scores),
            13 => self.sum_rows::<13>(features, scores),
            14 => self.sum_rows::<14>(features, scores),
            15 => self.sum_rows::<15>(features, scores),
            n_classes => {
                for start in (0..n_classes).step_by(PART) {
                    // The last part overlaps the one before.
                    self.sum_part(features, start.min(n_classes - PART), scores);
                }
            }
        }
    }

    pub(super) fn add(&mut self, features: &[u32], steps: &[Entry]) {
        for &feature in features {
            let row = &mut self.values[feature as usize * self.n_classes..][..self.n_classes];
            for step in steps {
                row[step.class as usize] += step.value;
            }
        }
    }

    /// The scores of all `N` classes.
    fn sum_rows<const N: usize>(&self, features: &[u32], scores: &mut [f32]) {
        let mut sums = [0.0f32; N];
        let (rows, _) = self.values.as_chunks::<N>();
        for row in features.iter().filter_map(|&feature| rows.get(feature as usize)) {
            for (sum, weight) in sums.iter_mut().zip(row) {
                *sum += weight;
            }
        }
        scores.copy_from_slice(&sums);
    }

    /// The scores of one part of the classes.
    fn sum_part(&self, features: &[u32], start: usize, scores: &mut [f32]) {
        let mut sums = [0.0f32; PART];
        for &feature in features {
            // Unknown features have no weights.
            let row = self.values.get(feature as usize * self.n_classes + start..);
            if let Some(part) = row.and_then(<[f32]>::first_chunk::<PART>) {
                for (sum, weight) in sums.iter_mut().zip(part) {
                    *sum += weight;
                }
            }
        }
        scores[start..start + PART].copy_from_slice(&sums);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_sums_of_rows_whatever_the_width() {
        for n_classes in 0..50 {
            #[allow(clippy::cast_precision_loss)]
            let values: Vec<f32> = (0..n_classes * 7).map(|i| ((i * 37) % 101) as f32).collect();
            let dense = Dense { n_classes, values };
            let mut scores = vec![9.0; n_classes];
            dense.score(&[3, 6, 0, 7, 1000], &mut scores);
            for (class, score) in scores.iter().enumerate() {
                let expected: f32 = [3, 6, 0].map(|feature| dense.row(feature)[class]).iter().sum();
                assert_eq!(score.to_bits(), expected.to_bits());
            }
        }
    }
}
