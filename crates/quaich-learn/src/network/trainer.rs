//! A training under way: passes over the instances, minibatch by minibatch.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;

use super::adam::{Adam, Step};
use super::instances::SlotInstances;
use super::minibatch::{Chance, Minibatch};
use super::train::Settings;
use super::{Network, Shape};

/// A training under way, for those who change the instances from pass to pass;
/// [`train()`](super::train()) is for all others.
pub struct Trainer {
    pub(super) network: Network,
    pub(super) adam: Adam,
    pub(super) passes: usize,
    pub(super) step: usize,
    settings: Settings,
    minibatch: Minibatch,
}

impl std::fmt::Debug for Trainer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Trainer")
            .field("settings", &self.settings)
            .field("step", &self.step)
            .finish_non_exhaustive()
    }
}

impl Trainer {
    /// A network with random weights.
    pub fn new(shape: Shape, settings: Settings) -> Self {
        Self::with(Network::random(shape, settings.seed), settings)
    }

    /// Goes on with a network.
    pub fn with(network: Network, settings: Settings) -> Self {
        Self {
            adam: Adam::new(&network),
            passes: 0,
            step: 0,
            settings,
            minibatch: Minibatch::new(&network),
            network,
        }
    }

    /// The network as it is.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The network as it is; nothing else is kept.
    pub fn into_network(self) -> Network {
        self.network
    }

    /// How many passes are done.
    pub fn passes(&self) -> usize {
        self.passes
    }

    /// Goes through the instances once, in random order; returns the mean loss.
    ///
    /// # Panics
    /// When the instances do not have the network's slots and classes.
    pub fn pass(&mut self, instances: &SlotInstances) -> f64 {
        let shape = &self.network.shape;
        assert_eq!(shape.slots.len(), instances.n_slots(), "the instances have the network's slots");
        assert_eq!(shape.classes, instances.n_classes(), "the instances have the network's classes");
        let mut order: Vec<u32> = (0u32..).take(instances.len()).collect();
        // Of its own for every pass, so that a training can be taken up between two.
        let pass = (self.passes as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        order.shuffle(&mut Pcg64Mcg::seed_from_u64(self.settings.seed ^ 0x5eed ^ pass));
        let batch = match self.settings.batch {
            0 => (instances.len() / 256).clamp(128, 512),
            batch => batch,
        };
        let mut loss = 0.0;
        #[allow(clippy::cast_precision_loss, reason = "only rates and means are made of it")]
        let n_batches = instances.len().div_ceil(batch).max(1) as f32;
        #[allow(clippy::cast_precision_loss, reason = "only rates and means are made of it")]
        for (i, chosen) in order.chunks(batch).enumerate() {
            let done = (self.passes as f32 + i as f32 / n_batches) / self.settings.passes.max(1) as f32;
            loss += self.step(instances, chosen, done);
        }
        self.passes += 1;
        #[allow(clippy::cast_precision_loss, reason = "only shown")]
        let n = instances.len().max(1) as f64;
        loss / n
    }

    /// Changes the weights for one minibatch, with this part of the training done; returns the sum of
    /// the losses.
    fn step(&mut self, instances: &SlotInstances, chosen: &[u32], done: f32) -> f64 {
        self.step += 1;
        let chance = Chance::new(self.settings.seed, self.step);
        let batch = (instances, chosen);
        let loss = self.minibatch.differentiate(&self.network, batch, &self.settings, chance);
        let step = Step::at(&self.settings, self.step, done);
        self.adam.change(&mut self.network, &self.minibatch, step);
        loss
    }
}
