//! Keeping a training between two passes, and taking it up again.

use super::trainer::Trainer;

/// A training between two passes.
#[derive(Clone, PartialEq, Debug)]
pub struct TrainerState {
    /// How many passes are done.
    pub passes: usize,
    /// How many steps are done.
    pub step: usize,
    /// All weights and running means.
    pub numbers: Vec<f32>,
}

impl Trainer {
    /// Everything that a training needs to go on from here.
    pub fn state(&mut self) -> TrainerState {
        let numbers = self.numbers().into_iter().flat_map(|numbers| numbers.iter().copied()).collect();
        TrainerState { passes: self.passes, step: self.step, numbers }
    }

    /// Goes on from a state of the same training; says whether it can be one.
    pub fn restore(&mut self, state: &TrainerState) -> bool {
        let mut rest = &state.numbers[..];
        let length: usize = self.numbers().iter().map(|numbers| numbers.len()).sum();
        if length != rest.len() {
            return false;
        }
        for numbers in self.numbers() {
            let (own, others) = rest.split_at(numbers.len());
            numbers.copy_from_slice(own);
            rest = others;
        }
        (self.passes, self.step) = (state.passes, state.step);
        true
    }

    /// All numbers that change from step to step.
    fn numbers(&mut self) -> Vec<&mut Vec<f32>> {
        self.network.numbers().into_iter().chain(self.adam.numbers()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{settings, shape, toy};
    use super::super::{Settings, Shape};
    use super::*;

    #[test]
    fn a_training_taken_up_ends_where_it_would_have() {
        let settings = Settings { passes: 4, dropout: 0.2, forgetting: 0.1, ..settings() };
        let instances = toy(100);
        let mut whole = Trainer::new(shape(), settings);
        whole.pass(&instances);
        whole.pass(&instances);
        let mut other = Trainer::new(shape(), Settings { seed: 9, ..settings });
        assert!(!Trainer::new(Shape { hidden: 4, ..shape() }, settings).restore(&whole.state()));
        assert!(other.restore(&whole.state()));
        assert_eq!((other.passes(), other.network()), (2, whole.network()));
        let mut again = Trainer::new(shape(), settings);
        assert!(again.restore(&whole.state()));
        for trainer in [&mut whole, &mut again] {
            trainer.pass(&instances);
        }
        assert_eq!(whole.state(), again.state());
    }
}
