//! The distinct values of a minibatch, slot by slot.
//!
//! Each distinct (slot, value) pair is multiplied once, and its row is then added wherever the pair occurs; gradients are accumulated by
//! pair in the same way before they are propagated further.

use rand::Rng;
use rand_pcg::Pcg64Mcg;

use super::instances::SlotInstances;
use super::{Network, Vocabulary};
use crate::kernels::{self, Transpose, multiply};

/// Distinct numbers in the order of their first occurrence (a sparse set, Briggs and Torczon 1993); clearing it is free.
struct Distinct {
    numbers: Vec<u32>,
    /// Indexed by number: its place, valid if the number at that place is the same.
    places: Vec<u32>,
}

impl Distinct {
    /// An empty set of numbers below `n`.
    fn new(n: usize) -> Self {
        Self { numbers: Vec::new(), places: vec![0; n] }
    }

    /// The place of a number, and whether it is new.
    #[inline]
    fn place(&mut self, number: u32) -> (usize, bool) {
        let place = &mut self.places[number as usize];
        if self.numbers.get(*place as usize) == Some(&number) {
            return (*place as usize, false);
        }
        *place = u32::try_from(self.numbers.len()).expect("numbers are distinct");
        self.numbers.push(number);
        (*place as usize, true)
    }
}

/// The data of a slot in a minibatch.
pub(super) struct SlotBatch {
    distinct: Distinct,
    /// One per instance: the place of its value among the distinct ones.
    local: Vec<u32>,
    /// Per distinct value: its embedding, its row for the hidden layer, and their gradients.
    vectors: Vec<f32>,
    rows: Vec<f32>,
    row_gradient: Vec<f32>,
    vector_gradient: Vec<f32>,
    /// The gradient of the slot's weights.
    pub(super) weight_gradient: Vec<f32>,
}

impl SlotBatch {
    /// No minibatch yet.
    pub(super) fn new(network: &Network, slot: usize) -> Self {
        Self {
            distinct: Distinct::new(network.shape.vocabulary(slot).n_values()),
            local: Vec::new(),
            vectors: Vec::new(),
            rows: Vec::new(),
            row_gradient: Vec::new(),
            vector_gradient: Vec::new(),
            weight_gradient: vec![0.0; network.input[slot].len()],
        }
    }

    /// Reads the slot's values of the chosen instances, with value dropout, and computes the row of each distinct one.
    #[allow(clippy::cast_possible_truncation, reason = "random bits")]
    pub(super) fn read(
        &mut self,
        network: &Network,
        slot: usize,
        (instances, chosen): (&SlotInstances, &[u32]),
        value_dropout: f32,
        mut generator: Pcg64Mcg,
    ) {
        let shape = &network.shape;
        let (vocabulary, table) = (shape.vocabulary(slot), &network.embeddings[shape.slots[slot]]);
        self.distinct.numbers.clear();
        self.local.clear();
        self.vectors.clear();
        let mut bits = 0;
        for (i, &instance) in chosen.iter().enumerate() {
            let mut value = instances.values(instance as usize)[slot];
            // Sixteen random bits per decision, so one number is enough for four.
            bits = if i % 4 == 0 { generator.next_u64() } else { bits >> 16 };
            if f32::from(bits as u16) < (value_dropout + vocabulary.value_dropout(value)) * 65_536.0 {
                value = vocabulary.dropped(value);
            }
            let (place, new) = self.distinct.place(value);
            if new {
                self.vectors.extend_from_slice(&vocabulary.embedding(table, value));
            }
            self.local.push(place as u32);
        }
        let n = self.distinct.numbers.len();
        self.rows.resize(n * shape.hidden, 0.0);
        multiply(
            (n, vocabulary.width(), shape.hidden),
            (&self.vectors, Transpose::No),
            (&network.input[slot], Transpose::No),
            &mut self.rows,
        );
    }

    /// The row of the `i`-th chosen instance.
    #[inline]
    pub(super) fn row(&self, i: usize, n_hidden: usize) -> &[f32] {
        let start = self.local[i] as usize * n_hidden;
        &self.rows[start..start + n_hidden]
    }

    /// Propagates the gradient of the hidden layer's sums, one row per instance, to the slot's weights and to the embeddings of its
    /// values.
    pub(super) fn differentiate(&mut self, network: &Network, slot: usize, gradient: &[f32]) {
        let n_hidden = network.shape.hidden;
        let width = network.shape.vocabulary(slot).width();
        let n = self.distinct.numbers.len();
        self.row_gradient.clear();
        self.row_gradient.resize(n * n_hidden, 0.0);
        kernels::scatter(&mut self.row_gradient, &self.local, gradient, n_hidden);
        multiply(
            (width, n, n_hidden),
            (&self.vectors, Transpose::Yes),
            (&self.row_gradient, Transpose::No),
            &mut self.weight_gradient,
        );
        self.vector_gradient.resize(n * width, 0.0);
        multiply(
            (n, n_hidden, width),
            (&self.row_gradient, Transpose::No),
            (&network.input[slot], Transpose::Yes),
            &mut self.vector_gradient,
        );
    }
}

/// The data of a vocabulary in a minibatch: the gradients of the embeddings that occur in any of its slots.
pub(super) struct VocabularyBatch {
    distinct: Distinct,
    gradient: Vec<f32>,
}

impl VocabularyBatch {
    /// No minibatch yet.
    pub(super) fn new(vocabulary: &Vocabulary) -> Self {
        Self { distinct: Distinct::new(vocabulary.n_vectors()), gradient: Vec::new() }
    }

    /// Sums the gradients over the vocabulary's slots. The gradient of a value is added to each of its embeddings.
    pub(super) fn differentiate<'a>(
        &mut self,
        vocabulary: &Vocabulary,
        slots: impl Iterator<Item = &'a SlotBatch>,
    ) {
        let width = vocabulary.width();
        self.distinct.numbers.clear();
        self.gradient.clear();
        for slot in slots {
            for (value, gradient) in slot.distinct.numbers.iter().zip(slot.vector_gradient.chunks(width)) {
                for &vector in vocabulary.vectors(value) {
                    let (place, new) = self.distinct.place(vector);
                    if new {
                        self.gradient.extend_from_slice(gradient);
                    } else {
                        let sum = &mut self.gradient[place * width..][..width];
                        for (sum, cell) in sum.iter_mut().zip(gradient) {
                            *sum += cell;
                        }
                    }
                }
            }
        }
    }

    /// The embeddings that occur, with their gradients.
    pub(super) fn gradients(&self, width: usize) -> impl Iterator<Item = (u32, &[f32])> {
        self.distinct.numbers.iter().copied().zip(self.gradient.chunks(width))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinct_numbers_keep_their_places() {
        let mut distinct = Distinct::new(10);
        let places = [7, 3, 7, 0, 3].map(|number| distinct.place(number));
        assert_eq!(places, [(0, true), (1, true), (0, false), (2, true), (1, false)]);
        distinct.numbers.clear();
        assert_eq!([0, 7, 0].map(|number| distinct.place(number)), [(0, true), (1, true), (0, false)]);
    }
}
