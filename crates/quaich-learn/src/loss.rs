//! The loss of an instance: the negative log-probability of its target.
//!
//! ```text
//!                      loss               gradient in the scores
//!   one class c        −ln p(c)           p − 1 at c
//!   any of a set R     −ln Σ p(c ∈ R)     p − p/Σ p(c ∈ R) within R
//!   a distribution q   −Σ q(c) ln p(c)    p − q
//! ```
//!
//! Label smoothing spreads part of the target in the gradient over all classes (Szegedy et al. 2016); the returned loss is without
//! smoothing.

use crate::kernels::softmax;
use crate::math::ln;
use crate::targets::Right;

/// Smaller probabilities are rounded to zero. When a model has converged, the probabilities of all but the correct class are so small
/// that gradients become subnormal numbers, which are many times slower on most processors; these values are far too small to affect any
/// result.
const MIN_PROBABILITY: f32 = 1e-20;

/// Turns scores into the gradient of the loss; returns the loss.
pub(crate) fn differentiate(scores: &mut [f32], right: Right<'_>, smoothing: f32) -> f64 {
    softmax(scores);
    for probability in scores.iter_mut() {
        *probability = if *probability < MIN_PROBABILITY { 0.0 } else { *probability };
    }
    #[allow(clippy::cast_precision_loss, reason = "some thousands at most")]
    let floor = smoothing / scores.len() as f32;
    match right {
        Right::Class(class) => {
            let class = class as usize;
            let loss = -logarithm(scores[class]);
            spread(scores, floor);
            scores[class] -= 1.0 - smoothing;
            loss
        }
        Right::AnyOf(classes) => {
            let sum: f32 = classes.iter().map(|&class| scores[class as usize]).sum();
            for &class in classes {
                let score = &mut scores[class as usize];
                // If the probability of all of them underflows, they count the same.
                #[allow(clippy::cast_precision_loss, reason = "some thousands at most")]
                let share = if sum > 0.0 { *score / sum } else { 1.0 / classes.len() as f32 };
                *score -= share * (1.0 - smoothing);
            }
            spread(scores, floor);
            -logarithm(sum)
        }
        Right::Distribution(shares) => {
            let loss = shares.iter().map(|&(class, share)| {
                if share > 0.0 { -f64::from(share) * logarithm(scores[class as usize]) } else { 0.0 }
            });
            let loss = loss.sum();
            // The shares sum to 1 except for rounding by the caller.
            let whole: f32 = shares.iter().map(|&(_, share)| share).sum();
            for score in scores.iter_mut() {
                *score *= whole;
            }
            for &(class, share) in shares {
                scores[class as usize] -= share * (1.0 - smoothing);
            }
            spread(scores, floor * whole);
            loss
        }
    }
}

/// Subtracts the uniform part of a smoothed target from the gradient.
fn spread(scores: &mut [f32], floor: f32) {
    if floor > 0.0 {
        for score in scores {
            *score -= floor;
        }
    }
}

/// The logarithm of a probability, which may have underflowed.
fn logarithm(probability: f32) -> f64 {
    ln(f64::from(probability.max(1e-12)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCORES: [f32; 4] = [1.0, -0.5, 2.0, 0.25];

    #[test]
    fn what_is_as_good_as_impossible_has_no_gradient() {
        let mut scores = [0.0, -95.0, -200.0, -30.0];
        let loss = differentiate(&mut scores, Right::Class(0), 0.0);
        assert!(loss.abs() < 1e-9 && scores[..3] == [0.0; 3], "{loss} {scores:?}");
        assert!(scores[3] > 1e-14, "{scores:?}");
    }

    fn loss(scores: &[f32], right: Right<'_>) -> f64 {
        differentiate(&mut scores.to_vec(), right, 0.0)
    }

    /// Compares the gradient with finite differences of the loss.
    fn check(right: Right<'_>) {
        let mut gradient = SCORES;
        differentiate(&mut gradient, right, 0.0);
        for (class, &gradient) in gradient.iter().enumerate() {
            let at_distance = |distance: f32| {
                let mut moved = SCORES;
                moved[class] += distance;
                loss(&moved, right)
            };
            let numeric = (at_distance(0.005) - at_distance(-0.005)) / 0.01;
            assert!((numeric - f64::from(gradient)).abs() < 1e-4, "{right:?} {class}: {numeric} {gradient}");
        }
    }

    #[test]
    fn gradients_equal_finite_differences() {
        check(Right::Class(1));
        check(Right::AnyOf(&[0, 3]));
        check(Right::AnyOf(&[0, 1, 2, 3]));
        check(Right::Distribution(&[(0, 0.5), (2, 0.0), (3, 0.5)]));
        check(Right::Distribution(&[(1, 0.2), (2, 0.7)]));
    }

    #[test]
    fn one_class_is_a_set_of_one_and_a_distribution_of_one() {
        let class = loss(&SCORES, Right::Class(2));
        for right in [Right::AnyOf(&[2]), Right::Distribution(&[(2, 1.0)])] {
            assert!((loss(&SCORES, right) - class).abs() < 1e-9);
        }
        assert!(loss(&SCORES, Right::AnyOf(&[0, 1, 2, 3])).abs() < 1e-6);
    }

    #[test]
    fn smoothed_gradients_sum_to_nothing() {
        for right in [Right::Class(0), Right::AnyOf(&[1, 2]), Right::Distribution(&[(0, 0.5), (3, 0.5)])] {
            let mut gradient = SCORES;
            differentiate(&mut gradient, right, 0.1);
            assert!(gradient.iter().sum::<f32>().abs() < 1e-6, "{right:?}: {gradient:?}");
        }
    }

    #[test]
    fn hopeless_sets_are_pulled_up_evenly() {
        let mut gradient = [0.0, -200.0, -200.0];
        assert!(differentiate(&mut gradient, Right::AnyOf(&[1, 2]), 0.0) > 20.0);
        assert_eq!(gradient.map(f32::to_bits), [1.0f32, -0.5, -0.5].map(f32::to_bits));
    }
}
