//! The Adam optimiser (Kingma and Ba 2015).

use crate::kernels;

/// The parameters of one update step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) rate: f32,
    /// The weight decay.
    pub(crate) decay: f32,
    /// The decay rates β₁ and β₂ of the moments.
    pub(crate) betas: (f32, f32),
    /// The bias corrections of the moments.
    pub(crate) corrections: (f32, f32),
}

impl Step {
    /// The step with this number, starting at 1, without weight decay.
    pub(crate) fn new(number: usize, rate: f32, betas: (f32, f32)) -> Self {
        let power = i32::try_from(number).unwrap_or(i32::MAX);
        let corrections = |betas: f32| 1.0 / (1.0 - betas.powi(power));
        Self { rate, decay: 0.0, betas, corrections: (corrections(betas.0), corrections(betas.1)) }
    }

    /// The same step without weight decay.
    pub(crate) fn without_decay(self) -> Self {
        Self { decay: 0.0, ..self }
    }
}

/// The first and second moments of a gradient.
#[derive(Clone, Debug)]
pub(crate) struct Moments {
    pub(crate) first: Vec<f32>,
    pub(crate) second: Vec<f32>,
}

impl Moments {
    /// Zero moments of `n` weights.
    pub(crate) fn new(n: usize) -> Self {
        Self { first: vec![0.0; n], second: vec![0.0; n] }
    }

    /// Updates all weights.
    pub(crate) fn change(&mut self, weights: &mut [f32], gradient: &[f32], change: Step) {
        self.change_part(weights, 0, gradient, change);
    }

    /// Updates the weights that start at `start`; the others keep their values and moments.
    pub(crate) fn change_part(&mut self, weights: &mut [f32], start: usize, gradient: &[f32], change: Step) {
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
    fn a_first_step_is_as_long_as_the_rate_whatever_the_gradient() {
        let (mut moments, mut weights) = (Moments::new(4), vec![1.0; 4]);
        let step = Step::new(1, 0.1, (0.9, 0.999));
        moments.change_part(&mut weights, 1, &[5.0, -0.01], step);
        for (weight, expected) in weights.iter().zip([1.0, 0.9, 1.1, 1.0]) {
            assert!((weight - expected).abs() < 1e-4, "{weights:?}");
        }
    }
}
