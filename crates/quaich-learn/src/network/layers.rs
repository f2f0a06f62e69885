//! The hidden layer and the output layer for a minibatch: forward to the loss, and backward to the gradient of the hidden layer's sums.

use rand::Rng;
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;

use super::Network;
use super::distinct::SlotBatch;
use super::instances::SlotInstances;
use super::parameters::NetworkParameters;
use crate::kernels::{self, Strips, Transpose};
use crate::loss;
use crate::step_rng::StepRng;

/// Instances per parallel task, which also fixes the order of sums.
const GROUP: usize = 64;

/// The activations and gradients of a minibatch, from the hidden layer on.
pub(super) struct Layers {
    n_hidden: usize,
    n_classes: usize,
    /// Per instance, its hidden units.
    hidden: Vec<f32>,
    /// Per instance, the gradient of its hidden units before the rectifier.
    pub(super) gradient: Vec<f32>,
    /// Indexed by instance, then by class: scores, then their gradients.
    scores: Vec<f32>,
    /// The gradient of the output weights.
    pub(super) output_gradient: Vec<f32>,
}

impl Layers {
    /// No minibatch yet.
    pub(super) fn new(network: &Network) -> Self {
        Self {
            n_hidden: network.shape.hidden,
            n_classes: network.shape.classes,
            hidden: Vec::new(),
            gradient: Vec::new(),
            scores: Vec::new(),
            output_gradient: vec![0.0; network.output.len()],
        }
    }

    /// Computes the gradient of the mean loss of the chosen instances, whose values are in `slots`; returns the sum of the losses.
    pub(super) fn differentiate(
        &mut self,
        network: &Network,
        slots: &[SlotBatch],
        (instances, chosen): (&SlotInstances, &[u32]),
        parameters: &NetworkParameters,
        rng: StepRng,
    ) -> f64 {
        let Self { n_hidden, n_classes, .. } = *self;
        self.hidden.resize(chosen.len() * n_hidden, 0.0);
        self.gradient.resize(chosen.len() * n_hidden, 0.0);
        self.scores.resize(chosen.len() * n_classes, 0.0);
        #[allow(clippy::cast_precision_loss, reason = "the size of a batch")]
        let share = 1.0 / chosen.len() as f32;
        // Shared by all groups.
        let forwards = Strips::new((n_hidden, n_classes), (&network.output, Transpose::No));
        let backwards = Strips::new((n_classes, n_hidden), (&network.output, Transpose::Yes));
        let losses: Vec<f64> = self
            .hidden
            .par_chunks_mut(GROUP * n_hidden)
            .zip(self.gradient.par_chunks_mut(GROUP * n_hidden))
            .zip(self.scores.par_chunks_mut(GROUP * n_classes))
            .zip(chosen.par_chunks(GROUP))
            .enumerate()
            .map(|(group, (((hidden, gradient), scores), chosen))| {
                let mut generator = rng.stream(group as u64);
                let mut rows: Vec<&[f32]> = Vec::with_capacity(slots.len());
                for (i, hidden) in (group * GROUP..).zip(hidden.chunks_mut(n_hidden)) {
                    hidden.copy_from_slice(&network.bias);
                    rows.clear();
                    rows.extend(slots.iter().map(|slot| slot.row(i, n_hidden)));
                    kernels::accumulate(hidden, &rows);
                    rectify(hidden, parameters.dropout, &mut generator);
                }
                forwards.multiply(chosen.len(), (hidden, Transpose::No), scores);
                let mut loss = 0.0;
                for (scores, &instance) in scores.chunks_mut(n_classes).zip(chosen) {
                    for (score, bias) in scores.iter_mut().zip(&network.output_bias) {
                        *score += bias;
                    }
                    let (right, weight) =
                        (instances.right(instance as usize), instances.weight(instance as usize));
                    loss += f64::from(weight) * loss::differentiate(scores, right, parameters.smoothing);
                    for score in scores {
                        *score *= weight * share;
                    }
                }
                backwards.multiply(chosen.len(), (scores, Transpose::No), gradient);
                let scale = 1.0 / (1.0 - parameters.dropout);
                for (gradient, &unit) in gradient.iter_mut().zip(hidden.iter()) {
                    *gradient = if unit > 0.0 { *gradient * scale } else { 0.0 };
                }
                loss
            })
            .collect();
        Strips::new((chosen.len(), n_classes), (&self.scores, Transpose::No)).multiply_in_parallel(
            n_hidden,
            (&self.hidden, Transpose::Yes),
            &mut self.output_gradient,
        );
        losses.iter().sum()
    }

    /// The gradient of the hidden layer's bias.
    pub(super) fn bias_gradient(&self) -> Vec<f32> {
        column_sums(&self.gradient, self.n_hidden)
    }

    /// The gradient of the output bias.
    pub(super) fn output_bias_gradient(&self) -> Vec<f32> {
        column_sums(&self.scores, self.n_classes)
    }
}

/// Applies the rectifier and dropout to hidden units.
fn rectify(hidden: &mut [f32], dropout: f32, generator: &mut Pcg64Mcg) {
    if dropout <= 0.0 {
        for unit in hidden {
            *unit = unit.max(0.0);
        }
        return;
    }
    let scale = 1.0 / (1.0 - dropout);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "dropout is below 1")]
    let limit = (dropout * 65_536.0) as u16;
    for units in hidden.chunks_mut(4) {
        let bits = generator.next_u64();
        for (unit, bits) in units.iter_mut().zip(bits.to_le_bytes().as_chunks::<2>().0) {
            let kept = u16::from_le_bytes(*bits) >= limit;
            *unit = if kept { unit.max(0.0) * scale } else { 0.0 };
        }
    }
}

fn column_sums(rows: &[f32], width: usize) -> Vec<f32> {
    let mut sums = vec![0.0; width];
    for row in rows.chunks(width) {
        for (sum, cell) in sums.iter_mut().zip(row) {
            *sum += cell;
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn dropout_leaves_the_mean_as_it_is() {
        let mut generator = Pcg64Mcg::seed_from_u64(1);
        let mut hidden = vec![1.0; 40_000];
        rectify(&mut hidden, 0.25, &mut generator);
        assert!((hidden.iter().sum::<f32>() / 40_000.0 - 1.0).abs() < 0.02);
        let mut hidden = vec![-1.0, 2.0];
        rectify(&mut hidden, 0.0, &mut generator);
        assert_eq!(hidden, [0.0, 2.0]);
    }
}
