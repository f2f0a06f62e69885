//! The inner loops: matrix products for training, sums of rows for parsing.
//!
//! This is the crate's only module with `unsafe` code: the product's library takes pointers, and
//! code for newer processors may only be called on them. The sums are written once, in plain Rust,
//! and compiled twice; they are of whole numbers, so both give the same.

#![allow(unsafe_code, reason = "lengths and processor are checked before each call")]

/// Hidden units that are summed at a time.
pub(super) const BLOCK: usize = 64;

/// Hidden units are cut off here, which keeps the scores within 32 bits.
pub(super) const HIGHEST: i16 = 4095;

/// A layer of hidden units and the classes above it; see [`Frozen`](super::Frozen).
#[derive(Clone, Copy)]
pub(super) struct Layers<'a> {
    pub(super) bias: &'a [i16],
    pub(super) output: &'a [i16],
    pub(super) output_bias: &'a [i32],
}

/// The score of every class for the sum of some rows.
#[inline]
pub(super) fn score(layers: Layers<'_>, rows: &[&[i8]], units: &mut [i16], scores: &mut [i32]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has the instructions.
        unsafe { score_avx2(layers, rows, units, scores) };
        return;
    }
    score_portable(layers, rows, units, scores);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn score_avx2(layers: Layers<'_>, rows: &[&[i8]], units: &mut [i16], scores: &mut [i32]) {
    score_portable(layers, rows, units, scores);
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "it is to be compiled for its caller's processor")]
fn score_portable(layers: Layers<'_>, rows: &[&[i8]], units: &mut [i16], scores: &mut [i32]) {
    let hidden = layers.bias.len();
    let (blocks, _) = units[..hidden].as_chunks_mut::<BLOCK>();
    let (biases, _) = layers.bias.as_chunks::<BLOCK>();
    for (block, (units, bias)) in blocks.iter_mut().zip(biases).enumerate() {
        let mut sums = *bias;
        for row in rows {
            let cells: &[i8; BLOCK] = row[block * BLOCK..].first_chunk().expect("rows have all cells");
            for (sum, &cell) in sums.iter_mut().zip(cells) {
                *sum = sum.wrapping_add(i16::from(cell));
            }
        }
        for (unit, sum) in units.iter_mut().zip(sums) {
            *unit = sum.clamp(0, HIGHEST);
        }
    }
    let units = &units[..hidden];
    for ((score, &bias), weights) in
        scores.iter_mut().zip(layers.output_bias).zip(layers.output.chunks_exact(hidden))
    {
        let mut sum = bias;
        for (&weight, &unit) in weights.iter().zip(units) {
            sum = sum.wrapping_add(i32::from(weight) * i32::from(unit));
        }
        *score = sum;
    }
}

/// Writes the sum of some rows to `out`, cut off at what eight bits hold.
#[inline]
pub(super) fn add(rows: &[&[i8]], out: &mut [i8]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has the instructions.
        unsafe { add_avx2(rows, out) };
        return;
    }
    add_portable(rows, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn add_avx2(rows: &[&[i8]], out: &mut [i8]) {
    add_portable(rows, out);
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "it is to be compiled for its caller's processor")]
fn add_portable(rows: &[&[i8]], out: &mut [i8]) {
    let (blocks, _) = out.as_chunks_mut::<BLOCK>();
    for (block, out) in blocks.iter_mut().enumerate() {
        let mut sums = [0i16; BLOCK];
        for row in rows {
            let cells: &[i8; BLOCK] = row[block * BLOCK..].first_chunk().expect("rows have all cells");
            for (sum, &cell) in sums.iter_mut().zip(cells) {
                *sum = sum.wrapping_add(i16::from(cell));
            }
        }
        for (out, sum) in out.iter_mut().zip(sums) {
            #[allow(clippy::cast_possible_truncation, reason = "cut off before")]
            let cell = sum.clamp(-128, 127) as i8;
            *out = cell;
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

/// Writes the product of an `m`×`k` and a `k`×`n` matrix to `out`, which is `m`×`n`. The sizes are
/// those after turning.
pub(super) fn multiply(
    (m, k, n): (usize, usize, usize),
    (a, turn_a): (&[f32], Turn),
    (b, turn_b): (&[f32], Turn),
    out: &mut [f32],
) {
    assert_eq!(a.len(), m * k, "the left matrix has m × k cells");
    assert_eq!(b.len(), k * n, "the right matrix has k × n cells");
    assert_eq!(out.len(), m * n, "the product has m × n cells");
    if out.is_empty() {
        return;
    }
    if k == 0 {
        out.fill(0.0);
        return;
    }
    let stride = |turn: Turn, rows: usize, columns: usize| {
        let (row, column) = match turn {
            Turn::Plain => (columns, 1),
            Turn::Transposed => (1, rows),
        };
        (row.cast_signed(), column.cast_signed())
    };
    let (row_a, column_a) = stride(turn_a, m, k);
    let (row_b, column_b) = stride(turn_b, k, n);
    // SAFETY: with these strides every cell read lies below m × k in `a` and below k × n in `b`, and
    // every cell written below m × n in `out`; the lengths were checked above. `out` is borrowed
    // mutably, so it overlaps neither.
    unsafe {
        matrixmultiply::sgemm(
            m,
            k,
            n,
            1.0,
            a.as_ptr(),
            row_a,
            column_a,
            b.as_ptr(),
            row_b,
            column_b,
            0.0,
            out.as_mut_ptr(),
            n.cast_signed(),
            1,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The product by three loops.
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
    fn every_processor_gives_the_same_scores() {
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_le_bytes()[3].cast_signed()
        };
        let rows: Vec<Vec<i8>> = (0..40).map(|_| (0..192).map(|_| next()).collect()).collect();
        let rows: Vec<&[i8]> = rows.iter().map(Vec::as_slice).collect();
        let bias: Vec<i16> = (0..192).map(|_| i16::from(next()) * 3).collect();
        let output: Vec<i16> = (0..192 * 7).map(|_| i16::from(next()) * 15).collect();
        let output_bias: Vec<i32> = (0..7).map(|_| i32::from(next()) * 1000).collect();
        let layers = Layers { bias: &bias, output: &output, output_bias: &output_bias };
        let (mut units, mut fast, mut plain) = ([0; 192], [0; 7], [0; 7]);
        score(layers, &rows, &mut units, &mut fast);
        score_portable(layers, &rows, &mut units, &mut plain);
        assert_eq!(fast, plain);
        let (mut fast, mut plain) = ([0; 192], [1; 192]);
        add(&rows[..3], &mut fast);
        add_portable(&rows[..3], &mut plain);
        assert_eq!(fast, plain);
        assert!(fast.contains(&127) && fast.contains(&-128));
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
