//! Variational dropout: one mask for all items of a sequence (Gal and Ghahramani 2016).

use rand::Rng;
use rayon::prelude::*;

use super::spans::Spans;
use crate::step_rng::StepRng;

/// The dropout mask of a sequence: 0 for dropped columns, a scaling factor for the others.
pub(super) fn mask(width: usize, dropout: f32, rng: StepRng, sequence: usize) -> Vec<f32> {
    let mut generator = rng.stream(sequence as u64);
    let scale = 1.0 / (1.0 - dropout);
    (0..width)
        .map(|_| if dropout > 0.0 && bernoulli(dropout, &mut generator) { 0.0 } else { scale })
        .collect()
}

/// Applies dropout to the columns of every sequence. The same random numbers give the same mask, so that the backward pass uses
/// the mask of the forward pass.
pub(super) fn drop_columns(rows: &[f32], out: &mut Vec<f32>, spans: &Spans, dropout: f32, rng: StepRng) {
    let width = rows.len() / spans.n_rows().max(1);
    out.resize(rows.len(), 0.0);
    let sequences = spans.split(out, width).into_par_iter();
    sequences.zip(spans.iter().collect::<Vec<_>>()).enumerate().for_each(|(i, (out, span))| {
        let mask = mask(width, dropout, rng, i);
        let rows = rows[span.start * width..span.end * width].chunks_exact(width);
        for (out, row) in out.chunks_exact_mut(width).zip(rows) {
            for ((out, cell), mask) in out.iter_mut().zip(row).zip(&mask) {
                *out = cell * mask;
            }
        }
    });
}

/// Draws from a Bernoulli distribution.
pub(super) fn bernoulli(probability: f32, generator: &mut impl Rng) -> bool {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below 2²⁴")]
    let limit = (probability * 16_777_216.0) as u32;
    generator.next_u32() >> 8 < limit
}
