//! Products of byte matrices for inference, with integer arithmetic: the same results on every processor.
//!
//! Numbers on the left are from 0 to 127 and those on the right from −127 to 127: the sum of two such products fits into 16 bits, which
//! is where processors without dedicated instructions add them.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};

use super::{Level, level};

/// Columns that are summed together.
pub(crate) const COLUMNS: usize = 64;
/// Rows of the right matrix per multiplication.
pub(crate) const DEPTH: usize = 4;
/// Rows of the left matrix that are multiplied together: with this many columns they fill the registers of newer processors.
const ROWS: usize = 6;

/// A tile of the right matrix: [`COLUMNS`] columns and [`DEPTH`] rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct Tile(pub(crate) [[i8; DEPTH]; COLUMNS]);

/// Splits rows into groups that are multiplied together, of nearly the same size, because a single remaining row would take half as long
/// as a whole group.
pub(crate) fn groups(n_rows: usize) -> impl Iterator<Item = Range<usize>> {
    let n_groups = n_rows.div_ceil(ROWS);
    (0..n_groups).map(move |group| n_rows * group / n_groups..n_rows * (group + 1) / n_groups)
}

/// Multiplies rows with strips of tiles, strip by strip. A row has as many quadruples as a strip has tiles; those of a [group](groups)
/// are interleaved: the first quadruples of all rows, then the second ones, and so on. `starts` has the initial values of a strip's
/// columns. `sums` has one row per row, with the columns of each strip.
///
/// The matrix is larger than the cache, so it is traversed once: a strip is multiplied with all rows before the next is loaded.
///
/// # Panics
/// If the sizes do not fit.
pub(crate) fn multiply_bytes(
    rows: &[[u8; DEPTH]],
    tiles: &[Tile],
    starts: &[[i32; COLUMNS]],
    sums: &mut [[i32; COLUMNS]],
) {
    let n_strips = starts.len();
    let (n, depth) = (sums.len() / n_strips.max(1), tiles.len() / n_strips.max(1));
    assert!(rows.len() == n * depth && sums.len() == n * n_strips, "as many quadruples as tiles");
    for (strip, (tiles, start)) in tiles.chunks_exact(depth.max(1)).zip(starts).enumerate() {
        for group in groups(n) {
            let rows = &rows[group.start * depth..group.end * depth];
            let sums = &mut sums[group.start * n_strips + strip..];
            match group.len() {
                1 => few_rows::<1>(rows, tiles, start, sums, n_strips),
                2 => few_rows::<2>(rows, tiles, start, sums, n_strips),
                3 => few_rows::<3>(rows, tiles, start, sums, n_strips),
                4 => few_rows::<4>(rows, tiles, start, sums, n_strips),
                5 => few_rows::<5>(rows, tiles, start, sums, n_strips),
                _ => few_rows::<ROWS>(rows, tiles, start, sums, n_strips),
            }
        }
    }
}

/// The zero point of signed numbers.
pub(crate) const MIDDLE: u8 = 64;

for_this_processor! {
    /// Quantises a row of numbers to 7 bits with a scale of its own, which is returned in `scale`. `zero` is the zero point: 0 if no
    /// number is negative, otherwise [`MIDDLE`]. The row of bytes may be longer.
    fn round_row(row: &[f32], zero: u8, bytes: &mut [u8], scale: &mut f32) {
        // Adding this leaves the nearest integer in the lowest bits.
        const ROUND: f32 = 12_582_912.0;
        // Several accumulators; the maximum does not depend on the order.
        let mut highest = [0.0f32; 16];
        let (groups, rest) = row.as_chunks::<16>();
        for group in groups {
            for (highest, cell) in highest.iter_mut().zip(group) {
                *highest = if cell.abs() > *highest { cell.abs() } else { *highest };
            }
        }
        let highest = highest.iter().copied().chain(rest.iter().map(|cell| cell.abs())).fold(0.0, f32::max);
        let most = f32::from(127 - zero);
        *scale = highest / most;
        let factor = if highest > 0.0 { most / highest } else { 0.0 };
        let zero = ROUND + f32::from(zero);
        for (byte, cell) in bytes.iter_mut().zip(row) {
            *byte = (cell * factor + zero).to_bits().to_le_bytes()[0];
        }
    }
}

for_this_processor! {
    /// Dequantises sums of products.
    fn unround(sums: &[i32], scale: f32, scales: &[f32], bias: &[f32], out: &mut [f32]) {
        let columns = scales.iter().zip(bias).zip(sums);
        for (out, ((column, bias), &sum)) in out.iter_mut().zip(columns) {
            #[allow(clippy::cast_precision_loss, reason = "as precise as bytes are")]
            let sum = sum as f32;
            *out = sum * (scale * column) + bias;
        }
    }
}

for_this_processor! {
    /// Dequantises sums of products, rounded to integers and clipped to sixteen bits.
    fn unround_to_cells(sums: &[i32], scale: f32, scales: &[f32], bias: &[f32], out: &mut [i16]) {
        // Adding this leaves the nearest integer in the lowest bits.
        const ROUND: f32 = 12_582_912.0;
        let columns = scales.iter().zip(bias).zip(sums);
        for (out, ((column, bias), &sum)) in out.iter_mut().zip(columns) {
            #[allow(clippy::cast_precision_loss, reason = "as precise as bytes are")]
            let sum = sum as f32;
            let value = sum * (scale * column) + bias;
            let value = if value > 32767.0 { 32767.0 } else { value };
            let value = if value < -32767.0 { -32767.0 } else { value };
            #[allow(clippy::cast_possible_truncation, reason = "the lowest bits")]
            let cell = (value + ROUND).to_bits() as i16;
            *out = cell;
        }
    }
}

/// Multiplies a few rows with a strip. `stride` is the distance between rows of sums.
#[inline]
fn few_rows<const N: usize>(
    rows: &[[u8; DEPTH]],
    tiles: &[Tile],
    start: &[i32; COLUMNS],
    sums: &mut [[i32; COLUMNS]],
    stride: usize,
) {
    let (rows, _) = rows.as_chunks();
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the processor has the instructions of its level.
    match level() {
        Level::Vnni => return unsafe { x86::vnni::<N>(rows, tiles, start, sums, stride) },
        Level::Avx512 | Level::Avx2 => return unsafe { x86::avx2::<N>(rows, tiles, start, sums, stride) },
        Level::Portable => {}
    }
    portable::<N>(rows, tiles, start, sums, stride);
}

fn portable<const N: usize>(
    rows: &[[[u8; DEPTH]; N]],
    tiles: &[Tile],
    start: &[i32; COLUMNS],
    sums: &mut [[i32; COLUMNS]],
    stride: usize,
) {
    for (row, sums) in (0..N).zip(sums.iter_mut().step_by(stride)) {
        *sums = *start;
        for (rows, tile) in rows.iter().zip(tiles) {
            for (sum, weights) in sums.iter_mut().zip(&tile.0) {
                for (&cell, &weight) in rows[row].iter().zip(weights) {
                    *sum += i32::from(cell) * i32::from(weight);
                }
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __m256i, __m512i, _mm256_add_epi32, _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_set1_epi16,
        _mm256_set1_epi32, _mm512_dpbusd_epi32, _mm512_set1_epi32,
    };

    use super::{COLUMNS, DEPTH, Tile};

    /// Registers of sixteen columns.
    const REGISTERS: usize = COLUMNS / 16;

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    pub(super) fn vnni<const N: usize>(
        rows: &[[[u8; DEPTH]; N]],
        tiles: &[Tile],
        start: &[i32; COLUMNS],
        sums: &mut [[i32; COLUMNS]],
        stride: usize,
    ) {
        let mut totals: [[__m512i; REGISTERS]; N] = [bytemuck::cast(*start); N];
        for (cells, tile) in rows.iter().zip(tiles) {
            let weights: [__m512i; REGISTERS] = bytemuck::cast(tile.0);
            for (totals, cells) in totals.iter_mut().zip(cells) {
                let cells = _mm512_set1_epi32(i32::from_le_bytes(*cells));
                for (total, weights) in totals.iter_mut().zip(weights) {
                    *total = _mm512_dpbusd_epi32(*total, cells, weights);
                }
            }
        }
        for (sums, totals) in sums.iter_mut().step_by(stride).zip(totals) {
            *sums = bytemuck::cast(totals);
        }
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn avx2<const N: usize>(
        rows: &[[[u8; DEPTH]; N]],
        tiles: &[Tile],
        start: &[i32; COLUMNS],
        sums: &mut [[i32; COLUMNS]],
        stride: usize,
    ) {
        // Sixteen columns at a time: there are fewer and shorter registers.
        for part in 0..REGISTERS {
            let starts: [[__m256i; 2]; REGISTERS] = bytemuck::cast(*start);
            let mut totals = [starts[part]; N];
            for (cells, tile) in rows.iter().zip(tiles) {
                let weights: &[[__m256i; 2]; REGISTERS] = bytemuck::cast_ref(&tile.0);
                for (totals, cells) in totals.iter_mut().zip(cells) {
                    let cells = _mm256_set1_epi32(i32::from_le_bytes(*cells));
                    for (total, weights) in totals.iter_mut().zip(weights[part]) {
                        let pairs = _mm256_maddubs_epi16(cells, weights);
                        *total = _mm256_add_epi32(*total, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
                    }
                }
            }
            for (sums, totals) in sums.iter_mut().step_by(stride).zip(totals) {
                let sixteen: [i32; 16] = bytemuck::cast(totals);
                sums[part * 16..][..16].copy_from_slice(&sixteen);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_equal_those_of_plain_loops() {
        for (n_rows, n_strips, depth) in
            [(1, 1, 1), (12, 2, 3), (19, 3, 5), (3, 1, 40), (0, 2, 2), (17, 4, 9)]
        {
            let rows: Vec<[u8; DEPTH]> = (0..n_rows * depth)
                .map(|i| [i, i * 7, i * 31, 127].map(|x| u8::try_from(x % 128).unwrap()))
                .collect();
            let cell = |i: usize| i8::try_from(i % 255).unwrap_or(-127);
            let tiles: Vec<Tile> = (0..n_strips * depth)
                .map(|t| {
                    Tile(std::array::from_fn(|c| std::array::from_fn(|d| cell(t * 101 + c * 13 + d * 5))))
                })
                .collect();
            let starts: Vec<[i32; COLUMNS]> = (0..).map(|i| [i * 1000 - 7; COLUMNS]).take(n_strips).collect();
            let mut sums = vec![[7; COLUMNS]; n_rows * n_strips];
            multiply_bytes(&rows, &tiles, &starts, &mut sums);
            for (group, row) in
                groups(n_rows).flat_map(|group| group.clone().map(move |row| (group.clone(), row)))
            {
                for strip in 0..n_strips {
                    let mut slowly = starts[strip];
                    for i in 0..depth {
                        let cells = rows[group.start * depth + i * group.len() + row - group.start];
                        for (sum, weights) in slowly.iter_mut().zip(&tiles[strip * depth + i].0) {
                            let products =
                                cells.iter().zip(weights).map(|(&c, &w)| i32::from(c) * i32::from(w));
                            *sum += products.sum::<i32>();
                        }
                    }
                    assert_eq!(sums[row * n_strips + strip], slowly);
                }
            }
        }
    }

    #[test]
    fn all_processors_give_the_same() {
        let rows: Vec<[[u8; DEPTH]; 3]> = (0..40u8).map(|i| [[i, 127 - i, 3 * i, 127]; 3]).collect();
        let cell = |i: usize| i8::try_from(i % 255).unwrap_or(-127);
        let tiles: Vec<Tile> = (0..40)
            .map(|t| Tile(std::array::from_fn(|c| std::array::from_fn(|d| cell(t * 101 + c * 13 + d * 5)))))
            .collect();
        let (start, mut slowly) = ([-5; COLUMNS], [[0; COLUMNS]; 6]);
        portable(&rows, &tiles, &start, &mut slowly, 2);
        #[cfg(target_arch = "x86_64")]
        if level() >= Level::Avx2 {
            let mut sums = [[0; COLUMNS]; 6];
            // SAFETY: the processor has the instructions.
            unsafe { x86::avx2(&rows, &tiles, &start, &mut sums, 2) };
            assert_eq!(sums, slowly);
        }
        assert_ne!(slowly[0], slowly[1]);
    }
}
