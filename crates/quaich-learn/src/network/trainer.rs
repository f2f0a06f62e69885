//! Training a network, minibatch by minibatch.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;

use super::adam::{Adam, step_at};
use super::instances::SlotInstances;
use super::minibatch::Minibatch;
use super::parameters::NetworkParameters;
use super::{Network, Shape};
use crate::step_rng::StepRng;

/// Trains a network epoch by epoch, so that callers can change the instances between epochs.
pub struct NetworkTrainer {
    pub(super) network: Network,
    pub(super) adam: Adam,
    pub(super) epochs: usize,
    pub(super) step: usize,
    pub(super) parameters: NetworkParameters,
    minibatch: Minibatch,
}

impl std::fmt::Debug for NetworkTrainer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NetworkTrainer")
            .field("parameters", &self.parameters)
            .field("step", &self.step)
            .finish_non_exhaustive()
    }
}

impl NetworkTrainer {
    /// Starts with random weights.
    pub fn new(shape: Shape, parameters: NetworkParameters) -> Self {
        Self::with(Network::random(shape, parameters.seed), parameters)
    }

    /// Continues with a network.
    pub fn with(network: Network, parameters: NetworkParameters) -> Self {
        Self {
            adam: Adam::new(&network),
            epochs: 0,
            step: 0,
            parameters,
            minibatch: Minibatch::new(&network),
            network,
        }
    }

    /// The current network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The current network, without the rest of the state.
    pub fn into_network(self) -> Network {
        self.network
    }

    /// The number of finished epochs.
    pub fn epochs(&self) -> usize {
        self.epochs
    }

    /// Trains for one epoch over the instances, in random order; returns the mean loss. Ends early when `stop` returns true.
    ///
    /// # Panics
    /// If the instances do not have the network's slots and classes.
    pub fn epoch(&mut self, instances: &SlotInstances, stop: &(dyn Fn() -> bool + Sync)) -> f64 {
        let shape = &self.network.shape;
        assert_eq!(shape.slots.len(), instances.n_slots(), "the instances have the network's slots");
        assert_eq!(shape.classes, instances.n_classes(), "the instances have the network's classes");
        let mut order: Vec<u32> = (0u32..).take(instances.len()).collect();
        // A new generator per epoch, so that training can be resumed between epochs.
        let epoch = (self.epochs as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        order.shuffle(&mut Pcg64Mcg::seed_from_u64(self.parameters.seed ^ 0x5eed ^ epoch));
        let batch = match self.parameters.batch {
            0 => (instances.len() / 256).clamp(128, 512),
            batch => batch,
        };
        let mut loss = 0.0;
        #[allow(clippy::cast_precision_loss, reason = "only rates and means are made of it")]
        let n_batches = instances.len().div_ceil(batch).max(1) as f32;
        #[allow(clippy::cast_precision_loss, reason = "only rates and means are made of it")]
        for (i, chosen) in order.chunks(batch).enumerate().take_while(|_| !stop()) {
            let done = (self.epochs as f32 + i as f32 / n_batches) / self.parameters.epochs.max(1) as f32;
            loss += self.step(instances, chosen, done);
        }
        self.epochs += 1;
        #[allow(clippy::cast_precision_loss, reason = "only shown")]
        let n = instances.len().max(1) as f64;
        loss / n
    }

    /// Updates the weights with one minibatch, at this fraction of the training; returns the sum of the losses.
    fn step(&mut self, instances: &SlotInstances, chosen: &[u32], done: f32) -> f64 {
        self.step += 1;
        let rng = StepRng::new(self.parameters.seed, self.step);
        let batch = (instances, chosen);
        let loss = self.minibatch.differentiate(&self.network, batch, &self.parameters, rng);
        let step = step_at(&self.parameters, self.step, done);
        self.adam.change(&mut self.network, &self.minibatch, step);
        loss
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{parameters, shape, toy};
    use super::super::{Frozen, Vocabulary};
    use super::*;

    fn train(shape: Shape, instances: &SlotInstances, parameters: &NetworkParameters) -> Network {
        let mut trainer = NetworkTrainer::new(shape, *parameters);
        for _ in 0..parameters.epochs {
            trainer.epoch(instances, &|| false);
        }
        trainer.into_network()
    }

    #[test]
    fn what_can_be_learned_is_learned() {
        let instances = toy(400);
        let network = train(Shape { hidden: 32, ..shape() }, &instances, &parameters());
        let mut scores = Vec::new();
        let right = (0..instances.len())
            .filter(|&i| {
                network.score(instances.values(i), &mut scores);
                let best = (0u32..3).max_by(|&a, &b| scores[a as usize].total_cmp(&scores[b as usize]));
                best == Some(instances.right(i).likeliest())
            })
            .count();
        assert_eq!(right, instances.len());
    }

    #[test]
    fn any_number_of_threads_gives_the_same_weights() {
        let instances = toy(300);
        let parameters =
            NetworkParameters { epochs: 3, batch: 150, dropout: 0.4, value_dropout: 0.2, ..parameters() };
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| train(shape(), &instances, &parameters))
        };
        assert_eq!(with(1), with(4));
    }

    #[test]
    fn what_is_learned_of_parts_serves_unseen_values() {
        // Values 2 to 13 are pairs of parts; the class is the second part. Three pairs never occur.
        let pairs: Vec<[u32; 2]> = (0..4).flat_map(|a| (0..3).map(move |b| [a, 4 + b])).collect();
        let lists = [&[][..], &[]].into_iter().chain(pairs.iter().map(<[u32; 2]>::as_slice));
        let mut vocabulary = Vocabulary::composed(lists, 7, 8, vec![0.5; 14]);
        let unseen: Vec<u32> = pairs[..3].iter().map(|pair| vocabulary.add_unseen(pair)).collect();
        let shape = Shape { vocabularies: vec![vocabulary], slots: vec![0], hidden: 32, classes: 3 };
        let mut instances = SlotInstances::new(1, 3);
        for i in 0..270 {
            instances.push(&[5 + i % 9], i % 3);
        }
        let network = train(shape, &instances, &parameters());
        let mut scores = Vec::new();
        for (class, &value) in (0u32..).zip(&unseen) {
            network.score(&[value], &mut scores);
            let best = (0u32..3).max_by(|&a, &b| scores[a as usize].total_cmp(&scores[b as usize]));
            assert_eq!(best, Some(class), "{scores:?}");
        }
    }

    #[test]
    fn thousands_of_classes_are_learned() {
        let (n_values, classes) = (20, 5000);
        let vocabularies = vec![Vocabulary::plain(n_values + 2, 16, Vec::new())];
        let mut instances = SlotInstances::new(1, classes);
        for value in 0..20 {
            instances.push(&[2 + value], value * 263);
        }
        let shape = Shape { vocabularies, slots: vec![0], hidden: 128, classes };
        let parameters = NetworkParameters { epochs: 30, batch: 20, rate: 0.05, ..parameters() };
        let network = train(shape, &instances, &parameters);
        let (frozen, rows) = Frozen::new(&network, 1.0);
        let (mut units, mut scores) = (Vec::new(), vec![0; classes]);
        for i in 0..instances.len() {
            let starts = [frozen.start(0, instances.values(i)[0])];
            frozen.score([(&rows, &starts), (&[], &[])], &mut units, &mut scores);
            let best = (0u32..).zip(&scores).max_by_key(|(_, score)| **score).map(|(class, _)| class);
            assert_eq!(best, Some(instances.right(i).likeliest()));
        }
    }
}
