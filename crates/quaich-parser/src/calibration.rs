//! Calibration: margins → probabilities, by logistic regression on held-out parses.

use quaich_learn::math;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// The number of input features.
const N: usize = 11;

/// Estimates the probability that an arc and its label are correct, from the margins of the decisions that built it.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Calibration {
    #[serde(deserialize_with = "weights")]
    weights: [f64; N],
}

/// Older models have fewer weights; the missing ones are zero.
fn weights<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[f64; N], D::Error> {
    let mut given = Vec::<f64>::deserialize(deserializer)?;
    given.resize(N.max(given.len()), 0.0);
    given.try_into().map_err(|given: Vec<f64>| D::Error::invalid_length(given.len(), &"fewer weights"))
}

/// The evidence for a token's arc.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Evidence {
    /// The margin of the transition that attached the token; infinite if it was the only permissible one, or if none attached it.
    pub kind: f32,
    /// The margin of its label; infinite if there was only one.
    pub label: f32,
    /// The lowest margin of all decisions while the token was on top of the stack or first in the buffer. If it should have been attached
    /// earlier, one of them was wrong.
    pub lowest: f32,
    /// The same for its head, at the end of the parse.
    pub head_lowest: f32,
    /// The distance to its head; 0 for roots.
    pub distance: u32,
}

/// Larger margins are clipped.
const CAP: f32 = 12.0;

impl Evidence {
    /// The evidence for a token without any decision.
    pub const UNDISPUTED: Self = Self {
        kind: f32::INFINITY,
        label: f32::INFINITY,
        lowest: f32::INFINITY,
        head_lowest: f32::INFINITY,
        distance: 0,
    };

    /// Whether there was never a choice.
    pub fn is_undisputed(&self) -> bool {
        self.kind == f32::INFINITY && self.label == f32::INFINITY && self.lowest == f32::INFINITY
    }

    /// Encodes the evidence as numbers for a file.
    pub(crate) fn to_numbers(self) -> [f32; 5] {
        #[allow(clippy::cast_precision_loss, reason = "distances count in classes")]
        let distance = self.distance.min(1 << 20) as f32;
        [self.kind, self.label, self.lowest, self.head_lowest, distance]
    }

    /// Decodes the numbers of a file.
    pub(crate) fn from_numbers([kind, label, lowest, head_lowest, distance]: [f32; 5]) -> Self {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small integer")]
        let distance = distance.max(0.0) as u32;
        Self { kind, label, lowest, head_lowest, distance }
    }
}

impl Calibration {
    /// Fits to held-out arcs with Newton's method. Without any arcs, every probability is one half.
    pub fn fit(arcs: &[(Evidence, bool)]) -> Self {
        let mut weights = [0.0; N];
        if arcs.is_empty() {
            return Self { weights };
        }
        // Arcs without a choice carry no information.
        let arcs: Vec<&(Evidence, bool)> =
            arcs.iter().filter(|(evidence, _)| !evidence.is_undisputed()).collect();
        for _ in 0..25 {
            let mut gradient = [0.0; N];
            let mut hessian = [[0.0; N]; N];
            for &&(evidence, right) in &arcs {
                let x = inputs(evidence);
                let p = sigmoid(dot(&weights, &x));
                let error = f64::from(u8::from(right)) - p;
                for i in 0..N {
                    gradient[i] += error * x[i];
                    for j in 0..N {
                        hessian[i][j] += p * (1.0 - p) * x[i] * x[j];
                    }
                }
            }
            for i in 0..N {
                // A little shrinkage keeps the system solvable when all arcs are correct.
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

    /// Whether the weights are within the range that fitting produces, so that every probability is valid.
    pub(crate) fn is_sound(&self) -> bool {
        self.weights.iter().all(|weight| weight.abs() <= 1e6)
    }

    /// The probability that an arc with this evidence is correct; 1 if there was never a choice.
    pub fn probability(&self, evidence: Evidence) -> f32 {
        if evidence.is_undisputed() {
            return 1.0;
        }
        #[allow(clippy::cast_possible_truncation, reason = "a probability")]
        let p = sigmoid(dot(&self.weights, &inputs(evidence))) as f32;
        p
    }
}

/// The expected calibration error with ten bins, given probabilities and whether each arc was correct.
pub(crate) fn expected_error(arcs: impl Iterator<Item = (f32, bool)>) -> f64 {
    let mut bins = [(0.0, 0.0, 0.0); 10];
    for (p, right) in arcs {
        let p = f64::from(p);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 9")]
        let bin = &mut bins[((p * 10.0) as usize).min(9)];
        bin.0 += 1.0;
        bin.1 += p;
        bin.2 += f64::from(u8::from(right));
    }
    let total: f64 = bins.iter().map(|bin| bin.0).sum();
    bins.iter().map(|&(_, expected, right): &(f64, f64, f64)| (expected - right).abs()).sum::<f64>()
        / total.max(1.0)
}

fn inputs(evidence: Evidence) -> [f64; N] {
    // NaN counts as no margin.
    let margin = |margin: f32| f64::from(margin.clamp(0.0, CAP).max(0.0));
    let Evidence { kind, label, lowest, head_lowest, distance } = evidence;
    let (kind, label, lowest, head_lowest) =
        (margin(kind), margin(label), margin(lowest), margin(head_lowest));
    let distance = f64::from(distance.min(64));
    [
        1.0,
        kind,
        label,
        kind.sqrt(),
        label.sqrt(),
        lowest,
        lowest.sqrt(),
        head_lowest.sqrt(),
        // Short arcs are more reliable than long ones, and roots differ from both.
        math::ln(1.0 + distance),
        f64::from(u8::from(distance == 0.0)),
        (lowest * label).sqrt(),
    ]
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + math::exp(-x))
}

fn dot(a: &[f64; N], b: &[f64; N]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Gaussian elimination with pivoting.
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

    fn evidence(kind: f32, label: f32) -> Evidence {
        Evidence { kind, label, lowest: kind, head_lowest: 5.0, distance: 1 }
    }

    #[test]
    fn probabilities_follow_what_was_right() {
        let arcs: Vec<(Evidence, bool)> = (0..4000u16)
            .map(|i| {
                let margin = f32::from(i % 40) / 10.0;
                // The larger the margin, the more often correct.
                (evidence(margin, 5.0), (i / 40) % 10 < 3 + (i % 40) / 6)
            })
            .collect();
        let calibration = Calibration::fit(&arcs);
        let arcs = arcs.iter().map(|&(evidence, right)| (calibration.probability(evidence), right));
        assert!(expected_error(arcs) < 0.05);
        assert!(calibration.probability(evidence(0.0, 5.0)) < 0.5);
        assert!(calibration.probability(evidence(3.9, 5.0)) > 0.8);
    }

    #[test]
    fn decisions_on_the_way_count() {
        let with = |lowest: f32| Evidence { lowest, ..evidence(4.0, 4.0) };
        let arcs: Vec<(Evidence, bool)> =
            (0..2000u16).map(|i| (with(f32::from(i % 2) * 3.0), i % 2 == 1 || i % 5 == 0)).collect();
        let calibration = Calibration::fit(&arcs);
        assert!(calibration.probability(with(0.0)) < 0.3 && calibration.probability(with(3.0)) > 0.9);
    }

    #[test]
    fn all_right_is_no_trouble() {
        let arcs = [(evidence(1.0, 1.0), true); 50];
        assert!(Calibration::fit(&arcs).probability(evidence(1.0, 1.0)) > 0.9);
        assert!((Calibration::fit(&[]).probability(evidence(1.0, 1.0)) - 0.5).abs() < 1e-6);
    }

    #[test]
    fn what_was_never_in_question_is_certain() {
        let p = Calibration::default().probability(Evidence::UNDISPUTED);
        assert!((p - 1.0).abs() < f32::EPSILON);
        let odd = Evidence { kind: f32::NAN, label: f32::NEG_INFINITY, ..Evidence::UNDISPUTED };
        assert!((0.0..=1.0).contains(&Calibration::default().probability(odd)));
    }
}
