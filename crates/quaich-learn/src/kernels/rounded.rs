//! Sums of quantised rows and the scores of classes for inference, with integer arithmetic.

use bytemuck::{Pod, Zeroable};

use super::{Level, level};

/// Hidden units that are summed together.
pub const BLOCK: usize = 64;

/// A cache line of cells: one row's values for the hidden units of one block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct Cells(pub [i8; BLOCK]);

/// The maximum of a hidden unit, which keeps scores within 32 bits.
pub(crate) const HIGHEST: i16 = 4095;

for_this_processor! {
    /// Computes the hidden units for the sum of some rows, given by their starts in two areas.
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

for_this_processor! {
    /// Computes the hidden units for the sum of some rows of sixteen-bit cells, given by their starts: those of words in `projections`,
    /// the others in `rows`.
    fn hidden_units_of_cells(projections: &[i16], words: &[usize], own: &[i16], rows: &[u32], units: &mut [i16]) {
        let (blocks, _) = units.as_chunks_mut::<BLOCK>();
        for (block, units) in blocks.iter_mut().enumerate() {
            let mut sums = [0i16; BLOCK];
            let mut add = |area: &[i16], start: usize| {
                let cells = area[start + block * BLOCK..].first_chunk::<BLOCK>().expect("rows are whole");
                for (sum, &cell) in sums.iter_mut().zip(cells) {
                    *sum = sum.saturating_add(cell);
                }
            };
            for &start in words {
                add(projections, start);
            }
            for &start in rows {
                add(own, start as usize);
            }
            for (unit, sum) in units.iter_mut().zip(sums) {
                *unit = sum.clamp(0, HIGHEST);
            }
        }
    }
}

/// Classes whose scores are summed together.
pub const LANES: usize = 16;

/// The weights of two neighbouring hidden units for a group of classes.
pub type Pairs = [[i16; 2]; LANES];

/// Computes the score of every class. `output` has, for each group of classes, the weights of all pairs of hidden units.
#[inline]
pub(crate) fn class_scores(output: &[Pairs], bias: &[i32], units: &[i16], scores: &mut [i32]) {
    let (units, _) = units.as_chunks::<2>();
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the processor has the instructions of its level.
    match level() {
        Level::Vnni | Level::Avx512 => {
            return unsafe { x86::class_scores_avx512(output, bias, units, scores) };
        }
        Level::Avx2 => return unsafe { x86::class_scores_avx2(output, bias, units, scores) },
        Level::Portable => {}
    }
    class_scores_portable(output, bias, units, scores);
}

/// With at most this many classes, weights are stored class by class: in groups most lanes would be empty.
pub(crate) const FEW: usize = 4;

/// Computes the scores of at most [`FEW`] classes. `weights` has, for each class, those of all hidden units.
#[inline]
pub(crate) fn few_class_scores(weights: &[i16], bias: &[i32], units: &[i16], scores: &mut [i32]) {
    assert_eq!(weights.len(), FEW * units.len(), "one weight per class and unit");
    let sums = few_class_sums(weights, units);
    for ((score, bias), sum) in scores.iter_mut().zip(bias).zip(sums) {
        *score = sum.wrapping_add(*bias);
    }
}

#[inline]
fn few_class_sums(weights: &[i16], units: &[i16]) -> [i32; FEW] {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the processor has the instructions of its level.
    match level() {
        Level::Vnni | Level::Avx512 => return unsafe { x86::few_class_sums_avx512(weights, units) },
        Level::Avx2 => return unsafe { x86::few_class_sums_avx2(weights, units) },
        Level::Portable => {}
    }
    few_class_sums_portable(weights, units)
}

#[inline]
fn few_class_sums_portable(weights: &[i16], units: &[i16]) -> [i32; FEW] {
    std::array::from_fn(|class| {
        let of_class = &weights[class * units.len()..][..units.len()];
        let products = of_class.iter().zip(units).map(|(&weight, &unit)| i32::from(weight) * i32::from(unit));
        products.fold(0, i32::wrapping_add)
    })
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

/// Multiplying two units by two weights, for all classes of a register, is one instruction that compilers do not generate.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __m256i, __m512i, _mm256_add_epi32, _mm256_madd_epi16, _mm256_set1_epi32, _mm256_setzero_si256,
        _mm512_add_epi32, _mm512_madd_epi16, _mm512_set1_epi32, _mm512_setzero_si512, _mm512_unpackhi_epi32,
        _mm512_unpackhi_epi64, _mm512_unpacklo_epi32, _mm512_unpacklo_epi64,
    };

    use super::{FEW, LANES, Pairs};

    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn few_class_sums_avx512(weights: &[i16], units: &[i16]) -> [i32; FEW] {
        let (units, _) = units.as_chunks::<{ 2 * LANES }>();
        let (weights, _) = weights.as_chunks::<{ 2 * LANES }>();
        let mut sums = [_mm512_setzero_si512(); FEW];
        for (sum, weights) in sums.iter_mut().zip(weights.chunks_exact(units.len().max(1))) {
            for (&weights, &units) in weights.iter().zip(units) {
                let products = _mm512_madd_epi16(bytemuck::cast(weights), bytemuck::cast(units));
                *sum = _mm512_add_epi32(*sum, products);
            }
        }
        // Sums of every fourth lane of each class, side by side in each quarter.
        let [a, b, c, d] = sums;
        let ab = _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
        let cd = _mm512_add_epi32(_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
        let all = _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
        let [a, b, c, d]: [[i32; FEW]; 4] = bytemuck::cast(all);
        std::array::from_fn(|class| {
            a[class].wrapping_add(b[class]).wrapping_add(c[class]).wrapping_add(d[class])
        })
    }

    /// The plain loop, compiled for the processor.
    #[target_feature(enable = "avx2")]
    pub(super) fn few_class_sums_avx2(weights: &[i16], units: &[i16]) -> [i32; FEW] {
        super::few_class_sums_portable(weights, units)
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn class_scores_avx512(
        output: &[Pairs],
        bias: &[i32],
        units: &[[i16; 2]],
        scores: &mut [i32],
    ) {
        let groups = scores.chunks_mut(LANES).zip(bias.chunks(LANES)).zip(output.chunks_exact(units.len()));
        for ((scores, bias), weights) in groups {
            // Four sums, for instruction-level parallelism.
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
    /// Writes the sum of some rows, given by their starts, to `out`, clipped to eight bits.
    fn add(rows: &[Cells], starts: &[u32], out: &mut [Cells]) {
        for (block, out) in out.iter_mut().enumerate() {
            let mut sums = [0i16; BLOCK];
            for &start in starts {
                for (sum, &cell) in sums.iter_mut().zip(&rows[start as usize + block].0) {
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

#[cfg(test)]
mod tests {
    use super::*;

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
        let by_class: Vec<i16> =
            (0..FEW).flat_map(|class| output[..96].iter().flat_map(move |pairs| pairs[class])).collect();
        assert_eq!(few_class_sums_portable(&by_class, &units), few_class_sums(&by_class, &units));
        scores.fill(0);
        few_class_scores(&by_class, &output_bias, &units, &mut scores[..3]);
        assert_eq!(scores[..3], slowly[..3]);
        let mut sums = [Cells([0; BLOCK]); 3];
        add(areas[0].0, &starts[..3], &mut sums);
        let slowly: Vec<i32> = (0..192).map(|i| sum_of(&rows[..3], i).clamp(-128, 127)).collect();
        assert_eq!((0..192).map(|i| cell(&sums, i)).collect::<Vec<_>>(), slowly);
        assert!(slowly.contains(&127) && slowly.contains(&-128));
    }
}
