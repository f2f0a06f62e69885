//! Training states: what a feature program saw, and which class was right.

use quaich_features::hash;

/// The values of a program in many states, with the class that was right in each.
#[derive(Clone, Debug, Default)]
pub struct States {
    width: usize,
    /// Fingerprints of values, `width` a state.
    values: Vec<u32>,
    classes: Vec<u32>,
}

impl States {
    /// No states yet, for a program with this many values.
    pub fn new(width: usize) -> Self {
        Self { width, values: Vec::new(), classes: Vec::new() }
    }

    /// Adds a state.
    pub fn push(&mut self, values: &[u64], class: u32) {
        debug_assert_eq!(values.len(), self.width);
        self.values.extend(values.iter().map(|&value| hash::fingerprint(value)));
        self.classes.push(class);
    }

    /// Adds all states of another collection.
    pub fn append(&mut self, other: &Self) {
        self.values.extend_from_slice(&other.values);
        self.classes.extend_from_slice(&other.classes);
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.classes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// The classes by state.
    pub fn classes(&self) -> &[u32] {
        &self.classes
    }

    /// The fingerprints of the values of a state.
    #[inline]
    pub fn fingerprints(&self, state: usize) -> &[u32] {
        &self.values[state * self.width..][..self.width]
    }
}
