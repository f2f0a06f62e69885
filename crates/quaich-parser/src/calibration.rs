//! From margins to probabilities: logistic regression on held-out parses.

use quaich_learn::math;
use serde::{Deserialize, Serialize};

/// Says how likely an arc with its label is right, from the margins of the two decisions that
/// made it.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Calibration {
    weights: [f64; 5],
}

/// An arc of a held-out parse.
#[derive(Clone, Copy, Debug)]
pub struct Judged {
    /// The margins of its transition and of its label.
    pub margins: (f32, f32),
    /// Whether head and label were right.
    pub right: bool,
}

/// Larger margins are no more certain.
const CAP: f32 = 12.0;

impl Calibration {
    /// Margins of an arc that no decision made.
    pub const UNDISPUTED: (f32, f32) = (f32::INFINITY, f32::INFINITY);

    /// Fits to held-out arcs by Newton's method; with none of them every arc is even.
    pub fn fit(judged: &[Judged]) -> Self {
        const N: usize = 5;
        let mut weights = [0.0; N];
        if judged.is_empty() {
            return Self { weights };
        }
        for _ in 0..25 {
            let mut gradient = [0.0; N];
            let mut hessian = [[0.0; N]; N];
            for arc in judged {
                let x = inputs(arc.margins);
                let p = sigmoid(dot(&weights, &x));
                let error = f64::from(u8::from(arc.right)) - p;
                for i in 0..N {
                    gradient[i] += error * x[i];
                    for j in 0..N {
                        hessian[i][j] += p * (1.0 - p) * x[i] * x[j];
                    }
                }
            }
            for i in 0..N {
                // A little shrinkage keeps the system solvable when all arcs are right.
                gradient[i] -= 1e-2 * weights[i];
                hessian[i][i] += 1e-2;
            }
            let step = solve(hessian, gradient);
            for (weight, step) in weights.iter_mut().zip(step) {
                *weight += step;
            }
            if step.iter().all(|step| step.abs() < 1e-9) {
                break;
            }
        }
        Self { weights }
    }

    /// Whether it gives a probability for all margins.
    pub(crate) fn is_sound(&self) -> bool {
        self.weights.iter().all(|weight| weight.is_finite())
    }

    /// The probability that an arc with these margins is right.
    pub fn probability(&self, margins: (f32, f32)) -> f32 {
        #[allow(clippy::cast_possible_truncation, reason = "a probability")]
        let p = sigmoid(dot(&self.weights, &inputs(margins))) as f32;
        p
    }

    /// The expected calibration error over ten classes of probability.
    pub fn expected_error(&self, judged: &[Judged]) -> f64 {
        let mut bins = [(0.0, 0.0, 0.0); 10];
        for arc in judged {
            let p = f64::from(self.probability(arc.margins));
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 9")]
            let bin = &mut bins[((p * 10.0) as usize).min(9)];
            bin.0 += 1.0;
            bin.1 += p;
            bin.2 += f64::from(u8::from(arc.right));
        }
        let total: f64 = bins.iter().map(|bin| bin.0).sum();
        bins.iter().map(|&(_, expected, right): &(f64, f64, f64)| (expected - right).abs()).sum::<f64>()
            / total.max(1.0)
    }
}

fn inputs((kind, label): (f32, f32)) -> [f64; 5] {
    let kind = f64::from(kind.clamp(0.0, CAP));
    let label = f64::from(label.clamp(0.0, CAP));
    [1.0, kind, label, kind.sqrt(), label.sqrt()]
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + math::exp(-x))
}

fn dot(a: &[f64; 5], b: &[f64; 5]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Gaussian elimination with pivots.
fn solve<const N: usize>(mut a: [[f64; N]; N], mut b: [f64; N]) -> [f64; N] {
    for column in 0..N {
        let pivot =
            (column..N).max_by(|&i, &j| a[i][column].abs().total_cmp(&a[j][column].abs())).unwrap_or(column);
        a.swap(column, pivot);
        b.swap(column, pivot);
        for row in column + 1..N {
            let factor = a[row][column] / a[column][column];
            let above = a[column];
            for (cell, above) in a[row].iter_mut().zip(above).skip(column) {
                *cell -= factor * above;
            }
            b[row] -= factor * b[column];
        }
    }
    for column in (0..N).rev() {
        for k in column + 1..N {
            b[column] -= a[column][k] * b[k];
        }
        b[column] /= a[column][column];
    }
    b
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_follow_what_was_right() {
        let judged: Vec<Judged> = (0..4000u16)
            .map(|i| {
                let margin = f32::from(i % 40) / 10.0;
                // The wider the margin, the more often right.
                Judged { margins: (margin, 5.0), right: (i / 40) % 10 < 3 + (i % 40) / 6 }
            })
            .collect();
        let calibration = Calibration::fit(&judged);
        assert!(calibration.expected_error(&judged) < 0.05);
        assert!(calibration.probability((0.0, 5.0)) < 0.5);
        assert!(calibration.probability((3.9, 5.0)) > 0.8);
        assert!(calibration.probability(Calibration::UNDISPUTED) <= 1.0);
    }

    #[test]
    fn all_right_is_no_trouble() {
        let judged = [Judged { margins: (1.0, 1.0), right: true }; 50];
        assert!(Calibration::fit(&judged).probability((1.0, 1.0)) > 0.9);
        assert!((Calibration::fit(&[]).probability((1.0, 1.0)) - 0.5).abs() < 1e-6);
    }
}
