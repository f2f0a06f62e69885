//! A matrix and a bias: rows in, rows out.

use rand::RngExt;
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;

use crate::kernels::{Strips, Transpose};

/// Rows that a thread takes at a time.
const GROUP: usize = 64;

/// y = x W + b.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Affine {
    /// One row an input, one column an output.
    pub matrix: Vec<f32>,
    /// By output.
    pub bias: Vec<f32>,
}

impl Affine {
    /// All zeros.
    pub(super) fn zeros(inputs: usize, outputs: usize) -> Self {
        Self { matrix: vec![0.0; inputs * outputs], bias: vec![0.0; outputs] }
    }

    /// Random weights that keep the size of what comes in.
    pub(super) fn random(inputs: usize, outputs: usize, generator: &mut Pcg64Mcg) -> Self {
        #[allow(clippy::cast_precision_loss, reason = "some thousands at most")]
        let range = 1.0 / (inputs.max(1) as f32).sqrt();
        let mut uniform = |n: usize| (0..n).map(|_| generator.random_range(-range..range)).collect();
        Self { matrix: uniform(inputs * outputs), bias: uniform(outputs) }
    }

    /// Its arrays.
    pub(super) fn arrays(&self) -> [&Vec<f32>; 2] {
        [&self.matrix, &self.bias]
    }

    /// Its arrays, to be changed.
    pub(super) fn arrays_mut(&mut self) -> [&mut Vec<f32>; 2] {
        [&mut self.matrix, &mut self.bias]
    }

    /// The same sizes, all zeros.
    pub(super) fn zeros_like(&self) -> Self {
        Self::zeros(self.n_inputs(), self.n_outputs())
    }

    /// How long rows are that come out.
    pub fn n_outputs(&self) -> usize {
        self.bias.len()
    }

    /// How long rows are that come in.
    pub fn n_inputs(&self) -> usize {
        self.matrix.len() / self.bias.len().max(1)
    }

    /// Writes y for some rows.
    #[allow(clippy::many_single_char_names, reason = "the names every book has")]
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

    /// The gradient of the weights from that of y.
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

    /// The gradient of x from that of y.
    pub(super) fn back(&self, dy: &[f32], dx: &mut Vec<f32>) {
        let (k, n) = (self.n_inputs(), self.n_outputs());
        let m = dy.len() / n.max(1);
        dx.resize(m * k, 0.0);
        Strips::new((n, k), (&self.matrix, Transpose::Yes)).multiply_in_parallel(m, (dy, Transpose::No), dx);
    }
}

/// Writes the sum of some rows.
pub(super) fn sum_columns(rows: &[f32], sums: &mut [f32]) {
    sums.fill(0.0);
    for row in rows.chunks_exact(sums.len().max(1)) {
        for (sum, cell) in sums.iter_mut().zip(row) {
            *sum += cell;
        }
    }
}
