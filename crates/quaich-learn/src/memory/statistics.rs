//! The information that positions have about the class: information gain, gain ratio, chi-square and shared variance, as in chapter 5 of
//! TiMBL's reference guide.

use super::distributions::{Counter, Distribution, Distributions};
use super::rows::{Rows, by_symbol};
use crate::math;

/// The statistics of a position.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Statistics {
    pub(crate) n_symbols: usize,
    pub(crate) information_gain: f64,
    pub(crate) gain_ratio: f64,
    pub(crate) chi_square: f64,
    pub(crate) shared_variance: f64,
}

impl Statistics {
    /// The statistics of a position with the class distribution of each symbol; `overall` has the counts of all classes.
    pub(crate) fn new(by_symbol: &Distributions, overall: &[f64]) -> Self {
        let total: f64 = overall.iter().sum();
        let n_classes = overall.iter().filter(|&&count| count > 0.0).count();
        let symbols = || (0..by_symbol.len()).map(|symbol| by_symbol.get(symbol));
        let n_symbols = symbols().filter(|classes| !classes.counts.is_empty()).count();
        let remaining: f64 =
            symbols().map(|classes| entropy(classes.counts) * classes.total() / total.max(1e-300)).sum();
        let information_gain = (entropy(overall) - remaining).max(0.0);
        let totals: Vec<f64> = symbols().map(Distribution::total).collect();
        let split_information = entropy(&totals);
        let gain_ratio =
            if split_information < f64::EPSILON { 0.0 } else { information_gain / split_information };
        let chi_square = symbols().map(|classes| deviation(classes, overall, total)).sum::<f64>().max(0.0);
        #[allow(clippy::cast_precision_loss, reason = "far fewer than 2⁵²")]
        let freedom = n_classes.min(n_symbols).saturating_sub(1) as f64;
        let shared_variance = if freedom > 0.0 { chi_square / (total * freedom) } else { 0.0 };
        Self { n_symbols, information_gain, gain_ratio, chi_square, shared_variance }
    }

    /// TiMBL's rank of a position in the instance base: gain ratio divided by the number of values.
    pub(crate) fn rank(&self) -> f64 {
        #[allow(clippy::cast_precision_loss, reason = "far fewer than 2⁵²")]
        let n_symbols = self.n_symbols.max(1) as f64;
        self.gain_ratio / n_symbols
    }
}

/// Positions by decreasing rank, the first ones if several are equal.
pub(crate) fn descending(ranks: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..ranks.len()).collect();
    order.sort_by(|&a, &b| ranks[b].total_cmp(&ranks[a]));
    order
}

/// The class distributions of all symbols at a slot of rows.
pub(crate) fn classes_by_symbol(
    rows: &Rows,
    slot: usize,
    n_symbols: usize,
    overall: &[f64],
) -> Distributions {
    let counter = std::cell::RefCell::new(Counter::new(overall.len()));
    let mut distributions = Distributions::default();
    let count = |row: usize| counter.borrow_mut().add_all(rows.distributions().get(row));
    by_symbol(
        rows.len(),
        n_symbols,
        |row| rows.get(row)[slot],
        count,
        || {
            distributions.push(&mut counter.borrow_mut());
        },
    );
    distributions
}

/// The entropy of these counts, in bits.
fn entropy(counts: &[f64]) -> f64 {
    let total: f64 = counts.iter().sum();
    let bits = |&count: &f64| {
        let p = count / total;
        if p > 0.0 { -p * math::ln(p) / std::f64::consts::LN_2 } else { 0.0 }
    };
    counts.iter().map(bits).sum()
}

/// The symbol's contribution to chi-square, which compares its classes with those expected if classes were independent of symbols.
fn deviation(classes: Distribution<'_>, overall: &[f64], total: f64) -> f64 {
    let n = classes.total();
    // A class that is expected E times and does not occur adds E²/E; all expectations sum to n.
    let surprise = |(class, seen): (u32, f64)| {
        let expected = overall[class as usize] * n / total;
        if expected > f64::EPSILON {
            (expected - seen) * (expected - seen) / expected - expected
        } else {
            0.0
        }
    };
    n + classes.iter().map(surprise).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The statistics of a table: one line per symbol, one column per class.
    fn check(table: &[&[f64]], expected: [f64; 4]) {
        let n_classes = table[0].len();
        let (mut counter, mut distributions) = (Counter::new(n_classes), Distributions::default());
        let mut overall = vec![0.0; n_classes];
        for line in table {
            for ((class, &count), sum) in (0u32..).zip(*line).zip(&mut overall) {
                counter.add(class, count);
                *sum += count;
            }
            distributions.push(&mut counter);
        }
        let found = Statistics::new(&distributions, &overall);
        let found = [found.information_gain, found.gain_ratio, found.chi_square, found.shared_variance];
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }

    #[test]
    fn weights_are_what_is_worked_out_by_hand() {
        // The position determines the class: H(C) = 1 bit, nothing remains, and the split is 1 bit as well. The expected counts are 2
        // each, so chi-square is 4 · (2² / 2).
        check(&[&[4.0, 0.0], &[0.0, 4.0]], [1.0, 1.0, 8.0, 1.0]);
        // The position has no information.
        check(&[&[2.0, 2.0], &[2.0, 2.0]], [0.0, 0.0, 0.0, 0.0]);
        // A single value has no split.
        check(&[&[3.0, 1.0]], [0.0, 0.0, 0.0, 0.0]);
        // Four values, two classes: half of the instances are determined. H(C) = 1, 1/2 remains; the split is 2 bits. The expected counts
        // are 1: (1 + 1) for each of two values.
        check(&[&[2.0, 0.0], &[0.0, 2.0], &[1.0, 1.0], &[1.0, 1.0]], [0.5, 0.25, 4.0, 0.5]);
        // H(1/4) for classes 3 : 1 = 2 − 3/4 log₂ 3; given the value, 1/2 · 0 + 1/2 · 1. The expected counts are 3/2 and 1/2 each: 2 ·
        // ((1/2)² / (3/2) + (1/2)² / (1/2)) = 4/3.
        let gain = 2.0 - 0.75 * 3f64.log2() - 0.5;
        check(&[&[2.0, 0.0], &[1.0, 1.0]], [gain, gain, 4.0 / 3.0, 1.0 / 3.0]);
    }

    #[test]
    fn the_first_of_equals_comes_first() {
        assert_eq!(descending(&[0.5, 0.7, 0.5, 0.0, 0.7]), [1, 4, 0, 2, 3]);
    }
}
