//! Forward and backward pass of a minibatch.

use super::Affine;
use super::Shape;
use super::dropout::drop_columns;
use super::embedding::{Embedded, EmbeddingGradient, InputDropout};
use super::layer::LayerRun;
use super::objectives::{Batch, Objective, Reads};
use super::sequences::Sequences;
use super::spans::Spans;
use super::weights::EncoderWeights;
use crate::kernels;
use crate::step_rng::StepRng;

/// The activations and gradients of a minibatch; reused for the next one.
#[derive(Debug)]
pub(super) struct Minibatch {
    embedded: Embedded,
    /// One per layer.
    layers: Vec<LayerRun>,
    /// The input of each layer and the output of the last, after dropout.
    inputs: Vec<Vec<f32>>,
    /// The input of objectives that read below the last layer.
    below: Below,
    dx: Vec<f32>,
    dy: Vec<f32>,
    /// One per layer: the gradient of its weights.
    pub(super) layer_gradients: Vec<Affine>,
    /// One per attribute: the gradient of its embeddings.
    pub(super) embedding_gradients: Vec<EmbeddingGradient>,
}

/// The output of a layer below the last, followed by the embedding, one row per item, and its gradient.
#[derive(Debug, Default)]
struct Below {
    /// The number of layers; 0 if no objective reads below the last.
    layers: usize,
    x: Vec<f32>,
    dx: Vec<f32>,
}

impl Below {
    /// Collects the vectors, if any objective reads them.
    ///
    /// # Panics
    /// If objectives read the output of different layers.
    fn read(&mut self, shape: &Shape, objectives: &[&mut dyn Objective], inputs: &[Vec<f32>]) {
        self.layers = 0;
        for objective in objectives {
            if let Reads::Below { layers } = objective.reads() {
                assert!([0, layers].contains(&self.layers), "objectives read the same layer");
                self.layers = layers;
            }
        }
        if self.layers == 0 {
            return;
        }
        let (context, own) = (shape.output_width(), shape.input_width());
        self.x.clear();
        for (context, own) in inputs[self.layers].chunks_exact(context).zip(inputs[0].chunks_exact(own)) {
            self.x.extend_from_slice(context);
            self.x.extend_from_slice(own);
        }
        self.dx.clear();
        self.dx.resize(self.x.len(), 0.0);
    }

    /// Adds the gradient of the output of layer number `layers`, if objectives read this one.
    fn add_context(&self, shape: &Shape, layers: usize, dx: &mut [f32]) {
        if layers == self.layers && layers > 0 {
            let (context, own) = (shape.output_width(), shape.input_width());
            for (to, row) in dx.chunks_exact_mut(context).zip(self.dx.chunks_exact(context + own)) {
                kernels::accumulate(to, &[&row[..context]]);
            }
        }
    }

    /// Adds the gradient of the embeddings.
    fn add_own(&self, shape: &Shape, dx: &mut [f32]) {
        if self.layers > 0 {
            let (context, own) = (shape.output_width(), shape.input_width());
            for (to, row) in dx.chunks_exact_mut(own).zip(self.dx.chunks_exact(context + own)) {
                kernels::accumulate(to, &[&row[context..]]);
            }
        }
    }
}

/// Dropout rates.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dropout {
    /// The dropout rate of units.
    pub(super) units: f32,
    /// What is left out of the input.
    pub(super) input: InputDropout,
}

impl Minibatch {
    /// Buffers for minibatches of this encoder.
    pub(super) fn new(encoder: &EncoderWeights) -> Self {
        let EncoderWeights { shape, layers, .. } = encoder;
        Self {
            embedded: Embedded::default(),
            layers: layers.iter().map(|_| LayerRun::default()).collect(),
            inputs: vec![Vec::new(); shape.layers + 1],
            below: Below::default(),
            dx: Vec::new(),
            dy: Vec::new(),
            layer_gradients: layers.iter().map(Affine::zeros_like).collect(),
            embedding_gradients: shape.attributes.iter().copied().map(EmbeddingGradient::new).collect(),
        }
    }

    /// Computes the gradients of the sum of all objectives' mean losses; returns that sum.
    pub(super) fn differentiate(
        &mut self,
        encoder: &EncoderWeights,
        objectives: &mut [&mut dyn Objective],
        (sequences, numbers): (&Sequences, &[usize]),
        dropout: Dropout,
        rng: StepRng,
    ) -> f64 {
        let EncoderWeights { shape, embeddings, layers: weights } = encoder;
        let spans = &Spans::new(numbers.iter().map(|&number| sequences.items(number).len()));
        let part = |part: u64| rng.part(part);
        // Forward pass.
        self.embedded.read(shape, embeddings, (sequences, numbers, spans), dropout.input, part(0));
        let Self { layers, inputs, .. } = self;
        drop_columns(&self.embedded.rows, &mut inputs[0], spans, dropout.units, part(1));
        for (layer, (run, weights)) in layers.iter_mut().zip(weights).enumerate() {
            run.run(weights, &inputs[layer], spans);
            drop_columns(&run.out, &mut inputs[layer + 1], spans, dropout.units, part(2 + layer as u64));
        }
        // The objectives.
        self.below.read(shape, objectives, inputs);
        let x = &inputs[shape.layers];
        self.dx.clear();
        self.dx.resize(x.len(), 0.0);
        let mut loss = 0.0;
        for (number, objective) in (100..).zip(&mut *objectives) {
            let masked = &self.embedded.masked;
            let (rng, dropout) = (part(number), dropout.units);
            let batch = Batch { sequences: numbers, all: sequences, embeddings, masked, spans, dropout, rng };
            loss += match objective.reads() {
                Reads::Top => objective.differentiate(&batch, x, &mut self.dx),
                Reads::Below { .. } => objective.differentiate(&batch, &self.below.x, &mut self.below.dx),
            };
        }
        // Backward pass.
        for layer in (0..shape.layers).rev() {
            self.below.add_context(shape, layer + 1, &mut self.dx);
            drop_columns(&self.dx, &mut self.dy, spans, dropout.units, part(2 + layer as u64));
            let gradient = &mut self.layer_gradients[layer];
            let (run, input) = (&mut self.layers[layer], &self.inputs[layer]);
            run.back(&weights[layer], input, spans, (&self.dy, &mut self.dx), gradient);
        }
        self.below.add_own(shape, &mut self.dx);
        drop_columns(&self.dx, &mut self.dy, spans, dropout.units, part(1));
        let gradients = &mut self.embedding_gradients;
        self.embedded.differentiate(shape, (sequences, numbers, spans), &self.dy, gradients);
        for (attribute, shared) in objectives.iter().filter_map(|objective| objective.shared_gradient()) {
            gradients[attribute].add_all(shared);
        }
        loss
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rand::SeedableRng;
    use rand_pcg::Pcg64Mcg;

    use super::super::{
        ABSENT, Attribute, ClassExamples, ClassShape, Classes, MaskedItems, PointerTargets, Pointers, Shape,
        SlotExamples, SlotShape, Slots,
    };
    use super::*;

    const FEW: SlotShape = SlotShape { slots: 2, marks: 0, width: 4, classes: 2 };
    const MANY_MARKS: SlotShape = SlotShape { slots: 3, marks: 4, width: 5, classes: 3 };

    fn shape() -> Shape {
        Shape {
            attributes: vec![
                Attribute { values: 7, width: 3, is_bag: false },
                Attribute { values: 5, width: 2, is_bag: true },
            ],
            layers: 2,
            units: 3,
        }
    }

    /// Three sequences, with examples of two classifications and pointers.
    fn training_data() -> (Sequences, [SlotExamples; 2], PointerTargets) {
        let mut sequences = Sequences::new(2);
        let mut examples = [SlotExamples::new(3, 2), SlotExamples::new(2, 0)];
        let mut targets = PointerTargets::default();
        for (sequence, n) in [4u32, 1, 6].into_iter().enumerate() {
            for item in 0..=n {
                let (a, b) = ([(item * 3 + n) % 7], [item % 5, (item + n) % 5]);
                sequences.push([&a[..], &b[..]].into_iter());
                let head = (item * 2 + 1) % (n + 1);
                // One sequence has soft targets.
                let shares = [(head, 0.7), ((head + 1) % (n + 1), 0.3)];
                targets.push(head, if sequence == 2 { &shares } else { &[] });
            }
            sequences.end_sequence();
            targets.end_sequence();
            for i in 0..n {
                let place = |x: u32| if x % 4 == 3 { ABSENT } else { x % (n + 1) };
                let marks = [i % 4, if i == 2 { ABSENT } else { 3 }];
                examples[0].push(&[place(i), place(i + 1), place(i * 2)], &marks, (i + n) % 3);
                if sequence != 1 {
                    examples[1].push(&[place(i), place(i + 2)], &[], i % 2);
                }
            }
            examples.iter_mut().for_each(SlotExamples::end_sequence);
        }
        (sequences, examples, targets)
    }

    /// Classes of the items of the same sequences, in two groups.
    fn classes() -> ClassExamples {
        let mut examples = ClassExamples::new(2);
        for n in [4u32, 1, 6] {
            examples.push(&[ABSENT, ABSENT]);
            for item in 1..=n {
                examples.push(&[item % 3, if item % 2 == 0 { ABSENT } else { (item + n) % 2 }]);
            }
            examples.end_sequence();
        }
        examples
    }

    struct Model {
        encoder: EncoderWeights,
        objectives: Vec<Box<dyn Objective>>,
    }

    impl Model {
        /// Random weights without arrays of zeros, which would hide errors.
        fn new(decisions: [SlotShape; 2]) -> Self {
            let (_, examples, targets) = training_data();
            let mut generator = Pcg64Mcg::seed_from_u64(5);
            let encoder = EncoderWeights::random(shape(), &mut generator);
            let mut objectives: Vec<Box<dyn Objective>> = Vec::new();
            for (shape, examples) in decisions.into_iter().zip(examples) {
                objectives.push(Box::new(Slots::new(shape, Arc::new(examples))));
            }
            objectives.push(Box::new(Pointers::new(4, Arc::new(targets))));
            let shape = ClassShape { layers: 1, width: 4, groups: vec![3, 2] };
            objectives.push(Box::new(Classes::new(shape, vec![1.0, 0.5], Arc::new(classes()))));
            objectives.push(Box::new(MaskedItems::new(&encoder.shape, 0, 1, &[5, 0, 3, 2, 1, 9])));
            for objective in &mut objectives {
                objective.start(objective.reads().width(&encoder.shape), &mut generator);
                for (weights, _) in objective.parameters() {
                    if weights.iter().all(|weight| *weight == 0.0) {
                        weights.iter_mut().zip(0u8..).for_each(|(w, i)| *w = f32::from(i % 5) / 5.0 - 0.35);
                    }
                }
            }
            Self { encoder, objectives }
        }

        /// The loss, always with the same random numbers.
        fn loss(&mut self, dropout: f32) -> (f64, Minibatch) {
            let (sequences, ..) = training_data();
            let mut batch = Minibatch::new(&self.encoder);
            let mut objectives: Vec<&mut dyn Objective> =
                self.objectives.iter_mut().map(|objective| &mut **objective as _).collect();
            let dropout =
                Dropout { units: dropout, input: InputDropout { attributes: dropout, masking: 0.3 } };
            let numbers = (&sequences, &[2, 0, 1][..]);
            let loss =
                batch.differentiate(&self.encoder, &mut objectives, numbers, dropout, StepRng::new(3, 1));
            (loss, batch)
        }

        /// All arrays of weights.
        fn arrays(&mut self) -> Vec<&mut Vec<f32>> {
            let EncoderWeights { embeddings, layers, .. } = &mut self.encoder;
            let of_objectives = self.objectives.iter_mut().flat_map(|objective| objective.parameters());
            let of_layers = layers.iter_mut().flat_map(Affine::arrays_mut);
            embeddings.iter_mut().chain(of_layers).chain(of_objectives.map(|(weights, _)| weights)).collect()
        }
    }

    /// Compares the gradient with finite differences.
    fn check(decisions: [SlotShape; 2], dropout: f32) {
        let mut model = Model::new(decisions);
        let (_, mut batch) = model.loss(dropout);
        let mut analytic: Vec<Vec<f32>> = Vec::new();
        for (gradient, table) in batch.embedding_gradients.iter().zip(&model.encoder.embeddings) {
            let width = gradient.width();
            let mut dense = vec![0.0; table.len()];
            for (&value, row) in gradient.values.iter().zip(gradient.rows.chunks_exact(width)) {
                dense[value as usize * width..][..width].copy_from_slice(row);
            }
            analytic.push(dense);
        }
        analytic
            .extend(batch.layer_gradients.iter_mut().flat_map(Affine::arrays_mut).map(|array| array.clone()));
        let of_objectives = model.objectives.iter_mut().flat_map(|objective| objective.parameters());
        analytic.extend(of_objectives.map(|(_, gradient)| gradient.clone()));
        let (mut n_checked, mut n_kinks) = (0, 0);
        for (array, analytic) in analytic.iter().enumerate() {
            for (cell, &analytic) in analytic.iter().enumerate() {
                let mut at_distance = |distance: f32| {
                    let kept = model.arrays()[array][cell];
                    model.arrays()[array][cell] = kept + distance;
                    let (loss, _) = model.loss(dropout);
                    model.arrays()[array][cell] = kept;
                    loss
                };
                let numeric = (at_distance(2e-3) - at_distance(-2e-3)) / 4e-3;
                n_checked += 1;
                // At the kink of a rectifier, a finite difference is not the gradient.
                n_kinks += usize::from((numeric - f64::from(analytic)).abs() > 3e-3);
            }
        }
        assert!(n_kinks * 100 <= n_checked, "{n_kinks} of {n_checked} differ");
    }

    /// Dropout of attributes is independent of dropout of units.
    #[test]
    fn attributes_are_dropped_without_units() {
        let mut model = Model::new([MANY_MARKS, FEW]);
        let (sequences, ..) = training_data();
        let mut zeros = |attributes: f32, units: f32| {
            let mut batch = Minibatch::new(&model.encoder);
            let mut objectives: Vec<&mut dyn Objective> =
                model.objectives.iter_mut().map(|objective| &mut **objective as _).collect();
            let dropout = Dropout { units, input: InputDropout { attributes, masking: 0.0 } };
            let numbers = (&sequences, &[2, 0, 1][..]);
            batch.differentiate(&model.encoder, &mut objectives, numbers, dropout, StepRng::new(3, 1));
            let zeros = |cells: &[f32]| cells.iter().filter(|cell| **cell == 0.0).count();
            (zeros(&batch.embedded.rows), zeros(&batch.inputs[1]))
        };
        assert_eq!(zeros(0.0, 0.0), (0, 0));
        let (attributes, units) = (zeros(0.5, 0.0), zeros(0.0, 0.5));
        assert!(attributes.0 > 0 && attributes.1 == 0, "{attributes:?}");
        assert!(units.0 == 0 && units.1 > 0, "{units:?}");
    }

    #[test]
    fn gradients_equal_finite_differences() {
        check([MANY_MARKS, FEW], 0.0);
        check([MANY_MARKS, FEW], 0.3);
    }

    /// With this many classes only a sample is compared, the same one for the same random numbers.
    #[test]
    fn gradients_of_a_thousand_classes_and_more_equal_finite_differences() {
        check([SlotShape { classes: 1100, width: 2, ..MANY_MARKS }, FEW], 0.0);
    }
}
