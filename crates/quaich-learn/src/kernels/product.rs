//! Matrix products, for training.

use std::mem::MaybeUninit;

use rayon::prelude::*;

use super::{Level, level};

/// Whether a matrix is transposed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Transpose {
    /// As stored in memory.
    No,
    /// With rows and columns exchanged.
    Yes,
}

/// Rows and columns of a product that are computed together: as many sums as registers hold. Every loaded cell is used for several sums,
/// or loading would take longer than multiplying.
const ROWS: usize = 6;
const COLUMNS: usize = LANES * VECTORS;
/// Columns per register.
const LANES: usize = 16;
/// Registers side by side.
const VECTORS: usize = 4;
/// Smaller matrices are split by one thread.
const WORTH_SHARING: usize = 1 << 16;
/// Rows per parallel task: a few dozen stay in the cache while the strips are traversed.
const TALL: usize = 8 * ROWS;

/// Cells of a product, aligned so that none crosses a cache line.
#[repr(align(64))]
struct Sums([[f32; COLUMNS]; ROWS]);

/// Writes the product of an `m`×`k` and a `k`×`n` matrix to `out`, which is `m`×`n`. The sizes are those after transposition.
#[allow(clippy::many_single_char_names, reason = "the usual names of matrix dimensions")]
pub(crate) fn multiply(
    (m, k, n): (usize, usize, usize),
    left: (&[f32], Transpose),
    right: (&[f32], Transpose),
    out: &mut [f32],
) {
    Strips::new((k, n), right).multiply(m, left, out);
}

/// The right matrix of products, split into strips of a few columns, each strip row by row. The last strip has as many registers of
/// columns as it needs, padded with zeros.
///
/// Every cell of a product is summed from the first to the last term with fused multiply-add (in several steps on processors without it),
/// so that the result is the same on every processor and for any number of threads.
pub(crate) struct Strips {
    k: usize,
    n: usize,
    cells: Vec<Cells>,
}

/// A part of a strip's row, aligned to be read from one cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Cells([f32; LANES]);

impl Strips {
    /// Splits a matrix that is `k`×`n` after transposition.
    pub(crate) fn new((k, n): (usize, usize), (matrix, transpose): (&[f32], Transpose)) -> Self {
        assert_eq!(matrix.len(), k * n, "the right matrix has k × n cells");
        let n_cells = n.div_ceil(LANES) * k;
        let mut cells = Vec::with_capacity(n_cells);
        let room = &mut cells.spare_capacity_mut()[..n_cells];
        let cut = |(number, strip): (usize, &mut [MaybeUninit<Cells>])| {
            let (vectors, column) = (strip.len() / k, number * COLUMNS);
            match transpose {
                Transpose::No => {
                    for (row, line) in strip.chunks_exact_mut(vectors).zip(matrix.chunks_exact(n)) {
                        for (cells, part) in row.iter_mut().zip(line[column..].chunks(LANES)) {
                            cells.write(Cells(filled_up(part)));
                        }
                    }
                }
                Transpose::Yes => {
                    for (vector, column) in (column..).step_by(LANES).take(vectors).enumerate() {
                        let mut cells = strip[vector..].iter_mut().step_by(vectors);
                        for row in (0..k).step_by(LANES) {
                            let block = transposed(matrix, k, (column, row));
                            // In this order: shorter vectors must not overwrite cells.
                            for (turned, cells) in block.into_iter().zip(&mut cells) {
                                cells.write(Cells(turned));
                            }
                        }
                    }
                }
            }
        };
        let strip = (VECTORS * k).max(1);
        if matrix.len() < WORTH_SHARING {
            room.chunks_mut(strip).enumerate().for_each(cut);
        } else {
            room.par_chunks_mut(strip).enumerate().for_each(cut);
        }
        // SAFETY: all cells of all strips were written.
        unsafe { cells.set_len(n_cells) };
        Self { k, n, cells }
    }

    /// Writes the product of a matrix that is `m`×`k` after transposition with this one.
    pub(crate) fn multiply(&self, m: usize, left: (&[f32], Transpose), out: &mut [f32]) {
        self.check(m, left.0, out);
        for (row, out) in (0..m).step_by(TALL).zip(out.chunks_mut((TALL * self.n).max(1))) {
            self.multiply_rows(m, row, left, out);
        }
    }

    /// The same with several threads.
    pub(crate) fn multiply_in_parallel(&self, m: usize, left: (&[f32], Transpose), out: &mut [f32]) {
        self.check(m, left.0, out);
        out.par_chunks_mut((TALL * self.n).max(1)).enumerate().for_each(|(group, out)| {
            self.multiply_rows(m, group * TALL, left, out);
        });
    }

    fn check(&self, m: usize, left: &[f32], out: &[f32]) {
        assert_eq!(left.len(), m * self.k, "the left matrix has m × k cells");
        assert_eq!(out.len(), m * self.n, "the product has m × n cells");
    }

    /// Writes the rows of a product from `row`, as many as fit into `out`. Each strip is used for all of them while it is in the cache.
    fn multiply_rows(&self, m: usize, row: usize, left: (&[f32], Transpose), out: &mut [f32]) {
        let Self { k, n, .. } = *self;
        if k == 0 || n == 0 {
            out.fill(0.0);
            return;
        }
        let whole = out.len() / n / ROWS * ROWS;
        let last = (out.len() / n > whole).then(|| last_rows(left.0, (m, k), left.1, row + whole));
        for (column, strip) in (0..n).step_by(COLUMNS).zip(self.cells.chunks(VECTORS * k)) {
            for (i, out) in (row..).step_by(ROWS).zip(out.chunks_mut(ROWS * n)) {
                match &last {
                    Some(last) if i == row + whole => {
                        multiply_few((last, Transpose::No), (ROWS, 0, k), (strip, column), (out, n));
                    }
                    _ => multiply_few(left, (m, i, k), (strip, column), (out, n)),
                }
            }
        }
    }
}

/// As many cells as a register has, padded with zeros.
#[inline]
fn filled_up(cells: &[f32]) -> [f32; LANES] {
    cells.first_chunk().copied().unwrap_or_else(|| {
        let mut all = [0.0; LANES];
        all[..cells.len()].copy_from_slice(cells);
        all
    })
}

/// A transposed square of a matrix with lines of `k` cells, from a line and a place in it. Cells beyond the last line are zero.
#[inline]
fn transposed(matrix: &[f32], k: usize, (line, place): (usize, usize)) -> [[f32; LANES]; LANES] {
    let square: [[f32; LANES]; LANES] = std::array::from_fn(|i| {
        let line = matrix.get((line + i) * k..(line + i + 1) * k);
        line.map_or([0.0; LANES], |line| filled_up(&line[place..k.min(place + LANES)]))
    });
    std::array::from_fn(|j| std::array::from_fn(|i| square[i][j]))
}

/// Writes the part of one strip for a few rows of a product from `row`.
fn multiply_few(
    (left, transpose): (&[f32], Transpose),
    (m, row, k): (usize, usize, usize),
    (strip, column): (&[Cells], usize),
    (out, n): (&mut [f32], usize),
) {
    let mut sums = Sums([[0.0; COLUMNS]; ROWS]);
    match transpose {
        Transpose::No => product(&left[row * k..], (k, 1), (strip, k), &mut sums),
        Transpose::Yes => product(&left[row..], (1, m), (strip, k), &mut sums),
    }
    for (out, sums) in out.chunks_mut(n).zip(&sums.0) {
        // Nearly always the full length, which is copied without a call.
        match out[column..].first_chunk_mut() {
            Some(out) => *out = *sums,
            None => out[column..].copy_from_slice(&sums[..n - column]),
        }
    }
}

/// The rows of a matrix from `row`, padded with zeros to the number that is computed together.
fn last_rows(matrix: &[f32], (m, k): (usize, usize), transpose: Transpose, row: usize) -> Vec<f32> {
    let mut rows = match transpose {
        Transpose::No => matrix[row * k..].to_vec(),
        Transpose::Yes => (row..m).flat_map(|row| matrix[row..].iter().step_by(m).copied()).collect(),
    };
    rows.resize(ROWS * k, 0.0);
    rows
}

/// The product of some rows of a matrix with a strip of `k` rows. The cell in row i and column j is at i `down` + j `along` from the
/// start.
#[inline]
fn product(left: &[f32], (down, along): (usize, usize), (strip, k): (&[Cells], usize), sums: &mut Sums) {
    // Reading beyond this would leave the matrix.
    assert!((ROWS - 1) * down + (k - 1) * along < left.len(), "the rows are within the matrix");
    let vectors = strip.len() / k;
    #[cfg(target_arch = "x86_64")]
    if level() >= Level::Avx512 {
        // SAFETY: the processor has the instructions of its level, and all cells are within the matrix.
        return unsafe {
            match vectors {
                1 => x86::product::<1>(left, (down, along), strip, sums),
                2 => x86::product::<2>(left, (down, along), strip, sums),
                3 => x86::product::<3>(left, (down, along), strip, sums),
                _ => x86::product::<VECTORS>(left, (down, along), strip, sums),
            }
        };
    }
    for vector in 0..vectors {
        part_of_product(left, (down, along), &strip[vector..], vectors, vector * LANES, &mut sums.0);
    }
}

for_this_processor! {
    /// The product of some rows with one register of columns of a strip, for processors with few registers.
    fn part_of_product(
        left: &[f32],
        steps: (usize, usize),
        strip: &[Cells],
        vectors: usize,
        column: usize,
        sums: &mut [[f32; COLUMNS]; ROWS]
    ) {
        let (down, along) = steps;
        let row = |i: usize| left[i * down..].iter().step_by(along);
        let lefts = row(0).zip(row(1)).zip(row(2)).zip(row(3)).zip(row(4)).zip(row(5));
        // Separate variables, because compilers keep an array of rows in memory.
        let [mut first, mut second, mut third, mut fourth, mut fifth, mut sixth] = [[0.0; LANES]; ROWS];
        for ((((((l1, l2), l3), l4), l5), l6), Cells(right)) in lefts.zip(strip.iter().step_by(vectors)) {
            add_multiple(&mut first, *l1, right);
            add_multiple(&mut second, *l2, right);
            add_multiple(&mut third, *l3, right);
            add_multiple(&mut fourth, *l4, right);
            add_multiple(&mut fifth, *l5, right);
            add_multiple(&mut sixth, *l6, right);
        }
        for (sums, part) in sums.iter_mut().zip([first, second, third, fourth, fifth, sixth]) {
            sums[column..][..LANES].copy_from_slice(&part);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        _mm512_fmadd_ps, _mm512_load_ps, _mm512_set1_ps, _mm512_setzero_ps, _mm512_store_ps,
    };

    use super::{Cells, LANES, ROWS, Sums};

    /// # Safety
    /// All cells of the rows are within `left`.
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn product<const VECTORS: usize>(
        left: &[f32],
        (down, along): (usize, usize),
        strip: &[Cells],
        sums: &mut Sums,
    ) {
        let mut totals = [[_mm512_setzero_ps(); VECTORS]; ROWS];
        let mut column = left.as_ptr();
        for cells in strip.as_chunks::<VECTORS>().0 {
            let mut right = [_mm512_setzero_ps(); VECTORS];
            for (right, cells) in right.iter_mut().zip(cells) {
                // SAFETY: cells are as long as a vector, and aligned as one.
                *right = unsafe { _mm512_load_ps(cells.0.as_ptr()) };
            }
            for (row, totals) in totals.iter_mut().enumerate() {
                // SAFETY: the caller's promise.
                let cell = _mm512_set1_ps(unsafe { *column.add(row * down) });
                for (total, right) in totals.iter_mut().zip(right) {
                    *total = _mm512_fmadd_ps(cell, right, *total);
                }
            }
            column = column.wrapping_add(along);
        }
        for (sums, totals) in sums.0.iter_mut().zip(totals) {
            for (sums, total) in sums.as_chunks_mut::<LANES>().0.iter_mut().zip(totals) {
                // SAFETY: rows of sums are as long as vectors, and aligned as they are.
                unsafe { _mm512_store_ps(sums.as_mut_ptr(), total) };
            }
        }
    }
}

/// Adds a multiple of one row to another.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it is to be compiled for its caller's processor")]
fn add_multiple(sums: &mut [f32; LANES], factor: f32, row: &[f32; LANES]) {
    for (sum, &cell) in sums.iter_mut().zip(row) {
        *sum = factor.mul_add(cell, *sum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The product by three nested loops.
    #[allow(clippy::many_single_char_names, reason = "the usual names of matrix dimensions")]
    fn slowly(
        (m, k, n): (usize, usize, usize),
        (a, transpose_a): (&[f32], Transpose),
        (b, transpose_b): (&[f32], Transpose),
    ) -> Vec<f32> {
        let left =
            |i: usize, j: usize| if transpose_a == Transpose::No { a[i * k + j] } else { a[j * m + i] };
        let right =
            |i: usize, j: usize| if transpose_b == Transpose::No { b[i * n + j] } else { b[j * k + i] };
        (0..m * n).map(|at| (0..k).map(|i| left(at / n, i) * right(i, at % n)).sum()).collect()
    }

    #[test]
    fn products_equal_those_of_plain_loops() {
        let numbers = |n: usize, seed: usize| -> Vec<f32> {
            (0..n).map(|i| f32::from(u8::try_from((i * 37 + seed) % 11).unwrap()) - 5.0).collect()
        };
        for (m, k, n) in
            [(1, 1, 1), (3, 5, 7), (8, 1, 9), (17, 33, 4), (2, 0, 3), (2, 3, 0), (50, 9, 40), (7, 70, 150)]
        {
            for transpose_a in [Transpose::No, Transpose::Yes] {
                for transpose_b in [Transpose::No, Transpose::Yes] {
                    let (a, b) = (numbers(m * k, 1), numbers(k * n, 4));
                    let mut out = vec![1.0; m * n];
                    multiply((m, k, n), (&a, transpose_a), (&b, transpose_b), &mut out);
                    // Small integers: exact in any order of summation.
                    let slowly = slowly((m, k, n), (&a, transpose_a), (&b, transpose_b));
                    assert_eq!(out, slowly);
                    out.fill(1.0);
                    Strips::new((k, n), (&b, transpose_b)).multiply_in_parallel(
                        m,
                        (&a, transpose_a),
                        &mut out,
                    );
                    assert_eq!(out, slowly);
                }
            }
        }
    }
}
