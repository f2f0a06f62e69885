//! Significance tests on simulated systems: equally good ones differ significantly no more often than they should, and
//! others do.

use quaich_eval::TokenMatch;
use quaich_eval::significance::{COMPARED, Comparison, Resampling, Results, TESTS, compare};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Systems that have each head correct with these probabilities, independently, on sentences of 5 to 25 tokens.
fn simulate(seed: u64, n_sentences: usize, accuracies: &[f64]) -> Results {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let mut results = Results::new(accuracies.len());
    for _ in 0..n_sentences {
        let n_tokens = random.random_range(5..=25);
        let mut system = |accuracy: f64| -> Vec<TokenMatch> {
            let token_match = |_| {
                let head = random.random::<f64>() < accuracy;
                TokenMatch { head, label: head }
            };
            (0..n_tokens).map(token_match).collect()
        };
        let systems: Vec<Vec<TokenMatch>> = accuracies.iter().map(|&accuracy| system(accuracy)).collect();
        results.add_matches(&systems);
    }
    results
}

fn las(comparisons: &[Comparison]) -> &Comparison {
    assert_eq!(COMPARED[comparisons[0].measure].key, "las");
    &comparisons[0]
}

const RUNS: u64 = 1000;

/// Returns how often each test finds a significant difference between equally good systems at 5 %.
fn rejections(n_sentences: usize) -> Vec<u64> {
    let mut rejected = vec![0; TESTS.len()];
    for run in 0..RUNS {
        let results = simulate(run, n_sentences, &[0.8, 0.8]);
        let significance = compare(&results, Resampling { samples: 1000, seed: run });
        for (rejected, outcome) in rejected.iter_mut().zip(&las(&significance.comparisons).outcomes) {
            *rejected += u64::from(outcome.p.unwrap() < 0.05);
        }
    }
    rejected
}

/// The number of rejections of a true hypothesis at 5 % is binomial: of 1,000, from 37 to 64 in 95 % of cases.
#[test]
fn equally_good_systems_differ_significantly_in_five_percent_of_cases() {
    let rejected = rejections(300);
    let is_right = rejected.iter().all(|rejected| (37..=64).contains(rejected));
    assert!(is_right, "{rejected:?} of {RUNS}");
}

/// Few sentences do not create differences. Tests that count whole sentences can be stricter.
#[test]
fn few_sentences_do_not_make_chance_significant() {
    for n_sentences in [10, 25] {
        let rejected = rejections(n_sentences);
        assert!(
            rejected.iter().all(|&rejected| rejected <= 64),
            "{n_sentences} sentences: {rejected:?} of {RUNS}"
        );
    }
}

/// If all sentences have the same difference, there is no variation.
#[test]
fn differences_without_variation() {
    let (right, wrong) = (TokenMatch { head: true, label: true }, TokenMatch { head: false, label: false });
    let mut results = Results::new(2);
    for _ in 0..20 {
        results.add_matches(&[vec![right, right], vec![right, wrong]]);
    }
    let significance = compare(&results, Resampling { samples: 999, seed: 1 });
    assert_eq!(las(&significance.comparisons).outcomes[4].p, Some(0.001));
}

#[test]
fn better_systems_are_significantly_better() {
    let results = simulate(1, 400, &[0.80, 0.85]);
    let significance = compare(&results, Resampling { samples: 2000, seed: 1 });
    let comparison = las(&significance.comparisons);
    assert!((comparison.difference - 5.0).abs() < 2.0, "{comparison:?}");
    assert!(comparison.interval.0 > 0.0 && comparison.interval.1 < 10.0, "{comparison:?}");
    for (test, outcome) in TESTS.iter().zip(&comparison.outcomes) {
        assert!(outcome.p.unwrap() < 0.001, "{}: {outcome:?}", test.name);
    }
}

/// 95 % of intervals should contain the true score.
#[test]
fn intervals_hold_the_true_score() {
    let inside = (0..400).filter(|&run| {
        let significance = compare(&simulate(run, 100, &[0.7]), Resampling { samples: 400, seed: run });
        let [las, ..] = significance.intervals[0];
        las.0 <= 70.0 && 70.0 <= las.1
    });
    // Binomial with n = 400 and p = .95: from 366 to 391 in 99.7 % of cases.
    let n = inside.count();
    assert!((366..=391).contains(&n), "{n} of 400");
}

#[test]
fn systems_that_do_the_same_are_the_same() {
    let mut results = Results::new(2);
    let right = TokenMatch { head: true, label: true };
    let wrong = TokenMatch { head: false, label: true };
    for matches in [vec![right, wrong, right], vec![wrong], vec![right; 4]] {
        results.add_matches(&[matches.clone(), matches]);
    }
    for comparison in compare(&results, Resampling::default()).comparisons {
        assert_eq!(comparison.outcomes.iter().map(|outcome| outcome.p).collect::<Vec<_>>(), [Some(1.0); 5]);
        assert!(comparison.difference.abs() < 1e-12);
    }
}

#[test]
fn several_systems_are_corrected_for() {
    let results = simulate(5, 150, &[0.80, 0.80, 0.82, 0.86]);
    let significance = compare(&results, Resampling { samples: 500, seed: 5 });
    assert_eq!(significance.comparisons.len(), COMPARED.len() * 6);
    assert_eq!(significance.intervals.len(), 4);
    for comparison in &significance.comparisons {
        for (outcome, corrected) in comparison.outcomes.iter().zip(&comparison.corrected) {
            assert!(outcome.p <= *corrected && *corrected <= Some(1.0), "{comparison:?}");
        }
    }
    let least = significance.comparisons[..6].iter().filter_map(|c| c.outcomes[0].p).fold(1.0, f64::min);
    let least_corrected =
        significance.comparisons[..6].iter().filter_map(|c| c.corrected[0]).fold(1.0, f64::min);
    assert!((least_corrected - 6.0 * least).abs() < 1e-12);
}

#[test]
fn nothing_to_compare_is_no_reason_to_fail() {
    let significance = compare(&Results::new(2), Resampling { samples: 50, seed: 0 });
    for comparison in significance.comparisons {
        assert_eq!(comparison.outcomes[0].p, Some(1.0));
        assert_eq!(comparison.outcomes[2].p, None);
    }
    assert!(compare(&Results::new(1), Resampling { samples: 0, seed: 0 }).comparisons.is_empty());
}

#[test]
fn the_same_for_any_number_of_threads() {
    let results = simulate(9, 90, &[0.8, 0.8, 0.9]);
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| compare(&results, Resampling { samples: 1000, seed: 4 }))
    };
    assert_eq!(with(1), with(4));
    let other = compare(&results, Resampling { samples: 1000, seed: 5 });
    assert_ne!(with(1), other, "the seed makes a difference");
}
