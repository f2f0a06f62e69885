//! How weights change: Adam (Kingma and Ba 2015), with a rate that rises for some steps and then falls
//! to zero over the passes.

use rayon::prelude::*;

use super::minibatch::Minibatch;
use super::settings::Settings;
use super::{Network, kernels};

/// How long the two running means remember.
pub(super) const FIRST: f32 = 0.9;
pub(super) const SECOND: f32 = 0.999;

/// Steps until the rate is at its highest.
const WARM_UP: f32 = 50.0;

/// How weights change at one step.
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub(super) rate: f32,
    /// The part of a weight that is forgotten.
    pub(super) decay: f32,
    /// What the running means fall short by, so early in training.
    pub(super) short_first: f32,
    pub(super) short_second: f32,
}

impl Step {
    /// The step with this number, this part of the training done.
    pub(super) fn at(settings: &Settings, number: usize, done: f32) -> Self {
        #[allow(clippy::cast_precision_loss, reason = "no precision is needed")]
        let warm = (number as f32 / WARM_UP).min(1.0);
        let rate = settings.rate * warm * (1.0 - done).max(0.0);
        let power = i32::try_from(number).unwrap_or(i32::MAX);
        Self {
            rate,
            decay: settings.decay * rate,
            short_first: 1.0 / (1.0 - FIRST.powi(power)),
            short_second: 1.0 / (1.0 - SECOND.powi(power)),
        }
    }

    fn without_decay(self) -> Self {
        Self { decay: 0.0, ..self }
    }
}

/// The running means of all gradients of a network.
pub(super) struct Adam {
    input: Vec<Moments>,
    embeddings: Vec<Moments>,
    bias: Moments,
    output: Moments,
    output_bias: Moments,
}

impl Adam {
    /// Nothing to remember yet.
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

    /// Changes all weights against the gradient of a minibatch.
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

    /// All running means, array by array.
    pub(super) fn numbers(&self) -> impl Iterator<Item = &[f32]> {
        let single = [&self.bias, &self.output, &self.output_bias];
        let all = self.input.iter().chain(&self.embeddings).chain(single);
        all.flat_map(|moments| [&moments.first[..], &moments.second])
    }

    /// All running means, array by array, to be changed.
    pub(super) fn numbers_mut(&mut self) -> impl Iterator<Item = &mut [f32]> {
        let single = [&mut self.bias, &mut self.output, &mut self.output_bias];
        let all = self.input.iter_mut().chain(&mut self.embeddings).chain(single);
        all.flat_map(|moments| [&mut moments.first[..], &mut moments.second])
    }
}

/// The running means of a gradient and of its square.
struct Moments {
    first: Vec<f32>,
    second: Vec<f32>,
}

impl Moments {
    fn new(n: usize) -> Self {
        Self { first: vec![0.0; n], second: vec![0.0; n] }
    }

    fn change(&mut self, weights: &mut [f32], gradient: &[f32], change: Step) {
        self.change_part(weights, 0, gradient, change);
    }

    /// Changes the weights that start at `start`; the others stay, and so do their means.
    fn change_part(&mut self, weights: &mut [f32], start: usize, gradient: &[f32], change: Step) {
        let n = gradient.len();
        let weights = &mut weights[start..start + n];
        let first = &mut self.first[start..start + n];
        let second = &mut self.second[start..start + n];
        kernels::adam(weights, first, second, gradient, change);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_rises_and_falls() {
        let settings = Settings { rate: 0.01, ..Settings::default() };
        let rate = |number, done| Step::at(&settings, number, done).rate;
        assert!(rate(1, 0.0) < rate(25, 0.0) && rate(25, 0.0) < rate(50, 0.0));
        assert_eq!(rate(50, 0.0).to_bits(), 0.01f32.to_bits());
        assert!(rate(500, 0.9) < rate(500, 0.1));
        assert_eq!(rate(500, 1.0).to_bits(), 0);
    }

    #[test]
    fn a_first_step_is_as_long_as_the_rate_whatever_the_gradient() {
        let (mut moments, mut weights) = (Moments::new(4), vec![1.0; 4]);
        let step = Step { rate: 0.1, ..Step::at(&Settings::default(), 1, 0.0) };
        moments.change_part(&mut weights, 1, &[5.0, -0.01], step);
        for (weight, expected) in weights.iter().zip([1.0, 0.9, 1.1, 1.0]) {
            assert!((weight - expected).abs() < 1e-4, "{weights:?}");
        }
    }
}
