//! Matrix products, for training.

use rayon::prelude::*;

use super::{Level, level};

/// How a matrix is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::network) enum Turn {
    /// As it lies in memory.
    Plain,
    /// With rows and columns exchanged.
    Transposed,
}

/// Rows and columns of a product that are worked out together: as many sums as registers hold.
const ROWS: usize = 6;
const COLUMNS: usize = 16;

/// Cells of a product, aligned so that none is written across two cache lines.
#[repr(align(64))]
pub(in crate::network) struct Sums([[f32; COLUMNS]; ROWS]);

/// Writes the product of an `m`×`k` and a `k`×`n` matrix to `out`, which is `m`×`n`. The sizes are
/// those after turning.
#[allow(clippy::many_single_char_names, reason = "the names every book has")]
pub(in crate::network) fn multiply(
    (m, k, n): (usize, usize, usize),
    left: (&[f32], Turn),
    right: (&[f32], Turn),
    out: &mut [f32],
) {
    Strips::new((k, n), right).multiply(m, left, out);
}

/// The right matrix of products, cut into strips of a few columns, each strip row after row; the last
/// one filled up with zeros.
///
/// Every cell of a product is summed from the first to the last and no two steps are made one, so that
/// the result is the same on every processor and for any number of threads.
pub(in crate::network) struct Strips {
    k: usize,
    n: usize,
    cells: Vec<[f32; COLUMNS]>,
}

impl Strips {
    /// Cuts a matrix which, after turning, is `k`×`n`.
    pub(in crate::network) fn new((k, n): (usize, usize), (matrix, turn): (&[f32], Turn)) -> Self {
        assert_eq!(matrix.len(), k * n, "the right matrix has k × n cells");
        let mut cells = vec![[0.0; COLUMNS]; n.div_ceil(COLUMNS) * k];
        for (strip, column) in cells.chunks_exact_mut(k.max(1)).zip((0..n).step_by(COLUMNS)) {
            match turn {
                Turn::Plain => {
                    for (strip, line) in strip.iter_mut().zip(matrix.chunks_exact(n)) {
                        match line[column..].first_chunk() {
                            Some(line) => *strip = *line,
                            None => strip[..n - column].copy_from_slice(&line[column..]),
                        }
                    }
                }
                Turn::Transposed => {
                    for (i, line) in matrix[column * k..].chunks_exact(k).take(COLUMNS).enumerate() {
                        for (strip, &cell) in strip.iter_mut().zip(line) {
                            strip[i] = cell;
                        }
                    }
                }
            }
        }
        Self { k, n, cells }
    }

    /// Writes the product of a matrix which, after turning, is `m`×`k`, with this one.
    pub(in crate::network) fn multiply(&self, m: usize, left: (&[f32], Turn), out: &mut [f32]) {
        self.check(m, left.0, out);
        for (row, out) in (0..m).step_by(ROWS).zip(out.chunks_mut((ROWS * self.n).max(1))) {
            self.multiply_rows(m, row, left, out);
        }
    }

    /// The same by several threads.
    pub(in crate::network) fn multiply_in_parallel(&self, m: usize, left: (&[f32], Turn), out: &mut [f32]) {
        self.check(m, left.0, out);
        out.par_chunks_mut((ROWS * self.n).max(1)).enumerate().for_each(|(group, out)| {
            self.multiply_rows(m, group * ROWS, left, out);
        });
    }

    fn check(&self, m: usize, left: &[f32], out: &[f32]) {
        assert_eq!(left.len(), m * self.k, "the left matrix has m × k cells");
        assert_eq!(out.len(), m * self.n, "the product has m × n cells");
    }

    /// Writes the few rows of a product that start with `row`.
    fn multiply_rows(&self, m: usize, row: usize, (left, turn): (&[f32], Turn), out: &mut [f32]) {
        let Self { k, n, .. } = *self;
        if k == 0 {
            out.fill(0.0);
            return;
        }
        let last;
        let (left, turn) = if m - row < ROWS {
            last = last_rows(left, (m, k), turn, row);
            (&last[..], Turn::Plain)
        } else if turn == Turn::Plain {
            (&left[row * k..], turn)
        } else {
            (left, turn)
        };
        let mut sums = Sums([[0.0; COLUMNS]; ROWS]);
        for (column, strip) in (0..n).step_by(COLUMNS).zip(self.cells.chunks_exact(k)) {
            match turn {
                Turn::Plain => product_of_rows(left, strip, &mut sums),
                Turn::Transposed => product_of_columns(left, m, row, strip, &mut sums),
            }
            for (out, sums) in out.chunks_mut(n).zip(&sums.0) {
                // Of a known length nearly always, which is copied without a call.
                match out[column..].first_chunk_mut() {
                    Some(out) => *out = *sums,
                    None => out[column..].copy_from_slice(&sums[..n - column]),
                }
            }
        }
    }
}

/// The rows of a matrix from `row` on, filled up with zeros to as many as are worked on together.
fn last_rows(matrix: &[f32], (m, k): (usize, usize), turn: Turn, row: usize) -> Vec<f32> {
    let mut rows = match turn {
        Turn::Plain => matrix[row * k..].to_vec(),
        Turn::Transposed => (row..m).flat_map(|row| matrix[row..].iter().step_by(m).copied()).collect(),
    };
    rows.resize(ROWS * k, 0.0);
    rows
}

for_this_processor! {
    /// The product of the first rows of a matrix, each as long as the strip, with the strip.
    fn product_of_rows(left: &[f32], strip: &[[f32; COLUMNS]], sums: &mut Sums) {
        let row = |i: usize| left[i * strip.len()..][..strip.len()].iter();
        let lefts = row(0).zip(row(1)).zip(row(2)).zip(row(3)).zip(row(4)).zip(row(5));
        // By name, because compilers leave an array of rows in memory.
        let [mut first, mut second, mut third, mut fourth, mut fifth, mut sixth] = [[0.0; COLUMNS]; ROWS];
        for ((((((l1, l2), l3), l4), l5), l6), right) in lefts.zip(strip) {
            add_multiple(&mut first, *l1, right);
            add_multiple(&mut second, *l2, right);
            add_multiple(&mut third, *l3, right);
            add_multiple(&mut fourth, *l4, right);
            add_multiple(&mut fifth, *l5, right);
            add_multiple(&mut sixth, *l6, right);
        }
        sums.0 = [first, second, third, fourth, fifth, sixth];
    }
}

for_this_processor! {
    /// The product of some columns of a matrix, which has `m`, with the strip.
    fn product_of_columns(
        left: &[f32],
        m: usize,
        column: usize,
        strip: &[[f32; COLUMNS]],
        sums: &mut Sums
    ) {
        let [mut first, mut second, mut third, mut fourth, mut fifth, mut sixth] = [[0.0; COLUMNS]; ROWS];
        for (left, right) in left.chunks_exact(m).zip(strip) {
            let Some(left) = left[column..].first_chunk::<ROWS>() else { break };
            add_multiple(&mut first, left[0], right);
            add_multiple(&mut second, left[1], right);
            add_multiple(&mut third, left[2], right);
            add_multiple(&mut fourth, left[3], right);
            add_multiple(&mut fifth, left[4], right);
            add_multiple(&mut sixth, left[5], right);
        }
        sums.0 = [first, second, third, fourth, fifth, sixth];
    }
}

/// Adds a multiple of one row to another.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it is to be compiled for its caller's processor")]
fn add_multiple(sums: &mut [f32; COLUMNS], factor: f32, row: &[f32; COLUMNS]) {
    for (sum, &cell) in sums.iter_mut().zip(row) {
        *sum += factor * cell;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The product by three loops.
    #[allow(clippy::many_single_char_names, reason = "the names every book has")]
    fn slowly(
        (m, k, n): (usize, usize, usize),
        (a, turn_a): (&[f32], Turn),
        (b, turn_b): (&[f32], Turn),
    ) -> Vec<f32> {
        let left = |i: usize, j: usize| if turn_a == Turn::Plain { a[i * k + j] } else { a[j * m + i] };
        let right = |i: usize, j: usize| if turn_b == Turn::Plain { b[i * n + j] } else { b[j * k + i] };
        (0..m * n).map(|at| (0..k).map(|i| left(at / n, i) * right(i, at % n)).sum()).collect()
    }

    #[test]
    fn products_equal_those_of_plain_loops() {
        let numbers = |n: usize, seed: usize| -> Vec<f32> {
            (0..n).map(|i| f32::from(u8::try_from((i * 37 + seed) % 11).unwrap()) - 5.0).collect()
        };
        for (m, k, n) in [(1, 1, 1), (3, 5, 7), (8, 1, 9), (17, 33, 4), (2, 0, 3), (2, 3, 0)] {
            for turn_a in [Turn::Plain, Turn::Transposed] {
                for turn_b in [Turn::Plain, Turn::Transposed] {
                    let (a, b) = (numbers(m * k, 1), numbers(k * n, 4));
                    let mut out = vec![1.0; m * n];
                    multiply((m, k, n), (&a, turn_a), (&b, turn_b), &mut out);
                    // Small whole numbers: exact in any order of summation.
                    let slowly = slowly((m, k, n), (&a, turn_a), (&b, turn_b));
                    assert_eq!(out, slowly);
                    out.fill(1.0);
                    Strips::new((k, n), (&b, turn_b)).multiply_in_parallel(m, (&a, turn_a), &mut out);
                    assert_eq!(out, slowly);
                }
            }
        }
    }
}
