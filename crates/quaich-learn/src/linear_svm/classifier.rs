//! The trained classifier: weights, and a bias per class.

use crate::arrays::{Arrays, LoadError};
use crate::learner::Classifier;
use crate::rows::{Entry, Rows};
use crate::scratch::Scratch;
use crate::weights::Weights;

/// The classifier.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct LinearSvmClassifier {
    weights: Weights,
    /// One per class: its bias.
    base: Vec<f32>,
}

/// The bias of classes that must never win; its square does not overflow.
const NEVER: f32 = -1e12;

/// A tiny extra bias for preferred classes: it decides between sums of 0, and is negligible in all others.
const PREFERENCE: f32 = 1e-30;

/// With more classes or more weights than this, only nonzero weights are stored.
const MOST_DENSE: (usize, usize) = (200, 150_000_000);

impl LinearSvmClassifier {
    /// Builds a classifier from columns: the weights of each class by feature, followed by its bias. Classes are in the order of
    /// preference; those without a column never win.
    pub(super) fn new<'a>(
        (n_features, n_classes): (usize, usize),
        columns: impl Iterator<Item = (u32, &'a [f32])>,
    ) -> Self {
        let mut base = vec![NEVER; n_classes];
        let is_dense = n_classes <= MOST_DENSE.0 && n_features * n_classes <= MOST_DENSE.1;
        let mut values = vec![0.0; if is_dense { n_features * n_classes } else { 0 }];
        let mut sorted = Vec::new();
        let mut preference = 0.0;
        for (class, column) in columns {
            let (weights, constant) = column.split_at(n_features);
            base[class as usize] = constant.iter().sum::<f32>() + preference;
            preference -= PREFERENCE;
            if is_dense {
                for (value, weight) in values.iter_mut().skip(class as usize).step_by(n_classes).zip(weights)
                {
                    *value = *weight;
                }
            } else {
                sorted.push((class, weights));
            }
        }
        if preference == 0.0 {
            // Without any training instance, no class is excluded.
            base.fill(0.0);
        }
        if is_dense {
            return Self { weights: Weights::from_values(n_classes, values), base };
        }
        sorted.sort_unstable_by_key(|&(class, _)| class);
        let mut rows = Rows::new(n_features);
        let mut entries = Vec::new();
        for feature in 0..n_features {
            entries.clear();
            let weights = sorted.iter().map(|&(class, weights)| Entry { class, value: weights[feature] });
            entries.extend(weights.filter(|entry| entry.value != 0.0));
            assert!(rows.replace(feature, &entries), "memory ends before 2³² weights do");
        }
        Self { weights: Weights::from_rows(n_classes, rows), base }
    }

    pub(super) fn load(arrays: &Arrays) -> Result<Self, LoadError> {
        let weights = Weights::load(arrays)?;
        let base = arrays.get_exactly("base", weights.n_classes())?;
        Ok(Self { weights, base })
    }
}

impl Classifier for LinearSvmClassifier {
    fn n_classes(&self) -> usize {
        self.weights.n_classes()
    }

    fn scores(&self, row: &[u32], _scratch: &mut Scratch, scores: &mut [f32]) {
        self.weights.score(row, scores);
        for (score, base) in scores.iter_mut().zip(&self.base) {
            *score += base;
        }
    }

    fn save(&self, arrays: &mut Arrays) {
        self.weights.save(arrays);
        arrays.set("base", &self.base);
    }
}
