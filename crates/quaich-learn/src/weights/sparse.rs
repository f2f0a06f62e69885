//! Sparse weights: a feature only stores the classes with a weight, as long as these are few; a feature that is active everywhere gets
//! weights for nearly every class, and then a dense row.

use super::Row;
use crate::arrays::Arrays;
use crate::rows::{Entry, Rows};

/// A row with more than one in this many of all classes becomes dense: summing it is vectorised, and it takes at most twice the memory.
const FULL: usize = 4;

/// The weights.
#[derive(Clone, Debug)]
pub(super) struct Sparse {
    pub(super) n_classes: usize,
    /// One per feature; empty if its row is dense.
    rows: Rows<f32>,
    /// One per feature: the number of its dense row, starting at 1.
    full_rows: Vec<u32>,
    /// The dense rows.
    full: Vec<f32>,
}

impl Sparse {
    pub(super) fn new(n_classes: usize, rows: Rows<f32>) -> Self {
        let mut new = Self { n_classes, full_rows: vec![0; rows.len()], rows, full: Vec::new() };
        for feature in 0..new.rows.len() {
            new.fill_up(feature);
        }
        new
    }

    pub(super) fn n_features(&self) -> usize {
        self.rows.len()
    }

    #[inline]
    pub(super) fn row(&self, feature: usize) -> Row<'_> {
        match self.full_rows[feature] {
            0 => Row::Sparse { entries: self.rows.get(feature), n_classes: self.n_classes },
            row => Row::Dense(&self.full[(row as usize - 1) * self.n_classes..][..self.n_classes]),
        }
    }

    pub(super) fn score(&self, features: &[u32], scores: &mut [f32]) {
        scores.fill(0.0);
        for &feature in features.iter().filter(|&&feature| (feature as usize) < self.rows.len()) {
            match self.row(feature as usize) {
                Row::Sparse { entries, .. } => {
                    for entry in entries {
                        scores[entry.class as usize] += entry.value;
                    }
                }
                Row::Dense(weights) => {
                    for (score, weight) in scores.iter_mut().zip(weights) {
                        *score += weight;
                    }
                }
            }
        }
    }

    pub(super) fn add(&mut self, features: &[u32], steps: &[Entry]) {
        for feature in features.iter().map(|&feature| feature as usize) {
            if let Some(row) = self.full_rows[feature].checked_sub(1) {
                let weights = &mut self.full[row as usize * self.n_classes..][..self.n_classes];
                for step in steps {
                    weights[step.class as usize] += step.value;
                }
            } else {
                for step in steps {
                    let weight = self.rows.entry(feature, step.class);
                    *weight.expect("memory ends before 2³² weights do") += step.value;
                }
                self.fill_up(feature);
            }
        }
    }

    /// Makes a row dense if it has enough entries.
    fn fill_up(&mut self, feature: usize) {
        let entries = self.rows.get(feature);
        if entries.len() * FULL <= self.n_classes {
            return;
        }
        let start = self.full.len();
        self.full.resize(start + self.n_classes, 0.0);
        for entry in entries {
            self.full[start + entry.class as usize] = entry.value;
        }
        self.rows.clear(feature);
        let number = self.full.len() / self.n_classes;
        self.full_rows[feature] = u32::try_from(number).expect("memory ends before 2³² rows do");
    }

    /// Saves all rows as sparse rows.
    pub(super) fn save(&self, arrays: &mut Arrays) {
        let mut rows = self.rows.clone();
        for feature in 0..self.n_features() {
            if let Row::Dense(weights) = self.row(feature) {
                let entries = (0..).zip(weights).filter(|(_, value)| **value != 0.0);
                let entries: Vec<Entry> = entries.map(|(class, &value)| Entry { class, value }).collect();
                assert!(rows.replace(feature, &entries), "memory ends before 2³² weights do");
            }
        }
        rows.save(arrays);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps in any order give the same sums, whether rows are dense or not.
    #[test]
    fn rows_fill_up_and_stay_what_they_were() {
        let n_classes = 40;
        let mut sparse = Sparse::new(n_classes, Rows::new(3));
        let mut plain = vec![vec![0.0f32; n_classes]; 3];
        let mut state = 11u32;
        for _ in 0..200 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            // The first feature is active for all classes, the second for few, the third occasionally.
            let class = (state >> 16) % 40;
            let value = f32::from(u8::try_from(state >> 24).unwrap()) / 16.0 - 8.0;
            let features: &[u32] = if class < 6 {
                &[0, 1]
            } else if class == 17 {
                &[0, 2]
            } else {
                &[0]
            };
            sparse.add(features, &[Entry { class, value }]);
            for &feature in features {
                plain[feature as usize][class as usize] += value;
            }
        }
        assert!(matches!(sparse.row(0), Row::Dense(_)));
        assert!(matches!(sparse.row(1), Row::Sparse { entries, .. } if entries.len() == 6));
        let mut arrays = Arrays::default();
        sparse.save(&mut arrays);
        let again = Sparse::new(n_classes, Rows::load(&arrays, n_classes).unwrap());
        for sparse in [&sparse, &again] {
            let mut scores = vec![1.0; n_classes];
            sparse.score(&[0, 1, 2, 9], &mut scores);
            for (class, score) in scores.iter().enumerate() {
                let expected = 0.0 + plain[0][class] + plain[1][class] + plain[2][class];
                assert_eq!(score.to_bits(), expected.to_bits(), "{class}");
            }
        }
    }
}
