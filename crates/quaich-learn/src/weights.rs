//! The weights of a linear classifier.

/// Weights by feature, then by class.
#[derive(Clone, PartialEq, Debug)]
pub struct Weights {
    pub(crate) n_classes: usize,
    pub(crate) values: Vec<f32>,
}

impl Weights {
    /// Weights from a flat array.
    pub fn from_values(n_classes: usize, values: Vec<f32>) -> Self {
        Self { n_classes, values }
    }

    /// The weights of a feature, one a class.
    #[inline]
    pub fn row(&self, feature: u32) -> &[f32] {
        let start = feature as usize * self.n_classes;
        &self.values[start..start + self.n_classes]
    }

    /// The number of classes.
    pub fn n_classes(&self) -> usize {
        self.n_classes
    }

    /// The number of features.
    pub fn n_features(&self) -> usize {
        self.values.len() / self.n_classes.max(1)
    }

    /// The score of every class for an instance.
    pub fn score(&self, features: &[u32], scores: &mut Vec<f32>) {
        scores.clear();
        scores.resize(self.n_classes, 0.0);
        for &feature in features {
            for (score, weight) in scores.iter_mut().zip(self.row(feature)) {
                *score += weight;
            }
        }
    }
}
