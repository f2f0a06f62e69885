//! A trained network made ready for parsing: what every (slot, value) pair adds to the hidden layer,
//! worked out beforehand and rounded to whole numbers.
//!
//! Everything from the rows to the scores is integer arithmetic, so scores are the same on every
//! processor. Rows are relative to the [`ABSENT`] value of their slot, whose own part is in the bias:
//! an empty slot costs nothing. All slots' rows of one value lie side by side:
//!
//! ```text
//!   vocabulary 0              value 0                  value 1                …
//!                 slot a: 8 bits × hidden, slot b: …   slot a, slot b, …
//! ```

use rayon::prelude::*;

use super::kernels::{self, Turn, multiply};
pub use super::kernels::{BLOCK, Cells, LANES, Pairs};
use super::{ABSENT, Network};

/// A network for parsing. Its rows, which are nearly all of it, are kept by whoever uses it: in
/// memory of their own, or in a mapped file.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Frozen {
    /// How many hidden units there are: a multiple of [`BLOCK`].
    pub hidden: usize,
    /// How many classes there are.
    pub classes: usize,
    /// By slot: the number of the row of its value 0.
    pub first_row: Vec<u32>,
    /// By slot: how many rows it is from a value's row to the next value's.
    pub stride: Vec<u32>,
    /// By hidden unit, in the unit of the rows.
    pub bias: Vec<i16>,
    /// By group of classes, then by pair of hidden units: their weights for the classes of the group.
    pub output: Vec<Pairs>,
    /// By class.
    pub output_bias: Vec<i32>,
    /// What one unit of a score is worth in nats.
    pub scale: f32,
}

impl Frozen {
    /// Rounds a network; gives its rows apart, one after the other. `headroom` is how much larger than a row's cells a sum of a few rows may be
    /// and still be held in eight bits: 1 when rows are only ever added to the sum of all.
    ///
    /// # Panics
    /// When there are more than 2³² rows.
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
            n_rows += slots.len() * values.size;
        }
        let mut bias = network.bias.clone();
        bias.resize(hidden, 0.0);
        // The rows as they are, less that of the absent value.
        let tables: Vec<Vec<f32>> = (0..shape.slots.len())
            .into_par_iter()
            .map(|slot| {
                let vocabulary = &shape.vocabularies[shape.slots[slot]];
                let mut table = vec![0.0; vocabulary.size * shape.hidden];
                multiply(
                    (vocabulary.size, vocabulary.width, shape.hidden),
                    (&network.embeddings[shape.slots[slot]], Turn::Plain),
                    (&network.input[slot], Turn::Plain),
                    &mut table,
                );
                table
            })
            .collect();
        let absent = ABSENT as usize * shape.hidden;
        let mut ranges: Vec<f32> = Vec::with_capacity(n_rows);
        for table in &tables {
            let absent = &table[absent..][..shape.hidden];
            for (bias, cell) in bias.iter_mut().zip(absent) {
                *bias += cell;
            }
            ranges.extend(
                table
                    .chunks(shape.hidden)
                    .map(|row| row.iter().zip(absent).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)),
            );
        }
        ranges.sort_unstable_by(f32::total_cmp);
        // One row in a thousand may have cells cut off.
        let range = ranges.get(ranges.len().saturating_sub(1 + ranges.len() / 1000)).copied().unwrap_or(1.0);
        let unit = headroom * range.max(1e-6) / 127.0;
        let n_blocks = hidden / BLOCK;
        let mut rows = vec![Cells([0; BLOCK]); n_rows * n_blocks];
        for (slot, table) in tables.iter().enumerate() {
            let absent = &table[absent..][..shape.hidden];
            let places = rows[first_row[slot] as usize * n_blocks..].chunks_mut(n_blocks);
            for (row, out) in table.chunks(shape.hidden).zip(places.step_by(stride[slot] as usize)) {
                for ((out, cell), absent) in out.iter_mut().flat_map(|out| &mut out.0).zip(row).zip(absent) {
                    #[allow(clippy::cast_possible_truncation, reason = "cut off before")]
                    let cell = nearest(((cell - absent) / unit).clamp(-127.0, 127.0)) as i8;
                    *out = cell;
                }
            }
        }
        // The sum over all units of the largest possible product stays below 2³¹.
        #[allow(clippy::cast_precision_loss, reason = "some hundreds")]
        let widest = (500_000.0 / hidden as f32).min(2047.0).floor();
        let output_range = network.output.iter().map(|w| w.abs()).fold(1e-6, f32::max);
        let output_unit = output_range / widest;
        let mut output = vec![Pairs::default(); shape.classes.div_ceil(LANES) * hidden / 2];
        for (unit, weights) in network.output.chunks(shape.classes.max(1)).enumerate() {
            for (class, &weight) in weights.iter().enumerate() {
                output[class / LANES * (hidden / 2) + unit / 2][class % LANES][unit % 2] =
                    round(weight, output_unit, widest);
            }
        }
        let scale = unit * output_unit;
        let frozen = Self {
            hidden,
            classes: shape.classes,
            first_row,
            stride,
            bias: bias.iter().map(|&bias| round(bias, unit, 8191.0)).collect(),
            output,
            output_bias: network.output_bias.iter().map(|&bias| round(bias, scale, 1e8)).collect(),
            scale,
        };
        (frozen, rows)
    }

    /// Whether all arrays, and the rows, have the lengths that the numbers of values by slot ask for.
    pub fn fits(&self, rows: &[Cells], sizes: &[usize]) -> bool {
        let n_rows = rows.len() / (self.hidden / BLOCK).max(1);
        self.hidden > 0
            && self.hidden.is_multiple_of(BLOCK)
            && u32::try_from(rows.len()).is_ok()
            && rows.len() == n_rows * (self.hidden / BLOCK)
            && sizes.iter().sum::<usize>() == n_rows
            && self.bias.len() == self.hidden
            && self.output.len() == self.classes.div_ceil(LANES) * self.hidden / 2
            && self.output_bias.len() == self.classes
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

    /// Where the row of a (slot, value) pair begins among the rows.
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

    /// The score of every class for the sum of some rows, given by where each begins in one of two
    /// areas. `units` is scratch space.
    #[inline]
    pub fn score(&self, areas: [(&[Cells], &[u32]); 2], units: &mut Vec<i16>, scores: &mut [i32]) {
        units.resize(self.hidden, 0);
        kernels::hidden_units(&self.bias, areas, units);
        kernels::class_scores(&self.output, &self.output_bias, units, scores);
    }

    /// Sums some rows into one that can stand for them, cut off at what eight bits hold.
    #[inline]
    pub fn add(rows: &[&[Cells]], out: &mut [Cells]) {
        kernels::add(rows, out);
    }

    /// A score in nats.
    #[inline]
    #[allow(clippy::cast_precision_loss, reason = "scores need no more than a float has")]
    pub fn nats(&self, score: i32) -> f32 {
        score as f32 * self.scale
    }
}

/// The nearest whole number to a small one. Some processors have no instruction for it, and a call
/// for every cell took a tenth of the time.
#[inline]
fn nearest(value: f32) -> f32 {
    const ROUND: f32 = 12_582_912.0;
    (value + ROUND) - ROUND
}

/// A whole number of units, cut off at ±`limit`.
fn round<T: TryFrom<i64>>(value: f32, unit: f32, limit: f32) -> T {
    #[allow(clippy::cast_possible_truncation, reason = "cut off before")]
    let whole = (value / unit).clamp(-limit, limit).round() as i64;
    T::try_from(whole).ok().expect("the limit is within the type's range")
}

#[cfg(test)]
mod tests {
    use super::super::{Shape, Vocabulary};
    use super::*;

    #[test]
    fn rounded_scores_are_near_the_exact_ones() {
        let vocabulary = |size, width| Vocabulary { size, width, forgetting: Vec::new() };
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
        let vocabulary = Vocabulary { size: 4, width: 3, forgetting: Vec::new() };
        let shape = Shape { vocabularies: vec![vocabulary], slots: vec![0, 0], hidden: 64, classes: 2 };
        let (frozen, rows) = Frozen::new(&Network::random(shape, 1), 1.0);
        let absent = [0, 1].map(|slot| frozen.row(&rows, slot, ABSENT));
        assert!(absent.iter().copied().flatten().all(|cells| cells.0 == [0; BLOCK]));
    }
}
