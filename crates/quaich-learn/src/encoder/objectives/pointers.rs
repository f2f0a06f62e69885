//! Pointers: every item points to another item of its sequence, with a biaffine score for every pair (Dozat and Manning 2017). The first
//! item is a dummy that points to nothing.

use std::sync::Arc;

use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;

use super::super::affine::{Affine, sum_columns};
use super::super::dropout::mask;
use super::super::pointer_head::PointerHead;
use super::super::spans::Spans;
use super::{Batch, Objective};
use crate::kernels::{self, Transpose, multiply};
use crate::loss;
use crate::step_rng::StepRng;
use crate::targets::Right;

/// The slope of the leaky rectifier below zero.
pub(in super::super) const LEAK: f32 = 0.1;
/// Longer sequences are skipped: the scores of all pairs would take too much memory.
pub(in super::super) const MAX_LENGTH: usize = 1000;

/// The targets of the pointers.
#[derive(Clone, Debug, Default)]
pub struct PointerTargets {
    /// The end of each sequence.
    ends: Vec<usize>,
    /// One per item: the position of its target.
    places: Vec<u32>,
    /// Soft targets from a teacher: positions with probabilities.
    shares: Vec<(u32, f32)>,
    /// The end of each item's soft targets. Items without soft targets have a hard target.
    share_ends: Vec<usize>,
}

/// The objective of predicting where items point.
#[derive(Debug)]
pub struct Pointers {
    /// The width of the vectors of heads and dependents.
    width: usize,
    targets: Arc<PointerTargets>,
    weights: PointerWeights,
    gradient: PointerWeights,
    pass: Pass,
}

/// score(d, h) = d U h + v h.
#[derive(Clone, PartialEq, Debug, Default)]
pub(in super::super) struct PointerWeights {
    /// Projects an item as the target of a pointer.
    pub(in super::super) head: Affine,
    /// Projects an item as the source of a pointer.
    pub(in super::super) dependent: Affine,
    /// U, with v as its bias.
    pub(in super::super) bilinear: Affine,
}

/// The activations and gradients of a minibatch.
#[derive(Debug, Default)]
struct Pass {
    head: Side,
    dependent: Side,
    /// U applied to each dependent; then its gradient.
    transformed: Vec<f32>,
    gradient: Vec<f32>,
    bias_gradients: Vec<f32>,
    space: Vec<f32>,
}

/// The projected items as one end of pointers.
#[derive(Debug, Default)]
struct Side {
    /// One vector per item, after rectifier and dropout.
    rows: Vec<f32>,
    /// The factor of each cell, from rectifier and dropout.
    factors: Vec<f32>,
}

impl PointerTargets {
    /// The hard target of an item whose target is unknown: nothing is learned from it.
    pub const UNKNOWN: u32 = u32::MAX;

    /// Adds an item to the current sequence, with a hard target or soft targets.
    pub fn push(&mut self, place: u32, shares: &[(u32, f32)]) {
        self.places.push(place);
        self.shares.extend_from_slice(shares);
        self.share_ends.push(self.shares.len());
    }

    /// Ends the current sequence.
    pub fn end_sequence(&mut self) {
        self.ends.push(self.places.len());
    }

    /// The target of an item, if it is known.
    fn right(&self, sequence: usize, place: usize) -> Option<Right<'_>> {
        let item = sequence.checked_sub(1).map_or(0, |before| self.ends[before]) + place;
        let start = item.checked_sub(1).map_or(0, |before| self.share_ends[before]);
        match &self.shares[start..self.share_ends[item]] {
            [] => Some(self.places[item]).filter(|place| *place != Self::UNKNOWN).map(Right::Class),
            shares => Some(Right::Distribution(shares)),
        }
    }
}

impl Pointers {
    /// An objective with these targets and vectors of this width.
    pub fn new(width: usize, targets: Arc<PointerTargets>) -> Self {
        let (weights, gradient) = (PointerWeights::default(), PointerWeights::default());
        Self { width, targets, weights, gradient, pass: Pass::default() }
    }

    /// Quantises the weights for inference.
    pub fn freeze(&self) -> PointerHead {
        PointerHead::new(&self.weights)
    }
}

impl Objective for Pointers {
    fn start(&mut self, width: usize, generator: &mut Pcg64Mcg) {
        self.weights = PointerWeights {
            head: Affine::random(width, self.width, generator),
            dependent: Affine::random(width, self.width, generator),
            bilinear: Affine::zeros(self.width, self.width),
        };
        self.gradient = self.weights.clone();
    }

    fn n_sequences(&self) -> Option<usize> {
        Some(self.targets.ends.len())
    }

    fn differentiate(&mut self, batch: &Batch<'_>, x: &[f32], dx: &mut [f32]) -> f64 {
        let Self { width, targets, weights, gradient, pass } = self;
        let (width, spans) = (*width, batch.spans);
        let Pass { head, dependent, transformed, gradient: dh, bias_gradients, space } = pass;
        head.read(&weights.head, x, batch, batch.rng.part(0));
        dependent.read(&weights.dependent, x, batch, batch.rng.part(1));
        let unbiased = Affine { matrix: weights.bilinear.matrix.clone(), bias: vec![0.0; width] };
        unbiased.apply(&dependent.rows, transformed);
        dh.resize(transformed.len(), 0.0);
        bias_gradients.resize(batch.sequences.len() * width, 0.0);
        let n_items: usize = spans.iter().map(|span| span.len() - 1).filter(|&n| n < MAX_LENGTH).sum();
        #[allow(clippy::cast_precision_loss, reason = "the size of a batch")]
        let share = 1.0 / n_items.max(1) as f32;
        let all_spans: Vec<_> = spans.iter().collect();
        let losses: Vec<f64> = spans
            .split(transformed, width)
            .into_par_iter()
            .zip(spans.split(dh, width))
            .zip(bias_gradients.par_chunks_mut(width))
            .zip(all_spans)
            .zip(batch.sequences)
            .map(|((((transformed, dh), dv), span), &sequence)| {
                let heads = &head.rows[span.start * width..span.end * width];
                let right = |place: usize| targets.right(sequence, place);
                in_sequence((transformed, dh, dv), (heads, &weights.bilinear.bias), span.len(), right, share)
            })
            .collect();
        // `transformed` and `dh` now hold gradients.
        unbiased.differentiate(&dependent.rows, transformed, &mut gradient.bilinear);
        sum_columns(bias_gradients, &mut gradient.bilinear.bias);
        unbiased.back(transformed, space);
        for (side, affine, of_rows, of_weights) in [
            (&*dependent, &weights.dependent, &*space, &mut gradient.dependent),
            (&*head, &weights.head, &*dh, &mut gradient.head),
        ] {
            let of_projections: Vec<f32> =
                of_rows.iter().zip(&side.factors).map(|(d, factor)| d * factor).collect();
            affine.differentiate(x, &of_projections, of_weights);
            let mut of_items = Vec::new();
            affine.back(&of_projections, &mut of_items);
            kernels::accumulate(dx, &[&of_items]);
        }
        losses.iter().sum::<f64>() * f64::from(share)
    }

    fn weights(&self) -> Vec<&Vec<f32>> {
        let PointerWeights { head, dependent, bilinear } = &self.weights;
        [head, dependent, bilinear].into_iter().flat_map(Affine::arrays).collect()
    }

    fn parameters(&mut self) -> Vec<(&mut Vec<f32>, &mut Vec<f32>)> {
        self.weights.arrays_mut().into_iter().zip(self.gradient.arrays_mut()).collect()
    }
}

impl PointerWeights {
    fn arrays_mut(&mut self) -> Vec<&mut Vec<f32>> {
        let Self { head, dependent, bilinear } = self;
        [head, dependent, bilinear].into_iter().flat_map(Affine::arrays_mut).collect()
    }
}

/// Computes the gradients of one sequence: of the transformed dependents (in place), of heads and of v. Returns the loss.
fn in_sequence<'w>(
    (transformed, dh, dv): (&mut [f32], &mut [f32], &mut [f32]),
    (heads, v): (&[f32], &[f32]),
    n: usize,
    right: impl Fn(usize) -> Option<Right<'w>>,
    share: f32,
) -> f64 {
    let width = v.len();
    dh.fill(0.0);
    dv.fill(0.0);
    if n > MAX_LENGTH {
        transformed.fill(0.0);
        return 0.0;
    }
    let mut scores = vec![0.0; n * n];
    multiply((n, width, n), (transformed, Transpose::No), (heads, Transpose::Yes), &mut scores);
    let head_biases: Vec<f32> =
        heads.chunks_exact(width).map(|head| head.iter().zip(v).map(|(a, b)| a * b).sum()).collect();
    let (dummy, others) = scores.split_at_mut(n);
    dummy.fill(0.0);
    let mut loss = 0.0;
    let mut sums = vec![0.0; n];
    for (scores, place) in others.chunks_exact_mut(n).zip(1..) {
        let Some(right) = right(place) else {
            scores.fill(0.0);
            continue;
        };
        kernels::accumulate(scores, &[&head_biases]);
        loss += loss::differentiate(scores, right, 0.0);
        for score in scores.iter_mut() {
            *score *= share;
        }
        kernels::accumulate(&mut sums, &[scores]);
    }
    multiply((n, n, width), (&scores, Transpose::Yes), (transformed, Transpose::No), dh);
    for ((dh, head), &sum) in dh.chunks_exact_mut(width).zip(heads.chunks_exact(width)).zip(&sums) {
        for (((dh, dv), head), v) in dh.iter_mut().zip(&mut *dv).zip(head).zip(v) {
            *dh += sum * v;
            *dv += sum * head;
        }
    }
    multiply((n, n, width), (&scores, Transpose::No), (heads, Transpose::No), transformed);
    loss
}

impl Side {
    fn read(&mut self, affine: &Affine, x: &[f32], batch: &Batch<'_>, rng: StepRng) {
        affine.apply(x, &mut self.rows);
        let width = affine.n_outputs();
        self.factors.resize(self.rows.len(), 0.0);
        let spans: &Spans = batch.spans;
        let sequences = spans.split(&mut self.rows, width).into_par_iter();
        sequences.zip(spans.split(&mut self.factors, width)).enumerate().for_each(|(i, (rows, factors))| {
            let mask = mask(width, batch.dropout, rng, i);
            for (rows, factors) in rows.chunks_exact_mut(width).zip(factors.chunks_exact_mut(width)) {
                for ((cell, factor), mask) in rows.iter_mut().zip(factors).zip(&mask) {
                    *factor = if *cell > 0.0 { *mask } else { LEAK * mask };
                    *cell *= *factor;
                }
            }
        });
    }
}
