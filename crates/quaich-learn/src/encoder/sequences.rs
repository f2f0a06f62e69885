//! Training sequences: items with the values of their attributes.

use std::ops::Range;

use super::Shape;

/// Sequences of items, as values of attributes.
#[derive(Clone, Debug)]
pub struct Sequences {
    /// The end of each sequence.
    ends: Vec<usize>,
    n_items: usize,
    /// One per attribute: the values of all items.
    values: Vec<Values>,
}

#[derive(Clone, Debug, Default)]
struct Values {
    /// The end of each item's values.
    ends: Vec<u32>,
    values: Vec<u32>,
}

impl Sequences {
    /// An empty list of sequences.
    pub fn new(n_attributes: usize) -> Self {
        Self { ends: Vec::new(), n_items: 0, values: vec![Values::default(); n_attributes] }
    }

    /// Adds an item to the current sequence: its values, one list per attribute.
    ///
    /// # Panics
    /// If there are more than 2³² values.
    pub fn push<'v>(&mut self, values: impl Iterator<Item = &'v [u32]>) {
        for (all, values) in self.values.iter_mut().zip(values) {
            all.values.extend_from_slice(values);
            all.ends.push(u32::try_from(all.values.len()).expect("fewer than 2³² values"));
        }
        self.n_items += 1;
    }

    /// Ends the current sequence.
    pub fn end_sequence(&mut self) {
        self.ends.push(self.n_items);
    }

    /// The number of sequences.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The total number of items.
    pub fn n_items(&self) -> usize {
        self.n_items
    }

    /// The items of a sequence.
    pub(super) fn items(&self, sequence: usize) -> Range<usize> {
        let start = sequence.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[sequence]
    }

    /// The values of an item.
    pub(super) fn values(&self, attribute: usize, item: usize) -> &[u32] {
        let Values { ends, values } = &self.values[attribute];
        let start = item.checked_sub(1).map_or(0, |before| ends[before]);
        &values[start as usize..ends[item] as usize]
    }

    /// Whether all values are within the shape's range.
    pub(super) fn fit(&self, shape: &Shape) -> bool {
        shape.attributes.len() == self.values.len()
            && shape.attributes.iter().zip(&self.values).all(|(attribute, values)| {
                values.values.iter().all(|&value| (value as usize) < attribute.values)
            })
    }
}
