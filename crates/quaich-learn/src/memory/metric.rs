//! Distances between symbols: overlap, and the modified value difference metric (MVDM) of Stanfill and Waltz (1986) and Cost and Salzberg
//! (1993), in which values are similar if they have similar class distributions.

use super::distributions::{Distribution, Distributions};
use super::symbols::{Symbols, UNKNOWN};

/// The distance metric of symbols.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Metric {
    /// Equal or not; for sets the fraction of their values that they do not share (Jaccard distance).
    Overlap,
    /// Half the sum of |P(class | a) − P(class | b)| over all classes; overlap if one of them occurred less often than the threshold.
    ValueDifference {
        /// The minimum frequency.
        threshold: f64,
    },
}

/// The data for distances at one position.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) position: usize,
    pub(crate) weight: f64,
    /// One per symbol: its frequency.
    frequencies: Vec<f64>,
    /// One per symbol: the probability of each class given the symbol.
    profiles: Distributions,
    /// Whether symbols may overlap in part.
    may_overlap: bool,
    /// The distances of the most frequent symbols from each other, as a square matrix.
    square: Vec<f64>,
    /// The side of the matrix.
    side: usize,
}

/// The number of symbols per position whose distances are precomputed, which by Zipf's law covers most queries: 2 MB.
const SIDE: usize = 512;

impl Place {
    pub(crate) fn new(
        position: usize,
        weight: f64,
        metric: Metric,
        classes: &Distributions,
        symbols: &Symbols,
    ) -> Self {
        let frequencies = (0..classes.len()).map(|symbol| classes.get(symbol).total()).collect();
        let may_overlap = symbols.may_overlap(position);
        let profiles = classes.normalised();
        let mut place =
            Self { position, weight, frequencies, profiles, may_overlap, square: Vec::new(), side: 0 };
        if let Metric::ValueDifference { threshold } = metric {
            // The most frequent symbols come first.
            let frequent = place.frequencies.iter().take_while(|&&frequency| frequency >= threshold);
            let side = frequent.count().min(SIDE);
            let mut square = vec![0.0; side * side];
            for a in 0..side {
                for b in 0..a {
                    let distance = place.value_difference(a, b) * weight;
                    square[a * side + b] = distance;
                    square[b * side + a] = distance;
                }
            }
            (place.square, place.side) = (square, side);
        }
        place
    }

    pub(crate) fn n_symbols(&self) -> usize {
        self.frequencies.len()
    }

    /// The precomputed distances of a symbol from the first ones.
    pub(crate) fn known(&self, symbol: u32) -> &[f64] {
        let at = symbol as usize;
        if at < self.side { &self.square[at * self.side..][..self.side] } else { &[] }
    }

    /// The weighted distance of a symbol, or of `values` if it is [`UNKNOWN`], from a training symbol.
    pub(crate) fn distance(
        &self,
        metric: Metric,
        symbols: &Symbols,
        (a, values): (u32, &[u32]),
        b: u32,
    ) -> f64 {
        self.weight * self.unweighted(metric, symbols, (a, values), b)
    }

    fn unweighted(&self, metric: Metric, symbols: &Symbols, (a, values): (u32, &[u32]), b: u32) -> f64 {
        if a == b {
            return 0.0;
        }
        if let Metric::ValueDifference { threshold } = metric
            && a != UNKNOWN
            && self.frequencies[a as usize] >= threshold
            && self.frequencies[b as usize] >= threshold
        {
            return self.value_difference(a as usize, b as usize);
        }
        if !self.may_overlap {
            return 1.0;
        }
        let values = if a == UNKNOWN { values } else { symbols.set(self.position, a) };
        overlap(values, symbols.set(self.position, b))
    }

    /// A lower bound of the distance of a symbol from all others; 0 if none is known immediately.
    pub(crate) fn least(&self, metric: Metric, symbol: u32) -> f64 {
        let is_rare = |threshold| symbol == UNKNOWN || self.frequencies[symbol as usize] < threshold;
        let alike = self.may_overlap
            || matches!(metric, Metric::ValueDifference { threshold } if !is_rare(threshold));
        if alike { 0.0 } else { self.weight }
    }

    /// The approximate distance of two random instances at this position.
    pub(crate) fn spread(&self, metric: Metric) -> f64 {
        let total: f64 = self.frequencies.iter().sum();
        let few = self.frequencies.len().min(64);
        let mut near = 0.0;
        for a in 0..few {
            for b in 0..few {
                let likely = self.frequencies[a] * self.frequencies[b] / (total * total).max(1e-300);
                let distance = match metric {
                    Metric::ValueDifference { threshold }
                        if self.frequencies[a] >= threshold && self.frequencies[b] >= threshold =>
                    {
                        self.value_difference(a, b)
                    }
                    _ => f64::from(a != b),
                };
                near += likely * (1.0 - distance);
            }
        }
        (1.0 - near) * self.weight
    }

    fn value_difference(&self, a: usize, b: usize) -> f64 {
        value_difference(self.profiles.get(a), self.profiles.get(b))
    }
}

/// Half the sum of the differences. The order of additions is that of the classes, as in TiMBL, which compares distances to nearly the
/// last digit.
fn value_difference(a: Distribution<'_>, b: Distribution<'_>) -> f64 {
    let (mut at_a, mut at_b, mut sum) = (0, 0, 0.0);
    while at_a < a.classes.len() && at_b < b.classes.len() {
        let (class_a, class_b) = (a.classes[at_a], b.classes[at_b]);
        let of_a = if class_a <= class_b { a.counts[at_a] } else { 0.0 };
        let of_b = if class_b <= class_a { b.counts[at_b] } else { 0.0 };
        sum += (of_a - of_b).abs();
        at_a += usize::from(class_a <= class_b);
        at_b += usize::from(class_b <= class_a);
    }
    let sum = a.counts[at_a..].iter().fold(sum, |sum, of_a| sum + of_a);
    b.counts[at_b..].iter().fold(sum, |sum, of_b| sum + of_b) / 2.0
}

/// The fraction of the values of two sets that they do not share; both are ascending.
fn overlap(a: &[u32], b: &[u32]) -> f64 {
    let shared = a.iter().filter(|value| b.binary_search(value).is_ok()).count();
    let all = a.len() + b.len() - shared;
    #[allow(clippy::cast_precision_loss, reason = "far fewer than 2⁵²")]
    let part = 1.0 - shared as f64 / all.max(1) as f64;
    part
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::distributions::Counter;
    use crate::{Instances, Positions, Right};

    /// Values 0 to 3 and their sets at one position, with instances of two classes.
    fn place(metric: Metric) -> (Place, Symbols) {
        let mut instances = Instances::new(Positions::one(5), 2);
        // Per set: the counts of class 0 and class 1.
        let counts: [(&[u32], [usize; 2]); 5] =
            [(&[0], [4, 4]), (&[1], [6, 0]), (&[2], [1, 3]), (&[3], [0, 2]), (&[0, 1, 4], [1, 0])];
        for (row, counts) in counts {
            for (class, n) in (0u32..).zip(counts) {
                (0..n).for_each(|_| instances.push(row, Right::Class(class), 1.0));
            }
        }
        let (symbols, columns) = Symbols::of(&instances);
        let (mut counter, mut classes) = (Counter::new(2), Distributions::default());
        for symbol in 0..5 {
            for (i, _) in columns[0].iter().enumerate().filter(|&(_, &found)| found == symbol) {
                crate::memory::rows::count(&instances, i, &mut counter);
            }
            classes.push(&mut counter);
        }
        (Place::new(0, 1.0, metric, &classes, &symbols), symbols)
    }

    fn check(metric: Metric, (a, values): (u32, &[u32]), b: u32, expected: f64) {
        let (place, symbols) = place(metric);
        let found = place.distance(metric, &symbols, (a, values), b);
        assert!((found - expected).abs() < 1e-15, "{a} {values:?} {b}: {found} {expected}");
        if a != UNKNOWN {
            let known = place.known(a).get(b as usize).copied().unwrap_or(found);
            assert!((known - found).abs() < 1e-15);
        }
        assert!(found >= place.least(metric, a) || a == b);
    }

    #[test]
    fn values_are_as_far_apart_as_their_classes() {
        // P(class 0 | value) is 1/2, 1, 1/4, 0.
        let metric = Metric::ValueDifference { threshold: 2.0 };
        check(metric, (0, &[]), 1, 0.5);
        check(metric, (0, &[]), 2, 0.25);
        check(metric, (1, &[]), 3, 1.0);
        check(metric, (2, &[]), 3, 0.25);
        check(metric, (2, &[]), 2, 0.0);
        // It occurs once, which is below the threshold. It shares one of three values with value 0, and none with value 2.
        check(metric, (4, &[]), 0, 2.0 / 3.0);
        check(metric, (4, &[]), 2, 1.0);
        // With a higher threshold the last value is rare as well.
        let metric = Metric::ValueDifference { threshold: 3.0 };
        check(metric, (2, &[]), 3, 1.0);
        check(metric, (1, &[]), 2, 0.75);
    }

    #[test]
    fn sets_overlap_in_part() {
        check(Metric::Overlap, (0, &[]), 1, 1.0);
        check(Metric::Overlap, (0, &[]), 0, 0.0);
        check(Metric::Overlap, (1, &[]), 4, 2.0 / 3.0);
        // Unknown in training: values 0 and 1, and nothing.
        check(Metric::Overlap, (UNKNOWN, &[0, 1]), 4, 1.0 / 3.0);
        check(Metric::Overlap, (UNKNOWN, &[0, 1]), 0, 0.5);
        check(Metric::Overlap, (UNKNOWN, &[]), 0, 1.0);
    }
}
