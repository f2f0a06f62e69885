//! Weights only for those classes of a feature that have one.

use crate::rows::{Entry, Rows};

/// The weights.
#[derive(Clone, Debug)]
pub(super) struct Sparse {
    pub(super) n_classes: usize,
    /// By feature.
    pub(super) rows: Rows<f32>,
}

impl Sparse {
    pub(super) fn score(&self, features: &[u32], scores: &mut [f32]) {
        scores.fill(0.0);
        for &feature in features.iter().filter(|&&feature| (feature as usize) < self.rows.len()) {
            for entry in self.rows.get(feature as usize) {
                scores[entry.class as usize] += entry.value;
            }
        }
    }

    pub(super) fn add(&mut self, features: &[u32], steps: &[Entry]) {
        for &feature in features {
            for step in steps {
                let weight = self.rows.entry(feature as usize, step.class);
                *weight.expect("memory ends before 2³² weights do") += step.value;
            }
        }
    }
}
