//! A trained network for inference: the row of every (slot, value) pair for the hidden layer is precomputed and quantised.
//!
//! All arithmetic from the rows to the scores is on integers, so scores are the same on every processor. Rows of values are relative to
//! the [`NO_VALUE`] value of their slot, whose own row is part of the bias: an empty slot costs nothing. After the values come the parts of
//! composed values ([`Vocabulary`](super::Vocabulary)), each with its contribution: an unknown value is the sum of the row of
//! [`UNKNOWN`](super::UNKNOWN) and the rows of its parts. The rows of one value for all slots are adjacent:
//!
//! ```text
//!   vocabulary 0              value 0                  value 1                …
//!                 slot a: 8 bits × hidden, slot b: …   slot a, slot b, …
//! ```

use rayon::prelude::*;

use super::table::Table;
use super::{NO_VALUE, Network};
use crate::kernels;
pub use crate::kernels::{BLOCK, Cells, LANES, Pairs};
pub use crate::output::Output;
use crate::output::round;

/// The maximum number of rows in a sum: cells and a bias fit into sixteen bits.
pub const MAX_ROWS: usize = (i16::MAX as usize - HIGHEST_BIAS as usize) / 128;

/// The maximum bias of a hidden unit, in the unit of the rows; larger ones are clipped.
const HIGHEST_BIAS: i16 = 8191;

/// A network for inference. Its rows, which are most of its memory, are stored by the caller: in an allocation of their own, or in a
/// file's content.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Frozen {
    /// The number of hidden units: a multiple of [`BLOCK`].
    pub hidden: usize,
    /// One per slot: the row number of its value 0.
    pub first_row: Vec<u32>,
    /// One per slot: the distance between the rows of consecutive values.
    pub stride: Vec<u32>,
    /// One per hidden unit, in the unit of the rows.
    pub bias: Vec<i16>,
    /// The output layer.
    pub output: Output,
}

impl Frozen {
    /// Quantises a network; returns its rows separately. `headroom` is how many times larger than the cells of a row a sum of a few rows
    /// may be and still fit into eight bits: 1 if rows are only ever added to the total sum.
    ///
    /// # Panics
    /// If there are more than 2³² rows or 500,000 hidden units.
    pub fn new(network: &Network, headroom: f32) -> (Self, Vec<Cells>) {
        let shape = &network.shape;
        let hidden = shape.hidden.next_multiple_of(BLOCK);
        let mut first_row = vec![0u32; shape.slots.len()];
        let mut stride = vec![0u32; shape.slots.len()];
        let mut n_rows = 0;
        let number = |n: usize| u32::try_from(n).expect("fewer than 2³² rows");
        for (vocabulary, values) in shape.vocabularies.iter().enumerate() {
            let slots: Vec<usize> =
                (0..shape.slots.len()).filter(|&slot| shape.slots[slot] == vocabulary).collect();
            for (place, &slot) in slots.iter().enumerate() {
                first_row[slot] = number(n_rows + place);
                stride[slot] = number(slots.len());
            }
            n_rows += slots.len() * values.n_vectors();
        }
        let mut bias = network.bias.clone();
        bias.resize(hidden, 0.0);
        let tables: Vec<Table> =
            (0..shape.slots.len()).into_par_iter().map(|slot| Table::new(network, slot, NO_VALUE)).collect();
        let mut ranges: Vec<f32> = Vec::with_capacity(n_rows);
        for table in &tables {
            for (bias, cell) in bias.iter_mut().zip(&table.base) {
                *bias += cell;
            }
            let rows = table.rows.chunks(shape.hidden);
            ranges.extend(rows.map(|row| row.iter().map(|cell| cell.abs()).fold(0.0, f32::max)));
        }
        ranges.sort_unstable_by(f32::total_cmp);
        // One row in a thousand may be clipped.
        let range = ranges.get(ranges.len().saturating_sub(1 + ranges.len() / 1000)).copied().unwrap_or(1.0);
        let unit = headroom * range.max(1e-6) / 127.0;
        let n_blocks = hidden / BLOCK;
        let mut rows = vec![Cells([0; BLOCK]); n_rows * n_blocks];
        for (slot, table) in tables.iter().enumerate() {
            let places = rows[first_row[slot] as usize * n_blocks..].chunks_mut(n_blocks);
            for (row, out) in table.rows.chunks(shape.hidden).zip(places.step_by(stride[slot] as usize)) {
                for (out, cell) in out.iter_mut().flat_map(|out| &mut out.0).zip(row) {
                    #[allow(clippy::cast_possible_truncation, reason = "cut off before")]
                    let cell = nearest((cell / unit).clamp(-127.0, 127.0)) as i8;
                    *out = cell;
                }
            }
        }
        let frozen = Self {
            hidden,
            first_row,
            stride,
            bias: bias.iter().map(|&bias| round(bias, unit, f32::from(HIGHEST_BIAS))).collect(),
            output: Output::new(&network.output, &network.output_bias, unit),
        };
        (frozen, rows)
    }

    /// Whether all arrays, and the rows, have the lengths required by the number of values and parts per slot
    /// ([`Vocabulary::n_vectors`](super::Vocabulary::n_vectors)), so that every such value and part has a row.
    pub fn fits(&self, rows: &[Cells], sizes: &[usize]) -> bool {
        let n_rows = rows.len() / (self.hidden / BLOCK).max(1);
        self.hidden > 0
            && self.hidden.is_multiple_of(BLOCK)
            && u32::try_from(rows.len()).is_ok()
            && rows.len() == n_rows * (self.hidden / BLOCK)
            && sizes.iter().try_fold(0usize, |sum, &size| sum.checked_add(size)) == Some(n_rows)
            && self.bias.len() == self.hidden
            && self.bias.iter().all(|bias| bias.unsigned_abs() <= HIGHEST_BIAS.unsigned_abs())
            && self.output.hidden == self.hidden
            && self.output.fits()
            && self.first_row.len() == sizes.len()
            && self.stride.len() == sizes.len()
            && self.first_row.iter().zip(&self.stride).zip(sizes).all(|((&first, &stride), &size)| {
                size > 0
                    && (size - 1)
                        .checked_mul(stride as usize)
                        .and_then(|more| more.checked_add(first as usize))
                        .is_some_and(|last| last < n_rows)
            })
    }

    /// The start of the row of a (slot, value) pair. Parts are numbered after the values.
    #[inline]
    #[allow(clippy::cast_possible_truncation, reason = "rows are counted in 32 bits")]
    pub fn start(&self, slot: usize, value: u32) -> u32 {
        (self.first_row[slot] + self.stride[slot] * value) * (self.hidden / BLOCK) as u32
    }

    /// The row of a (slot, value) pair.
    #[inline]
    pub fn row<'a>(&self, rows: &'a [Cells], slot: usize, value: u32) -> &'a [Cells] {
        &rows[self.start(slot, value) as usize..][..self.hidden / BLOCK]
    }

    /// The score of every class for the sum of at most [`MAX_ROWS`] rows, given by their starts in one of two areas. `units` is scratch
    /// space.
    #[inline]
    pub fn score(&self, areas: [(&[Cells], &[u32]); 2], units: &mut Vec<i16>, scores: &mut [i32]) {
        units.resize(self.hidden, 0);
        kernels::hidden_units(&self.bias, areas, units);
        self.output.score(units, scores);
    }

    /// Sums at most [`MAX_ROWS`] rows, given by their starts, to one row, clipped to eight bits.
    #[inline]
    pub fn add(rows: &[Cells], starts: &[u32], out: &mut [Cells]) {
        kernels::add(rows, starts, out);
    }

    /// A score as an unnormalised log-probability.
    #[inline]
    #[allow(clippy::cast_precision_loss, reason = "scores need no more than a float has")]
    pub fn nats(&self, score: i32) -> f32 {
        score as f32 * self.output.scale
    }
}

/// Rounds a small number to the nearest integer. Some processors have no instruction for it, and a function call per cell took a tenth of
/// the time.
#[inline]
fn nearest(value: f32) -> f32 {
    const ROUND: f32 = 12_582_912.0;
    (value + ROUND) - ROUND
}

#[cfg(test)]
mod tests {
    use super::super::{Shape, UNKNOWN, Vocabulary};
    use super::*;
    use crate::kernels::HIGHEST;

    #[test]
    fn rounded_scores_are_near_the_exact_ones() {
        let vocabulary = |size, width| Vocabulary::plain(size, width, Vec::new());
        let shape = Shape {
            vocabularies: vec![vocabulary(50, 12), vocabulary(9, 4)],
            slots: vec![0, 1, 0, 1, 0],
            hidden: 100,
            classes: 5,
        };
        let network = Network::random(shape, 3);
        let (frozen, rows) = Frozen::new(&network, 1.0);
        assert_eq!(frozen.hidden, 128);
        let (mut scores, mut units) = (Vec::new(), Vec::new());
        for i in 0u32..200 {
            let values = [i % 50, i % 9, (i * 7) % 50, (i * 5) % 9, (i * 11) % 50];
            network.score(&values, &mut scores);
            let starts: Vec<u32> =
                values.iter().enumerate().map(|(slot, &v)| frozen.start(slot, v)).collect();
            let mut rounded = [0; 5];
            frozen.score([(&rows, &starts), (&[], &[])], &mut units, &mut rounded);
            for (&exact, &rounded) in scores.iter().zip(&rounded) {
                let rounded = frozen.nats(rounded);
                assert!((exact - rounded).abs() < 0.02, "{exact} {rounded}");
            }
        }
    }

    #[test]
    fn empty_slots_add_nothing() {
        let vocabulary = Vocabulary::plain(4, 3, Vec::new());
        let shape = Shape { vocabularies: vec![vocabulary], slots: vec![0, 0], hidden: 64, classes: 2 };
        let (frozen, rows) = Frozen::new(&Network::random(shape, 1), 1.0);
        let absent = [0, 1].map(|slot| frozen.row(&rows, slot, NO_VALUE));
        assert!(absent.iter().copied().flatten().all(|cells| cells.0 == [0; BLOCK]));
    }

    #[test]
    fn unseen_values_are_summed_from_unknown_and_their_parts() {
        let parts: [&[u32]; 6] = [&[], &[], &[0, 1], &[2], &[3, 0, 2], &[]];
        let mut vocabulary = Vocabulary::composed(parts, 4, 5, Vec::new());
        let (n_rows, first_part) = (vocabulary.n_vectors(), vocabulary.part(0));
        let unseen = vocabulary.add_unseen(&[1, 3]);
        let plain = Vocabulary::plain(3, 2, Vec::new());
        let shape =
            Shape { vocabularies: vec![plain, vocabulary], slots: vec![1, 0, 1], hidden: 64, classes: 2 };
        let network = Network::random(shape, 7);
        let (frozen, rows) = Frozen::new(&network, 2.0);
        assert!(frozen.fits(&rows, &[n_rows, 3, n_rows]));
        assert!(!frozen.fits(&rows, &[n_rows + 1, 3, n_rows - 1]));
        assert!(!frozen.fits(&rows[1..], &[n_rows, 3, n_rows]));
        let mut output = frozen.output.clone();
        output.classes = usize::MAX;
        assert!(!Frozen { output, ..frozen.clone() }.fits(&rows, &[n_rows, 3, n_rows]));
        let (mut scores, mut rounded) = (Vec::new(), [0; 2]);
        for known in 0..6 {
            network.score(&[unseen, 2, known], &mut scores);
            let summed = [UNKNOWN, first_part + 1, first_part + 3].map(|v| frozen.start(0, v));
            let mut sum = [Cells([0; BLOCK])];
            Frozen::add(&rows, &summed, &mut sum);
            let starts = [frozen.start(1, 2), frozen.start(2, known)];
            frozen.score([(&rows, &starts), (&sum, &[0])], &mut Vec::new(), &mut rounded);
            for (&exact, &rounded) in scores.iter().zip(&rounded) {
                let rounded = frozen.nats(rounded);
                assert!((exact - rounded).abs() < 0.02, "{exact} {rounded}");
            }
        }
    }

    #[test]
    fn the_highest_scores_of_thousands_of_classes_are_exact() {
        let (hidden, classes) = (128, 5000);
        let vocabularies = vec![Vocabulary::plain(4, 3, Vec::new())];
        let mut network = Network::random(Shape { vocabularies, slots: vec![0, 0], hidden, classes }, 1);
        // Units at their maximum, and weights and biases of the classes with one sign or the other.
        network.bias.fill(1e6);
        network.output.fill(1.0);
        network.output_bias.fill(1e9);
        for unit in 0..hidden {
            network.output[unit * classes + 4999] = -1.0;
            network.output[unit * classes + 77] = f32::from(u8::try_from(unit).unwrap()) / 128.0 - 0.5;
        }
        network.output_bias[4999] = -1e9;
        let (frozen, rows) = Frozen::new(&network, 1.0);
        let (starts, mut units) = ([frozen.start(0, 2), frozen.start(1, 3)], Vec::new());
        let mut scores = vec![0; classes];
        frozen.score([(&rows, &starts), (&[], &[])], &mut units, &mut scores);
        for (class, &score) in scores.iter().enumerate() {
            let products = units.iter().enumerate().map(|(unit, &height)| {
                let weights =
                    frozen.output.weights[class / LANES * (frozen.hidden / 2) + unit / 2][class % LANES];
                i64::from(height) * i64::from(weights[unit % 2])
            });
            assert_eq!(i64::from(score), i64::from(frozen.output.bias[class]) + products.sum::<i64>());
        }
        assert_eq!(scores[0], 128 * 2047 * i32::from(HIGHEST) + 100_000_000);
        assert_eq!((scores[4998], scores[4999]), (scores[0], -scores[0]));
        assert_eq!(frozen.output.weights.len(), 5008 / LANES * hidden / 2);
    }
}
