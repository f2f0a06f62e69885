//! Abstract running time: the number of transitions by sentence length, and the least-squares fit of m = a · n (Nivre
//! 2009, section 4.1).

use super::sentence_length::{GROUPS, group};
use super::{Breakdown, Column, Context, Need, Row, Table, Tally, Value};
use crate::evaluator::SentencePair;

/// The breakdown.
pub(super) struct RunningTime;

impl Breakdown for RunningTime {
    fn name(&self) -> &'static str {
        "running-time"
    }

    fn about(&self) -> &'static str {
        "number m of transitions of a model by sentence length n, with the least-squares fit of m = a·n and its R² (--model)"
    }

    fn need(&self) -> Need {
        Need::Derivations
    }

    fn is_partition(&self) -> bool {
        false
    }

    fn start(&self, _context: &Context) -> Box<dyn Tally> {
        Box::new(Times::default())
    }
}

/// By sentence length, and in total.
#[derive(Default)]
struct Times([Fit; GROUPS.len() + 1]);

impl Tally for Times {
    fn add(&mut self, pair: &SentencePair<'_>) {
        if let Some(derivation) = pair.derivation {
            let n_tokens = pair.gold.n_tokens();
            for place in [group(n_tokens), GROUPS.len()] {
                self.0[place].add(n_tokens, derivation.n_transitions);
            }
        }
    }

    fn table(&self) -> Table {
        let names = GROUPS.iter().map(|(name, _)| *name).chain(["all"]);
        let row = |(name, fit): (&str, &Fit)| Row {
            name: name.to_owned(),
            values: vec![
                Value::Count(fit.sentences),
                Value::Count(fit.tokens),
                Value::Count(fit.transitions),
                Value::Number(fit.slope()),
                Value::Number(fit.r_squared()),
            ],
        };
        let columns = [
            ("n_sentences", "sentences"),
            ("n_tokens", "tokens"),
            ("transitions", "transitions"),
            ("slope", "a"),
            ("r_squared", "R²"),
        ];
        Table {
            columns: columns.map(|(key, name)| Column { key, name }).to_vec(),
            rows: names.zip(&self.0).map(row).collect(),
        }
    }
}

/// The sums for a fit of m = a · n, as integers.
#[derive(Clone, Copy, Default)]
struct Fit {
    sentences: u64,
    tokens: u64,
    transitions: u64,
    /// Σ n², Σ n·m, Σ m².
    squares: [u128; 3],
}

impl Fit {
    fn add(&mut self, n_tokens: usize, n_transitions: usize) {
        let (n, m) = (n_tokens as u64, n_transitions as u64);
        self.sentences += 1;
        self.tokens += n;
        self.transitions += m;
        let products = [(n, n), (n, m), (m, m)].map(|(one, other)| u128::from(one) * u128::from(other));
        for (sum, product) in self.squares.iter_mut().zip(products) {
            *sum += product;
        }
    }

    /// Returns the factor a that minimises the squares of m − a·n.
    fn slope(&self) -> Option<f64> {
        let [nn, nm, _] = self.floats();
        (self.sentences > 0).then(|| nm / nn)
    }

    /// Returns the share of the variance of m explained by the fit; requires different values of m.
    #[allow(clippy::cast_precision_loss, reason = "sums that are rounded in the last digit at worst")]
    fn r_squared(&self) -> Option<f64> {
        let [nn, nm, mm] = self.floats();
        let slope = self.slope()?;
        let residual = mm - 2.0 * slope * nm + slope * slope * nn;
        let (m, sentences) = (self.transitions as f64, self.sentences as f64);
        let total = mm - m * m / sentences;
        (total > 0.0).then(|| 1.0 - residual / total)
    }

    #[allow(clippy::cast_precision_loss, reason = "sums that are rounded in the last digit at worst")]
    fn floats(&self) -> [f64; 3] {
        self.squares.map(|sum| sum as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fit_worked_out_by_hand() {
        let mut fit = Fit::default();
        assert_eq!((fit.slope(), fit.r_squared()), (None, None));
        // n·m: 2 + 10 + 18 = 30 of n²: 1 + 4 + 9 = 14. Residuals: 2 - 15/7, 5 - 30/7, 6 - 45/7.
        for (n, m) in [(1, 2), (2, 5), (3, 6)] {
            fit.add(n, m);
        }
        let slope = 30.0 / 14.0;
        assert!((fit.slope().unwrap() - slope).abs() < 1e-12);
        let residual: f64 = [(1.0, 2.0), (2.0, 5.0), (3.0, 6.0)]
            .map(|(n, m): (f64, f64)| (m - slope * n).powi(2))
            .iter()
            .sum();
        // m: 2, 5, 6, whose squares sum to 65 and whose sum is 13.
        let total = 65.0 - 169.0 / 3.0;
        assert!((fit.r_squared().unwrap() - (1.0 - residual / total)).abs() < 1e-12);
    }

    #[test]
    fn what_lies_on_a_line_is_explained() {
        let mut fit = Fit::default();
        for n in 1..20 {
            fit.add(n, 2 * n);
        }
        assert!((fit.slope().unwrap() - 2.0).abs() < 1e-12);
        assert!((fit.r_squared().unwrap() - 1.0).abs() < 1e-12);
    }
}
