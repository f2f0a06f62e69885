//! The inner loops: matrix products for training, sums of rows for inference.
//!
//! This is the crate's only module with `unsafe` code: code for newer processors may only be called on them. Nearly everything is written
//! once, in plain Rust, and compiled for each instruction set; sums are over integers or in a fixed order, so all give the same results.

#![allow(unsafe_code, reason = "the processor is known before each call")]

use std::sync::OnceLock;

use crate::adam::Step;
use crate::math::exp_f32;

/// The relevant instruction sets of the processor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Level {
    /// The baseline.
    Portable,
    /// AVX2: 256-bit instructions of x86-64.
    Avx2,
    /// AVX-512: 512-bit instructions.
    Avx512,
    /// AVX-512 with byte products (VNNI).
    Vnni,
}

/// The level of this processor; the baseline if `QUAICH_PORTABLE` is set, to check that results are the same.
#[inline]
fn level() -> Level {
    static LEVEL: OnceLock<Level> = OnceLock::new();
    *LEVEL.get_or_init(|| {
        if std::env::var_os("QUAICH_PORTABLE").is_some() {
            return Level::Portable;
        }
        #[cfg(target_arch = "x86_64")]
        {
            let has_avx512 = is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("fma");
            if has_avx512 {
                let has_bytes = is_x86_feature_detected!("avx512vnni");
                return if has_bytes { Level::Vnni } else { Level::Avx512 };
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                return Level::Avx2;
            }
        }
        Level::Portable
    })
}

/// Compiles a function for several instruction sets, and calls the one that fits. Multiply and add are fused only where the code says so,
/// and then on every processor.
macro_rules! for_this_processor {
    ($(#[$doc:meta])* fn $name:ident($($argument:ident: $type:ty),*) $body:block) => {
        $(#[$doc])*
        #[inline]
        pub(crate) fn $name($($argument: $type),*) {
            #[inline(always)]
            #[allow(clippy::inline_always, reason = "it is to be compiled for its caller's processor")]
            fn portable($($argument: $type),*) $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512bw,avx512vl,fma")]
                fn avx512($($argument: $type),*) {
                    portable($($argument),*);
                }

                #[target_feature(enable = "avx2,fma")]
                fn avx2($($argument: $type),*) {
                    portable($($argument),*);
                }

                // SAFETY: the processor has the instructions of its level.
                match level() {
                    Level::Vnni | Level::Avx512 => return unsafe { avx512($($argument),*) },
                    Level::Avx2 => return unsafe { avx2($($argument),*) },
                    Level::Portable => {}
                }
            }
            portable($($argument),*);
        }
    };
}

// After the macro that they need.
mod bytes;
mod counts;
mod product;
pub(crate) mod recurrence;
mod rounded;

pub(crate) use bytes::{
    COLUMNS, DEPTH, MIDDLE, Tile, groups, multiply_bytes, round_row, unround, unround_to_cells,
};
pub(crate) use counts::{CHUNK, add_columns, add_rows, descend, extremes};
pub(crate) use product::{Strips, Transpose, multiply};
#[cfg(test)]
pub(crate) use rounded::HIGHEST;
pub use rounded::{BLOCK, Cells, LANES, Pairs};
pub(crate) use rounded::{FEW, add, class_scores, few_class_scores, hidden_units, hidden_units_of_cells};

for_this_processor! {
    /// Adds rows to `sums`, in order.
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
    /// Adds the rows of a table given by `places`, times a factor.
    fn gather(table: &[f32], places: &[u32], factor: f32, sums: &mut [f32]) {
        for &place in places {
            let row = &table[place as usize * sums.len()..][..sums.len()];
            for (sum, cell) in sums.iter_mut().zip(row) {
                *sum += factor * cell;
            }
        }
    }
}

for_this_processor! {
    /// Adds each row of `rows` to the row of `sums` given by `places`.
    fn scatter(sums: &mut [f32], places: &[u32], rows: &[f32], width: usize) {
        for (&place, row) in places.iter().zip(rows.chunks_exact(width)) {
            for (sum, cell) in sums[place as usize * width..][..width].iter_mut().zip(row) {
                *sum += cell;
            }
        }
    }
}

for_this_processor! {
    /// Turns scores into probabilities.
    fn softmax(scores: &mut [f32]) {
        let highest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        for score in scores.iter_mut() {
            *score = exp_f32(*score - highest);
        }
        // The sum is computed separately from the exponentials, which are vectorised; the sum is sequential.
        let sum = scores.iter().fold(0.0, |sum, score| sum + score);
        for score in scores {
            *score /= sum;
        }
    }
}

for_this_processor! {
    /// One step of Adam (Kingma and Ba 2015); see [`Step`].
    fn adam(weights: &mut [f32], first: &mut [f32], second: &mut [f32], gradient: &[f32], step: Step) {
        let (moments, betas) = (first.iter_mut().zip(second), step.betas);
        for ((weight, (first, second)), &gradient) in weights.iter_mut().zip(moments).zip(gradient) {
            let gradient = unless_below(1e-15, gradient);
            *first = unless_below(1e-25, betas.0 * *first + (1.0 - betas.0) * gradient);
            *second = unless_below(1e-30, betas.1 * *second + (1.0 - betas.1) * gradient * gradient);
            let change = *first * step.corrections.0 / ((*second * step.corrections.1).sqrt() + 1e-8);
            *weight -= step.rate * change + step.decay * *weight;
        }
    }
}

/// Rounds numbers smaller than this to zero. Next to the 1e-8 in Adam's steps such numbers change no weight, and subnormal numbers are
/// many times slower on most processors.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it is to be compiled for its caller's processor")]
fn unless_below(least: f32, number: f32) -> f32 {
    if number.abs() < least { 0.0 } else { number }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Moments without new gradients decay to zero, not to subnormal numbers.
    #[test]
    fn moments_decay_to_zero() {
        let (mut weights, mut first, mut second) = ([1.0f32; 20], [1e-12f32; 20], [1e-12f32; 20]);
        let step = Step::new(1000, 1e-3, (0.9, 0.95));
        for number in 0..1500 {
            let gradient = [if number % 2 == 0 { 1e-16 } else { -1e-30 }; 20];
            adam(&mut weights, &mut first, &mut second, &gradient, step);
            assert!(first.iter().chain(&second).all(|moment| *moment == 0.0 || moment.is_normal()));
        }
        assert_eq!((first, second), ([0.0; 20], [0.0; 20]));
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
}
