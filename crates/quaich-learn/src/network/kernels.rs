//! The inner loops: matrix products for training, sums of rows for parsing.
//!
//! This is the crate's only module with `unsafe` code: code for newer processors may only be called
//! on them. Nearly everything is written once, in plain Rust, and compiled for each; sums are of
//! whole numbers or made in one order, so all give the same.

#![allow(unsafe_code, reason = "the processor is known before each call")]

use std::sync::OnceLock;

use bytemuck::{Pod, Zeroable};

use super::adam::{FIRST, SECOND, Step};

/// Hidden units that are summed at a time.
pub const BLOCK: usize = 64;

/// A cache line of cells: what one row has for the hidden units of one block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct Cells(pub [i8; BLOCK]);

/// Hidden units are cut off here, which keeps the scores within 32 bits.
pub(super) const HIGHEST: i16 = 4095;

/// What the processor can do, as far as it matters here.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Level {
    /// What every processor can.
    Portable,
    /// The 256-bit instructions of x86-64.
    Avx2,
    /// The 512-bit ones.
    Avx512,
}

/// What this processor can do; less if `QUAICH_PORTABLE` is set, for those who want to see that it
/// makes no difference.
#[inline]
pub(super) fn level() -> Level {
    static LEVEL: OnceLock<Level> = OnceLock::new();
    *LEVEL.get_or_init(|| {
        if std::env::var_os("QUAICH_PORTABLE").is_some() {
            return Level::Portable;
        }
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vl") {
                return Level::Avx512;
            }
            if is_x86_feature_detected!("avx2") {
                return Level::Avx2;
            }
        }
        Level::Portable
    })
}

/// Compiles a function for the processors that most computers have as well as for all, and calls
/// the one that fits. No instruction that rounds otherwise is let in.
macro_rules! for_this_processor {
    ($(#[$doc:meta])* fn $name:ident($($argument:ident: $type:ty),*) $body:block) => {
        $(#[$doc])*
        #[inline]
        pub(super) fn $name($($argument: $type),*) {
            #[inline(always)]
            #[allow(clippy::inline_always, reason = "it is to be compiled for its caller's processor")]
            fn portable($($argument: $type),*) $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
                fn avx512($($argument: $type),*) {
                    portable($($argument),*);
                }

                #[target_feature(enable = "avx2")]
                fn avx2($($argument: $type),*) {
                    portable($($argument),*);
                }

                // SAFETY: the processor has the instructions of its level.
                match level() {
                    Level::Avx512 => return unsafe { avx512($($argument),*) },
                    Level::Avx2 => return unsafe { avx2($($argument),*) },
                    Level::Portable => {}
                }
            }
            portable($($argument),*);
        }
    };
}

for_this_processor! {
    /// The hidden units for the sum of some rows, found where each begins in two areas.
    fn hidden_units(bias: &[i16], areas: [(&[Cells], &[u32]); 2], units: &mut [i16]) {
        let (blocks, _) = units.as_chunks_mut::<BLOCK>();
        let (biases, _) = bias.as_chunks::<BLOCK>();
        for (block, (units, bias)) in blocks.iter_mut().zip(biases).enumerate() {
            let mut sums = *bias;
            for (area, starts) in areas {
                for &start in starts {
                    for (sum, &cell) in sums.iter_mut().zip(&area[start as usize + block].0) {
                        *sum = sum.wrapping_add(i16::from(cell));
                    }
                }
            }
            for (unit, sum) in units.iter_mut().zip(sums) {
                *unit = sum.clamp(0, HIGHEST);
            }
        }
    }
}

/// Classes whose scores are summed side by side.
pub const LANES: usize = 16;

/// The weights of two neighbouring hidden units for a group of classes.
pub type Pairs = [[i16; 2]; LANES];

/// The score of every class. `output` has, for each group of classes, the weights of all pairs of
/// hidden units.
#[inline]
pub(super) fn class_scores(output: &[Pairs], bias: &[i32], units: &[i16], scores: &mut [i32]) {
    let (units, _) = units.as_chunks::<2>();
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the processor has the instructions of its level.
    match level() {
        Level::Avx512 => return unsafe { x86::class_scores_avx512(output, bias, units, scores) },
        Level::Avx2 => return unsafe { x86::class_scores_avx2(output, bias, units, scores) },
        Level::Portable => {}
    }
    class_scores_portable(output, bias, units, scores);
}

fn class_scores_portable(output: &[Pairs], bias: &[i32], units: &[[i16; 2]], scores: &mut [i32]) {
    let groups = scores.chunks_mut(LANES).zip(bias.chunks(LANES)).zip(output.chunks_exact(units.len()));
    for ((scores, bias), weights) in groups {
        let mut sums = [0i32; LANES];
        for (pairs, unit) in weights.iter().zip(units) {
            let [first, second] = unit.map(i32::from);
            for (sum, pair) in sums.iter_mut().zip(pairs) {
                *sum = sum.wrapping_add(i32::from(pair[0]) * first + i32::from(pair[1]) * second);
            }
        }
        for ((score, bias), sum) in scores.iter_mut().zip(bias).zip(sums) {
            *score = sum.wrapping_add(*bias);
        }
    }
}

/// Two units times two weights, for all classes of a register, is one instruction, which compilers
/// do not find.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __m256i, __m512i, _mm256_add_epi32, _mm256_madd_epi16, _mm256_set1_epi32, _mm256_setzero_si256,
        _mm512_add_epi32, _mm512_madd_epi16, _mm512_set1_epi32, _mm512_setzero_si512,
    };

    use super::{LANES, Pairs};

    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn class_scores_avx512(
        output: &[Pairs],
        bias: &[i32],
        units: &[[i16; 2]],
        scores: &mut [i32],
    ) {
        let groups = scores.chunks_mut(LANES).zip(bias.chunks(LANES)).zip(output.chunks_exact(units.len()));
        for ((scores, bias), weights) in groups {
            // Four sums, so that none has to wait for the one before.
            let mut sums = [_mm512_setzero_si512(); 4];
            for (weights, units) in weights.as_chunks::<4>().0.iter().zip(units.as_chunks::<4>().0) {
                for ((sum, &weights), &unit) in sums.iter_mut().zip(weights).zip(units) {
                    let weights: __m512i = bytemuck::cast(weights);
                    let unit = _mm512_set1_epi32(bytemuck::cast(unit));
                    *sum = _mm512_add_epi32(*sum, _mm512_madd_epi16(weights, unit));
                }
            }
            let [a, b, c, d] = sums;
            let sums = _mm512_add_epi32(_mm512_add_epi32(a, b), _mm512_add_epi32(c, d));
            let sums: [i32; LANES] = bytemuck::cast(sums);
            for ((score, bias), sum) in scores.iter_mut().zip(bias).zip(sums) {
                *score = sum.wrapping_add(*bias);
            }
        }
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn class_scores_avx2(output: &[Pairs], bias: &[i32], units: &[[i16; 2]], scores: &mut [i32]) {
        let groups = scores.chunks_mut(LANES).zip(bias.chunks(LANES)).zip(output.chunks_exact(units.len()));
        for ((scores, bias), weights) in groups {
            let mut sums = [[_mm256_setzero_si256(); 2]; 2];
            for (weights, units) in weights.as_chunks::<2>().0.iter().zip(units.as_chunks::<2>().0) {
                for ((sums, &weights), &unit) in sums.iter_mut().zip(weights).zip(units) {
                    let weights: [__m256i; 2] = bytemuck::cast(weights);
                    let unit = _mm256_set1_epi32(bytemuck::cast(unit));
                    for (sum, weights) in sums.iter_mut().zip(weights) {
                        *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(weights, unit));
                    }
                }
            }
            let [[a, b], [c, d]] = sums;
            let sums: [i32; LANES] = bytemuck::cast([_mm256_add_epi32(a, c), _mm256_add_epi32(b, d)]);
            for ((score, bias), sum) in scores.iter_mut().zip(bias).zip(sums) {
                *score = sum.wrapping_add(*bias);
            }
        }
    }
}

for_this_processor! {
    /// Writes the sum of some rows to `out`, cut off at what eight bits hold.
    fn add(rows: &[&[Cells]], out: &mut [Cells]) {
        for (block, out) in out.iter_mut().enumerate() {
            let mut sums = [0i16; BLOCK];
            for row in rows {
                for (sum, &cell) in sums.iter_mut().zip(&row[block].0) {
                    *sum = sum.wrapping_add(i16::from(cell));
                }
            }
            for (out, sum) in out.0.iter_mut().zip(sums) {
                #[allow(clippy::cast_possible_truncation, reason = "cut off before")]
                let cell = sum.clamp(-128, 127) as i8;
                *out = cell;
            }
        }
    }
}

for_this_processor! {
    /// Adds some rows to `sums`, in their order.
    fn accumulate(sums: &mut [f32], rows: &[&[f32]]) {
        let (blocks, rest) = sums.as_chunks_mut::<32>();
        let n = blocks.len() * 32;
        for (block, sums) in blocks.iter_mut().enumerate() {
            let mut held = *sums;
            for row in rows {
                let cells: &[f32; 32] = row[block * 32..].first_chunk().expect("rows have all cells");
                for (sum, cell) in held.iter_mut().zip(cells) {
                    *sum += cell;
                }
            }
            *sums = held;
        }
        for row in rows {
            for (sum, cell) in rest.iter_mut().zip(&row[n..]) {
                *sum += cell;
            }
        }
    }
}

for_this_processor! {
    /// Adds each row of `rows` to that row of `sums` which `places` says.
    fn scatter(sums: &mut [f32], places: &[u32], rows: &[f32], width: usize) {
        for (&place, row) in places.iter().zip(rows.chunks_exact(width)) {
            for (sum, cell) in sums[place as usize * width..][..width].iter_mut().zip(row) {
                *sum += cell;
            }
        }
    }
}

for_this_processor! {
    /// One step of Adam (Kingma and Ba 2015); see [`Step`].
    fn adam(weights: &mut [f32], first: &mut [f32], second: &mut [f32], gradient: &[f32], step: Step) {
        let moments = first.iter_mut().zip(second);
        for ((weight, (first, second)), gradient) in weights.iter_mut().zip(moments).zip(gradient) {
            *first = FIRST * *first + (1.0 - FIRST) * gradient;
            *second = SECOND * *second + (1.0 - SECOND) * gradient * gradient;
            let change = *first * step.short_first / ((*second * step.short_second).sqrt() + 1e-8);
            *weight -= step.rate * change + step.decay * *weight;
        }
    }
}

/// How a matrix is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Turn {
    /// As it lies in memory.
    Plain,
    /// With rows and columns exchanged.
    Transposed,
}

/// Rows and columns of a product that are worked out together: as many sums as registers hold.
const ROWS: usize = 6;
const COLUMNS: usize = 16;

/// Writes the product of an `m`×`k` and a `k`×`n` matrix to `out`, which is `m`×`n`. The sizes are
/// those after turning.
///
/// Every cell is summed from the first product to the last and no two steps are made one, so that
/// the result is the same on every processor.
#[allow(clippy::many_single_char_names, reason = "the names every book has")]
pub(super) fn multiply(
    (m, k, n): (usize, usize, usize),
    (a, turn_a): (&[f32], Turn),
    (b, turn_b): (&[f32], Turn),
    out: &mut [f32],
) {
    assert_eq!(a.len(), m * k, "the left matrix has m × k cells");
    assert_eq!(b.len(), k * n, "the right matrix has k × n cells");
    assert_eq!(out.len(), m * n, "the product has m × n cells");
    if k == 0 {
        out.fill(0.0);
        return;
    }
    let strips = strips(b, (n, k), turn_b);
    for row in (0..m).step_by(ROWS) {
        let last;
        let (left, turn) = if m - row < ROWS {
            last = last_rows(a, (m, k), turn_a, row);
            (&last[..], Turn::Plain)
        } else if turn_a == Turn::Plain {
            (&a[row * k..], turn_a)
        } else {
            (a, turn_a)
        };
        for (column, strip) in (0..n).step_by(COLUMNS).zip(strips.chunks_exact(k)) {
            let mut sums = [[0.0; COLUMNS]; ROWS];
            match turn {
                Turn::Plain => product_of_rows(left, strip, &mut sums),
                Turn::Transposed => product_of_columns(left, m, row, strip, &mut sums),
            }
            for (out, sums) in out[row * n..].chunks_mut(n).zip(&sums) {
                // Of a known length nearly always, which is copied without a call.
                match out[column..].first_chunk_mut() {
                    Some(out) => *out = *sums,
                    None => out[column..].copy_from_slice(&sums[..n - column]),
                }
            }
        }
    }
}

/// A matrix of `n` columns cut into strips of a few columns, each strip row after row; the last one
/// filled up with zeros.
fn strips(matrix: &[f32], (n, k): (usize, usize), turn: Turn) -> Vec<[f32; COLUMNS]> {
    let mut strips = vec![[0.0; COLUMNS]; n.div_ceil(COLUMNS) * k];
    for (strip, column) in strips.chunks_exact_mut(k).zip((0..n).step_by(COLUMNS)) {
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
    strips
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
    /// Adds the product of the first rows of a matrix, each as long as the strip, with the strip.
    fn product_of_rows(left: &[f32], strip: &[[f32; COLUMNS]], sums: &mut [[f32; COLUMNS]; ROWS]) {
        let row = |i: usize| left[i * strip.len()..][..strip.len()].iter();
        let lefts = row(0).zip(row(1)).zip(row(2)).zip(row(3)).zip(row(4)).zip(row(5));
        // By name, because compilers leave an array of rows in memory.
        let [mut first, mut second, mut third, mut fourth, mut fifth, mut sixth] = *sums;
        for ((((((l1, l2), l3), l4), l5), l6), right) in lefts.zip(strip) {
            add_multiple(&mut first, *l1, right);
            add_multiple(&mut second, *l2, right);
            add_multiple(&mut third, *l3, right);
            add_multiple(&mut fourth, *l4, right);
            add_multiple(&mut fifth, *l5, right);
            add_multiple(&mut sixth, *l6, right);
        }
        *sums = [first, second, third, fourth, fifth, sixth];
    }
}

for_this_processor! {
    /// Adds the product of some columns of a matrix, which has `m`, with the strip.
    fn product_of_columns(
        left: &[f32],
        m: usize,
        column: usize,
        strip: &[[f32; COLUMNS]],
        sums: &mut [[f32; COLUMNS]; ROWS]
    ) {
        let [mut first, mut second, mut third, mut fourth, mut fifth, mut sixth] = *sums;
        for (left, right) in left.chunks_exact(m).zip(strip) {
            let Some(left) = left[column..].first_chunk::<ROWS>() else { return };
            add_multiple(&mut first, left[0], right);
            add_multiple(&mut second, left[1], right);
            add_multiple(&mut third, left[2], right);
            add_multiple(&mut fourth, left[3], right);
            add_multiple(&mut fifth, left[4], right);
            add_multiple(&mut sixth, left[5], right);
        }
        *sums = [first, second, third, fourth, fifth, sixth];
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
    fn scores_equal_those_of_plain_loops() {
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_le_bytes()[3].cast_signed()
        };
        let rows: Vec<[Cells; 3]> =
            (0..40).map(|_| [0; 3].map(|_| Cells([0; BLOCK].map(|_| next())))).collect();
        let rows: Vec<&[Cells]> = rows.iter().map(<[Cells; 3]>::as_slice).collect();
        let bias: Vec<i16> = (0..192).map(|_| i16::from(next()) * 3).collect();
        let mut small = || i16::from(next()) * 15;
        let output: Vec<Pairs> = (0..96 * 2).map(|_| [0; LANES].map(|_| [small(), small()])).collect();
        let output_bias: Vec<i32> = (0..19).map(|_| i32::from(next()) * 1000).collect();
        let (mut units, mut scores) = ([0; 192], [0; 19]);
        let areas = [rows[..30].concat(), rows[30..].concat()];
        let starts: Vec<u32> = (0..30).map(|row| row * 3).collect();
        let areas = [(&areas[0][..], &starts[..]), (&areas[1][..], &starts[..10])];
        hidden_units(&bias, areas, &mut units);
        class_scores(&output, &output_bias, &units, &mut scores);
        let cell = |row: &[Cells], i: usize| i32::from(row[i / BLOCK].0[i % BLOCK]);
        let sum_of = |rows: &[&[Cells]], i: usize| rows.iter().map(|row| cell(row, i)).sum::<i32>();
        let slowly: Vec<i32> = (0..19)
            .map(|class| {
                let products = (0..192).map(|i| {
                    let unit = (i32::from(bias[i]) + sum_of(&rows, i)).clamp(0, i32::from(HIGHEST));
                    unit * i32::from(output[class / LANES * 96 + i / 2][class % LANES][i % 2])
                });
                output_bias[class] + products.sum::<i32>()
            })
            .collect();
        assert_eq!(scores[..], slowly);
        let pairs = units.as_chunks().0;
        class_scores_portable(&output, &output_bias, pairs, &mut scores);
        assert_eq!(scores[..], slowly);
        #[cfg(target_arch = "x86_64")]
        if level() >= Level::Avx2 {
            scores.fill(0);
            // SAFETY: the processor has the instructions.
            unsafe { x86::class_scores_avx2(&output, &output_bias, pairs, &mut scores) };
            assert_eq!(scores[..], slowly);
        }
        let mut sums = [Cells([0; BLOCK]); 3];
        add(&rows[..3], &mut sums);
        let slowly: Vec<i32> = (0..192).map(|i| sum_of(&rows[..3], i).clamp(-128, 127)).collect();
        assert_eq!((0..192).map(|i| cell(&sums, i)).collect::<Vec<_>>(), slowly);
        assert!(slowly.contains(&127) && slowly.contains(&-128));
    }

    #[test]
    fn rows_are_added_in_their_order() {
        let rows: Vec<Vec<f32>> =
            (0u8..9).map(|r| (0u8..75).map(|i| f32::from(i ^ r) * 0.3).collect()).collect();
        let rows: Vec<&[f32]> = rows.iter().map(Vec::as_slice).collect();
        let mut sums = vec![0.5; 75];
        accumulate(&mut sums, &rows);
        let mut scattered = vec![0.0; 3 * 75];
        scatter(&mut scattered, &[2, 0, 2, 2], &rows[..4].concat(), 75);
        for i in 0..75 {
            let slowly = rows.iter().fold(0.5f32, |sum, row| sum + row[i]);
            assert_eq!(sums[i].to_bits(), slowly.to_bits());
            let slowly = [0, 2, 3].iter().fold(0.0f32, |sum, &r| sum + rows[r][i]);
            assert_eq!(scattered[150 + i].to_bits(), slowly.to_bits());
            assert_eq!(scattered[75 + i].to_bits(), 0);
        }
    }

    #[test]
    fn products_equal_those_of_plain_loops() {
        let numbers = |n: usize, seed: usize| -> Vec<f32> {
            (0..n).map(|i| f32::from(u8::try_from((i * 37 + seed) % 11).unwrap()) - 5.0).collect()
        };
        for (m, k, n) in [(1, 1, 1), (3, 5, 7), (8, 1, 9), (17, 33, 4), (2, 0, 3)] {
            for turn_a in [Turn::Plain, Turn::Transposed] {
                for turn_b in [Turn::Plain, Turn::Transposed] {
                    let (a, b) = (numbers(m * k, 1), numbers(k * n, 4));
                    let mut out = vec![1.0; m * n];
                    multiply((m, k, n), (&a, turn_a), (&b, turn_b), &mut out);
                    // Small whole numbers: exact in any order of summation.
                    assert_eq!(out, slowly((m, k, n), (&a, turn_a), (&b, turn_b)));
                }
            }
        }
    }
}
