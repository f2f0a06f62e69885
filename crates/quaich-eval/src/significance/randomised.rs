//! The randomised comparator of Dan Bikel, stratified shuffling: if two systems are equally good, their results on a
//! sentence could be swapped.

use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;

use super::{Outcome, Resampling};
use crate::describe::ratio;

/// The number of shuffles per stream of random numbers. Streams are independent, so threads can share the work.
const BLOCK: u32 = 64;

/// Shuffles the numbers of correct tokens of two systems within sentences, and counts how often their difference is at
/// least as large as observed.
pub fn randomised(right: impl Iterator<Item = (u32, u32)>, resampling: Resampling) -> Outcome {
    let differences: Vec<i64> = right
        .map(|(first, second)| i64::from(first) - i64::from(second))
        .filter(|difference| *difference != 0)
        .collect();
    let observed = differences.iter().sum::<i64>().abs();
    let blocks = resampling.samples.div_ceil(BLOCK);
    let as_large = |block: u32| {
        let n = BLOCK.min(resampling.samples - block * BLOCK);
        let mut random = Pcg64Mcg::seed_from_u64(stream(resampling.seed, block));
        (0..n).filter(|_| shuffled(&differences, &mut random).abs() >= observed).count() as u64
    };
    let n: u64 = (0..blocks).into_par_iter().map(as_large).sum();
    // The observed assignment is one of the shuffles.
    Outcome { statistic: None, p: Some(ratio(n + 1, u64::from(resampling.samples) + 1)) }
}

/// Returns the difference after swapping the results of each sentence at random.
fn shuffled(differences: &[i64], random: &mut Pcg64Mcg) -> i64 {
    let mut sum = 0;
    for chunk in differences.chunks(64) {
        let mut bits = random.next_u64();
        for difference in chunk {
            // 1 or -1.
            let sign = 1 - 2 * i64::from(bits & 1 == 1);
            sum += sign * difference;
            bits >>= 1;
        }
    }
    sum
}

/// Returns the seed of a block.
pub(super) fn stream(seed: u64, block: u32) -> u64 {
    (seed ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xd6e8_feb8_6659_fd93).rotate_left(32) ^ u64::from(block)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p(right: &[(u32, u32)]) -> f64 {
        randomised(right.iter().copied(), Resampling { samples: 100_000, seed: 7 }).p.unwrap()
    }

    #[test]
    fn close_to_what_all_shuffles_give() {
        // No difference: every shuffle is as large.
        assert!((p(&[(3, 3), (2, 2)]) - 1.0).abs() < 1e-12);
        // Ten sentences with the same difference: only the two extreme ones of 1024 are as large.
        assert!((p(&[(5, 4); 10]) - 2.0 / 1024.0).abs() < 0.0006);
        // 3, 1, 1 in one direction: 2 of 8; with the 3 in the other direction the sum is 1, which all 8 reach.
        assert!((p(&[(3, 0), (1, 0), (1, 0)]) - 0.25).abs() < 0.006);
        assert!((p(&[(0, 3), (1, 0), (1, 0)]) - 1.0).abs() < 0.006);
    }

    #[test]
    fn the_same_for_any_number_of_threads() {
        let right: Vec<(u32, u32)> = (0..97).map(|n| (n % 7, n % 5)).collect();
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| randomised(right.iter().copied(), Resampling { samples: 1000, seed: 3 }))
        };
        assert_eq!(with(1), with(4));
    }
}
