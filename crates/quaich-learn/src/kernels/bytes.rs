//! Products of matrices of bytes, for parsing: whole numbers only, so that every processor gives the same.
//!
//! Numbers on the left are from 0 to 127 and those on the right from −127 to 127: two products of such fit
//! into 16 bits, which is where processors without instructions of their own for this add them up.

use bytemuck::{Pod, Zeroable};

use super::{Level, level};

/// Columns that are summed side by side.
pub(crate) const COLUMNS: usize = 16;
/// Rows of the right matrix that are multiplied at a time.
pub(crate) const DEPTH: usize = 4;
/// Rows of the left matrix that are multiplied while a part of the right one is near.
const ROWS: usize = 8;

/// A few cells of the right matrix: of some columns, as many rows as are multiplied at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct Tile(pub(crate) [[i8; DEPTH]; COLUMNS]);

/// Multiplies rows, each of as many quadruples as a strip has tiles, with strips of tiles, one strip after the other.
/// `sums` has a row for each row, and a group of columns for each strip.
pub(crate) fn multiply_bytes(
    rows: &[[u8; DEPTH]],
    tiles: &[Tile],
    depth: usize,
    sums: &mut [[i32; COLUMNS]],
) {
    if depth == 0 {
        return;
    }
    let n_strips = tiles.len() / depth;
    for (rows, sums) in rows.chunks(ROWS * depth).zip(sums.chunks_mut((ROWS * n_strips).max(1))) {
        for (strip, tiles) in tiles.chunks_exact(depth).enumerate() {
            if let (Some(rows), true) = (whole(rows, depth), sums.len() == ROWS * n_strips) {
                few_rows(rows, tiles, &mut sums[strip..], n_strips);
            } else {
                for (rows, sums) in rows.chunks_exact(depth).zip(sums.chunks_mut(n_strips)) {
                    one_row(rows, tiles, &mut sums[strip]);
                }
            }
        }
    }
}

for_this_processor! {
    /// Rounds rows of numbers that are not negative to 7 bits, each by a scale of its own. Rows of bytes may be longer.
    fn round_rows(rows: &[f32], width: usize, bytes: &mut [u8], stride: usize, scales: &mut [f32]) {
        let all = rows.chunks_exact(width.max(1)).zip(bytes.chunks_exact_mut(stride.max(1)));
        for ((row, bytes), scale) in all.zip(scales) {
            // Several at a time: which of them is first does not matter to the highest.
            let mut highest = [0.0f32; 16];
            let (groups, rest) = row.as_chunks::<16>();
            for group in groups {
                for (highest, &cell) in highest.iter_mut().zip(group) {
                    *highest = if cell > *highest { cell } else { *highest };
                }
            }
            let highest = highest.iter().chain(rest).copied().fold(0.0, f32::max);
            *scale = highest / 127.0;
            let factor = if highest > 0.0 { 127.0 / highest } else { 0.0 };
            for (byte, cell) in bytes.iter_mut().zip(row) {
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 127")]
                let rounded = (cell * factor + 0.5) as i32 as u8;
                *byte = rounded;
            }
        }
    }
}

for_this_processor! {
    /// Sums of bytes → the numbers they stand for.
    fn unround(sums: &[i32], scale: f32, scales: &[f32], bias: &[f32], out: &mut [f32]) {
        let columns = scales.iter().zip(bias).zip(sums);
        for (out, ((column, bias), &sum)) in out.iter_mut().zip(columns) {
            #[allow(clippy::cast_precision_loss, reason = "as precise as bytes are")]
            let sum = sum as f32;
            *out = sum * (scale * column) + bias;
        }
    }
}

/// As many rows as are multiplied together, if they are there.
fn whole(rows: &[[u8; DEPTH]], depth: usize) -> Option<[&[[u8; DEPTH]]; ROWS]> {
    (rows.len() == ROWS * depth).then(|| std::array::from_fn(|i| &rows[i * depth..][..depth]))
}

#[inline]
fn few_rows(rows: [&[[u8; DEPTH]]; ROWS], tiles: &[Tile], sums: &mut [[i32; COLUMNS]], stride: usize) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the processor has the instructions of its level.
    match level() {
        Level::Vnni => return unsafe { x86::few_rows_vnni(rows, tiles, sums, stride) },
        Level::Avx512 | Level::Avx2 => return unsafe { x86::few_rows_avx2(rows, tiles, sums, stride) },
        Level::Portable => {}
    }
    for (rows, sums) in rows.into_iter().zip(sums.chunks_mut(stride)) {
        portable(rows, tiles, &mut sums[0]);
    }
}

#[inline]
fn one_row(row: &[[u8; DEPTH]], tiles: &[Tile], sums: &mut [i32; COLUMNS]) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the processor has the instructions of its level.
    match level() {
        Level::Vnni => return unsafe { x86::one_row_vnni(row, tiles, sums) },
        Level::Avx512 | Level::Avx2 => return unsafe { x86::one_row_avx2(row, tiles, sums) },
        Level::Portable => {}
    }
    portable(row, tiles, sums);
}

fn portable(row: &[[u8; DEPTH]], tiles: &[Tile], sums: &mut [i32; COLUMNS]) {
    *sums = [0; COLUMNS];
    for (row, tile) in row.iter().zip(tiles) {
        for (sum, weights) in sums.iter_mut().zip(&tile.0) {
            for (&cell, &weight) in row.iter().zip(weights) {
                *sum += i32::from(cell) * i32::from(weight);
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __m256i, __m512i, _mm256_add_epi32, _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_set1_epi16,
        _mm256_set1_epi32, _mm256_setzero_si256, _mm512_dpbusd_epi32, _mm512_set1_epi32,
        _mm512_setzero_si512,
    };

    use super::{COLUMNS, DEPTH, ROWS, Tile};

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    pub(super) fn few_rows_vnni(
        rows: [&[[u8; DEPTH]]; ROWS],
        tiles: &[Tile],
        sums: &mut [[i32; COLUMNS]],
        stride: usize,
    ) {
        let mut totals = [_mm512_setzero_si512(); ROWS];
        let rows = rows.map(|row| &row[..tiles.len()]);
        for (i, tile) in tiles.iter().enumerate() {
            let tile: __m512i = bytemuck::cast(tile.0);
            for (total, row) in totals.iter_mut().zip(rows) {
                *total = _mm512_dpbusd_epi32(*total, _mm512_set1_epi32(i32::from_le_bytes(row[i])), tile);
            }
        }
        for (sums, total) in sums.chunks_mut(stride).zip(totals) {
            sums[0] = bytemuck::cast(total);
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    pub(super) fn one_row_vnni(row: &[[u8; DEPTH]], tiles: &[Tile], sums: &mut [i32; COLUMNS]) {
        let mut total = _mm512_setzero_si512();
        for (row, tile) in row.iter().zip(tiles) {
            let tile: __m512i = bytemuck::cast(tile.0);
            total = _mm512_dpbusd_epi32(total, _mm512_set1_epi32(i32::from_le_bytes(*row)), tile);
        }
        *sums = bytemuck::cast(total);
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn few_rows_avx2(
        rows: [&[[u8; DEPTH]]; ROWS],
        tiles: &[Tile],
        sums: &mut [[i32; COLUMNS]],
        stride: usize,
    ) {
        for (rows, sums) in rows.as_chunks::<4>().0.iter().zip(sums.chunks_mut(4 * stride)) {
            let mut totals = [[_mm256_setzero_si256(); 2]; 4];
            for (i, tile) in tiles.iter().enumerate() {
                for (totals, row) in totals.iter_mut().zip(rows) {
                    multiply(totals, row[i], tile);
                }
            }
            for (sums, totals) in sums.chunks_mut(stride).zip(totals) {
                sums[0] = bytemuck::cast(totals);
            }
        }
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn one_row_avx2(row: &[[u8; DEPTH]], tiles: &[Tile], sums: &mut [i32; COLUMNS]) {
        let mut totals = [_mm256_setzero_si256(); 2];
        for (row, tile) in row.iter().zip(tiles) {
            multiply(&mut totals, *row, tile);
        }
        *sums = bytemuck::cast(totals);
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn multiply(totals: &mut [__m256i; 2], row: [u8; DEPTH], tile: &Tile) {
        let row = _mm256_set1_epi32(i32::from_le_bytes(row));
        let halves: [__m256i; 2] = bytemuck::cast(tile.0);
        for (total, half) in totals.iter_mut().zip(halves) {
            let pairs = _mm256_maddubs_epi16(row, half);
            *total = _mm256_add_epi32(*total, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_equal_those_of_plain_loops() {
        for (n_rows, n_strips, depth) in [(1, 1, 1), (8, 2, 3), (19, 3, 5), (3, 1, 40), (0, 2, 2)] {
            let rows: Vec<[u8; DEPTH]> = (0..n_rows * depth)
                .map(|i| [i, i * 7, i * 31, 127].map(|x| u8::try_from(x % 128).unwrap()))
                .collect();
            let cell = |i: usize| i8::try_from(i % 255).unwrap_or(-127);
            let tiles: Vec<Tile> = (0..n_strips * depth)
                .map(|t| {
                    Tile(std::array::from_fn(|c| std::array::from_fn(|d| cell(t * 101 + c * 13 + d * 5))))
                })
                .collect();
            let mut sums = vec![[7; COLUMNS]; n_rows * n_strips];
            multiply_bytes(&rows, &tiles, depth, &mut sums);
            for (row, sums) in sums.chunks(n_strips).enumerate() {
                for (strip, sums) in sums.iter().enumerate() {
                    let mut slowly = [0; COLUMNS];
                    portable(&rows[row * depth..][..depth], &tiles[strip * depth..][..depth], &mut slowly);
                    assert_eq!(*sums, slowly);
                }
            }
        }
    }
}
