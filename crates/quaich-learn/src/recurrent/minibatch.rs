//! The gradient of a minibatch of sentences.

use rayon::prelude::*;

use super::arcs::{ArcRun, mask};
use super::embedding::{Embedded, EmbeddingGradient};
use super::layer::LayerRun;
use super::questions::QuestionRun;
use super::spans::Spans;
use super::weights::{Network, Weights};
use super::words::{Asked, Words};
use crate::chance::Chance;

/// A minibatch on its way through a network and back; the memory is used again for the next.
#[derive(Debug)]
pub(super) struct Minibatch {
    embedded: Embedded,
    /// By layer.
    layers: Vec<LayerRun>,
    /// By layer, and after the last: what goes in, some columns left out.
    inputs: Vec<Vec<f32>>,
    questions: Vec<QuestionRun>,
    arcs: ArcRun,
    dx: Vec<f32>,
    dy: Vec<f32>,
    space: Vec<f32>,
    /// The gradient of the weights.
    pub(super) gradient: Weights,
    /// By attribute: that of the vectors.
    pub(super) embedding_gradients: Vec<EmbeddingGradient>,
}

/// What is learned from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lessons<'a> {
    pub(super) words: &'a Words,
    /// By question.
    pub(super) asked: &'a [Asked],
    /// Which sentences.
    pub(super) sentences: &'a [usize],
}

impl Minibatch {
    /// Room for minibatches of this network.
    pub(super) fn new(network: &Network) -> Self {
        let shape = &network.shape;
        Self {
            embedded: Embedded::default(),
            layers: (0..shape.layers).map(|_| LayerRun::default()).collect(),
            inputs: vec![Vec::new(); shape.layers + 1],
            questions: shape.questions.iter().map(|_| QuestionRun::default()).collect(),
            arcs: ArcRun::default(),
            dx: Vec::new(),
            dy: Vec::new(),
            space: Vec::new(),
            gradient: network.weights.zeros(),
            embedding_gradients: shape.attributes.iter().copied().map(EmbeddingGradient::new).collect(),
        }
    }

    /// Works out the gradient of the sum of the mean losses of all aims, a part of all units and one of what is known of
    /// words left out at random; returns that sum.
    pub(super) fn differentiate(
        &mut self,
        network: &Network,
        Lessons { words, asked, sentences }: Lessons<'_>,
        (dropout, forgotten): (f32, f32),
        chance: Chance,
    ) -> f64 {
        let Network { shape, embeddings, weights } = network;
        let spans = Spans::new(sentences.iter().map(|&sentence| words.sentence(sentence).len()));
        let part = |part: u64| chance.part(part);
        // Forwards.
        self.embedded.read(shape, embeddings, (words, sentences, &spans), forgotten, part(0));
        let Self { layers, inputs, .. } = self;
        leave_out(&self.embedded.rows, &mut inputs[0], &spans, dropout, part(1));
        for (layer, (run, weights)) in layers.iter_mut().zip(&weights.layers).enumerate() {
            run.run(weights, &inputs[layer], &spans);
            leave_out(&run.out, &mut inputs[layer + 1], &spans, dropout, part(2 + layer as u64));
        }
        // The aims.
        let x = &inputs[shape.layers];
        self.dx.clear();
        self.dx.resize(x.len(), 0.0);
        let mut loss = 0.0;
        let questions = self.questions.iter_mut().zip(&shape.questions).zip(&weights.questions).zip(asked);
        let gradients = self.gradient.questions.iter_mut();
        for (number, ((((run, shape), weights), asked), gradient)) in (100..).zip(questions.zip(gradients)) {
            loss += run.differentiate(
                *shape,
                weights,
                (asked, sentences, &spans),
                (x, &mut self.dx),
                (dropout, part(number)),
                gradient,
                &mut self.space,
            );
        }
        if let (Some(weights), Some(gradient)) = (&weights.arcs, &mut self.gradient.arcs) {
            loss += self.arcs.differentiate(
                weights,
                (words, sentences, &spans),
                (x, &mut self.dx),
                (dropout, [part(50), part(51)]),
                gradient,
                &mut self.space,
            );
        }
        // Backwards.
        for layer in (0..shape.layers).rev() {
            leave_out(&self.dx, &mut self.dy, &spans, dropout, part(2 + layer as u64));
            let affine = &weights.layers[layer];
            let gradient = &mut self.gradient.layers[layer];
            self.layers[layer].back(affine, &self.inputs[layer], &spans, (&self.dy, &mut self.dx), gradient);
        }
        leave_out(&self.dx, &mut self.dy, &spans, dropout, part(1));
        let gradients = &mut self.embedding_gradients;
        self.embedded.differentiate(shape, (words, sentences, &spans), &self.dy, gradients);
        loss
    }
}

/// Leaves some columns of every sentence out. The same chance leaves out the same ones, so that gradients go the way that
/// numbers came.
fn leave_out(rows: &[f32], out: &mut Vec<f32>, spans: &Spans, dropout: f32, chance: Chance) {
    let width = rows.len() / spans.n_rows().max(1);
    out.resize(rows.len(), 0.0);
    let sentences = spans.split(out, width).into_par_iter();
    sentences.zip(spans.iter().collect::<Vec<_>>()).enumerate().for_each(|(i, (out, span))| {
        let mask = mask(width, dropout, chance, i);
        let rows = rows[span.start * width..span.end * width].chunks_exact(width);
        for (out, row) in out.chunks_exact_mut(width).zip(rows) {
            for ((out, cell), mask) in out.iter_mut().zip(row).zip(&mask) {
                *out = cell * mask;
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::super::words::ABSENT;
    use super::super::{Attribute, QuestionShape, Shape};
    use super::*;

    fn shape() -> Shape {
        Shape {
            attributes: vec![
                Attribute { values: 7, width: 3, is_bag: false },
                Attribute { values: 5, width: 2, is_bag: true },
            ],
            layers: 2,
            units: 3,
            questions: vec![
                QuestionShape { roles: 3, marks: 4, width: 5, classes: 3 },
                QuestionShape { roles: 2, marks: 0, width: 4, classes: 2 },
            ],
            arcs: 4,
        }
    }

    fn lessons() -> (Words, Vec<Asked>) {
        let mut words = Words::new(2);
        let mut asked = vec![Asked::new(3, 2), Asked::new(2, 0)];
        for (sentence, n) in [4u32, 1, 6].into_iter().enumerate() {
            for word in 0..=n {
                let (a, b) = ([(word * 3 + n) % 7], [word % 5, (word + n) % 5]);
                let head = (word * 2 + 1) % (n + 1);
                // Of one sentence a teacher is not sure.
                let shares = [(head, 0.7), ((head + 1) % (n + 1), 0.3)];
                let shares = if sentence == 2 { &shares[..] } else { &[] };
                words.push([&a[..], &b[..]].into_iter(), head, shares);
            }
            words.end_sentence();
            for i in 0..n {
                let place = |x: u32| if x % 4 == 3 { ABSENT } else { x % (n + 1) };
                let marks = [i % 4, if i == 2 { ABSENT } else { 3 }];
                asked[0].push(&[place(i), place(i + 1), place(i * 2)], &marks, (i + n) % 3);
                if sentence != 1 {
                    asked[1].push(&[place(i), place(i + 2)], &[], i % 2);
                }
            }
            asked.iter_mut().for_each(Asked::end_sentence);
        }
        (words, asked)
    }

    /// The loss, always with the same chance.
    fn loss(network: &Network, dropout: f32) -> (f64, Minibatch) {
        let (words, asked) = lessons();
        let mut batch = Minibatch::new(network);
        let lessons = Lessons { words: &words, asked: &asked, sentences: &[2, 0, 1] };
        let loss = batch.differentiate(network, lessons, (dropout, dropout), Chance::new(3, 1));
        (loss, batch)
    }

    /// Compares every number of the gradient with the difference that a small change makes.
    fn check(shape: Shape, dropout: f32) {
        let mut network = Network::random(shape, 5);
        if let Some(arcs) = &mut network.weights.arcs {
            // Zero in the beginning, which would hide mistakes.
            for (i, cell) in (0u8..).zip(&mut arcs.bilinear.matrix) {
                *cell = f32::from(i % 5) / 5.0 - 0.4;
            }
            arcs.bilinear.bias.copy_from_slice(&[0.3, -0.2, 0.1, 0.4]);
        }
        for question in &mut network.weights.questions {
            for (i, cell) in (0u8..).zip(&mut question.absent) {
                *cell = 0.1 * f32::from(i % 3);
            }
        }
        let (_, batch) = loss(&network, dropout);
        let mut analytic: Vec<Vec<f32>> = Vec::new();
        for (gradient, table) in batch.embedding_gradients.iter().zip(&network.embeddings) {
            let width = table.len() / [7, 5][analytic.len()];
            let mut dense = vec![0.0; table.len()];
            for (&value, row) in gradient.values.iter().zip(gradient.rows.chunks_exact(width)) {
                dense[value as usize * width..][..width].copy_from_slice(row);
            }
            analytic.push(dense);
        }
        analytic.extend(batch.gradient.arrays().into_iter().cloned());
        let (mut n_checked, mut n_kinks) = (0, 0);
        for (array, analytic) in analytic.iter().enumerate() {
            for (cell, &analytic) in analytic.iter().enumerate() {
                let at_distance = |distance: f32| {
                    let mut moved = network.clone();
                    let n_tables = moved.embeddings.len();
                    let target = if array < n_tables {
                        &mut moved.embeddings[array][cell]
                    } else {
                        &mut moved.weights.arrays_mut().swap_remove(array - n_tables)[cell]
                    };
                    *target += distance;
                    loss(&moved, dropout).0
                };
                let numeric = (at_distance(2e-3) - at_distance(-2e-3)) / 4e-3;
                n_checked += 1;
                // Where a unit is just being rectified, a difference is no gradient.
                n_kinks += usize::from((numeric - f64::from(analytic)).abs() > 3e-3);
            }
        }
        assert!(n_kinks * 100 <= n_checked, "{n_kinks} of {n_checked} differ");
    }

    /// What is forgotten of words is one thing, which units are left out another.
    #[test]
    fn words_are_forgotten_without_units_left_out() {
        let network = Network::random(shape(), 5);
        let (words, asked) = lessons();
        let lessons = Lessons { words: &words, asked: &asked, sentences: &[2, 0, 1] };
        let zeros = |left_out: (f32, f32)| {
            let mut batch = Minibatch::new(&network);
            batch.differentiate(&network, lessons, left_out, Chance::new(3, 1));
            let zeros = |cells: &[f32]| cells.iter().filter(|cell| **cell == 0.0).count();
            (zeros(&batch.embedded.rows), zeros(&batch.inputs[1]))
        };
        assert_eq!(zeros((0.0, 0.0)), (0, 0));
        let (forgotten, left_out) = (zeros((0.0, 0.5)), zeros((0.5, 0.0)));
        assert!(forgotten.0 > 0 && forgotten.1 == 0, "{forgotten:?}");
        assert!(left_out.0 == 0 && left_out.1 > 0, "{left_out:?}");
    }

    #[test]
    fn gradients_equal_finite_differences() {
        check(shape(), 0.0);
        check(shape(), 0.3);
    }

    /// Of so many only some are compared, the same ones by the same chance.
    #[test]
    fn gradients_of_a_thousand_classes_and_more_equal_finite_differences() {
        let few = QuestionShape { roles: 2, marks: 0, width: 4, classes: 2 };
        let many = QuestionShape { roles: 3, marks: 4, width: 2, classes: 1100 };
        check(Shape { questions: vec![many, few], ..shape() }, 0.0);
    }
}
