//! Networks in training together, one a question: passes over their states, the best so far, and what
//! is kept to go on from.

use quaich_learn::Arrays;
use quaich_learn::network::{Network, SlotInstances, Trainer};
use rayon::prelude::*;

/// Networks in training.
pub(super) struct Course {
    /// By question.
    trainers: Vec<Trainer>,
    /// The best networks so far and their score, where there are scores.
    best: Option<(f64, Vec<Network>)>,
}

impl Course {
    pub(super) fn new(trainers: Vec<Trainer>) -> Self {
        Self { trainers, best: None }
    }

    /// How many passes are done.
    pub(super) fn passes(&self) -> usize {
        self.trainers.first().map_or(0, Trainer::passes)
    }

    /// The networks as they are.
    pub(super) fn networks(&self) -> Vec<&Network> {
        self.trainers.iter().map(Trainer::network).collect()
    }

    /// Goes through the states of every question once.
    pub(super) fn pass(&mut self, instances: &[SlotInstances]) {
        self.trainers.par_iter_mut().zip(instances).for_each(|(trainer, instances)| {
            trainer.pass(instances);
        });
    }

    /// Notes how good the networks are; the later of two equals is the better one.
    pub(super) fn note(&mut self, score: Option<f64>) {
        if let Some(score) = score
            && self.best.as_ref().is_none_or(|(highest, _)| score >= *highest)
        {
            self.best = Some((score, self.networks().into_iter().cloned().collect()));
        }
    }

    /// The best networks, where there are scores.
    pub(super) fn best(&self) -> Option<Vec<&Network>> {
        self.best.as_ref().map(|(_, networks)| networks.iter().collect())
    }

    /// Everything that is needed to go on from here.
    pub(super) fn save(&mut self) -> Arrays {
        let mut arrays = Arrays::default();
        for (at, trainer) in self.trainers.iter_mut().enumerate() {
            let state = trainer.state();
            arrays.set(&format!("{at}.counts"), &[state.passes as u64, state.step as u64]);
            arrays.set(&format!("{at}.numbers"), &state.numbers);
        }
        if let Some((score, networks)) = &mut self.best {
            arrays.set_one("best", *score);
            for (at, network) in networks.iter_mut().enumerate() {
                let numbers: Vec<f32> =
                    network.numbers().into_iter().flat_map(|numbers| numbers.iter().copied()).collect();
                arrays.set(&format!("{at}.best"), &numbers);
            }
        }
        arrays
    }

    /// Goes on from what was kept, if it fits; otherwise from the start.
    pub(super) fn restore(&mut self, kept: &Arrays) {
        let states: Option<Vec<_>> = (0..self.trainers.len())
            .map(|at| {
                let counts: Vec<u64> = kept.get(&format!("{at}.counts")).ok()?;
                let count = |i: usize| usize::try_from(*counts.get(i)?).ok();
                let numbers = kept.get(&format!("{at}.numbers")).ok()?;
                Some(quaich_learn::network::TrainerState { passes: count(0)?, step: count(1)?, numbers })
            })
            .collect();
        let Some(states) = states else { return };
        if !self.trainers.iter_mut().zip(&states).all(|(trainer, state)| trainer.restore(state)) {
            return;
        }
        let best: Option<Vec<Network>> = (0..)
            .zip(&self.trainers)
            .map(|(at, trainer)| {
                let kept: Vec<f32> = kept.get(&format!("{at}.best")).ok()?;
                let mut network = trainer.network().clone();
                let mut rest = &kept[..];
                for numbers in network.numbers_mut() {
                    let (mine, others) = rest.split_at_checked(numbers.len())?;
                    numbers.copy_from_slice(mine);
                    rest = others;
                }
                Some(network)
            })
            .collect();
        self.best = kept.one("best").ok().zip(best);
    }
}
