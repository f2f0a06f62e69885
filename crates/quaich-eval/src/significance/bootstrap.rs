//! The bootstrap: what scores would have been if other sentences had been drawn. The sentences there are stand for all there could be, and
//! are drawn from with replacement; all systems see the same draws.

use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;
use serde::Serialize;

use super::randomised::stream;
use super::results::{COMPARED, Results};
use super::{Outcome, Resampling};
use crate::describe::ratio;

/// How many draws follow one stream of random numbers. Streams are independent, so that threads may share the work.
const BLOCK: u32 = 16;

/// Where 95 % of scores are, in percent or points.
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize)]
pub struct Interval(pub f64, pub f64);

/// The scores of all systems on sentences that were drawn again.
#[derive(Clone, Debug)]
pub struct Replicates {
    n_systems: usize,
    /// By system, then by measure: the score on the sentences that there are, as a share.
    observed: Vec<[f64; COMPARED.len()]>,
    /// By draw, then by system, then by measure.
    scores: Vec<[f64; COMPARED.len()]>,
}

impl Replicates {
    /// Draws as many sentences as there are, as often as asked for.
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
        // One row a sentence, side by side in memory.
        let flat: Vec<[u32; 4]> = sentences.concat();
        let rows = Rows { n_systems, n_sentences: sentences.len(), flat };
        let observed = rows.scores(0..rows.n_sentences);
        let blocks = resampling.samples.div_ceil(BLOCK);
        let draw = |block: u32| {
            let n = BLOCK.min(resampling.samples - block * BLOCK);
            // Another stream than the shuffles have.
            let mut random = Pcg64Mcg::seed_from_u64(!stream(resampling.seed, block));
            (0..n).flat_map(|_| rows.draw(&mut random)).collect::<Vec<_>>()
        };
        let blocks: Vec<Vec<[f64; 3]>> = (0..blocks).into_par_iter().map(draw).collect();
        Self { n_systems, observed, scores: blocks.concat() }
    }

    /// Where 95 % of a system's scores are, in percent.
    pub fn interval(&self, system: usize, measure: usize) -> Interval {
        Self::middle(self.draws().map(|systems| 100.0 * systems[system][measure]).collect())
    }

    /// Where 95 % of the differences are, in points: the second system's score less the first's.
    pub fn interval_of_difference(&self, first: usize, second: usize, measure: usize) -> Interval {
        let difference = |systems: &[[f64; 3]]| 100.0 * (systems[second][measure] - systems[first][measure]);
        Self::middle(self.draws().map(difference).collect())
    }

    /// How often the difference strays from what it is as far as that is from 0, or farther.
    pub(super) fn compare(&self, first: usize, second: usize, measure: usize) -> Outcome {
        if self.scores.is_empty() {
            return Outcome::default();
        }
        let difference = |systems: &[[f64; 3]]| systems[first][measure] - systems[second][measure];
        let observed = difference(&self.observed);
        // Sums of the same shares in another order may differ in their last digits.
        let as_far = |drawn: f64| (drawn - observed).abs() >= observed.abs() - 1e-12;
        let n = self.draws().filter(|systems| as_far(difference(systems))).count() as u64;
        let n_draws = (self.scores.len() / self.n_systems) as u64;
        Outcome { statistic: None, p: Some(ratio(n + 1, n_draws + 1)) }
    }

    /// The scores of all systems, draw by draw.
    fn draws(&self) -> impl Iterator<Item = &[[f64; 3]]> {
        self.scores.chunks_exact(self.n_systems.max(1))
    }

    /// From the 2.5th percentile to the 97.5th.
    fn middle(mut values: Vec<f64>) -> Interval {
        if values.is_empty() {
            return Interval::default();
        }
        values.sort_by(f64::total_cmp);
        let tail = values.len() / 40;
        Interval(values[tail], values[values.len() - 1 - tail])
    }
}

/// What every system has right in every sentence.
struct Rows {
    n_systems: usize,
    n_sentences: usize,
    /// By sentence, then by system: scored tokens, and right ones by measure.
    flat: Vec<[u32; 4]>,
}

impl Rows {
    /// The scores on as many sentences, drawn with replacement.
    fn draw(&self, random: &mut Pcg64Mcg) -> Vec<[f64; 3]> {
        let n = self.n_sentences as u64;
        self.scores((0..self.n_sentences).map(|_| below(random, n)))
    }

    fn scores(&self, sentences: impl Iterator<Item = usize>) -> Vec<[f64; 3]> {
        let mut sums = vec![[0_u64; 4]; self.n_systems];
        for sentence in sentences {
            let row = &self.flat[sentence * self.n_systems..][..self.n_systems];
            for (sums, counts) in sums.iter_mut().zip(row) {
                for (sum, count) in sums.iter_mut().zip(counts) {
                    *sum += u64::from(*count);
                }
            }
        }
        sums.into_iter()
            .map(|[tokens, las, uas, la]| [las, uas, la].map(|right| ratio(right, tokens)))
            .collect()
    }
}

/// A random number below `n`. That n does not divide 2^64 makes no difference that could be seen.
fn below(random: &mut Pcg64Mcg, n: u64) -> usize {
    let product = u128::from(random.next_u64()) * u128::from(n);
    usize::try_from(product >> 64).expect("it is below a number of sentences")
}
