//! The loss of an instance: the negative logarithm of the probability that the scores give to what is
//! right.

use super::instances::SlotInstances;
use crate::math::exp_f32;

/// Scores → the gradient of the loss in them; returns the loss.
pub(super) fn softmax(scores: &mut [f32], instances: &SlotInstances, instance: usize, smoothing: f32) -> f32 {
    let highest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for score in scores.iter_mut() {
        *score = exp_f32(*score - highest);
        sum += *score;
    }
    for score in scores.iter_mut() {
        *score /= sum;
    }
    #[allow(clippy::cast_precision_loss, reason = "some thousands at most")]
    let floor = smoothing / scores.len() as f32;
    let right = instances.class(instance) as usize;
    let mut loss = 0.0;
    if let Some(target) = instances.target(instance) {
        for (score, &target) in scores.iter_mut().zip(target) {
            let target = target * (1.0 - smoothing) + floor;
            loss -= target * score.max(1e-12).ln();
            *score -= target;
        }
    } else {
        loss -= scores[right].max(1e-12).ln();
        if smoothing > 0.0 {
            for score in scores.iter_mut() {
                *score -= floor;
            }
        }
        scores[right] -= 1.0 - smoothing;
    }
    loss
}
