//! The network as a classifier of rows of values. What a value adds to the hidden layer is worked out
//! beforehand, so that no product with a vector is left.

use rayon::prelude::*;

use super::learner::{MAX_HIDDEN, MAX_RATIO};
use super::table::Table;
use super::{ABSENT, Network, Shape, UNKNOWN, Vocabulary};
use crate::arrays::{Arrays, LoadError};
use crate::kernels;
use crate::learner::Classifier;
use crate::positions::Positions;
use crate::scratch::Scratch;

/// The most cells of rows that are worked out for a file: what a damaged one asks for has an end.
const MAX_CELLS: usize = 1 << 31;
/// So many are never too many.
const FEW_CELLS: usize = 1 << 20;

/// A network whose slots are the positions of rows.
#[derive(Clone, PartialEq, Debug)]
pub struct NetworkClassifier {
    positions: Positions,
    /// By value: its number in the vocabulary of its position; [`UNKNOWN`] if training did not know it.
    numbers: Vec<u32>,
    network: Network,
    /// By position: what its values add, relative to what it adds where there is none.
    tables: Vec<Table>,
    /// The sums of the hidden layer where no position has a value.
    empty: Vec<f32>,
}

impl NetworkClassifier {
    /// A classifier from a network with one slot and one vocabulary a position.
    pub(super) fn new(positions: Positions, numbers: Vec<u32>, mut network: Network) -> Self {
        // Sums were for training.
        for vocabulary in &mut network.shape.vocabularies {
            *vocabulary = Vocabulary::plain(vocabulary.size(), vocabulary.width(), Vec::new());
        }
        let tables: Vec<Table> = (0..positions.len())
            .into_par_iter()
            .map(|position| Table::new(&network, position, UNKNOWN))
            .collect();
        let mut empty = network.bias.clone();
        for table in &tables {
            kernels::accumulate(&mut empty, &[&table.base]);
        }
        Self { positions, numbers, network, tables, empty }
    }

    /// The network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// A classifier that was saved.
    pub(super) fn load(arrays: &Arrays) -> Result<Self, LoadError> {
        let unfit = |name: &str| LoadError::unfit(name, "does not fit the others");
        let offsets = arrays.get::<u32>("offsets")?;
        if offsets.first() != Some(&0) || !offsets.is_sorted() {
            return Err(LoadError::unfit("offsets", "does not begin with 0, or falls"));
        }
        let positions = Positions::new(offsets);
        let (sizes, widths) = (arrays.get::<u32>("sizes")?, arrays.get::<u32>("widths")?);
        if sizes.len() != positions.len() || sizes.iter().any(|&size| size <= ABSENT) {
            return Err(unfit("sizes"));
        }
        if widths.len() != positions.len() || widths.contains(&0) {
            return Err(unfit("widths"));
        }
        let numbers = arrays.get::<u32>("numbers")?;
        let within = |(value, &number): (u32, &u32)| number < sizes[positions.of(value)];
        if numbers.len() != positions.n_values() as usize || !(0..).zip(&numbers).all(within) {
            return Err(unfit("numbers"));
        }
        let (bias, output_bias) = (arrays.get::<f32>("bias")?, arrays.get::<f32>("output_bias")?);
        let (hidden, classes) = (bias.len(), output_bias.len());
        if !(1..=MAX_HIDDEN).contains(&hidden) {
            return Err(LoadError::unfit("bias", "has no length that hidden layers have"));
        }
        let output = arrays.get::<f32>("output")?;
        if Some(output.len()) != hidden.checked_mul(classes) {
            return Err(unfit("output"));
        }
        let vocabularies: Vec<Vocabulary> = sizes
            .iter()
            .zip(&widths)
            .map(|(&size, &width)| Vocabulary::plain(size as usize, width as usize, Vec::new()))
            .collect();
        let lengths = vocabularies.iter().map(|v| v.size().checked_mul(v.width()));
        let embeddings = cut(&arrays.get("embeddings")?, lengths).ok_or_else(|| unfit("embeddings"))?;
        let lengths = vocabularies.iter().map(|v| v.width().checked_mul(hidden));
        let input = cut(&arrays.get("input")?, lengths).ok_or_else(|| unfit("input"))?;
        let n_vectors: usize = vocabularies.iter().map(Vocabulary::size).sum();
        // What is worked out of the vectors stays in proportion to what they take themselves.
        let n_cells = embeddings.iter().chain(&input).map(Vec::len).sum::<usize>();
        let limit = MAX_CELLS.min(FEW_CELLS + MAX_RATIO * n_cells);
        if n_vectors.checked_mul(hidden).is_none_or(|cells| cells > limit) {
            return Err(LoadError::unfit("sizes", "asks for more memory than is reasonable"));
        }
        let slots = (0..vocabularies.len()).collect();
        let shape = Shape { vocabularies, slots, hidden, classes };
        let network = Network { shape, embeddings, input, bias, output, output_bias };
        Ok(Self::new(positions, numbers, network))
    }
}

impl Classifier for NetworkClassifier {
    fn n_classes(&self) -> usize {
        self.network.shape.classes
    }

    fn scores(&self, row: &[u32], scratch: &mut Scratch, scores: &mut [f32]) {
        let sums = scratch.of::<Vec<f32>>();
        sums.clear();
        sums.extend_from_slice(&self.empty);
        let (n_hidden, mut last) = (sums.len(), None);
        for &value in row {
            let number = self.numbers.get(value as usize).copied().unwrap_or(UNKNOWN);
            if number == UNKNOWN {
                continue;
            }
            let position = self.positions.of(value);
            let table = &self.tables[position];
            kernels::accumulate(sums, &[&table.rows[number as usize * n_hidden..][..n_hidden]]);
            // Every row is relative to that of no value, which is to be left out once a position.
            if last.replace(position) == Some(position) {
                kernels::accumulate(sums, &[&table.base]);
            }
        }
        self.network.score_classes(sums, scores);
    }

    fn save(&self, arrays: &mut Arrays) {
        let Network { shape, embeddings, input, bias, output, output_bias } = &self.network;
        let number = |n: usize| u32::try_from(n).expect("values are numbered in 32 bits");
        let sizes: Vec<u32> = shape.vocabularies.iter().map(|v| number(v.size())).collect();
        let widths: Vec<u32> = shape.vocabularies.iter().map(|v| number(v.width())).collect();
        arrays.set("offsets", self.positions.offsets());
        arrays.set("numbers", &self.numbers);
        arrays.set("sizes", &sizes);
        arrays.set("widths", &widths);
        arrays.set("embeddings", &embeddings.concat());
        arrays.set("input", &input.concat());
        arrays.set("bias", bias);
        arrays.set("output", output);
        arrays.set("output_bias", output_bias);
    }
}

/// Cuts an array into arrays of these lengths, if that is what it consists of.
fn cut(array: &[f32], lengths: impl Iterator<Item = Option<usize>>) -> Option<Vec<Vec<f32>>> {
    let mut rest = array;
    let mut parts = Vec::new();
    for length in lengths {
        let (part, others) = rest.split_at_checked(length?)?;
        parts.push(part.to_vec());
        rest = others;
    }
    rest.is_empty().then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classifier() -> NetworkClassifier {
        let positions = Positions::new(vec![0, 3, 3, 5]);
        let vocabulary = |size| Vocabulary::plain(size, 3, Vec::new());
        let shape = Shape {
            vocabularies: vec![vocabulary(4), vocabulary(2), vocabulary(4)],
            slots: vec![0, 1, 2],
            hidden: 40,
            classes: 3,
        };
        NetworkClassifier::new(positions, vec![2, UNKNOWN, 3, 2, 3], Network::random(shape, 4))
    }

    /// Compares the scores of a row with those of the network itself, whose values are `values`.
    fn check(row: &[u32], values: [&[u32]; 3]) {
        let (classifier, mut scores, mut expected) = (classifier(), [0.0; 3], Vec::new());
        classifier.scores(row, &mut Scratch::default(), &mut scores);
        let mut network = classifier.network().clone();
        let vocabularies = &mut network.shape.vocabularies;
        let values: Vec<u32> =
            vocabularies.iter_mut().zip(values).map(|(vocabulary, sum)| vocabulary.add_sum(sum)).collect();
        network.score(&values, &mut expected);
        for (score, expected) in scores.iter().zip(expected) {
            assert!((score - expected).abs() < 1e-5, "{row:?}: {score} {expected}");
        }
    }

    #[test]
    fn scores_are_those_of_the_network() {
        const NONE: &[u32] = &[UNKNOWN];
        check(&[], [NONE, NONE, NONE]);
        check(&[0, 4], [&[2], NONE, &[3]]);
        check(&[2, 0, 3, 4], [&[3, 2], NONE, &[2, 3]]);
        check(&[1, 99], [NONE, NONE, NONE]);
        check(&[0, 1, 2, 4, 77], [&[2, 3], NONE, &[3]]);
    }

    const DAMAGES: [fn(&mut Vec<u8>); 3] = [|b| b.truncate(4), |b| b.extend([7; 4]), Vec::clear];

    #[test]
    fn what_is_saved_can_be_loaded_and_what_is_damaged_is_refused() {
        let mut arrays = Arrays::default();
        classifier().save(&mut arrays);
        assert_eq!(NetworkClassifier::load(&arrays), Ok(classifier()));
        let names: Vec<String> = arrays.iter().map(|(name, _)| name.to_owned()).collect();
        for name in names {
            for damage in DAMAGES {
                let mut damaged = arrays.clone();
                let mut bytes = arrays.bytes(&name).unwrap().to_vec();
                damage(&mut bytes);
                damaged.set_bytes(&name, bytes);
                assert!(NetworkClassifier::load(&damaged).is_err(), "{name}");
            }
        }
        arrays.set("numbers", &[2u32, 0, 4, 2, 3]);
        let error = NetworkClassifier::load(&arrays).unwrap_err();
        assert_eq!(error.to_string(), "the array `numbers` does not fit the others");
    }
}
