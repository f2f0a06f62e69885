//! Byte-counting loops for support vector machines: shared values of rows, and updates of the gradient.

use super::{Level, level};

/// Elements per chunk.
pub(crate) const CHUNK: usize = 64;

for_this_processor! {
    /// Adds columns to counters, all of the same length.
    fn add_columns(counts: &mut [u8], columns: &[&[u8]]) {
        const BLOCK: usize = 256;
        let (blocks, rest) = counts.as_chunks_mut::<BLOCK>();
        let n = blocks.len() * BLOCK;
        for (block, counts) in blocks.iter_mut().enumerate() {
            let mut held = *counts;
            for column in columns {
                let cells: &[u8; BLOCK] = column[block * BLOCK..].first_chunk().expect("columns are whole");
                for (count, cell) in held.iter_mut().zip(cells) {
                    *count = count.wrapping_add(*cell);
                }
            }
            *counts = held;
        }
        for column in columns {
            for (count, cell) in rest.iter_mut().zip(&column[n..]) {
                *count = count.wrapping_add(*cell);
            }
        }
    }
}

for_this_processor! {
    /// Subtracts from every value the table entries of its two codes.
    fn descend(values: &mut [f64], codes: [&[u8]; 2], tables: [&[f64; 256]; 2]) {
        let [first, second] = tables;
        for ((value, &a), &b) in values.iter_mut().zip(codes[0]).zip(codes[1]) {
            *value -= first[usize::from(a)] + second[usize::from(b)];
        }
    }
}

for_this_processor! {
    /// Per chunk, the highest of the values that can go up and the lowest of those that can go down.
    fn extremes(values: &[f64], masks: [&[u8]; 2], highest: &mut [f64], lowest: &mut [f64]) {
        let ends = highest.iter_mut().zip(lowest);
        let chunks = values.chunks(CHUNK).zip(masks[0].chunks(CHUNK)).zip(masks[1].chunks(CHUNK));
        for (((values, up), down), (highest, lowest)) in chunks.zip(ends) {
            let mut highs = [f64::NEG_INFINITY; 8];
            let mut lows = [f64::INFINITY; 8];
            let (values, values_rest) = values.as_chunks::<8>();
            let (up, up_rest) = up.as_chunks::<8>();
            let (down, down_rest) = down.as_chunks::<8>();
            for ((values, up), down) in values.iter().zip(up).zip(down) {
                for lane in 0..8 {
                    let high = if up[lane] != 0 { values[lane] } else { f64::NEG_INFINITY };
                    highs[lane] = if high > highs[lane] { high } else { highs[lane] };
                    let low = if down[lane] != 0 { values[lane] } else { f64::INFINITY };
                    lows[lane] = if low < lows[lane] { low } else { lows[lane] };
                }
            }
            for ((&value, &up), &down) in values_rest.iter().zip(up_rest).zip(down_rest) {
                if up != 0 {
                    highs[0] = highs[0].max(value);
                }
                if down != 0 {
                    lows[0] = lows[0].min(value);
                }
            }
            *highest = highs.into_iter().fold(f64::NEG_INFINITY, f64::max);
            *lowest = lows.into_iter().fold(f64::INFINITY, f64::min);
        }
    }
}

for_this_processor! {
    /// Adds rows of a table to sums, in order; a row has one number per sum.
    fn add_rows(sums: &mut [f64], table: &[f64], rows: &[u32]) {
        const BLOCK: usize = 64;
        let width = sums.len();
        let (blocks, rest) = sums.as_chunks_mut::<BLOCK>();
        let n = blocks.len() * BLOCK;
        for (block, sums) in blocks.iter_mut().enumerate() {
            let mut held = *sums;
            for &row in rows {
                let cells = table[row as usize * width + block * BLOCK..].first_chunk::<BLOCK>();
                for (sum, cell) in held.iter_mut().zip(cells.expect("rows are whole")) {
                    *sum += cell;
                }
            }
            *sums = held;
        }
        for &row in rows {
            for (sum, cell) in rest.iter_mut().zip(&table[row as usize * width + n..]) {
                *sum += cell;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_added_to_sums() {
        for width in [0u16, 5, 64, 150] {
            let table: Vec<f64> = (0..4 * width).map(f64::from).collect();
            let mut sums = vec![1.0; usize::from(width)];
            add_rows(&mut sums, &table, &[3, 0, 3]);
            for (found, cell) in sums.into_iter().zip(0..width) {
                assert!((found - f64::from(1 + 6 * width + 3 * cell)).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn extremes_are_those_of_what_can_move() {
        let values: Vec<f64> = (0..150u8).map(|i| f64::from(i.wrapping_mul(37))).collect();
        let up: Vec<u8> = (0..150u8).map(|i| u8::from(i % 3 == 1)).collect();
        let down: Vec<u8> = (0..150u8).map(|i| u8::from(i % 7 == 0 && i < 128)).collect();
        let (mut highest, mut lowest) = (vec![0.0; 3], vec![0.0; 3]);
        extremes(&values, [&up, &down], &mut highest, &mut lowest);
        for chunk in 0..3 {
            let members =
                || (chunk * CHUNK..150.min((chunk + 1) * CHUNK)).map(|i| (values[i], up[i], down[i]));
            let high = members().filter(|of| of.1 > 0).fold(f64::NEG_INFINITY, |high, of| high.max(of.0));
            let low = members().filter(|of| of.2 > 0).fold(f64::INFINITY, |low, of| low.min(of.0));
            assert_eq!((highest[chunk].to_bits(), lowest[chunk].to_bits()), (high.to_bits(), low.to_bits()));
        }
    }
}
