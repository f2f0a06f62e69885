//! The bootstrap: the distribution of scores over resampled sentences. The sentences represent the population and are
//! drawn with replacement; all systems get the same samples.
//!
//! The test is studentised (Efron and Tibshirani 1993, chapter 16): the deviation of a difference is measured in
//! standard errors of the resampled sentences. Measured in points, as in Berg-Kirkpatrick et al. (2012), chance looks
//! significant on few sentences: for equally good systems on ten sentences, in one pair of twelve.

use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;
use serde::Serialize;

use super::randomised::stream;
use super::results::{COMPARED, Results};
use super::{Outcome, Resampling};
use crate::describe::ratio;

/// The number of samples per stream of random numbers. Streams are independent, so threads can share the work.
const BLOCK: u32 = 16;

/// An interval with 95 % of the scores, in percent or points.
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize)]
pub struct Interval(pub f64, pub f64);

/// The scores of all systems on resampled sentences.
#[derive(Clone, Debug)]
pub struct Replicates {
    n_systems: usize,
    /// By system and measure: the score on the original sentences, as a share.
    observed: Vec<[f64; COMPARED.len()]>,
    /// By pair of systems and measure: the standard error of the difference on these sentences.
    observed_errors: Vec<[f64; COMPARED.len()]>,
    /// By sample, system and measure.
    scores: Vec<[f64; COMPARED.len()]>,
    /// By sample, pair of systems and measure.
    errors: Vec<[f64; COMPARED.len()]>,
}

impl Replicates {
    /// Draws as many sentences as there are, as often as requested.
    pub fn draw(results: &Results, resampling: Resampling) -> Self {
        let n_systems = results.n_systems();
        let sentences: Vec<Vec<[u32; 4]>> = results
            .sentences()
            .map(|systems| {
                let row = systems.iter().map(|counts| {
                    let [las, uas, la] = COMPARED.map(|measure| (measure.right)(counts));
                    [counts.tokens, las, uas, la]
                });
                row.collect()
            })
            .collect();
        // One row per sentence, contiguous in memory.
        let flat: Vec<[u32; 4]> = sentences.concat();
        let rows = Rows { n_systems, n_sentences: sentences.len(), flat };
        let (observed, observed_errors) = rows.scores(0..rows.n_sentences);
        let blocks = resampling.samples.div_ceil(BLOCK);
        let draw = |block: u32| {
            let n = BLOCK.min(resampling.samples - block * BLOCK);
            // A different stream from the shuffles.
            let mut random = Pcg64Mcg::seed_from_u64(!stream(resampling.seed, block));
            (0..n).map(|_| rows.draw(&mut random)).collect::<Vec<_>>()
        };
        let drawn: Vec<_> = (0..blocks).into_par_iter().flat_map_iter(draw).collect();
        let (scores, errors): (Vec<_>, Vec<_>) = drawn.into_iter().unzip();
        Self { n_systems, observed, observed_errors, scores: scores.concat(), errors: errors.concat() }
    }

    /// Returns the interval with 95 % of a system's scores, in percent.
    pub fn interval(&self, system: usize, measure: usize) -> Interval {
        Self::middle(self.draws().map(|systems| 100.0 * systems[system][measure]).collect())
    }

    /// Returns the interval with 95 % of the differences, in points: the second system's score minus the first's.
    pub fn interval_of_difference(&self, first: usize, second: usize, measure: usize) -> Interval {
        let difference = |systems: &[[f64; 3]]| 100.0 * (systems[second][measure] - systems[first][measure]);
        Self::middle(self.draws().map(difference).collect())
    }

    /// Returns how often the difference deviates from its value at least as much as that is from 0, in standard errors.
    pub(super) fn compare(&self, first: usize, second: usize, measure: usize) -> Outcome {
        if self.scores.is_empty() {
            return Outcome::default();
        }
        let pair = pair_index(first, second);
        let difference = |systems: &[[f64; 3]]| systems[first][measure] - systems[second][measure];
        let (observed, error) = (difference(&self.observed), self.observed_errors[pair][measure]);
        let as_far = |(systems, errors): &(&[[f64; 3]], &[[f64; 3]])| {
            let strayed = (difference(systems) - observed).abs();
            // Sums of the same shares in another order may differ in the last digits.
            let slack = 1e-12;
            if error > slack {
                strayed * error >= observed.abs() * errors[pair][measure] - slack * error
            } else {
                // All sentences have the same difference.
                strayed >= observed.abs() - slack
            }
        };
        let errors = self.errors.chunks_exact(n_pairs(self.n_systems));
        let n = self.draws().zip(errors).filter(as_far).count() as u64;
        let n_draws = (self.scores.len() / self.n_systems) as u64;
        Outcome { statistic: None, p: Some(ratio(n + 1, n_draws + 1)) }
    }

    /// Iterates over the scores of all systems, sample by sample.
    fn draws(&self) -> impl Iterator<Item = &[[f64; 3]]> {
        self.scores.chunks_exact(self.n_systems.max(1))
    }

    /// Returns the interval from the 2.5th to the 97.5th percentile.
    fn middle(mut values: Vec<f64>) -> Interval {
        if values.is_empty() {
            return Interval::default();
        }
        values.sort_by(f64::total_cmp);
        let tail = values.len() / 40;
        Interval(values[tail], values[values.len() - 1 - tail])
    }
}

/// The correct tokens of all systems in all sentences.
struct Rows {
    n_systems: usize,
    n_sentences: usize,
    /// By sentence and system: scored tokens, and correct ones by measure.
    flat: Vec<[u32; 4]>,
}

/// The scores of all systems, and the standard errors of the differences between them.
type Drawn = (Vec<[f64; COMPARED.len()]>, Vec<[f64; COMPARED.len()]>);

impl Rows {
    /// Returns the scores on as many sentences, drawn with replacement.
    fn draw(&self, random: &mut Pcg64Mcg) -> Drawn {
        let n = self.n_sentences as u64;
        self.scores((0..self.n_sentences).map(|_| below(random, n)))
    }

    fn scores(&self, sentences: impl Iterator<Item = usize>) -> Drawn {
        let mut sums = vec![[0_u64; 4]; self.n_systems];
        let mut spreads = vec![[Spread::default(); COMPARED.len()]; n_pairs(self.n_systems)];
        for sentence in sentences {
            let row = &self.flat[sentence * self.n_systems..][..self.n_systems];
            for (sums, counts) in sums.iter_mut().zip(row) {
                for (sum, count) in sums.iter_mut().zip(counts) {
                    *sum += u64::from(*count);
                }
            }
            for ((first, second), spreads) in pairs(self.n_systems).zip(&mut spreads) {
                for (measure, spread) in (1..).zip(spreads) {
                    spread
                        .add(row[first][0], i64::from(row[first][measure]) - i64::from(row[second][measure]));
                }
            }
        }
        let scores = |[tokens, las, uas, la]: [u64; 4]| [las, uas, la].map(|right| ratio(right, tokens));
        let errors = pairs(self.n_systems).zip(&spreads).map(|((first, second), spreads)| {
            let n_tokens = sums[first][0];
            std::array::from_fn(|measure| {
                let right = |system: usize| ratio(sums[system][measure + 1], n_tokens);
                spreads[measure].standard_error(right(first) - right(second), n_tokens)
            })
        });
        let errors = errors.collect();
        (sums.into_iter().map(scores).collect(), errors)
    }
}

/// The variation of the differences d of two systems over sentences of n tokens: the sums of d², dn and n².
#[derive(Clone, Copy, Default)]
struct Spread {
    differences: i64,
    products: i64,
    tokens: i64,
}

impl Spread {
    fn add(&mut self, n_tokens: u32, difference: i64) {
        let n_tokens = i64::from(n_tokens);
        self.differences += difference * difference;
        self.products += difference * n_tokens;
        self.tokens += n_tokens * n_tokens;
    }

    /// Returns the standard error of a ratio of sums, Σd ÷ Σn = δ: the root of Σ(d − δn)² over Σn. The correction
    /// factor for small samples is the same for all samples, and omitted.
    #[allow(clippy::cast_precision_loss, reason = "sums over sentences are far below 2^53")]
    fn standard_error(self, ratio: f64, n_tokens: u64) -> f64 {
        let squares =
            self.differences as f64 - 2.0 * ratio * self.products as f64 + ratio * ratio * self.tokens as f64;
        if n_tokens == 0 { 0.0 } else { squares.max(0.0).sqrt() / n_tokens as f64 }
    }
}

/// Iterates over all pairs of systems, those of the first two first.
fn pairs(n_systems: usize) -> impl Iterator<Item = (usize, usize)> {
    (1..n_systems).flat_map(|second| (0..second).map(move |first| (first, second)))
}

/// Returns the index of a pair in [`pairs`].
fn pair_index(first: usize, second: usize) -> usize {
    second * second.saturating_sub(1) / 2 + first
}

fn n_pairs(n_systems: usize) -> usize {
    pair_index(0, n_systems)
}

/// Returns a random number below `n`. The bias is negligible.
fn below(random: &mut Pcg64Mcg, n: u64) -> usize {
    let product = u128::from(random.next_u64()) * u128::from(n);
    usize::try_from(product >> 64).expect("it is below a number of sentences")
}
