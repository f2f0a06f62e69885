//! Vocabularies: values that share a table of embeddings.
//!
//! In a plain vocabulary value *v* has embedding *v*. In a composed one a value may also have *parts*, shared with other values: its
//! embedding is the sum of its own and theirs, so that a part's embedding helps all values with that part, including unseen ones. Values,
//! parts and embeddings share one numbering:
//!
//! ```text
//!   0 … size              values, UNKNOWN and NO_VALUE first: their own embedding and those of their parts
//!   size … n_vectors      parts on their own
//!   n_vectors … n_values  sums without an embedding of their own, for training only
//! ```
//!
//! For example, a token's bundle of morphological features is a value and its single features are the parts. An unseen bundle is the sum
//! of `UNKNOWN` and its known parts.

use std::borrow::Cow;

use crate::lists::Lists;

/// An unknown or rare value.
pub const UNKNOWN: u32 = 0;
/// The value of an empty slot.
pub const NO_VALUE: u32 = 1;

/// Values that share a table of embeddings.
#[derive(Clone, PartialEq, Debug)]
pub struct Vocabulary {
    size: usize,
    width: usize,
    n_parts: usize,
    /// One per value: its dropout rate; 0 for values past the end.
    value_dropout: Vec<f32>,
    /// One per value: its replacement under dropout; [`UNKNOWN`] for values past the end.
    dropped_as: Vec<u32>,
    /// One list per value: its embeddings. Empty if every value only has its own.
    sums: Lists<u32>,
}

impl Vocabulary {
    /// A vocabulary of `size` values, including [`UNKNOWN`] and [`NO_VALUE`], with embeddings of `width` cells. `value_dropout` has the
    /// dropout rate of each value; empty for no dropout.
    ///
    /// # Panics
    /// If there are fewer than two values.
    pub fn plain(size: usize, width: usize, value_dropout: Vec<f32>) -> Self {
        assert!(size > NO_VALUE as usize, "unknown and absent values are counted");
        Self { size, width, n_parts: 0, value_dropout, dropped_as: Vec::new(), sums: Lists::default() }
    }

    /// A vocabulary whose values have parts: `parts` lists them per value, numbered from 0 to `n_parts`; those of [`UNKNOWN`] and
    /// [`NO_VALUE`], which come first, are empty. A value that is dropped becomes [`UNKNOWN`] with its parts.
    ///
    /// # Panics
    /// If there are fewer than two values, one of the first two has parts, or a part is not below `n_parts`.
    pub fn composed(
        parts: impl IntoIterator<Item = impl AsRef<[u32]>>,
        n_parts: usize,
        width: usize,
        value_dropout: Vec<f32>,
    ) -> Self {
        let parts: Vec<_> = parts.into_iter().collect();
        let mut vocabulary = Self { n_parts, ..Self::plain(parts.len(), width, value_dropout) };
        let reserved = &parts[..=NO_VALUE as usize];
        assert!(reserved.iter().all(|parts| parts.as_ref().is_empty()), "the first two have no parts");
        for (value, parts) in (0..).zip(&parts) {
            vocabulary.list(value, parts.as_ref());
        }
        vocabulary.list_vectors();
        vocabulary.dropped_as.resize(parts.len(), UNKNOWN);
        for (value, parts) in parts.iter().map(AsRef::as_ref).enumerate() {
            if !parts.is_empty() {
                vocabulary.dropped_as[value] = vocabulary.add_unseen(parts);
            }
        }
        vocabulary
    }

    /// Adds a value for training instances that is [`UNKNOWN`] with these parts; returns its number.
    ///
    /// # Panics
    /// If a part is not below `n_parts`.
    pub fn add_unseen(&mut self, parts: &[u32]) -> u32 {
        self.list_vectors();
        let value = self.list(UNKNOWN, parts);
        self.dropped_as.resize(self.n_values(), UNKNOWN);
        self.dropped_as[value as usize] = value;
        value
    }

    /// Adds a value for training instances that is the sum of values or parts with embeddings of their own; returns its number. When
    /// dropped, it becomes [`UNKNOWN`].
    ///
    /// # Panics
    /// If a number is not below [`n_vectors`](Self::n_vectors).
    pub fn add_sum(&mut self, vectors: &[u32]) -> u32 {
        assert!(vectors.iter().all(|&v| (v as usize) < self.n_vectors()), "each has a vector");
        self.list_vectors();
        number(self.sums.push(vectors))
    }

    /// The number of values with an embedding of their own, including [`UNKNOWN`] and [`NO_VALUE`].
    pub fn size(&self) -> usize {
        self.size
    }

    /// The width of embeddings.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of embeddings, of values and of parts.
    pub fn n_vectors(&self) -> usize {
        self.size + self.n_parts
    }

    /// The number of values, including those for training only.
    pub fn n_values(&self) -> usize {
        self.sums.len().max(self.n_vectors())
    }

    /// The number of a part.
    ///
    /// # Panics
    /// If it is not below `n_parts`.
    pub fn part(&self, part: u32) -> u32 {
        assert!((part as usize) < self.n_parts, "found part {part}, expected one of {}", self.n_parts);
        number(self.size) + part
    }

    /// The dropout rate of a value.
    #[inline]
    pub(super) fn value_dropout(&self, value: u32) -> f32 {
        self.value_dropout.get(value as usize).copied().unwrap_or(0.0)
    }

    /// The replacement of a dropped value.
    #[inline]
    pub(super) fn dropped(&self, value: u32) -> u32 {
        self.dropped_as.get(value as usize).copied().unwrap_or(UNKNOWN)
    }

    /// The embeddings whose sum is a value's embedding, in the order of summation.
    #[inline]
    pub(super) fn vectors<'a>(&'a self, value: &'a u32) -> &'a [u32] {
        if self.sums.len() == 0 { std::slice::from_ref(value) } else { self.sums.get(*value as usize) }
    }

    /// The embedding of a value, from the table of all embeddings.
    #[inline]
    pub(super) fn embedding<'a>(&self, table: &'a [f32], value: u32) -> Cow<'a, [f32]> {
        let own = |vector: u32| &table[vector as usize * self.width..][..self.width];
        if let [vector] = self.vectors(&value) {
            return own(*vector).into();
        }
        let mut sum = vec![0.0; self.width];
        for &vector in self.vectors(&value) {
            for (sum, cell) in sum.iter_mut().zip(own(vector)) {
                *sum += cell;
            }
        }
        sum.into()
    }

    /// The embeddings of all values with one of their own, followed by those of the parts.
    pub(super) fn embeddings<'a>(&self, table: &'a [f32]) -> Cow<'a, [f32]> {
        if self.sums.len() == 0 {
            return table.into();
        }
        let numbers = (0..).take(self.n_vectors());
        numbers.flat_map(|value| self.embedding(table, value).into_owned()).collect()
    }

    /// Adds a value that is the sum of an embedding and those of some parts; returns the value's number.
    fn list(&mut self, own: u32, parts: &[u32]) -> u32 {
        let vectors: Vec<u32> =
            std::iter::once(own).chain(parts.iter().map(|&part| self.part(part))).collect();
        number(self.sums.push(&vectors))
    }

    /// Adds the entries of embeddings that are not yet listed.
    fn list_vectors(&mut self) {
        for vector in self.sums.len()..self.n_vectors() {
            self.sums.push(&[number(vector)]);
        }
    }
}

fn number(n: usize) -> u32 {
    u32::try_from(n).expect("fewer than 2³² values")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(vocabulary: &Vocabulary, value: u32, vectors: &[u32]) {
        assert_eq!(vocabulary.vectors(&value), vectors);
    }

    #[test]
    fn plain_values_have_the_vector_of_their_number() {
        let vocabulary = Vocabulary::plain(5, 2, vec![0.0, 0.0, 0.5]);
        assert_eq!((vocabulary.size(), vocabulary.n_vectors(), vocabulary.n_values()), (5, 5, 5));
        check(&vocabulary, 4, &[4]);
        assert_eq!(
            [2, 3].map(|v| (vocabulary.value_dropout(v), vocabulary.dropped(v))),
            [(0.5, 0), (0.0, 0)]
        );
        let table: Vec<f32> = (0u8..10).map(f32::from).collect();
        assert!(matches!(vocabulary.embedding(&table, 3), Cow::Borrowed([6.0, 7.0])));
    }

    #[test]
    fn values_are_summed_from_their_parts() {
        let parts: [&[u32]; 5] = [&[], &[], &[0, 2], &[1], &[]];
        let mut vocabulary = Vocabulary::composed(parts, 3, 2, vec![0.1; 5]);
        assert_eq!((vocabulary.size(), vocabulary.n_vectors()), (5, 8));
        for (value, vectors) in (0..).zip([&[0][..], &[1], &[2, 5, 7], &[3, 6], &[4], &[5], &[6], &[7]]) {
            check(&vocabulary, value, vectors);
        }
        let dropped = [UNKNOWN, NO_VALUE, 2, 3, 4].map(|value| vocabulary.dropped(value));
        assert_eq!(dropped, [UNKNOWN, UNKNOWN, 8, 9, UNKNOWN]);
        check(&vocabulary, 8, &[UNKNOWN, 5, 7]);
        let unseen = vocabulary.add_unseen(&[2, 1]);
        assert_eq!((unseen, vocabulary.dropped(unseen), vocabulary.n_values()), (10, 10, 11));
        check(&vocabulary, unseen, &[UNKNOWN, 7, 6]);
        let table: Vec<f32> = (0u8..16).map(f32::from).collect();
        assert_eq!(*vocabulary.embedding(&table, 2), [4.0 + 10.0 + 14.0, 5.0 + 11.0 + 15.0]);
    }

    #[test]
    fn plain_vocabularies_can_have_sums() {
        let mut vocabulary = Vocabulary::plain(4, 1, Vec::new());
        assert_eq!((vocabulary.add_sum(&[3, 2]), vocabulary.add_sum(&[])), (4, 5));
        check(&vocabulary, 3, &[3]);
        check(&vocabulary, 4, &[3, 2]);
        assert_eq!((vocabulary.n_values(), vocabulary.dropped(4)), (6, UNKNOWN));
        assert_eq!(*vocabulary.embedding(&[1.0, 2.0, 3.0, 4.0], 5), [0.0]);
    }
}
