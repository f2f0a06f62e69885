//! A matrix and a bias rounded to bytes, for rows of numbers that are not negative.

use super::affine::Affine;
use crate::arrays::{Arrays, LoadError};
use crate::kernels::{COLUMNS, DEPTH, Tile, multiply_bytes, round_rows};

/// The highest byte of a row.
const HIGHEST: f32 = 127.0;

/// y = x W + b, where every column of W has a scale of its own, and so has every row of x.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Rounded {
    tiles: Vec<Tile>,
    /// By output.
    scales: Vec<f32>,
    bias: Vec<f32>,
    /// Quadruples of inputs.
    depth: usize,
}

/// Space for multiplying.
#[derive(Clone, Debug, Default)]
pub(super) struct RoundedScratch {
    rows: Vec<[u8; DEPTH]>,
    scales: Vec<f32>,
    sums: Vec<[i32; COLUMNS]>,
}

impl Rounded {
    /// Rounds a matrix.
    pub(super) fn new(affine: &Affine) -> Self {
        let (inputs, outputs) = (affine.n_inputs(), affine.n_outputs());
        let depth = inputs.div_ceil(DEPTH);
        let cell = |input: usize, output: usize| {
            if input < inputs && output < outputs { affine.matrix[input * outputs + output] } else { 0.0 }
        };
        let scales: Vec<f32> = (0..outputs)
            .map(|output| {
                (0..inputs).fold(0.0f32, |most, input| most.max(cell(input, output).abs())) / HIGHEST
            })
            .collect();
        let mut tiles = Vec::with_capacity(outputs.div_ceil(COLUMNS) * depth);
        for first in (0..outputs).step_by(COLUMNS) {
            for quadruple in 0..depth {
                tiles.push(Tile(std::array::from_fn(|column| {
                    let output = first + column;
                    let scale = scales.get(output).copied().filter(|&scale| scale > 0.0).unwrap_or(1.0);
                    #[allow(clippy::cast_possible_truncation, reason = "from -127 to 127")]
                    std::array::from_fn(|i| (cell(quadruple * DEPTH + i, output) / scale).round() as i8)
                })));
            }
        }
        Self { tiles, scales, bias: affine.bias.clone(), depth }
    }

    /// How long rows are that come out.
    pub(super) fn n_outputs(&self) -> usize {
        self.bias.len()
    }

    /// Writes y for `n` rows.
    pub(super) fn apply(&self, x: &[f32], n: usize, y: &mut Vec<f32>, scratch: &mut RoundedScratch) {
        let RoundedScratch { rows, scales, sums } = scratch;
        let (width, outputs) = (x.len() / n.max(1), self.n_outputs());
        rows.resize(n * self.depth, [0; DEPTH]);
        scales.resize(n, 0.0);
        round_rows(x, width, bytemuck::cast_slice_mut(rows), self.depth * DEPTH, scales);
        let n_strips = outputs.div_ceil(COLUMNS);
        sums.resize(n * n_strips, [0; COLUMNS]);
        multiply_bytes(rows, &self.tiles, self.depth, sums);
        y.resize(n * outputs, 0.0);
        let rows = y.chunks_exact_mut(outputs.max(1)).zip(sums.chunks_exact(n_strips.max(1)));
        for ((y, sums), &scale) in rows.zip(&*scales) {
            crate::kernels::unround(sums.as_flattened(), scale, &self.scales, &self.bias, y);
        }
    }

    /// Its arrays of floats.
    pub(super) fn floats(&self) -> [&[f32]; 2] {
        [&self.scales, &self.bias]
    }

    /// Puts it among arrays.
    pub(super) fn save(&self, name: &str, arrays: &mut Arrays) {
        arrays.set(&format!("{name}.tiles"), &self.tiles);
        arrays.set(&format!("{name}.scales"), &self.scales);
        arrays.set(&format!("{name}.bias"), &self.bias);
    }

    /// Takes it from arrays; it has to have these sizes.
    pub(super) fn load(
        name: &str,
        (inputs, outputs): (usize, usize),
        arrays: &Arrays,
    ) -> Result<Self, LoadError> {
        let depth = inputs.div_ceil(DEPTH);
        Ok(Self {
            tiles: arrays.get_exactly(&format!("{name}.tiles"), outputs.div_ceil(COLUMNS) * depth)?,
            scales: arrays.get_exactly(&format!("{name}.scales"), outputs)?,
            bias: arrays.get_exactly(&format!("{name}.bias"), outputs)?,
            depth,
        })
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_pcg::Pcg64Mcg;

    use super::*;

    #[test]
    fn rounded_products_are_close_to_exact_ones() {
        for (inputs, outputs, n) in [(7, 5, 1), (48, 33, 9), (130, 16, 20)] {
            let affine = Affine::random(inputs, outputs, &mut Pcg64Mcg::seed_from_u64(5));
            let cell = |i: usize| f32::from(u8::try_from((i * 53) % 101).unwrap()) / 40.0;
            let x: Vec<f32> = (0..n * inputs).map(cell).collect();
            let (mut exact, mut rounded) = (Vec::new(), Vec::new());
            affine.apply(&x, &mut exact);
            Rounded::new(&affine).apply(&x, n, &mut rounded, &mut RoundedScratch::default());
            let size = exact.iter().fold(0.0f32, |most, y| most.max(y.abs()));
            for (exact, rounded) in exact.iter().zip(&rounded) {
                assert!((exact - rounded).abs() < 0.03 * size, "{exact} {rounded} of {size}");
            }
        }
    }
}
