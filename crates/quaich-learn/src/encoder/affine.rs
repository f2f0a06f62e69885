//! An affine map: a matrix and a bias.

use rand::RngExt;
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;

use crate::kernels::{Strips, Transpose};

/// The number of rows per parallel task.
const GROUP: usize = 64;

/// y = x W + b.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Affine {
    /// One row per input, one column per output.
    pub matrix: Vec<f32>,
    /// One per output.
    pub bias: Vec<f32>,
}

impl Affine {
    /// All zeros.
    pub(super) fn zeros(inputs: usize, outputs: usize) -> Self {
        Self { matrix: vec![0.0; inputs * outputs], bias: vec![0.0; outputs] }
    }

    /// Random weights, scaled so that outputs have the magnitude of the inputs.
    pub(super) fn random(inputs: usize, outputs: usize, generator: &mut Pcg64Mcg) -> Self {
        #[allow(clippy::cast_precision_loss, reason = "some thousands at most")]
        let range = 1.0 / (inputs.max(1) as f32).sqrt();
        let mut uniform = |n: usize| (0..n).map(|_| generator.random_range(-range..range)).collect();
        Self { matrix: uniform(inputs * outputs), bias: uniform(outputs) }
    }

    /// The matrix and the bias.
    pub(super) fn arrays(&self) -> [&Vec<f32>; 2] {
        [&self.matrix, &self.bias]
    }

    /// The matrix and the bias, mutable.
    pub(super) fn arrays_mut(&mut self) -> [&mut Vec<f32>; 2] {
        [&mut self.matrix, &mut self.bias]
    }

    /// Zeros of the same size.
    pub(super) fn zeros_like(&self) -> Self {
        Self::zeros(self.n_inputs(), self.n_outputs())
    }

    /// The number of outputs.
    pub fn n_outputs(&self) -> usize {
        self.bias.len()
    }

    /// The number of inputs.
    pub fn n_inputs(&self) -> usize {
        self.matrix.len() / self.bias.len().max(1)
    }

    /// Computes y for several rows.
    #[allow(clippy::many_single_char_names, reason = "the usual names of matrix dimensions")]
    pub(super) fn apply(&self, x: &[f32], y: &mut Vec<f32>) {
        let (k, n) = (self.n_inputs(), self.n_outputs());
        let m = x.len() / k.max(1);
        y.resize(m * n, 0.0);
        Strips::new((k, n), (&self.matrix, Transpose::No)).multiply_in_parallel(m, (x, Transpose::No), y);
        y.par_chunks_mut(GROUP * n).for_each(|rows| {
            for row in rows.chunks_exact_mut(n) {
                for (cell, bias) in row.iter_mut().zip(&self.bias) {
                    *cell += bias;
                }
            }
        });
    }

    /// Computes the gradient of the weights from that of y.
    pub(super) fn differentiate(&self, x: &[f32], dy: &[f32], gradient: &mut Self) {
        let (k, n) = (self.n_inputs(), self.n_outputs());
        let m = dy.len() / n.max(1);
        Strips::new((m, n), (dy, Transpose::No)).multiply_in_parallel(
            k,
            (x, Transpose::Yes),
            &mut gradient.matrix,
        );
        sum_columns(dy, &mut gradient.bias);
    }

    /// Computes the gradient of x from that of y.
    pub(super) fn back(&self, dy: &[f32], dx: &mut Vec<f32>) {
        let (k, n) = (self.n_inputs(), self.n_outputs());
        let m = dy.len() / n.max(1);
        dx.resize(m * k, 0.0);
        Strips::new((n, k), (&self.matrix, Transpose::Yes)).multiply_in_parallel(m, (dy, Transpose::No), dx);
    }
}

/// Sums rows.
pub(super) fn sum_columns(rows: &[f32], sums: &mut [f32]) {
    sums.fill(0.0);
    for row in rows.chunks_exact(sums.len().max(1)) {
        for (sum, cell) in sums.iter_mut().zip(row) {
            *sum += cell;
        }
    }
}
