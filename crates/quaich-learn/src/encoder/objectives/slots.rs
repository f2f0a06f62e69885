//! Slots: classification of a few items of a sequence, each in its own slot, together with marks, which are features outside the sequence.
//! Each instance has one correct class.
//!
//! ```text
//!   hidden = max(0, b + Σ_slot P_slot · item + Σ absent_slot + Σ marks)     score = hidden · W + c
//! ```
//!
//! With one slot and no marks, this classifies single items.

use std::sync::Arc;

use rand::Rng;
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;

use super::super::affine::Affine;
use super::super::dropout::bernoulli;
use super::super::slot_head::{Projections, SlotHead};
use super::super::spans::Spans;
use super::sampled_softmax::SampledClasses;
use super::{Batch, Objective};
use crate::kernels;
use crate::loss;
use crate::targets::Right;

/// Stands for an absent item or mark.
pub const ABSENT: u32 = u32::MAX;
/// The maximum number of marks.
pub const MAX_MARKS: usize = 32;
/// The maximum number of slots.
pub const MAX_SLOTS: usize = 32;

/// The sizes of a classifier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SlotShape {
    /// The number of slots, at least one.
    pub slots: usize,
    /// The total number of values of all marks.
    pub marks: usize,
    /// Hidden units.
    pub width: usize,
    /// The number of classes.
    pub classes: usize,
}

/// Examples of a classification: per sequence, the items in the slots, the marks and the correct class.
#[derive(Clone, Debug, Default)]
pub struct SlotExamples {
    n_slots: usize,
    /// The end of each sequence's instances.
    ends: Vec<usize>,
    /// Per instance, the position of the item in each slot, or [`ABSENT`].
    places: Vec<u32>,
    n_marks: usize,
    /// Per instance, the value of each mark, or [`ABSENT`].
    marks: Vec<u32>,
    /// One per instance: the correct class.
    right: Vec<u32>,
}

/// The objective of predicting the correct class.
#[derive(Debug)]
pub struct Slots {
    shape: SlotShape,
    examples: Arc<SlotExamples>,
    weights: SlotWeights,
    gradient: SlotWeights,
    pass: Pass,
}

#[derive(Clone, PartialEq, Debug, Default)]
struct SlotWeights {
    /// The projection of an item for each slot, side by side; its bias is that of the hidden units.
    projections: Affine,
    /// The vector of an absent item for each slot, side by side.
    absent: Vec<f32>,
    /// One vector per value of the marks.
    marks: Vec<f32>,
    /// Hidden units → classes.
    output: Affine,
}

/// The activations and gradients of a minibatch; reused for the next one.
#[derive(Debug, Default)]
struct Pass {
    /// Per item, its projections for all slots; then their gradient.
    projected: Vec<f32>,
    /// Per instance, the row of the item in each slot, or [`ABSENT`].
    rows: Vec<u32>,
    /// Per instance, the value of each mark, or [`ABSENT`].
    marks: Vec<u32>,
    right: Vec<u32>,
    /// The instances of each sequence.
    instances: Spans,
    hidden: Vec<f32>,
    hidden_gradient: Vec<f32>,
    scores: Vec<f32>,
    space: Vec<f32>,
}

impl Slots {
    /// A classifier of this shape, to be trained on these examples.
    pub fn new(shape: SlotShape, examples: Arc<SlotExamples>) -> Self {
        let (weights, gradient) = (SlotWeights::default(), SlotWeights::default());
        Self { shape, examples, weights, gradient, pass: Pass::default() }
    }

    /// Replaces the examples.
    pub fn set_examples(&mut self, examples: Arc<SlotExamples>) {
        self.examples = examples;
    }

    /// Quantises the weights for inference. The projections are added to those of other heads over the same encoder.
    pub fn freeze(&self, projections: &mut Projections) -> SlotHead {
        let SlotWeights { projections: own, absent, marks, output } = &self.weights;
        SlotHead::new(self.shape, (own, absent, marks, output), projections)
    }
}

impl Objective for Slots {
    fn start(&mut self, width: usize, generator: &mut Pcg64Mcg) {
        let SlotShape { slots, marks, width: hidden, classes } = self.shape;
        self.weights = SlotWeights {
            projections: Affine::random(width, slots * hidden, generator),
            absent: vec![0.0; slots * hidden],
            marks: vec![0.0; marks * hidden],
            output: Affine::random(hidden, classes, generator),
        };
        self.gradient = self.weights.clone();
    }

    fn n_sequences(&self) -> Option<usize> {
        Some(self.examples.n_sequences())
    }

    fn differentiate(&mut self, batch: &Batch<'_>, x: &[f32], dx: &mut [f32]) -> f64 {
        let Self { shape, examples, weights, gradient, pass } = self;
        weights.projections.apply(x, &mut pass.projected);
        pass.read(examples, batch);
        if pass.right.is_empty() {
            gradient.arrays_mut().into_iter().for_each(|array| array.fill(0.0));
            return 0.0;
        }
        pass.compute_hidden(*shape, weights, batch);
        let loss = pass.score(*shape, weights, gradient, batch);
        pass.back(*shape, batch, gradient);
        weights.projections.differentiate(x, &pass.projected, &mut gradient.projections);
        weights.projections.back(&pass.projected, &mut pass.space);
        kernels::accumulate(dx, &[&pass.space]);
        loss
    }

    fn weights(&self) -> Vec<&Vec<f32>> {
        let SlotWeights { projections, absent, marks, output } = &self.weights;
        projections.arrays().into_iter().chain([absent, marks]).chain(output.arrays()).collect()
    }

    fn parameters(&mut self) -> Vec<(&mut Vec<f32>, &mut Vec<f32>)> {
        self.weights.arrays_mut().into_iter().zip(self.gradient.arrays_mut()).collect()
    }
}

impl SlotWeights {
    fn arrays_mut(&mut self) -> Vec<&mut Vec<f32>> {
        let Self { projections, absent, marks, output } = self;
        projections.arrays_mut().into_iter().chain([absent, marks]).chain(output.arrays_mut()).collect()
    }
}

impl Pass {
    /// Collects the instances of the minibatch's sequences.
    fn read(&mut self, examples: &SlotExamples, batch: &Batch<'_>) {
        self.rows.clear();
        self.marks.clear();
        self.right.clear();
        let lengths: Vec<usize> = batch
            .sequences
            .iter()
            .zip(batch.spans.iter())
            .map(|(&sequence, items)| {
                let (places, marks, right) = examples.sequence(sequence);
                self.marks.extend_from_slice(marks);
                #[allow(clippy::cast_possible_truncation, reason = "a minibatch is small")]
                let first = items.start as u32;
                self.rows.extend(places.iter().map(|&place| match place {
                    ABSENT => ABSENT,
                    place => first + place,
                }));
                self.right.extend_from_slice(right);
                right.len()
            })
            .collect();
        self.instances = Spans::new(lengths.into_iter());
    }

    /// Computes the hidden units of every instance.
    fn compute_hidden(&mut self, shape: SlotShape, weights: &SlotWeights, batch: &Batch<'_>) {
        let SlotShape { slots, width, .. } = shape;
        let Self { projected, rows, marks, right, instances, hidden, .. } = self;
        let n_marks = marks.len() / right.len();
        hidden.resize(right.len() * width, 0.0);
        let spans: Vec<_> = instances.iter().collect();
        let stride = slots * width;
        instances.split(hidden, width).into_par_iter().zip(spans).enumerate().for_each(
            |(i, (hidden, span))| {
                let mut generator = batch.rng.stream(i as u64);
                let mut cells: Vec<&[f32]> = Vec::with_capacity(slots);
                for (hidden, instance) in hidden.chunks_exact_mut(width).zip(span) {
                    cells.clear();
                    for (slot, &row) in rows[instance * slots..][..slots].iter().enumerate() {
                        cells.push(match row {
                            ABSENT => &weights.absent[slot * width..][..width],
                            row => &projected[row as usize * stride + slot * width..][..width],
                        });
                    }
                    for &mark in marks[instance * n_marks..][..n_marks].iter().filter(|mark| **mark != ABSENT)
                    {
                        cells.push(&weights.marks[mark as usize * width..][..width]);
                    }
                    hidden.fill(0.0);
                    kernels::accumulate(hidden, &cells);
                    rectify(hidden, batch.dropout, &mut generator);
                }
            },
        );
    }

    /// Computes scores and loss, and the gradients of the output weights and of the hidden units. Returns the mean loss.
    fn score(
        &mut self,
        shape: SlotShape,
        weights: &SlotWeights,
        gradient: &mut SlotWeights,
        batch: &Batch<'_>,
    ) -> f64 {
        let Self { right, hidden, hidden_gradient, scores, .. } = self;
        let sampled = SampledClasses::new(shape.classes, right, batch.rng.part(1));
        let output = match &sampled {
            Some(sampled) => &sampled.of(&weights.output),
            None => &weights.output,
        };
        output.apply(hidden, scores);
        #[allow(clippy::cast_precision_loss, reason = "the size of a batch")]
        let share = 1.0 / right.len() as f32;
        let losses: Vec<f64> = scores
            .par_chunks_mut(output.n_outputs())
            .zip(&*right)
            .map(|(scores, &right)| {
                let right = sampled.as_ref().map_or(right, |sampled| sampled.shift(scores, right));
                let loss = loss::differentiate(scores, Right::Class(right), 0.0);
                for score in scores {
                    *score *= share;
                }
                loss
            })
            .collect();
        match &sampled {
            Some(sampled) => {
                let mut of_sampled = output.zeros_like();
                output.differentiate(hidden, scores, &mut of_sampled);
                sampled.scatter(&of_sampled, &mut gradient.output);
            }
            None => output.differentiate(hidden, scores, &mut gradient.output),
        }
        output.back(scores, hidden_gradient);
        let scale = 1.0 / (1.0 - batch.dropout);
        for (gradient, &unit) in hidden_gradient.iter_mut().zip(&*hidden) {
            *gradient = if unit > 0.0 { *gradient * scale } else { 0.0 };
        }
        losses.iter().sum::<f64>() * f64::from(share)
    }

    /// Computes the gradients of the items' projections, of absent items and of marks.
    fn back(&mut self, shape: SlotShape, batch: &Batch<'_>, gradient: &mut SlotWeights) {
        let SlotShape { slots, width, .. } = shape;
        let Self { projected, rows, marks, right, instances, hidden_gradient, .. } = self;
        let n_marks = marks.len() / right.len();
        let stride = slots * width;
        let instances: Vec<_> = instances.iter().collect();
        batch
            .spans
            .split(projected, stride)
            .into_par_iter()
            .zip(instances)
            .zip(batch.spans.iter().collect::<Vec<_>>())
            .for_each(|((projected, instances), items)| {
                projected.fill(0.0);
                for instance in instances {
                    let cells = &hidden_gradient[instance * width..][..width];
                    for (slot, &row) in rows[instance * slots..][..slots].iter().enumerate() {
                        if row != ABSENT {
                            let at = (row as usize - items.start) * stride + slot * width;
                            kernels::accumulate(&mut projected[at..][..width], &[cells]);
                        }
                    }
                }
            });
        gradient.absent.fill(0.0);
        for (cells, rows) in hidden_gradient.chunks_exact(width).zip(rows.chunks_exact(slots)) {
            for (slot, _) in rows.iter().enumerate().filter(|(_, row)| **row == ABSENT) {
                kernels::accumulate(&mut gradient.absent[slot * width..][..width], &[cells]);
            }
        }
        gradient.marks.fill(0.0);
        if n_marks > 0 {
            for (cells, marks) in hidden_gradient.chunks_exact(width).zip(marks.chunks_exact(n_marks)) {
                for &mark in marks.iter().filter(|mark| **mark != ABSENT) {
                    kernels::accumulate(&mut gradient.marks[mark as usize * width..][..width], &[cells]);
                }
            }
        }
    }
}

/// Applies the rectifier and dropout to hidden units.
fn rectify(hidden: &mut [f32], dropout: f32, generator: &mut impl Rng) {
    let scale = 1.0 / (1.0 - dropout);
    for unit in hidden {
        *unit = if dropout > 0.0 && bernoulli(dropout, generator) { 0.0 } else { unit.max(0.0) * scale };
    }
}

impl SlotExamples {
    /// An empty list of examples.
    pub fn new(n_slots: usize, n_marks: usize) -> Self {
        Self { n_slots, n_marks, ..Self::default() }
    }

    /// Adds an example: items of the current sequence, marks, and the correct class.
    pub fn push(&mut self, places: &[u32], marks: &[u32], right: u32) {
        self.places.extend_from_slice(places);
        self.marks.extend_from_slice(marks);
        self.right.push(right);
    }

    /// Ends the current sequence.
    pub fn end_sequence(&mut self) {
        self.ends.push(self.right.len());
    }

    /// Appends the sequences of another list.
    pub fn append(&mut self, other: &Self) {
        let n = self.right.len();
        self.ends.extend(other.ends.iter().map(|end| n + end));
        self.places.extend_from_slice(&other.places);
        self.marks.extend_from_slice(&other.marks);
        self.right.extend_from_slice(&other.right);
    }

    /// One per slot: whether it ever contains an item.
    pub fn slots_in_use(&self) -> Vec<bool> {
        let in_use =
            |slot: usize| self.places.iter().skip(slot).step_by(self.n_slots).any(|&place| place != ABSENT);
        (0..self.n_slots).map(in_use).collect()
    }

    /// The same examples with only some slots.
    #[must_use]
    pub fn with_slots(&self, kept: &[bool]) -> Self {
        let n_slots = kept.iter().filter(|kept| **kept).count();
        let places = self.places.iter().zip(kept.iter().cycle()).filter(|(_, kept)| **kept);
        let places = places.map(|(&place, _)| place).collect();
        Self { n_slots, places, ..self.clone() }
    }

    /// The examples of both lists for each sequence.
    #[must_use]
    pub fn with(&self, other: &Self) -> Self {
        let mut both = Self::new(self.n_slots, self.n_marks);
        for sequence in 0..self.n_sequences().min(other.n_sequences()) {
            for examples in [self, other] {
                let (places, marks, right) = examples.sequence(sequence);
                both.places.extend_from_slice(places);
                both.marks.extend_from_slice(marks);
                both.right.extend_from_slice(right);
            }
            both.end_sequence();
        }
        both
    }

    /// The examples of a sequence: places, marks and correct classes.
    fn sequence(&self, sequence: usize) -> (&[u32], &[u32], &[u32]) {
        let start = sequence.checked_sub(1).map_or(0, |before| self.ends[before]);
        let end = self.ends[sequence];
        let places = start * self.n_slots..end * self.n_slots;
        let marks = start * self.n_marks..end * self.n_marks;
        (&self.places[places], &self.marks[marks], &self.right[start..end])
    }

    /// The number of sequences.
    pub fn n_sequences(&self) -> usize {
        self.ends.len()
    }
}
