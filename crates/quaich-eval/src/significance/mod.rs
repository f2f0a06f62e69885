//! Whether one system is better than another, or was lucky: tests for two systems or several on the same sentences.
//!
//! | test | compares | by |
//! |---|---|---|
//! | `McNemar`'s | tokens that only one system has right | how likely a fair coin is to fall like that (exact) |
//! | randomised comparator (Bikel) | scores | shuffling the two systems' results within every sentence |
//! | paired t | the sentences' own scores | the t distribution of their mean difference (Nivre et al. 2004) |
//! | z for proportions | the shares of right tokens, as if of different texts | the normal distribution |
//! | paired bootstrap | scores | drawing the sentences again, with replacement |
//!
//! Several systems make several pairs, and with enough pairs something always looks significant: Holm's
//! correction raises the probabilities of all pairs that are compared with the same test on the same measure.
//!
//! Whatever is random follows a seed, and comes out the same for any number of threads.

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

/// What is drawn at random.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resampling {
    /// How often.
    pub samples: u32,
    /// What the random numbers follow from.
    pub seed: u64,
}

impl Default for Resampling {
    fn default() -> Self {
        Self { samples: 10_000, seed: 0 }
    }
}

/// The outcome of a test. Where there is nothing to test there is no probability.
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize)]
pub struct Outcome {
    /// What the test computes from the data: χ², t or z.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statistic: Option<f64>,
    /// How probable a difference as large as this, in either direction, is if the systems are equally good.
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

/// Every test, in the order in which they are shown.
pub static TESTS: &[Test] = &[
    Test {
        key: "mcnemar",
        name: "McNemar",
        about: "tokens that only one of the two has right (exact; the statistic is χ² with continuity correction)",
        run: |pair| mcnemar(pair.results.discordant(pair.first, pair.second, pair.measure)),
    },
    Test {
        key: "randomised",
        name: "randomised",
        about: "randomised comparator: the two systems' results are shuffled within sentences",
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
        about: "paired bootstrap: the sentences are drawn again, with replacement",
        run: |pair| pair.replicates.compare(pair.first, pair.second, pair.measure),
    },
];

/// Two systems and what they are compared by.
struct Pair<'a> {
    results: &'a Results,
    replicates: &'a Replicates,
    resampling: Resampling,
    first: usize,
    second: usize,
    measure: usize,
}

impl Pair<'_> {
    /// For every sentence with scored tokens: how many, and how many of them each system has right.
    fn right(&self) -> impl Iterator<Item = (u32, u32, u32)> + '_ {
        let right = COMPARED[self.measure].right;
        self.results.sentences().filter_map(move |systems| {
            let (first, second) = (&systems[self.first], &systems[self.second]);
            (first.tokens > 0).then(|| (first.tokens, right(first), right(second)))
        })
    }
}

/// All that can be said of several systems.
#[derive(Clone, PartialEq, Debug)]
pub struct Significance {
    /// For every system, in the order of [`COMPARED`], where its scores may be if other sentences had been drawn: 95 % of them.
    pub intervals: Vec<[Interval; COMPARED.len()]>,
    /// Every pair of systems by every measure.
    pub comparisons: Vec<Comparison>,
}

/// Two systems compared by a measure.
#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
    /// The number of the first system.
    pub first: usize,
    /// The number of the second.
    pub second: usize,
    /// The measure, as a place in [`COMPARED`].
    pub measure: usize,
    /// How many points the second is above the first.
    pub difference: f64,
    /// Where the difference may be if other sentences had been drawn: 95 % of them.
    pub interval: Interval,
    /// The outcome of every test, in the order of [`TESTS`].
    pub outcomes: Vec<Outcome>,
    /// The probabilities corrected for the number of pairs, after Holm.
    pub corrected: Vec<Option<f64>>,
}

/// Compares every pair of systems by every measure with every test.
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
