//! An affine map whose matrix is quantised to bytes.

use super::affine::Affine;
use crate::arrays::{Arrays, LoadError};
use crate::kernels::{COLUMNS, DEPTH, Tile, groups, multiply_bytes, round_row, unround, unround_to_cells};

/// The maximum absolute value of a quantised weight.
const MAX_WEIGHT: f32 = 127.0;

/// The number of rows that are multiplied per traversal of the matrix.
const CHUNK: usize = 64;

/// y = x W + b, with one scale per column of W and one per row of x.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Rounded {
    tiles: Vec<Tile>,
    /// One per output: the initial value of its sum, which corrects for the zero point.
    starts: Vec<[i32; COLUMNS]>,
    /// One per output.
    scales: Vec<f32>,
    bias: Vec<f32>,
    /// The zero point of quantised rows: 0 if no number is negative.
    zero: u8,
}

/// The buffers for a product.
#[derive(Clone, Debug, Default)]
pub(super) struct RoundedScratch {
    row: Vec<[u8; DEPTH]>,
    rows: Vec<[u8; DEPTH]>,
    sums: Vec<[i32; COLUMNS]>,
}

impl Rounded {
    /// Quantises a matrix, for rows with this zero point.
    pub(super) fn new(affine: &Affine, zero: u8) -> Self {
        let (inputs, outputs) = (affine.n_inputs(), affine.n_outputs());
        let depth = inputs.div_ceil(DEPTH);
        let cell = |input: usize, output: usize| {
            if input < inputs && output < outputs { affine.matrix[input * outputs + output] } else { 0.0 }
        };
        let scales: Vec<f32> = (0..outputs)
            .map(|output| {
                (0..inputs).fold(0.0f32, |most, input| most.max(cell(input, output).abs())) / MAX_WEIGHT
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
        let starts = starts(&tiles, depth, zero);
        Self { tiles, starts, scales, bias: affine.bias.clone(), zero }
    }

    /// The number of outputs.
    pub(super) fn n_outputs(&self) -> usize {
        self.bias.len()
    }

    /// Multiplies rows of x in chunks; calls `then` with the sums and the scale of each row.
    fn for_each_row(
        &self,
        x: &[f32],
        width: usize,
        scratch: &mut RoundedScratch,
        mut then: impl FnMut(usize, &[i32], f32),
    ) {
        let RoundedScratch { row, rows, sums } = scratch;
        let (depth, n_strips) = (width.div_ceil(DEPTH), self.starts.len());
        row.clear();
        row.resize(depth, [self.zero; DEPTH]);
        for (chunk, x) in x.chunks(CHUNK * width.max(1)).enumerate() {
            let n = x.len() / width.max(1);
            let mut scales = [0.0; CHUNK];
            let rows = at_least(rows, n * depth);
            for group in groups(n) {
                let interleaved = &mut rows[group.start * depth..group.end * depth];
                for (i, at) in group.clone().enumerate() {
                    round_row(&x[at * width..][..width], self.zero, row.as_flattened_mut(), &mut scales[at]);
                    for (to, quadruple) in interleaved[i..].iter_mut().step_by(group.len()).zip(&*row) {
                        *to = *quadruple;
                    }
                }
            }
            let sums = at_least(sums, n * n_strips);
            multiply_bytes(rows, &self.tiles, &self.starts, sums);
            for (i, (sums, &scale)) in sums.chunks_exact(n_strips.max(1)).zip(&scales).enumerate() {
                then(chunk * CHUNK + i, sums.as_flattened(), scale);
            }
        }
    }

    /// Computes y for rows of x of this width.
    pub(super) fn apply(&self, x: &[f32], width: usize, y: &mut [f32], scratch: &mut RoundedScratch) {
        let outputs = self.n_outputs();
        self.for_each_row(x, width, scratch, |row, sums, scale| {
            unround(sums, scale, &self.scales, &self.bias, &mut y[row * outputs..][..outputs]);
        });
    }

    /// Computes y for rows of x of this width, rounded to integers.
    pub(super) fn apply_to_cells(
        &self,
        x: &[f32],
        width: usize,
        y: &mut [i16],
        scratch: &mut RoundedScratch,
    ) {
        let outputs = self.n_outputs();
        self.for_each_row(x, width, scratch, |row, sums, scale| {
            unround_to_cells(sums, scale, &self.scales, &self.bias, &mut y[row * outputs..][..outputs]);
        });
    }

    /// The arrays of floats.
    pub(super) fn floats(&self) -> [&[f32]; 2] {
        [&self.scales, &self.bias]
    }

    /// Saves the map as arrays.
    pub(super) fn save(&self, name: &str, arrays: &mut Arrays) {
        arrays.set(&format!("{name}.tiles"), &self.tiles);
        arrays.set(&format!("{name}.scales"), &self.scales);
        arrays.set(&format!("{name}.bias"), &self.bias);
    }

    /// Loads a map with these numbers of inputs and outputs.
    pub(super) fn load(
        name: &str,
        (inputs, outputs): (usize, usize),
        zero: u8,
        arrays: &Arrays,
    ) -> Result<Self, LoadError> {
        let depth = inputs.div_ceil(DEPTH);
        let n_tiles = outputs.div_ceil(COLUMNS).saturating_mul(depth);
        let tiles: Vec<Tile> = arrays.get_exactly(&format!("{name}.tiles"), n_tiles)?;
        Ok(Self {
            starts: starts(&tiles, depth, zero),
            tiles,
            scales: arrays.get_exactly(&format!("{name}.scales"), outputs)?,
            bias: arrays.get_exactly(&format!("{name}.bias"), outputs)?,
            zero,
        })
    }
}

/// The first `n` cells of a buffer, which grows if it is shorter. Existing cells are not cleared.
pub(super) fn at_least<T: Copy + bytemuck::Zeroable>(space: &mut Vec<T>, n: usize) -> &mut [T] {
    if space.len() < n {
        space.resize(n, T::zeroed());
    }
    &mut space[..n]
}

/// The initial value of every column's sum.
fn starts(tiles: &[Tile], depth: usize, zero: u8) -> Vec<[i32; COLUMNS]> {
    let sum = |tiles: &[Tile], column: usize| {
        tiles
            .iter()
            .flat_map(|tile| tile.0[column])
            .fold(0, |sum, cell| sum - i32::from(cell) * i32::from(zero))
    };
    let strips = tiles.chunks_exact(depth.max(1));
    strips.map(|tiles| std::array::from_fn(|column| sum(tiles, column))).collect()
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_pcg::Pcg64Mcg;

    use super::*;
    use crate::kernels::MIDDLE;

    #[test]
    fn rounded_products_are_close_to_exact_ones() {
        for (inputs, outputs, n, zero) in
            [(7, 5, 1, 0), (48, 33, 9, 0), (130, 16, 20, MIDDLE), (9, 70, 25, MIDDLE)]
        {
            let affine = Affine::random(inputs, outputs, &mut Pcg64Mcg::seed_from_u64(5));
            let lowest = if zero == 0 { 0.0 } else { 1.0 };
            let cell = |i: usize| f32::from(u8::try_from((i * 53) % 101).unwrap()) / 40.0 - lowest;
            let x: Vec<f32> = (0..n * inputs).map(cell).collect();
            let (mut exact, mut rounded) = (Vec::new(), vec![0.0; n * outputs]);
            affine.apply(&x, &mut exact);
            let rounding = Rounded::new(&affine, zero);
            rounding.apply(&x, inputs, &mut rounded, &mut RoundedScratch::default());
            let size = exact.iter().fold(0.0f32, |most, y| most.max(y.abs()));
            for (exact, rounded) in exact.iter().zip(&rounded) {
                assert!((exact - rounded).abs() < 0.03 * size, "{exact} {rounded} of {size}");
            }
            let mut cells = vec![0; n * outputs];
            rounding.apply_to_cells(&x, inputs, &mut cells, &mut RoundedScratch::default());
            for (&cell, rounded) in cells.iter().zip(&rounded) {
                assert!((f32::from(cell) - rounded).abs() <= 0.5, "{cell} {rounded}");
            }
            let mut arrays = Arrays::default();
            rounding.save("it", &mut arrays);
            assert_eq!(Rounded::load("it", (inputs, outputs), zero, &arrays).unwrap(), rounding);
        }
    }
}
