//! Training instances of the network: one value per slot, a target and a weight.

use crate::targets::{Right, Targets};

/// Instances in flat arrays.
#[derive(Clone, PartialEq, Debug)]
pub struct SlotInstances {
    n_slots: usize,
    values: Vec<u32>,
    targets: Targets,
}

impl SlotInstances {
    /// No instances yet.
    ///
    /// # Panics
    /// If there are 2³¹ classes or more.
    pub fn new(n_slots: usize, n_classes: usize) -> Self {
        Self { n_slots, values: Vec::new(), targets: Targets::new(n_classes) }
    }

    /// Adds an instance with one correct class.
    ///
    /// # Panics
    /// If the number of values differs from the number of slots, or the class is not below `n_classes`.
    pub fn push(&mut self, values: &[u32], class: u32) {
        self.push_right(values, Right::Class(class), 1.0);
    }

    /// Adds an instance with a target and a weight.
    ///
    /// # Panics
    /// If the number of values differs from the number of slots, the target is empty, a class is not below `n_classes`, or a weight or a
    /// probability is negative or NaN.
    pub fn push_right(&mut self, values: &[u32], right: Right<'_>, weight: f32) {
        assert_eq!(values.len(), self.n_slots, "one value per slot");
        self.targets.push(right, weight);
        self.values.extend_from_slice(values);
    }

    /// Adds all instances of another collection with the same slots and classes.
    ///
    /// # Panics
    /// If slots or classes differ.
    pub fn append(&mut self, other: &Self) {
        assert_eq!(self.n_slots, other.n_slots, "the same slots");
        self.targets.append(&other.targets);
        self.values.extend_from_slice(&other.values);
    }

    /// Removes all instances from number `len`.
    pub fn truncate(&mut self, len: usize) {
        self.values.truncate(len.saturating_mul(self.n_slots));
        self.targets.truncate(len);
    }

    /// The number of instances.
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// The number of slots.
    pub fn n_slots(&self) -> usize {
        self.n_slots
    }

    /// The number of classes.
    pub fn n_classes(&self) -> usize {
        self.targets.n_classes()
    }

    /// The values of an instance, one per slot.
    #[inline]
    pub fn values(&self, instance: usize) -> &[u32] {
        &self.values[instance * self.n_slots..][..self.n_slots]
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_targets_stay_together() {
        let mut instances = SlotInstances::new(2, 3);
        instances.push(&[1, 2], 2);
        instances.push_right(&[3, 4], Right::Distribution(&[(0, 0.25), (1, 0.75)]), 0.5);
        instances.push_right(&[5, 6], Right::AnyOf(&[0, 1]), 2.0);
        let mut twice = instances.clone();
        twice.append(&instances);
        assert_eq!((twice.len(), twice.values(4)), (6, &[3, 4][..]));
        assert_eq!((twice.right(5), twice.weight(5)), (Right::AnyOf(&[0, 1]), 2.0));
        twice.truncate(3);
        assert_eq!(twice, instances);
    }
}
