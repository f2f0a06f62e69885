//! Averaged weights.
//!
//! With few classes, rows are dense; with many, they only contain weights that have changed.

use std::collections::TryReserveError;

use bytemuck::{Pod, Zeroable};

use crate::rows::{Entry, Rows};
use crate::weights::Weights;

/// Weights by row and class, with their averages.
#[derive(Clone, Debug)]
pub(super) struct Averaged {
    n_classes: usize,
    store: Store,
    n_steps: usize,
}

#[derive(Clone, Debug)]
enum Store {
    /// Indexed by row, then by class.
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
    /// The sum of all changes of the weight, each times the number of steps before it: the difference to the sum of all intermediate
    /// weights, so that an unchanged weight needs no work.
    missed: f32,
}

/// With more classes than this, rows are sparse. Measured with `benches/linear.rs`: at about this number both take the same time, and
/// dense rows four times the memory.
const MAX_DENSE_CLASSES: usize = 48;
/// The average number of entries of a sparse row, for which memory is reserved.
const ENTRIES_PER_ROW: usize = 8;

impl Averaged {
    /// Without rows, and with at most `max_rows`. Memory is reserved at once, but operating systems only provide it as rows are added.
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

    /// The number of bytes that are reserved per row.
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

    /// The number of steps.
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

    /// Sets a row to zero.
    pub(super) fn clear(&mut self, row: usize) {
        match &mut self.store {
            Store::Dense { weights, missed } => {
                weights[row * self.n_classes..][..self.n_classes].fill(0.0);
                missed[row * self.n_classes..][..self.n_classes].fill(0.0);
            }
            Store::Sparse(rows) => rows.clear(row),
        }
    }

    /// The range of the weights of a row.
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

    /// Sums some rows, per class.
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

    /// Adds a step to the weight of one class of a row, and subtracts it from another.
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

    /// Counts a step. Steps without a change count for the average, too.
    pub(super) fn count_step(&mut self) {
        self.n_steps += 1;
    }

    /// The mean of the weights after each step.
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

/// Changes a weight. If there is no space, the class with the smallest weight is removed from the row; without any class, the weight
/// stays 0.
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
