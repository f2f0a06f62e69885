//! Embedding lookup and its gradient.

use rand::Rng;
use rayon::prelude::*;

use super::dropout::bernoulli;
use super::sequences::Sequences;
use super::spans::Spans;
use super::{Attribute, Shape};
use crate::kernels::gather;
use crate::step_rng::StepRng;

/// The embedded items of a minibatch.
#[derive(Debug, Default)]
pub(super) struct Embedded {
    /// One row per item: the embeddings of its attributes side by side.
    pub(super) rows: Vec<f32>,
    /// Indexed by item and attribute: the factor of the attribute's embedding, 0 if it was dropped.
    kept: Vec<f32>,
    /// One per item: whether all of its attributes are hidden, for an objective that predicts them.
    pub(super) masked: Vec<bool>,
}

/// The rates at which input is left out.
#[derive(Clone, Copy, Debug)]
pub(super) struct InputDropout {
    /// The rate of attributes.
    pub(super) attributes: f32,
    /// The rate of items of which all attributes are hidden.
    pub(super) masking: f32,
}

/// The sparse gradient of an attribute's embeddings, for the values that occur in the minibatch.
#[derive(Debug)]
pub struct EmbeddingGradient {
    /// The width of an embedding.
    width: usize,
    /// Indexed by value: its position among the values that occur.
    places: Vec<u32>,
    /// The values that occur.
    pub(super) values: Vec<u32>,
    /// The gradients of their embeddings.
    pub(super) rows: Vec<f32>,
}

/// The position of values that do not occur.
const NOWHERE: u32 = u32::MAX;

impl Embedded {
    /// Embeds the items of some sequences, with attribute dropout. The remaining attributes are scaled up. Masked items are all zeros; the
    /// first item of a sequence, a dummy, is never masked.
    pub(super) fn read(
        &mut self,
        shape: &Shape,
        embeddings: &[Vec<f32>],
        (sequences, numbers, spans): (&Sequences, &[usize], &Spans),
        dropout: InputDropout,
        rng: StepRng,
    ) {
        let (width, n_attributes) = (shape.input_width(), shape.attributes.len());
        self.rows.resize(spans.n_rows() * width, 0.0);
        self.kept.resize(spans.n_rows() * n_attributes, 0.0);
        self.masked.resize(spans.n_rows(), false);
        let rows = spans.split(&mut self.rows, width);
        let kept = spans.split(&mut self.kept, n_attributes).into_par_iter();
        let kept = kept.zip(spans.split(&mut self.masked, 1));
        rows.into_par_iter().zip(kept).zip(numbers).enumerate().for_each(|(i, ((rows, kept), &number))| {
            let mut generator = rng.stream(i as u64);
            let items = sequences.items(number);
            let first = items.start;
            let rows = rows.chunks_exact_mut(width).zip(kept.0.chunks_exact_mut(n_attributes)).zip(kept.1);
            for (((row, kept), masked), item) in rows.zip(items) {
                *masked = dropout.masking > 0.0 && item > first && bernoulli(dropout.masking, &mut generator);
                if *masked {
                    kept.fill(0.0);
                } else {
                    drop_attributes(kept, dropout.attributes, &mut generator);
                }
                let mut rest = row;
                for (number, (attribute, &factor)) in shape.attributes.iter().zip(&*kept).enumerate() {
                    let (cells, after) = rest.split_at_mut(attribute.width);
                    rest = after;
                    cells.fill(0.0);
                    if factor > 0.0 {
                        let values = sequences.values(number, item);
                        add_vectors(*attribute, &embeddings[number], values, factor, cells);
                    }
                }
            }
        });
    }

    /// Accumulates the gradients of the embeddings from those of the rows.
    pub(super) fn differentiate(
        &self,
        shape: &Shape,
        (sequences, numbers, spans): (&Sequences, &[usize], &Spans),
        gradient: &[f32],
        out: &mut [EmbeddingGradient],
    ) {
        let (width, n_attributes) = (shape.input_width(), shape.attributes.len());
        let starts: Vec<usize> = shape
            .attributes
            .iter()
            .scan(0, |start, attribute| {
                *start += attribute.width;
                Some(*start - attribute.width)
            })
            .collect();
        out.par_iter_mut().enumerate().for_each(|(number, out)| {
            let attribute = shape.attributes[number];
            out.clear();
            let rows =
                spans.iter().zip(numbers).flat_map(|(rows, &number)| rows.zip(sequences.items(number)));
            for (row, item) in rows {
                let factor = self.kept[row * n_attributes + number];
                if factor > 0.0 {
                    let values = sequences.values(number, item);
                    let factor = factor * share(attribute, values.len());
                    let cells = &gradient[row * width + starts[number]..][..attribute.width];
                    for &value in values {
                        out.add(value, cells, factor);
                    }
                }
            }
        });
    }
}

/// Adds the embeddings of some values, times a factor.
pub(super) fn add_vectors(
    attribute: Attribute,
    table: &[f32],
    values: &[u32],
    factor: f32,
    cells: &mut [f32],
) {
    gather(table, values, factor * share(attribute, values.len()), cells);
}

/// The weight of each of `n_values` values.
fn share(attribute: Attribute, n_values: usize) -> f32 {
    #[allow(clippy::cast_precision_loss, reason = "a few dozen")]
    if attribute.is_bag { 1.0 / (n_values.max(1) as f32).sqrt() } else { 1.0 }
}

/// Drops attributes at random; scales up the others.
fn drop_attributes(kept: &mut [f32], attribute_dropout: f32, generator: &mut impl Rng) {
    let mut n_kept = 0u16;
    for kept in kept.iter_mut() {
        *kept = f32::from(u8::from(attribute_dropout <= 0.0 || !bernoulli(attribute_dropout, generator)));
        n_kept += u16::from(*kept > 0.0);
    }
    #[allow(clippy::cast_precision_loss, reason = "a handful")]
    let factor = kept.len() as f32 / f32::from(n_kept.max(1));
    for kept in kept {
        *kept *= factor;
    }
}

impl EmbeddingGradient {
    /// An empty gradient for an attribute.
    pub(super) fn new(attribute: Attribute) -> Self {
        Self {
            width: attribute.width,
            places: vec![NOWHERE; attribute.values],
            values: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// The width of an embedding.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Adds another gradient of the same embeddings.
    pub(super) fn add_all(&mut self, other: &Self) {
        for (&value, row) in other.values.iter().zip(other.rows.chunks_exact(other.width.max(1))) {
            self.add(value, row, 1.0);
        }
    }

    /// Sets all to zero.
    pub(super) fn clear(&mut self) {
        for value in self.values.drain(..) {
            self.places[value as usize] = NOWHERE;
        }
        self.rows.clear();
    }

    /// Adds to the gradient of a value's embedding.
    pub(super) fn add(&mut self, value: u32, cells: &[f32], factor: f32) {
        let place = &mut self.places[value as usize];
        if *place == NOWHERE {
            *place = u32::try_from(self.values.len()).unwrap_or(NOWHERE);
            self.values.push(value);
            self.rows.resize(self.rows.len() + cells.len(), 0.0);
        }
        let row = &mut self.rows[*place as usize * cells.len()..][..cells.len()];
        for (sum, cell) in row.iter_mut().zip(cells) {
            *sum += factor * cell;
        }
    }
}
