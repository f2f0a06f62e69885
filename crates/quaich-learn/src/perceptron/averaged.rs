//! Weights that remember what they were on average.
//!
//! With few classes a row has a place for each; with many, only for those whose weight has moved.

use std::collections::TryReserveError;

use bytemuck::{Pod, Zeroable};

use crate::rows::{Entry, Rows};
use crate::weights::Weights;

/// Weights by row and class.
#[derive(Clone, Debug)]
pub(super) struct Averaged {
    n_classes: usize,
    store: Store,
    n_steps: usize,
}

#[derive(Clone, Debug)]
enum Store {
    /// By row, then by class.
    Dense {
        weights: Vec<f32>,
        missed: Vec<f32>,
    },
    Sparse(Rows<Moved>),
}

/// A weight.
#[derive(Clone, Copy, PartialEq, Debug, Default, Pod, Zeroable)]
#[repr(C)]
struct Moved {
    weight: f32,
    /// Every change of the weight, times the number of steps that had been made without it: what the
    /// sum of all intermediate weights lacks, so that a weight that does not change costs nothing.
    missed: f32,
}

/// With more classes than this, rows hold only the weights that have moved. Measured with
/// `benches/linear.rs`: about here both take the same time, and dense rows four times the memory.
const MAX_DENSE_CLASSES: usize = 48;
/// The classes that a sparse row has weights for, on average: what memory is set aside for.
const ENTRIES_PER_ROW: usize = 8;

impl Averaged {
    /// No rows yet, and never more than so many. The memory is set aside at once, but systems give
    /// it only as rows are made.
    pub(super) fn bounded(max_rows: usize, n_classes: usize) -> Result<Self, TryReserveError> {
        let store = if n_classes > MAX_DENSE_CLASSES {
            let max_entries = u32::try_from(max_rows * ENTRIES_PER_ROW).unwrap_or(u32::MAX);
            Store::Sparse(Rows::bounded(max_rows, max_entries)?)
        } else {
            let (mut weights, mut missed) = (Vec::new(), Vec::new());
            weights.try_reserve_exact(max_rows * n_classes)?;
            missed.try_reserve_exact(max_rows * n_classes)?;
            Store::Dense { weights, missed }
        };
        Ok(Self { n_classes, store, n_steps: 0 })
    }

    /// The bytes that are set aside for a row.
    pub(super) fn bytes_per_row(n_classes: usize) -> usize {
        if n_classes > MAX_DENSE_CLASSES {
            Rows::<Moved>::BYTES_PER_ROW + ENTRIES_PER_ROW * size_of::<Entry<Moved>>()
        } else {
            2 * n_classes * size_of::<f32>()
        }
    }

    pub(super) fn n_classes(&self) -> usize {
        self.n_classes
    }

    /// The number of steps made.
    pub(super) fn n_steps(&self) -> usize {
        self.n_steps
    }

    /// Adds a row of zeros.
    pub(super) fn push(&mut self) {
        match &mut self.store {
            Store::Dense { weights, missed } => {
                weights.resize(weights.len() + self.n_classes, 0.0);
                missed.resize(missed.len() + self.n_classes, 0.0);
            }
            Store::Sparse(rows) => rows.push(),
        }
    }

    /// Makes a row one of zeros.
    pub(super) fn clear(&mut self, row: usize) {
        match &mut self.store {
            Store::Dense { weights, missed } => {
                weights[row * self.n_classes..][..self.n_classes].fill(0.0);
                missed[row * self.n_classes..][..self.n_classes].fill(0.0);
            }
            Store::Sparse(rows) => rows.clear(row),
        }
    }

    /// How far the weights of a row are apart.
    pub(super) fn range(&self, row: usize) -> f32 {
        let of = |(low, high): (f32, f32), weight: f32| (low.min(weight), high.max(weight));
        let (low, high) = match &self.store {
            Store::Dense { weights, .. } => {
                weights[row * self.n_classes..][..self.n_classes].iter().copied().fold((0.0, 0.0), of)
            }
            Store::Sparse(rows) => rows.get(row).iter().map(|entry| entry.value.weight).fold((0.0, 0.0), of),
        };
        high - low
    }

    /// The sum of some rows, for every class.
    #[inline]
    pub(super) fn score(&self, rows: impl Iterator<Item = usize>, scores: &mut [f32]) {
        scores.fill(0.0);
        match &self.store {
            Store::Dense { weights, .. } => {
                for row in rows {
                    let weights = &weights[row * self.n_classes..][..self.n_classes];
                    for (score, weight) in scores.iter_mut().zip(weights) {
                        *score += weight;
                    }
                }
            }
            Store::Sparse(all) => {
                for row in rows {
                    for entry in all.get(row) {
                        scores[entry.class as usize] += entry.value.weight;
                    }
                }
            }
        }
    }

    /// Moves the weights of a row towards one class and away from another.
    #[inline]
    pub(super) fn shift(&mut self, row: usize, right: usize, wrong: usize, step: f32) {
        #[allow(clippy::cast_precision_loss, reason = "an average needs no more than a float has")]
        let missed_steps = self.n_steps as f32 * step;
        match &mut self.store {
            Store::Dense { weights, missed } => {
                let start = row * self.n_classes;
                weights[start + right] += step;
                weights[start + wrong] -= step;
                missed[start + right] += missed_steps;
                missed[start + wrong] -= missed_steps;
            }
            Store::Sparse(rows) => {
                let change = Moved { weight: step, missed: missed_steps };
                move_weight(rows, row, right, change);
                move_weight(rows, row, wrong, Moved { weight: -step, missed: -missed_steps });
            }
        }
    }

    /// One more step is made. Those without a change count for the average too.
    pub(super) fn count_step(&mut self) {
        self.n_steps += 1;
    }

    /// The average of the weights after each step.
    pub(super) fn average(self) -> Weights {
        #[allow(clippy::cast_precision_loss, reason = "an average needs no more than a float has")]
        let n_steps = self.n_steps.max(1) as f32;
        match self.store {
            Store::Dense { mut weights, missed } => {
                for (weight, missed) in weights.iter_mut().zip(missed) {
                    *weight -= missed / n_steps;
                }
                Weights::from_values(self.n_classes, weights)
            }
            Store::Sparse(rows) => {
                let average = |moved: Moved| moved.weight - moved.missed / n_steps;
                Weights::from_rows(self.n_classes, rows.map(average))
            }
        }
    }
}

/// Changes a weight. Where there is no room for it, the class of the row that matters least gives
/// way; where there is none for any class, the weight stays 0.
fn move_weight(rows: &mut Rows<Moved>, row: usize, class: usize, change: Moved) {
    let class = u32::try_from(class).expect("classes have 32 bits");
    if rows.entry(row, class).is_none() {
        let weight_of = |at: &usize| rows.get(row)[*at].value.weight.abs();
        let least = (0..rows.get(row).len()).min_by(|a, b| weight_of(a).total_cmp(&weight_of(b)));
        let Some(least) = least else { return };
        rows.remove(row, least);
    }
    if let Some(moved) = rows.entry(row, class) {
        moved.weight += change.weight;
        moved.missed += change.missed;
    }
}
