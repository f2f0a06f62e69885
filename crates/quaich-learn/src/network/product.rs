//! Matrix products on flat arrays, row by row.
//!
//! This is the crate's only module with `unsafe` code: the product's library takes pointers.

#![allow(unsafe_code, reason = "matrixmultiply takes pointers; the lengths are checked here")]

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
