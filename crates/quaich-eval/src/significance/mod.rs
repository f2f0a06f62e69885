//! Significance tests: whether one system is better than another, or the difference is due to chance, for two or more
//! systems on the same sentences.
//!
//! | test | compares | by |
//! |---|---|---|
//! | `McNemar`'s | tokens that only one system has correct | the binomial distribution (exact) |
//! | randomised comparator (Bikel) | scores | shuffling the two systems' results within every sentence |
//! | paired t | the scores of sentences | the t distribution of their mean difference (Nivre et al. 2004) |
//! | z for proportions | the shares of correct tokens, as if of different texts | the normal distribution |
//! | paired bootstrap | scores | drawing the sentences again, with replacement |
//!
//! Several systems make several pairs, and with enough pairs some difference always looks significant: Holm's
//! correction raises the probabilities of all pairs compared with the same test on the same measure.
//!
//! Random numbers depend only on the seed; results are the same for any number of threads.

mod bootstrap;
mod correction;
mod distributions;
mod mcnemar;
mod paired_t;
mod proportions;
mod randomised;
mod results;

pub use bootstrap::{Interval, Replicates};
pub use correction::holm;
pub use mcnemar::mcnemar;
pub use paired_t::paired_t;
pub use proportions::proportions;
pub use randomised::randomised;
pub use results::{COMPARED, Compared, Discordant, Results, SentenceCounts};

use serde::Serialize;

use crate::describe::ratio;

/// Options of resampling.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resampling {
    /// The number of samples.
    pub samples: u32,
    /// The seed of random numbers.
    pub seed: u64,
}

impl Default for Resampling {
    fn default() -> Self {
        Self { samples: 10_000, seed: 0 }
    }
}

/// The result of a test. Without data there is no probability.
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize)]
pub struct Outcome {
    /// The test statistic: χ², t or z.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statistic: Option<f64>,
    /// The probability of a difference at least this large, in either direction, if the systems are equally good.
    pub p: Option<f64>,
}

/// A test for two systems.
#[derive(Clone, Copy, Debug)]
pub struct Test {
    /// The key in JSON.
    pub key: &'static str,
    /// The name in tables.
    pub name: &'static str,
    /// One line of help.
    pub about: &'static str,
    run: fn(&Pair<'_>) -> Outcome,
}

/// All tests, in display order.
pub static TESTS: &[Test] = &[
    Test {
        key: "mcnemar",
        name: "McNemar",
        about: "tokens that only one of the two has correct (exact; the statistic is χ² with continuity correction)",
        run: |pair| mcnemar(pair.results.discordant(pair.first, pair.second, pair.measure)),
    },
    Test {
        key: "randomised",
        name: "randomised",
        about: "randomised comparator: shuffles the two systems' results within sentences",
        run: |pair| randomised(pair.right().map(|(_, first, second)| (first, second)), pair.resampling),
    },
    Test {
        key: "t",
        name: "paired t",
        about: "paired t-test over the scores of sentences",
        run: |pair| {
            let share = |part: u32, whole: u32| ratio(part.into(), whole.into());
            paired_t(pair.right().map(|(tokens, first, second)| share(first, tokens) - share(second, tokens)))
        },
    },
    Test {
        key: "z",
        name: "z",
        about: "z-test for two proportions, as if the systems had parsed different texts",
        run: |pair| {
            let score = |system| pair.results.total(system, pair.measure);
            proportions(score(pair.first), score(pair.second))
        },
    },
    Test {
        key: "bootstrap",
        name: "bootstrap",
        about: "paired bootstrap: draws the sentences again, with replacement",
        run: |pair| pair.replicates.compare(pair.first, pair.second, pair.measure),
    },
];

/// Two systems and their results.
struct Pair<'a> {
    results: &'a Results,
    replicates: &'a Replicates,
    resampling: Resampling,
    first: usize,
    second: usize,
    measure: usize,
}

impl Pair<'_> {
    /// Iterates over sentences with scored tokens: their number, and how many of them each system has correct.
    fn right(&self) -> impl Iterator<Item = (u32, u32, u32)> + '_ {
        let right = COMPARED[self.measure].right;
        self.results.sentences().filter_map(move |systems| {
            let (first, second) = (&systems[self.first], &systems[self.second]);
            (first.tokens > 0).then(|| (first.tokens, right(first), right(second)))
        })
    }
}

/// The results of all tests for several systems.
#[derive(Clone, PartialEq, Debug)]
pub struct Significance {
    /// For every system, in the order of [`COMPARED`]: the interval with 95 % of its scores on resampled sentences.
    pub intervals: Vec<[Interval; COMPARED.len()]>,
    /// All pairs of systems by all measures.
    pub comparisons: Vec<Comparison>,
}

/// Two systems compared by a measure.
#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
    /// The index of the first system.
    pub first: usize,
    /// The index of the second.
    pub second: usize,
    /// The measure, as an index into [`COMPARED`].
    pub measure: usize,
    /// The second system's score minus the first's, in points.
    pub difference: f64,
    /// The interval with 95 % of the differences on resampled sentences.
    pub interval: Interval,
    /// The results of all tests, in the order of [`TESTS`].
    pub outcomes: Vec<Outcome>,
    /// The probabilities corrected for the number of pairs, by Holm's method.
    pub corrected: Vec<Option<f64>>,
}

/// Compares all pairs of systems by all measures with all tests.
pub fn compare(results: &Results, resampling: Resampling) -> Significance {
    let n_systems = results.n_systems();
    let replicates = Replicates::draw(results, resampling);
    let mut comparisons = Vec::new();
    for measure in 0..COMPARED.len() {
        let start = comparisons.len();
        for (first, second) in
            (0..n_systems).flat_map(|first| (first + 1..n_systems).map(move |second| (first, second)))
        {
            let pair = Pair { results, replicates: &replicates, resampling, first, second, measure };
            let percent = |system| results.total(system, measure).percent().value();
            comparisons.push(Comparison {
                first,
                second,
                measure,
                difference: percent(second) - percent(first),
                interval: replicates.interval_of_difference(first, second, measure),
                outcomes: TESTS.iter().map(|test| (test.run)(&pair)).collect(),
                corrected: Vec::new(),
            });
        }
        for test in 0..TESTS.len() {
            let pairs = &mut comparisons[start..];
            let corrected = holm(&pairs.iter().map(|pair| pair.outcomes[test].p).collect::<Vec<_>>());
            for (pair, p) in pairs.iter_mut().zip(corrected) {
                pair.corrected.push(p);
            }
        }
    }
    let intervals = |system| std::array::from_fn(|measure| replicates.interval(system, measure));
    Significance { intervals: (0..n_systems).map(intervals).collect(), comparisons }
}
