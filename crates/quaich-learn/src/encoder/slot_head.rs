//! A classifier at inference: sum of the slots' projections and the marks → hidden units → scores. All arithmetic is on integers.

use super::affine::Affine;
use super::encoding::{Encoder, Encoding};
use super::objectives::slots::{ABSENT, MAX_MARKS, MAX_SLOTS, SlotShape};
use crate::arrays::{Arrays, LoadError};
use crate::kernels::{BLOCK, LANES, hidden_units_of_cells};
use crate::output::{Output, round};

/// The value of one quantisation step of a hidden unit.
pub(super) const UNIT: f32 = 1.0 / 256.0;

/// A trained classifier over slots.
#[derive(Clone, PartialEq, Debug)]
pub struct SlotHead {
    shape: SlotShape,
    /// The offset of its slots in an item's projections.
    start: usize,
    /// Rows of cells: one per slot for an absent item, then one per value of the marks.
    rows: Vec<i16>,
    output: Output,
}

/// The buffers that one thread needs for heads.
#[derive(Clone, Debug, Default)]
pub struct SlotScratch {
    units: Vec<i16>,
    sums: Vec<i32>,
    scores: Vec<f32>,
}

/// The projections for all slots of all heads over an encoder, side by side, so that they are one product per item.
#[derive(Clone, Debug, Default)]
pub struct Projections {
    heads: Vec<(Affine, SlotShape)>,
    n_cells: usize,
}

impl SlotScratch {
    /// The scores that were computed last.
    pub fn last_scores(&self) -> &[f32] {
        &self.scores
    }
}

impl SlotHead {
    /// Quantises weights, and adds the projections to those of other heads.
    pub(super) fn new(
        shape: SlotShape,
        (own, absent, marks, output): (&Affine, &[f32], &[f32], &Affine),
        projections: &mut Projections,
    ) -> Self {
        let mut rows = Vec::new();
        for row in [absent, marks].concat().chunks_exact(shape.width) {
            rows.extend(row.iter().map(|&cell| round::<i16>(cell, UNIT, 32767.0)));
            rows.resize(rows.len().next_multiple_of(BLOCK), 0);
        }
        let start = projections.add(own, shape);
        Self { shape, start, rows, output: Output::new(&output.matrix, &output.bias, UNIT) }
    }

    /// The sizes.
    pub fn shape(&self) -> SlotShape {
        self.shape
    }

    /// Whether an encoder has its projections.
    pub fn fits(&self, encoder: &Encoder) -> bool {
        self.start + self.shape.slots * self.shape.padded_width() <= encoder.n_cells()
    }

    /// The score of every class, as unnormalised log-probabilities, given the item in each slot and the values of the marks.
    ///
    /// # Panics
    /// If there are more than [`MAX_MARKS`] marks, a mark has an unknown value, an item was not encoded, or the encoding is from an encoder
    /// that the head does not fit.
    #[inline]
    pub fn scores<'s>(
        &self,
        encoding: &Encoding,
        items: &[u32],
        marks: &[u32],
        scratch: &'s mut SlotScratch,
    ) -> &'s [f32] {
        let SlotScratch { units, sums, scores } = scratch;
        #[allow(clippy::cast_possible_truncation, reason = "a few hundred")]
        let (width, stride) = (self.shape.padded_width() as u32, encoding.n_cells);
        let (mut projected, mut n_projected) = ([0usize; MAX_SLOTS], 0);
        let (mut own, mut n_own) = ([0u32; MAX_SLOTS + MAX_MARKS], 0);
        let (mut slot_start, mut absent_start) = (self.start, 0);
        for &item in items.iter().take(self.shape.slots) {
            if item == ABSENT {
                own[n_own] = absent_start;
                n_own += 1;
            } else {
                projected[n_projected] = item as usize * stride + slot_start;
                n_projected += 1;
            }
            slot_start += width as usize;
            absent_start += width;
        }
        for &mark in marks.iter().filter(|mark| **mark != ABSENT) {
            own[n_own] = absent_start + mark * width;
            n_own += 1;
        }
        units.resize(self.output.hidden, 0);
        hidden_units_of_cells(
            &encoding.projections,
            &projected[..n_projected],
            &self.rows,
            &own[..n_own],
            units,
        );
        sums.resize(self.output.classes, 0);
        self.output.score(units, sums);
        scores.clear();
        #[allow(clippy::cast_precision_loss, reason = "single precision is enough for scores")]
        scores.extend(sums.iter().map(|&sum| sum as f32 * self.output.scale));
        scores
    }

    /// Saves the head as arrays.
    pub fn save(&self, arrays: &mut Arrays) {
        let SlotShape { slots, marks, width, classes } = self.shape;
        arrays.set("sizes", &[slots, marks, width, classes, self.start].map(|size| size as u64));
        arrays.set("rows", &self.rows);
        arrays.set("weights", &self.output.weights);
        arrays.set("bias", &self.output.bias);
        arrays.set_one("scale", self.output.scale);
    }

    /// Loads a head. Sizes are checked against the arrays, because files may be malicious.
    pub fn load(arrays: &Arrays) -> Result<Self, LoadError> {
        let invalid = || LoadError::unfit("sizes", "has an impossible size");
        let sizes: Vec<u64> = arrays.get_exactly("sizes", 5)?;
        let size =
            |at: usize| usize::try_from(sizes[at]).ok().filter(|&size| size <= MAX_SIZE).ok_or_else(invalid);
        let shape = SlotShape { slots: size(0)?, marks: size(1)?, width: size(2)?, classes: size(3)? };
        if !(1..=MAX_SLOTS).contains(&shape.slots) || shape.classes == 0 || shape.width == 0 {
            return Err(invalid());
        }
        let width = shape.padded_width();
        let weights =
            arrays.get_exactly("weights", shape.classes.div_ceil(LANES).saturating_mul(width / 2))?;
        let bias = arrays.get_exactly("bias", shape.classes)?;
        let output = Output::from_parts((width, shape.classes), weights, bias, arrays.one("scale")?);
        if !output.fits() {
            return Err(LoadError::unfit("weights", "has numbers that are too large"));
        }
        let rows = arrays.get_exactly("rows", (shape.slots + shape.marks).saturating_mul(width))?;
        Ok(Self { shape, start: size(4)?, rows, output })
    }
}

/// The maximum of any size, so that products of two sizes do not overflow.
pub(super) const MAX_SIZE: usize = 1 << 28;

impl SlotShape {
    /// The width of a row, including padding.
    fn padded_width(&self) -> usize {
        self.width.next_multiple_of(BLOCK)
    }
}

impl Projections {
    /// Adds the projections of a head; returns their offset.
    fn add(&mut self, own: &Affine, shape: SlotShape) -> usize {
        let start = self.n_cells;
        self.heads.push((own.clone(), shape));
        self.n_cells += shape.slots * shape.padded_width();
        start
    }

    /// All projections as one affine map, in cells.
    pub(super) fn packed(&self, inputs: usize) -> Affine {
        let mut packed = Affine::default();
        let add = |row: &[f32], shape: &SlotShape, out: &mut Vec<f32>| {
            for cells in row.chunks_exact(shape.width) {
                out.extend(cells.iter().map(|cell| cell / UNIT));
                out.extend(std::iter::repeat_n(0.0, shape.padded_width() - shape.width));
            }
        };
        for input in 0..inputs {
            for (own, shape) in &self.heads {
                let n = own.n_outputs();
                add(&own.matrix[input * n..][..n], shape, &mut packed.matrix);
            }
        }
        for (own, shape) in &self.heads {
            add(&own.bias, shape, &mut packed.bias);
        }
        packed
    }
}
