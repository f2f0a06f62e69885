//! The weights of a linear classifier.
//!
//! With few classes, the weights of a feature are dense. With many they are sparse: most of thousands of labels never competed where the
//! feature was active. Features that are active almost everywhere still have dense rows.

mod dense;
mod sparse;

use dense::Dense;
use sparse::Sparse;

use crate::arrays::{Arrays, LoadError};
use crate::rows::{Entry, Rows};

/// Weights indexed by feature, then by class.
#[derive(Clone, Debug)]
pub struct Weights(Store);

#[derive(Clone, Debug)]
enum Store {
    Dense(Dense),
    Sparse(Sparse),
}

/// The weights of one feature.
#[derive(Clone, Copy, Debug)]
pub enum Row<'a> {
    /// One per class.
    Dense(&'a [f32]),
    /// Sorted by class; all other weights are 0.
    Sparse {
        /// The weights.
        entries: &'a [Entry],
        /// The number of classes.
        n_classes: usize,
    },
}

impl<'a> Row<'a> {
    /// Classes and their nonzero weights, sorted by class.
    pub fn pairs(self) -> impl Iterator<Item = (u32, f32)> + 'a {
        let (dense, entries) = match self {
            Self::Dense(weights) => (weights, &[][..]),
            Self::Sparse { entries, .. } => (&[][..], entries),
        };
        let pairs = (0u32..).zip(dense.iter().copied());
        pairs
            .chain(entries.iter().map(|entry| (entry.class, entry.value)))
            .filter(|&(_, weight)| weight != 0.0)
    }

    /// The weight of a class.
    /// If there is no such class.
    /// # Panics
    /// When there is no such class.
    pub fn get(self, class: u32) -> f32 {
        match self {
            Self::Dense(weights) => weights[class as usize],
            Self::Sparse { entries, n_classes } => {
                assert!((class as usize) < n_classes, "there is such a class");
                let found = entries.binary_search_by_key(&class, |entry| entry.class);
                found.map_or(0.0, |at| entries[at].value)
            }
        }
    }

    /// The minimum and maximum weight over all classes.
    pub fn extremes(self) -> (f32, f32) {
        let of = |(low, high): (f32, f32), weight: f32| (low.min(weight), high.max(weight));
        let none = (f32::INFINITY, f32::NEG_INFINITY);
        match self {
            Self::Dense(weights) => weights.iter().copied().fold(none, of),
            Self::Sparse { entries, n_classes } => {
                let others = if entries.len() < n_classes { (0.0, 0.0) } else { none };
                entries.iter().map(|entry| entry.value).fold(others, of)
            }
        }
    }
}

impl Weights {
    /// Weights from a flat array, indexed by feature, then by class.
    ///
    /// # Panics
    /// If the last feature is incomplete.
    pub fn from_values(n_classes: usize, values: Vec<f32>) -> Self {
        assert!(values.len().is_multiple_of(n_classes.max(1)), "one weight per class");
        Self(Store::Dense(Dense { n_classes, values }))
    }

    /// Weights from one row per feature.
    pub(crate) fn from_rows(n_classes: usize, rows: Rows<f32>) -> Self {
        Self(Store::Sparse(Sparse::new(n_classes, rows)))
    }

    /// Dense weights of zero.
    pub(crate) fn dense(n_features: usize, n_classes: usize) -> Self {
        Self::from_values(n_classes, vec![0.0; n_features * n_classes])
    }

    /// Sparse weights of zero.
    pub(crate) fn sparse(n_features: usize, n_classes: usize) -> Self {
        Self::from_rows(n_classes, Rows::new(n_features))
    }

    /// The weights of a feature.
    ///
    /// # Panics
    /// If there is no such feature.
    #[inline]
    pub fn row(&self, feature: u32) -> Row<'_> {
        match &self.0 {
            Store::Dense(dense) => Row::Dense(dense.row(feature)),
            Store::Sparse(sparse) => sparse.row(feature as usize),
        }
    }

    /// The number of classes.
    pub fn n_classes(&self) -> usize {
        match &self.0 {
            Store::Dense(dense) => dense.n_classes,
            Store::Sparse(sparse) => sparse.n_classes,
        }
    }

    /// The number of features.
    pub fn n_features(&self) -> usize {
        match &self.0 {
            Store::Dense(dense) => dense.values.len() / dense.n_classes.max(1),
            Store::Sparse(sparse) => sparse.n_features(),
        }
    }

    /// Computes the score of every class for an instance; features without weights are ignored.
    ///
    /// # Panics
    /// If `scores` does not have one entry per class.
    pub fn score(&self, features: &[u32], scores: &mut [f32]) {
        assert_eq!(scores.len(), self.n_classes(), "one score per class");
        match &self.0 {
            Store::Dense(dense) => dense.score(features, scores),
            Store::Sparse(sparse) => sparse.score(features, scores),
        }
    }

    /// Adds steps to the weights of some classes, for all of these features.
    pub(crate) fn add(&mut self, features: &[u32], steps: &[Entry]) {
        match &mut self.0 {
            Store::Dense(dense) => dense.add(features, steps),
            Store::Sparse(sparse) => sparse.add(features, steps),
        }
    }

    /// Saves the weights, for [`load`](Self::load).
    pub fn save(&self, arrays: &mut Arrays) {
        arrays.set_one("n_classes", self.n_classes() as u64);
        match &self.0 {
            Store::Dense(dense) => arrays.set("weights", &dense.values),
            Store::Sparse(sparse) => sparse.save(arrays),
        }
    }

    /// Loads weights.
    pub fn load(arrays: &Arrays) -> Result<Self, LoadError> {
        let n_classes = u32::try_from(arrays.one::<u64>("n_classes")?);
        let n_classes = n_classes.map_err(|_| LoadError::unfit("n_classes", "is too large"))? as usize;
        if arrays.bytes("ends").is_some() {
            return Ok(Self::from_rows(n_classes, Rows::load(arrays, n_classes)?));
        }
        let values: Vec<f32> = arrays.get("weights")?;
        if !values.len().is_multiple_of(n_classes.max(1)) {
            return Err(LoadError::unfit("weights", "does not have one weight per class"));
        }
        Ok(Self::from_values(n_classes, values))
    }
}

/// Compares values, independent of their representation.
impl PartialEq for Weights {
    fn eq(&self, other: &Self) -> bool {
        (self.n_classes(), self.n_features()) == (other.n_classes(), other.n_features())
            && (0u32..).take(self.n_features()).all(|i| self.row(i).pairs().eq(other.row(i).pairs()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same weights twice: dense and sparse.
    fn both() -> [Weights; 2] {
        let values = vec![0.0, 0.5, -1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0];
        let mut rows = Rows::new(3);
        for (i, value) in values.iter().enumerate().filter(|(_, value)| **value != 0.0) {
            *rows.entry(i / 3, u32::try_from(i % 3).unwrap()).unwrap() = *value;
        }
        [Weights::from_values(3, values), Weights::from_rows(3, rows)]
    }

    #[test]
    fn dense_and_sparse_weights_are_the_same() {
        let [dense, sparse] = both();
        assert_eq!(dense, sparse);
        for weights in [dense, sparse] {
            assert_eq!((weights.n_classes(), weights.n_features()), (3, 3));
            assert_eq!(weights.row(0).pairs().collect::<Vec<_>>(), [(1, 0.5), (2, -1.0)]);
            assert_eq!([0, 1, 2].map(|i| weights.row(i).extremes()), [(-1.0, 0.5), (1.0, 3.0), (0.0, 0.0)]);
            assert_eq!([0, 1, 2].map(|class| weights.row(0).get(class)).to_vec(), [0.0, 0.5, -1.0]);
            let mut scores = vec![9.0; 3];
            weights.score(&[1, 0, 7], &mut scores);
            assert_eq!(scores, [2.0, 3.5, 0.0]);
        }
    }

    #[test]
    fn what_is_saved_is_loaded() {
        for weights in both() {
            let mut arrays = Arrays::default();
            weights.save(&mut arrays);
            assert_eq!(Weights::load(&arrays), Ok(weights));
        }
    }
}
