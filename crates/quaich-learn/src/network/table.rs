//! The rows of all values of a slot: their contributions to the hidden layer.

use super::Network;
use crate::kernels::{Transpose, multiply};

/// A slot's rows.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Table {
    /// One row per value, relative to that of the base value, then one per part.
    pub(super) rows: Vec<f32>,
    /// The row of the base value.
    pub(super) base: Vec<f32>,
}

impl Table {
    /// Computes the rows of a slot, those of values relative to that of `base`.
    pub(super) fn new(network: &Network, slot: usize, base: u32) -> Self {
        let (hidden, vocabulary) = (network.shape.hidden, network.shape.vocabulary(slot));
        let mut rows = vec![0.0; vocabulary.n_vectors() * hidden];
        multiply(
            (vocabulary.n_vectors(), vocabulary.width(), hidden),
            (&vocabulary.embeddings(&network.embeddings[network.shape.slots[slot]]), Transpose::No),
            (&network.input[slot], Transpose::No),
            &mut rows,
        );
        let base = rows[base as usize * hidden..][..hidden].to_vec();
        for row in rows.chunks_mut(hidden).take(vocabulary.size()) {
            for (cell, base) in row.iter_mut().zip(&base) {
                *cell -= base;
            }
        }
        Self { rows, base }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::shape;
    use super::*;

    #[test]
    fn rows_of_values_are_relative_and_those_of_parts_are_not() {
        let network = Network::random(shape(), 3);
        let (size, table) = (network.shape.vocabularies[0].size(), Table::new(&network, 2, 4));
        let mut expected = [0.0; 8];
        for (value, row) in (0u32..).zip(table.rows.chunks(8)) {
            network.row(2, value, &mut expected);
            for ((cell, base), expected) in row.iter().zip(&table.base).zip(expected) {
                let base = if (value as usize) < size { *base } else { 0.0 };
                assert!((cell + base - expected).abs() < 1e-6, "{value}");
            }
        }
    }
}
