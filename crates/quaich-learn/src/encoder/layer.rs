//! A recurrent layer over a minibatch: one matrix product for all words, then the recurrence for each sentence.

use rayon::prelude::*;

use super::affine::Affine;
use super::spans::Spans;
use crate::kernels::recurrence::{activate, back, run};

/// A layer's activations for a minibatch, kept for the backward pass.
#[derive(Debug, Default)]
pub(super) struct LayerRun {
    gates: Vec<f32>,
    states: Vec<f32>,
    /// The output, one row per word.
    pub(super) out: Vec<f32>,
}

impl LayerRun {
    /// The forward pass.
    pub(super) fn run(&mut self, layer: &Affine, x: &[f32], spans: &Spans) {
        layer.apply(x, &mut self.gates);
        let units = layer.n_outputs() / 6;
        let n = spans.n_rows();
        self.states.resize(n * 2 * units, 0.0);
        self.out.resize(n * 2 * units, 0.0);
        let gates = spans.split(&mut self.gates, 6 * units);
        let states = spans.split(&mut self.states, 2 * units);
        let out = spans.split(&mut self.out, 2 * units);
        gates.into_par_iter().zip(states).zip(out).for_each(|((gates, states), out)| {
            activate(gates, units);
            run(gates, units, states, out);
        });
    }

    /// The backward pass: computes the gradients of the layer's weights and of its input.
    pub(super) fn back(
        &mut self,
        layer: &Affine,
        x: &[f32],
        spans: &Spans,
        (dy, dx): (&[f32], &mut Vec<f32>),
        gradient: &mut Affine,
    ) {
        let units = layer.n_outputs() / 6;
        let Self { gates, states, .. } = self;
        let sentences: Vec<_> = spans.iter().collect();
        spans.split(gates, 6 * units).into_par_iter().zip(sentences).for_each(|(gates, span)| {
            let rows = span.start * 2 * units..span.end * 2 * units;
            back(gates, units, &states[rows.clone()], &dy[rows], &mut vec![0.0; units]);
        });
        layer.differentiate(x, gates, gradient);
        layer.back(gates, dx);
    }
}
