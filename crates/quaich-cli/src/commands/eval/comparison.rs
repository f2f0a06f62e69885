//! Several systems side by side, as JSON: the results of the first as for a single system, then all systems, then the tests.

use std::collections::BTreeMap;

use quaich::eval::Evaluation;
use quaich::eval::significance::{COMPARED, Interval, Outcome, Significance, TESTS};
use serde::{Serialize, Serializer};

/// The results of several systems.
pub(super) struct Comparison<'a> {
    /// The files of the systems.
    pub(super) names: &'a [String],
    pub(super) evaluations: &'a [Evaluation],
    pub(super) significance: &'a Significance,
}

#[derive(Serialize)]
struct All<'a> {
    #[serde(flatten)]
    first: Option<&'a Evaluation>,
    systems: Vec<Evaluated<'a>>,
    significance: Vec<Pair<'a>>,
}

#[derive(Serialize)]
struct Evaluated<'a> {
    system: &'a str,
    #[serde(flatten)]
    evaluation: &'a Evaluation,
    intervals: BTreeMap<&'static str, Interval>,
}

#[derive(Serialize)]
struct Pair<'a> {
    first: &'a str,
    second: &'a str,
    measure: &'static str,
    difference: f64,
    interval: Interval,
    tests: BTreeMap<&'static str, Tested>,
}

#[derive(Serialize)]
struct Tested {
    #[serde(flatten)]
    outcome: Outcome,
    /// Corrected for the number of pairs.
    p_holm: Option<f64>,
}

impl Serialize for Comparison<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { names, evaluations, significance } = self;
        let systems = names.iter().zip(*evaluations).zip(&significance.intervals);
        let systems = systems.map(|((system, evaluation), intervals)| Evaluated {
            system,
            evaluation,
            intervals: COMPARED.iter().map(|measure| measure.key).zip(*intervals).collect(),
        });
        let pairs = significance.comparisons.iter().map(|pair| Pair {
            first: &names[pair.first],
            second: &names[pair.second],
            measure: COMPARED[pair.measure].key,
            difference: pair.difference,
            interval: pair.interval,
            tests: TESTS
                .iter()
                .zip(pair.outcomes.iter().zip(&pair.corrected))
                .map(|(test, (&outcome, &p_holm))| (test.key, Tested { outcome, p_holm }))
                .collect(),
        });
        All { first: evaluations.first(), systems: systems.collect(), significance: pairs.collect() }
            .serialize(serializer)
    }
}
