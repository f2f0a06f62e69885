//! Training instances of the network: one value a slot, and the class or classes that are right.

/// Instances in flat arrays.
#[derive(Clone, Debug, Default)]
pub struct SlotInstances {
    n_slots: usize,
    n_classes: usize,
    values: Vec<u32>,
    classes: Vec<u32>,
    /// By instance; empty while every weight is 1.
    weights: Vec<f32>,
    /// By instance, then by class; empty while every instance has one right class.
    targets: Vec<f32>,
}

impl SlotInstances {
    /// No instances yet.
    pub fn new(n_slots: usize, n_classes: usize) -> Self {
        Self { n_slots, n_classes, ..Self::default() }
    }

    /// Adds an instance with one right class.
    ///
    /// # Panics
    /// When there is not one value a slot or the class is not below `n_classes`.
    pub fn push(&mut self, values: &[u32], class: u32) {
        self.push_weighted(values, class, 1.0);
    }

    /// Adds an instance that counts as much as `weight` others.
    ///
    /// # Panics
    /// When there is not one value a slot or the class is not below `n_classes`.
    pub fn push_weighted(&mut self, values: &[u32], class: u32, weight: f32) {
        assert_eq!(values.len(), self.n_slots, "one value a slot");
        assert!((class as usize) < self.n_classes, "classes are dense");
        self.values.extend_from_slice(values);
        if weight.to_bits() != 1.0f32.to_bits() && self.weights.is_empty() {
            self.weights.resize(self.classes.len(), 1.0);
        }
        if !self.weights.is_empty() || weight.to_bits() != 1.0f32.to_bits() {
            self.weights.push(weight);
        }
        if !self.targets.is_empty() {
            let start = self.targets.len();
            self.targets.resize(start + self.n_classes, 0.0);
            self.targets[start + class as usize] = 1.0;
        }
        self.classes.push(class);
    }

    /// Adds an instance whose right answer is a distribution over the classes, as a teacher gives it.
    ///
    /// # Panics
    /// When there is not one value a slot and one probability a class.
    pub fn push_soft(&mut self, values: &[u32], target: &[f32], weight: f32) {
        assert_eq!(target.len(), self.n_classes, "one probability a class");
        if self.targets.is_empty() {
            self.targets.resize(self.classes.len() * self.n_classes, 0.0);
            for (row, &class) in self.targets.chunks_mut(self.n_classes).zip(&self.classes) {
                row[class as usize] = 1.0;
            }
        }
        let best = (0u32..).zip(target).fold((0, f32::NEG_INFINITY), |best, (class, &share)| {
            if share > best.1 { (class, share) } else { best }
        });
        self.push_weighted(values, best.0, weight);
        let start = self.targets.len().saturating_sub(self.n_classes);
        if self.targets.len() < self.classes.len() * self.n_classes {
            self.targets.extend_from_slice(target);
        } else {
            self.targets[start..].copy_from_slice(target);
        }
    }

    /// Adds all instances of another collection with the same slots and classes and one right class
    /// an instance.
    ///
    /// # Panics
    /// When slots or classes differ.
    pub fn append(&mut self, other: &Self) {
        assert_eq!((self.n_slots, self.n_classes), (other.n_slots, other.n_classes), "the same shape");
        for instance in 0..other.len() {
            let weight = other.weight(instance);
            match other.target(instance) {
                Some(target) => self.push_soft(other.values(instance), target, weight),
                None => self.push_weighted(other.values(instance), other.class(instance), weight),
            }
        }
    }

    /// Forgets all instances from the `len`-th on.
    pub fn truncate(&mut self, len: usize) {
        self.values.truncate(len * self.n_slots);
        self.classes.truncate(len);
        self.weights.truncate(len);
        self.targets.truncate(len * self.n_classes);
    }

    /// The number of instances.
    pub fn len(&self) -> usize {
        self.classes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// The number of slots.
    pub fn n_slots(&self) -> usize {
        self.n_slots
    }

    /// The number of classes.
    pub fn n_classes(&self) -> usize {
        self.n_classes
    }

    /// The values of an instance, one a slot.
    #[inline]
    pub fn values(&self, instance: usize) -> &[u32] {
        &self.values[instance * self.n_slots..][..self.n_slots]
    }

    /// The right class of an instance; of several, the likeliest.
    #[inline]
    pub fn class(&self, instance: usize) -> u32 {
        self.classes[instance]
    }

    /// How much an instance counts.
    #[inline]
    pub fn weight(&self, instance: usize) -> f32 {
        self.weights.get(instance).copied().unwrap_or(1.0)
    }

    /// The distribution that is right, if it is more than one class.
    #[inline]
    pub fn target(&self, instance: usize) -> Option<&[f32]> {
        if self.targets.is_empty() {
            None
        } else {
            Some(&self.targets[instance * self.n_classes..][..self.n_classes])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hard_weighted_and_soft_instances_live_together() {
        let mut instances = SlotInstances::new(2, 3);
        instances.push(&[1, 2], 2);
        assert_eq!((instances.weight(0).to_bits(), instances.target(0)), (1.0f32.to_bits(), None));
        instances.push_soft(&[3, 4], &[0.25, 0.75, 0.0], 0.5);
        instances.push_weighted(&[5, 6], 0, 2.0);
        assert_eq!(instances.target(0), Some(&[0.0, 0.0, 1.0][..]));
        assert_eq!(instances.target(1), Some(&[0.25, 0.75, 0.0][..]));
        assert_eq!(instances.target(2), Some(&[1.0, 0.0, 0.0][..]));
        assert_eq!([0, 1, 2].map(|i| instances.class(i)), [2, 1, 0]);
        assert_eq!([0, 1, 2].map(|i| instances.weight(i).to_bits()), [1.0f32, 0.5, 2.0].map(f32::to_bits));
        let mut twice = instances.clone();
        twice.append(&instances);
        assert_eq!(twice.len(), 6);
        assert_eq!(twice.target(4), instances.target(1));
    }
}
