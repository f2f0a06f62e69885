//! Adam (Kingma and Ba 2015) with a learning rate that warms up and then decays linearly to zero.

use rayon::prelude::*;

use super::Network;
use super::minibatch::Minibatch;
use super::parameters::NetworkParameters;
use crate::adam::{Moments, Step};

/// The decay rates β₁ and β₂ of the moments.
const BETAS: (f32, f32) = (0.9, 0.999);

/// The number of warm-up steps.
const WARM_UP: f32 = 50.0;

/// The step with this number, at this fraction of the training.
pub(super) fn step_at(parameters: &NetworkParameters, number: usize, done: f32) -> Step {
    #[allow(clippy::cast_precision_loss, reason = "no precision is needed")]
    let warm = (number as f32 / WARM_UP).min(1.0);
    let rate = parameters.rate * warm * (1.0 - done).max(0.0);
    Step { decay: parameters.decay * rate, ..Step::new(number, rate, BETAS) }
}

/// Adam's moments for all weights of a network.
pub(super) struct Adam {
    input: Vec<Moments>,
    embeddings: Vec<Moments>,
    bias: Moments,
    output: Moments,
    output_bias: Moments,
}

impl Adam {
    /// Zero moments.
    pub(super) fn new(network: &Network) -> Self {
        let moments = |weights: &Vec<f32>| Moments::new(weights.len());
        Self {
            input: network.input.iter().map(moments).collect(),
            embeddings: network.embeddings.iter().map(moments).collect(),
            bias: moments(&network.bias),
            output: moments(&network.output),
            output_bias: moments(&network.output_bias),
        }
    }

    /// Updates all weights with the gradient of a minibatch.
    pub(super) fn change(&mut self, network: &mut Network, gradient: &Minibatch, step: Step) {
        let Minibatch { slots, vocabularies, layers } = gradient;
        self.input.par_iter_mut().zip(&mut network.input).zip(slots).for_each(|((moments, input), slot)| {
            moments.change(input, &slot.weight_gradient, step);
        });
        self.embeddings
            .par_iter_mut()
            .zip(&mut network.embeddings)
            .zip(vocabularies)
            .zip(&network.shape.vocabularies)
            .for_each(|(((moments, table), batch), vocabulary)| {
                let width = vocabulary.width();
                for (vector, gradient) in batch.gradients(width) {
                    moments.change_part(table, vector as usize * width, gradient, step);
                }
            });
        self.bias.change(&mut network.bias, &layers.bias_gradient(), step.without_decay());
        self.output.change(&mut network.output, &layers.output_gradient, step);
        self.output_bias.change(
            &mut network.output_bias,
            &layers.output_bias_gradient(),
            step.without_decay(),
        );
    }

    /// All moments, array by array.
    pub(super) fn numbers(&self) -> impl Iterator<Item = &[f32]> {
        let single = [&self.bias, &self.output, &self.output_bias];
        let all = self.input.iter().chain(&self.embeddings).chain(single);
        all.flat_map(|moments| [&moments.first[..], &moments.second])
    }

    /// All moments, array by array, mutable.
    pub(super) fn numbers_mut(&mut self) -> impl Iterator<Item = &mut [f32]> {
        let single = [&mut self.bias, &mut self.output, &mut self.output_bias];
        let all = self.input.iter_mut().chain(&mut self.embeddings).chain(single);
        all.flat_map(|moments| [&mut moments.first[..], &mut moments.second])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_rises_and_falls() {
        let parameters = NetworkParameters { rate: 0.01, ..NetworkParameters::default() };
        let rate = |number, done| step_at(&parameters, number, done).rate;
        assert!(rate(1, 0.0) < rate(25, 0.0) && rate(25, 0.0) < rate(50, 0.0));
        assert_eq!(rate(50, 0.0).to_bits(), 0.01f32.to_bits());
        assert!(rate(500, 0.9) < rate(500, 0.1));
        assert_eq!(rate(500, 1.0).to_bits(), 0);
    }
}
