//! Training instances: their values, targets and weights.

use crate::lists::Lists;
use crate::positions::Positions;
use crate::targets::{Right, Targets};

/// Instances in flat arrays.
///
/// An instance has a *row* of distinct values in the order of their [`Positions`]; a position may have one value, several or none. Values
/// are active features. Values and classes are numbered consecutively, below [`n_features`](Self::n_features) and
/// [`n_classes`](Self::n_classes).
#[derive(Clone, PartialEq, Debug)]
pub struct Instances {
    rows: Lists<u32>,
    positions: Positions,
    targets: Targets,
}

impl Instances {
    /// No instances yet.
    pub fn new(positions: Positions, n_classes: usize) -> Self {
        Self { rows: Lists::default(), positions, targets: Targets::new(n_classes) }
    }

    /// Instances from rows that were filled in place: row `i` is `rows[ends[i - 1]..ends[i]]`, in which `absent` stands for no value.
    /// Reuses the memory of `rows` and `ends`, so that there is never a second copy.
    ///
    /// # Panics
    /// If the number of rows differs from the number of targets, or the ends do not fit the rows.
    pub fn from_rows(
        rows: Vec<u32>,
        ends: Vec<usize>,
        absent: u32,
        positions: Positions,
        targets: Targets,
    ) -> Self {
        let mut rows = Lists::from_parts(rows, ends);
        assert_eq!(rows.len(), targets.len(), "one row per target");
        rows.retain(|&value| value != absent);
        let instances = Self { rows, positions, targets };
        debug_assert!((0..instances.len()).all(|i| instances.is_in_order(instances.row(i))));
        instances
    }

    /// Adds an instance; its row is in the order of positions. The default weight is 1.
    ///
    /// # Panics
    /// If a value or a class is out of range, the target is empty or the weight is negative.
    pub fn push(&mut self, row: &[u32], right: Right<'_>, weight: f32) {
        assert!(row.iter().all(|&value| value < self.positions.n_values()), "values are dense");
        debug_assert!(self.is_in_order(row));
        self.targets.push(right, weight);
        self.rows.push(row);
    }

    /// The number of instances.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of values over all positions.
    pub fn n_features(&self) -> usize {
        self.positions.n_values() as usize
    }

    /// The number of classes.
    pub fn n_classes(&self) -> usize {
        self.targets.n_classes()
    }

    /// The positions of values.
    pub fn positions(&self) -> &Positions {
        &self.positions
    }

    /// The values of an instance.
    #[inline]
    pub fn row(&self, instance: usize) -> &[u32] {
        self.rows.get(instance)
    }

    /// The target of an instance.
    #[inline]
    pub fn right(&self, instance: usize) -> Right<'_> {
        self.targets.right(instance)
    }

    /// The weight of an instance.
    #[inline]
    pub fn weight(&self, instance: usize) -> f32 {
        self.targets.weight(instance)
    }

    fn is_in_order(&self, row: &[u32]) -> bool {
        row.iter().all(|&value| value < self.positions.n_values())
            && row.is_sorted_by_key(|&value| self.positions.of(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_filled_in_place_are_rows_pushed() {
        const ABSENT: u32 = u32::MAX;
        let positions = Positions::new(vec![0, 2, 6]);
        let mut pushed = Instances::new(positions.clone(), 3);
        pushed.push(&[1, 3], Right::Class(0), 1.0);
        pushed.push(&[], Right::AnyOf(&[1, 2]), 1.0);
        pushed.push(&[5, 4, 2], Right::Class(2), 0.5);
        let rows = vec![1, ABSENT, 3, ABSENT, ABSENT, 5, ABSENT, 4, 2];
        let mut targets = Targets::new(3);
        for i in 0..3 {
            targets.push(pushed.right(i), pushed.weight(i));
        }
        let filled = Instances::from_rows(rows, vec![3, 4, 9], ABSENT, positions, targets);
        assert_eq!(filled, pushed);
        assert_eq!(filled.positions().at(filled.row(2), 1), [5, 4, 2]);
    }
}
