//! Forward and backward pass of a minibatch.
//!
//! ```text
//!   slots         values ─▶ distinct vectors ─▶ rows        slots are independent of each other
//!   layers        rows ─▶ hidden units ─▶ scores ─▶ loss    and so are groups of instances
//!   slots         ◀─ gradients of weights and vectors
//!   vocabularies  ◀─ gradients of vectors, summed over the slots
//! ```
//!
//! Sums are computed in a fixed order, so the gradient is the same for any number of threads.

use rayon::prelude::*;

use super::Network;
use super::distinct::{SlotBatch, VocabularyBatch};
use super::instances::SlotInstances;
use super::layers::Layers;
use super::parameters::NetworkParameters;
use crate::step_rng::StepRng;

/// The number of the first slot's random stream; lower numbers belong to groups of instances.
const SLOTS: u64 = 0x80_0000;

/// The activations and gradients of a minibatch; reused for the next one.
pub(super) struct Minibatch {
    pub(super) slots: Vec<SlotBatch>,
    pub(super) vocabularies: Vec<VocabularyBatch>,
    pub(super) layers: Layers,
}

impl Minibatch {
    /// Buffers for minibatches of this network.
    pub(super) fn new(network: &Network) -> Self {
        let shape = &network.shape;
        Self {
            slots: (0..shape.slots.len()).map(|slot| SlotBatch::new(network, slot)).collect(),
            vocabularies: shape.vocabularies.iter().map(VocabularyBatch::new).collect(),
            layers: Layers::new(network),
        }
    }

    /// Computes the gradient of the mean loss of the chosen instances; returns the sum of the losses.
    pub(super) fn differentiate(
        &mut self,
        network: &Network,
        (instances, chosen): (&SlotInstances, &[u32]),
        parameters: &NetworkParameters,
        rng: StepRng,
    ) -> f64 {
        let shape = &network.shape;
        let Self { slots, vocabularies, layers } = self;
        slots.par_iter_mut().enumerate().for_each(|(slot, batch)| {
            let generator = rng.stream(SLOTS + slot as u64);
            batch.read(network, slot, (instances, chosen), parameters.value_dropout, generator);
        });
        let loss = layers.differentiate(network, slots, (instances, chosen), parameters, rng);
        slots.par_iter_mut().enumerate().for_each(|(slot, batch)| {
            batch.differentiate(network, slot, &layers.gradient);
        });
        vocabularies.par_iter_mut().enumerate().for_each(|(vocabulary, batch)| {
            let slots = slots.iter().zip(&shape.slots).filter(|(_, v)| **v == vocabulary);
            batch.differentiate(&shape.vocabularies[vocabulary], slots.map(|(slot, _)| slot));
        });
        loss
    }
}

#[cfg(test)]
mod tests {
    use super::super::Shape;
    use super::super::testing::{parameters, shape, toy};
    use super::*;
    use crate::loss;
    use crate::targets::Right;

    /// The mean loss, computed by the network alone.
    fn mean_loss(network: &Network, instances: &SlotInstances) -> f64 {
        let mut scores = Vec::new();
        let losses = (0..instances.len()).map(|i| {
            network.score(instances.values(i), &mut scores);
            f64::from(instances.weight(i)) * loss::differentiate(&mut scores, instances.right(i), 0.0)
        });
        #[allow(clippy::cast_precision_loss, reason = "some dozens")]
        let n = instances.len() as f64;
        losses.sum::<f64>() / n
    }

    /// The gradient of a minibatch in the order of [`Network::numbers`].
    fn gradient(batch: &Minibatch, network: &Network) -> Vec<Vec<f32>> {
        let shape = &network.shape;
        let tables = batch.vocabularies.iter().zip(&shape.vocabularies).zip(&network.embeddings);
        let tables = tables.map(|((batch, vocabulary), table)| {
            let (width, mut gradient) = (vocabulary.width(), vec![0.0; table.len()]);
            for (vector, own) in batch.gradients(width) {
                gradient[vector as usize * width..][..width].copy_from_slice(own);
            }
            gradient
        });
        let Layers { output_gradient, .. } = &batch.layers;
        let single =
            [batch.layers.bias_gradient(), output_gradient.clone(), batch.layers.output_bias_gradient()];
        tables.chain(batch.slots.iter().map(|slot| slot.weight_gradient.clone())).chain(single).collect()
    }

    /// Compares the gradient over all instances with finite differences of the loss.
    fn check(shape: Shape, instances: &SlotInstances) {
        let mut network = Network::random(shape, 5);
        network.bias.fill(0.05);
        let chosen: Vec<u32> = (0u32..).take(instances.len()).collect();
        let mut batch = Minibatch::new(&network);
        batch.differentiate(&network, (instances, &chosen), &parameters(), StepRng::new(1, 1));
        for (array, gradient) in gradient(&batch, &network).iter().enumerate() {
            for (at, &gradient) in gradient.iter().enumerate() {
                let at_distance = |distance: f32| {
                    let mut moved = network.clone();
                    moved.numbers_mut()[array][at] += distance;
                    mean_loss(&moved, instances)
                };
                let numeric = (at_distance(0.002) - at_distance(-0.002)) / 0.004;
                let difference = (numeric - f64::from(gradient)).abs();
                assert!(difference < 1e-3, "array {array} at {at}: {numeric} {gradient}");
            }
        }
    }

    #[test]
    fn gradients_equal_finite_differences() {
        let (mut shape, mut instances) = (shape(), toy(20));
        let unseen = shape.vocabularies[0].add_unseen(&[1, 0]);
        instances.push(&[unseen, 2, 3], 1);
        instances.push(&[3, 2, unseen], 2);
        instances.push_right(&[1, 1, 1], Right::Distribution(&[(0, 0.5), (1, 0.2), (2, 0.3)]), 2.0);
        instances.push_right(&[4, 0, 2], Right::AnyOf(&[2, 0]), 0.5);
        check(shape, &instances);
    }
}
