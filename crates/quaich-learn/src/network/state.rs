//! Checkpoints of a training run between two epochs.

use super::trainer::NetworkTrainer;

/// The state of a training run between two epochs.
#[derive(Clone, PartialEq, Debug)]
pub struct TrainerState {
    /// The number of finished epochs.
    pub epochs: usize,
    /// The number of finished steps.
    pub step: usize,
    /// All weights and moments.
    pub numbers: Vec<f32>,
}

impl NetworkTrainer {
    /// The state from which training can resume.
    pub fn state(&self) -> TrainerState {
        let numbers = self.network.numbers().into_iter().chain(self.adam.numbers());
        let numbers = numbers.flat_map(|numbers| numbers.iter().copied()).collect();
        TrainerState { epochs: self.epochs, step: self.step, numbers }
    }

    /// Resumes from a state of the same run; returns whether it fits.
    pub fn restore(&mut self, state: &TrainerState) -> bool {
        let length: usize =
            self.network.numbers().into_iter().chain(self.adam.numbers()).map(<[f32]>::len).sum();
        let is_early = state.epochs <= self.parameters.epochs && u32::try_from(state.step).is_ok();
        if length != state.numbers.len() || !is_early {
            return false;
        }
        let mut rest = &state.numbers[..];
        for numbers in self.network.numbers_mut().into_iter().chain(self.adam.numbers_mut()) {
            let (own, others) = rest.split_at(numbers.len());
            numbers.copy_from_slice(own);
            rest = others;
        }
        (self.epochs, self.step) = (state.epochs, state.step);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{parameters, shape, toy};
    use super::super::{NetworkParameters, Shape};
    use super::*;

    #[test]
    fn a_training_taken_up_ends_where_it_would_have() {
        let parameters = NetworkParameters { epochs: 4, dropout: 0.2, value_dropout: 0.1, ..parameters() };
        let instances = toy(100);
        let mut whole = NetworkTrainer::new(shape(), parameters);
        whole.epoch(&instances, &|| false);
        whole.epoch(&instances, &|| false);
        let mut other = NetworkTrainer::new(shape(), NetworkParameters { seed: 9, ..parameters });
        assert!(!NetworkTrainer::new(Shape { hidden: 4, ..shape() }, parameters).restore(&whole.state()));
        assert!(!other.restore(&TrainerState { epochs: 5, ..whole.state() }));
        assert!(other.restore(&whole.state()));
        assert_eq!((other.epochs(), other.network()), (2, whole.network()));
        let mut again = NetworkTrainer::new(shape(), parameters);
        assert!(again.restore(&whole.state()));
        for trainer in [&mut whole, &mut again] {
            trainer.epoch(&instances, &|| false);
        }
        assert_eq!(whole.state(), again.state());
    }
}
