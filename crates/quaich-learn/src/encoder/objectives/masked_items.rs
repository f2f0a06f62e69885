//! Masked items: the encoder does not see some items of a sequence and predicts the value of one attribute of each of them from the items
//! around it (Devlin et al. 2019). Sequences without annotation are enough, so an encoder can be pretrained on them.
//!
//! ```text
//!   score(value) = (P · context + b) · embedding(value) + c(value)
//! ```
//!
//! The vectors of the output are the embeddings of the input (Press and Wolf 2017). The values have to be numbered by frequency: the most
//! frequent ones are compared in every minibatch, the others are sampled.

use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;

use super::super::Shape;
use super::super::affine::{Affine, sum_columns};
use super::super::embedding::EmbeddingGradient;
use super::sampled_softmax::SampledClasses;
use super::{Batch, Objective};
use crate::kernels::{Strips, Transpose, accumulate};
use crate::loss;
use crate::math::ln;
use crate::targets::Right;

/// The number of most frequent values that are always compared.
const FREQUENT: usize = 1024;

/// The objective of predicting masked items.
#[derive(Debug)]
pub struct MaskedItems {
    /// The number of the attribute that is predicted.
    attribute: usize,
    /// The width of its embeddings.
    width: usize,
    /// Lower values are not predicted.
    first: u32,
    /// One per predicted value: the logarithm of its probability without a context, from which the bias starts. Learning it would take a
    /// large part of the training.
    priors: Vec<f32>,
    weights: MaskedWeights,
    gradient: MaskedWeights,
    /// The gradient of the embeddings as output vectors.
    shared: EmbeddingGradient,
    pass: Pass,
}

#[derive(Clone, PartialEq, Debug, Default)]
struct MaskedWeights {
    /// Context → width of an embedding.
    projection: Affine,
    /// One per value.
    bias: Vec<f32>,
}

/// The activations and gradients of a minibatch; reused for the next one.
#[derive(Debug, Default)]
struct Pass {
    /// The row of each predicted item, and its class.
    rows: Vec<usize>,
    right: Vec<u32>,
    /// Their contexts.
    x: Vec<f32>,
    projected: Vec<f32>,
    /// The embeddings of the classes that are compared, and their gradient.
    vectors: Vec<f32>,
    vector_gradient: Vec<f32>,
    scores: Vec<f32>,
    projected_gradient: Vec<f32>,
    dx: Vec<f32>,
}

impl MaskedItems {
    /// Predicts this attribute of masked items, given by number, except for values below `first`, which stand for unknown values and the
    /// like. Items have one value of the attribute; if they have more, the first counts. `counts` says how often each value occurs, from
    /// `first` on.
    ///
    /// # Panics
    /// If there is not one count per value.
    pub fn new(shape: &Shape, attribute: usize, first: u32, counts: &[u64]) -> Self {
        let of = shape.attributes[attribute];
        assert_eq!(counts.len(), of.values.saturating_sub(first as usize), "one count per value");
        // One more of each, so that none is impossible.
        let all = counts.iter().map(|count| count + 1).sum::<u64>();
        #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "probabilities")]
        let prior = |&count: &u64| ln((count + 1) as f64 / all as f64) as f32;
        Self {
            attribute,
            width: of.width,
            first,
            priors: counts.iter().map(prior).collect(),
            weights: MaskedWeights::default(),
            gradient: MaskedWeights::default(),
            shared: EmbeddingGradient::new(of),
            pass: Pass::default(),
        }
    }

    /// Collects the masked items whose value is predicted.
    fn read(&mut self, batch: &Batch<'_>, x: &[f32]) {
        let Pass { rows, right, x: contexts, .. } = &mut self.pass;
        rows.clear();
        right.clear();
        contexts.clear();
        let width = x.len() / batch.spans.n_rows().max(1);
        for (span, &sequence) in batch.spans.iter().zip(batch.sequences) {
            for (row, item) in span.zip(batch.all.items(sequence)) {
                let value = batch.all.values(self.attribute, item).first();
                let class = value.and_then(|value| value.checked_sub(self.first));
                if let Some(class) = class.filter(|_| batch.masked[row]) {
                    rows.push(row);
                    right.push(class);
                    contexts.extend_from_slice(&x[row * width..][..width]);
                }
            }
        }
    }
}

impl Objective for MaskedItems {
    fn start(&mut self, width: usize, generator: &mut Pcg64Mcg) {
        let projection = Affine::random(width, self.width, generator);
        self.weights = MaskedWeights { projection, bias: self.priors.clone() };
        self.gradient = self.weights.clone();
    }

    fn n_sequences(&self) -> Option<usize> {
        None
    }

    fn differentiate(&mut self, batch: &Batch<'_>, x: &[f32], dx: &mut [f32]) -> f64 {
        self.read(batch, x);
        let Self { attribute, width, first, priors, weights, gradient, shared, pass } = self;
        let Pass { rows, right, x: contexts, projected, vectors, vector_gradient, scores, .. } = pass;
        let (width, n) = (*width, rows.len());
        shared.clear();
        gradient.bias.fill(0.0);
        if n == 0 {
            gradient.projection.arrays_mut().into_iter().for_each(|array| array.fill(0.0));
            return 0.0;
        }
        let sampled = SampledClasses::with_frequent(priors.len(), FREQUENT, right, batch.rng);
        let all: Vec<u32> = if sampled.is_none() { (0..).take(priors.len()).collect() } else { Vec::new() };
        let classes = sampled.as_ref().map_or(&all[..], SampledClasses::classes);
        let table = &batch.embeddings[*attribute];
        vectors.clear();
        for class in classes {
            vectors.extend_from_slice(&table[(*first as usize + *class as usize) * width..][..width]);
        }
        // Forward pass.
        weights.projection.apply(contexts, projected);
        let n_compared = classes.len();
        scores.resize(n * n_compared, 0.0);
        Strips::new((width, n_compared), (vectors, Transpose::Yes)).multiply_in_parallel(
            n,
            (projected, Transpose::No),
            scores,
        );
        #[allow(clippy::cast_precision_loss, reason = "the size of a batch")]
        let share = 1.0 / n as f32;
        let losses: Vec<f64> = scores
            .par_chunks_mut(n_compared)
            .zip(&*right)
            .map(|(scores, &right)| {
                for (score, &class) in scores.iter_mut().zip(classes) {
                    *score += weights.bias[class as usize];
                }
                let right = sampled.as_ref().map_or(right, |sampled| sampled.shift(scores, right));
                let loss = loss::differentiate(scores, Right::Class(right), 0.0);
                for score in scores.iter_mut() {
                    *score *= share;
                }
                loss
            })
            .collect();
        // Backward pass. `scores` now holds gradients.
        vector_gradient.resize(n_compared * width, 0.0);
        Strips::new((n, width), (projected, Transpose::No)).multiply_in_parallel(
            n_compared,
            (scores, Transpose::Yes),
            vector_gradient,
        );
        let mut bias = vec![0.0; n_compared];
        sum_columns(scores, &mut bias);
        for ((&class, bias), row) in classes.iter().zip(bias).zip(vector_gradient.chunks_exact(width)) {
            gradient.bias[class as usize] = bias;
            shared.add(*first + class, row, 1.0);
        }
        pass.projected_gradient.resize(n * width, 0.0);
        Strips::new((n_compared, width), (vectors, Transpose::No)).multiply_in_parallel(
            n,
            (scores, Transpose::No),
            &mut pass.projected_gradient,
        );
        weights.projection.differentiate(contexts, &pass.projected_gradient, &mut gradient.projection);
        weights.projection.back(&pass.projected_gradient, &mut pass.dx);
        let width = weights.projection.n_inputs();
        for (&row, gradient) in rows.iter().zip(pass.dx.chunks_exact(width)) {
            accumulate(&mut dx[row * width..][..width], &[gradient]);
        }
        losses.iter().sum::<f64>() * f64::from(share)
    }

    fn weights(&self) -> Vec<&Vec<f32>> {
        self.weights.projection.arrays().into_iter().chain([&self.weights.bias]).collect()
    }

    fn parameters(&mut self) -> Vec<(&mut Vec<f32>, &mut Vec<f32>)> {
        let (MaskedWeights { projection, bias }, gradient) = (&mut self.weights, &mut self.gradient);
        let of_projection = projection.arrays_mut().into_iter().zip(gradient.projection.arrays_mut());
        of_projection.chain([(bias, &mut gradient.bias)]).collect()
    }

    fn shared_gradient(&self) -> Option<(usize, &EmbeddingGradient)> {
        Some((self.attribute, &self.shared))
    }
}
