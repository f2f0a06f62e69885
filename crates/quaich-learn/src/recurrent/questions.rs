//! Answering questions about a minibatch's words, and the gradient.

use rand::Rng;
use rayon::prelude::*;

use super::QuestionShape;
use super::affine::Affine;
use super::compared::Compared;
use super::embedding::happens;
use super::spans::Spans;
use super::weights::QuestionWeights;
use super::words::{ABSENT, Asked};
use crate::chance::Chance;
use crate::kernels;
use crate::loss;
use crate::targets::Right;

/// A question on its way through a minibatch and back.
#[derive(Debug, Default)]
pub(super) struct QuestionRun {
    /// By word: what it says in every role; then the gradient of that.
    said: Vec<f32>,
    /// By instance: the row of the word in each role, or [`ABSENT`].
    rows: Vec<u32>,
    /// By instance: the value of each mark, or [`ABSENT`].
    marks: Vec<u32>,
    right: Vec<u32>,
    hidden: Vec<f32>,
    hidden_gradient: Vec<f32>,
    scores: Vec<f32>,
}

impl QuestionRun {
    /// Works out the gradients of the mean loss of all instances: of the weights and, added to `dx`, of the words.
    /// Returns the mean loss.
    #[allow(clippy::too_many_arguments, reason = "weights and their gradient, words and theirs")]
    pub(super) fn differentiate(
        &mut self,
        shape: QuestionShape,
        weights: &QuestionWeights,
        (asked, sentences, spans): (&Asked, &[usize], &Spans),
        (x, dx): (&[f32], &mut [f32]),
        (dropout, chance): (f32, Chance),
        gradient: &mut QuestionWeights,
        space: &mut Vec<f32>,
    ) -> f64 {
        let QuestionShape { roles, width, .. } = shape;
        let n_marks = asked.n_marks();
        let instances = self.read(shape, asked, sentences, spans);
        weights.roles.apply(x, &mut self.said);
        let n = self.right.len();
        if n == 0 {
            gradient.clear();
            return 0.0;
        }
        let Self { said, rows, marks, right, hidden, hidden_gradient, scores } = self;
        hidden.resize(n * width, 0.0);
        let all_hidden = instances.split(hidden, width);
        let all_spans: Vec<_> = instances.iter().collect();
        let stride = roles * width;
        all_hidden.into_par_iter().zip(&all_spans).enumerate().for_each(|(i, (hidden, span))| {
            let mut generator = chance.stream(i as u64);
            let mut cells: Vec<&[f32]> = Vec::with_capacity(roles);
            for (hidden, instance) in hidden.chunks_exact_mut(width).zip(span.clone()) {
                cells.clear();
                for (role, &row) in rows[instance * roles..][..roles].iter().enumerate() {
                    cells.push(match row {
                        ABSENT => &weights.absent[role * width..][..width],
                        row => &said[row as usize * stride + role * width..][..width],
                    });
                }
                for &mark in marks[instance * n_marks..][..n_marks].iter().filter(|mark| **mark != ABSENT) {
                    cells.push(&weights.marks[mark as usize * width..][..width]);
                }
                hidden.fill(0.0);
                kernels::accumulate(hidden, &cells);
                rectify(hidden, dropout, &mut generator);
            }
        });
        let compared = Compared::new(shape.classes, right, chance.part(1));
        let output = match &compared {
            Some(compared) => &compared.of(&weights.output),
            None => &weights.output,
        };
        output.apply(hidden, scores);
        #[allow(clippy::cast_precision_loss, reason = "the size of a batch")]
        let share = 1.0 / n as f32;
        let losses: Vec<f64> = scores
            .par_chunks_mut(output.n_outputs())
            .zip(&*right)
            .map(|(scores, &right)| {
                let right = compared.as_ref().map_or(right, |compared| compared.shift(scores, right));
                let loss = loss::differentiate(scores, Right::Class(right), 0.0);
                for score in scores {
                    *score *= share;
                }
                loss
            })
            .collect();
        match &compared {
            Some(compared) => {
                let mut of_compared = Affine::zeros(width, output.n_outputs());
                output.differentiate(hidden, scores, &mut of_compared);
                compared.spread(&of_compared, &mut gradient.output);
            }
            None => output.differentiate(hidden, scores, &mut gradient.output),
        }
        output.back(scores, hidden_gradient);
        let scale = 1.0 / (1.0 - dropout);
        for (gradient, &unit) in hidden_gradient.iter_mut().zip(&*hidden) {
            *gradient = if unit > 0.0 { *gradient * scale } else { 0.0 };
        }
        // Back to the words of each sentence, and to those that are not there.
        spans
            .split(said, stride)
            .into_par_iter()
            .zip(&all_spans)
            .zip(spans.iter().collect::<Vec<_>>())
            .for_each(|((said, instances), words)| {
                said.fill(0.0);
                for instance in instances.clone() {
                    let cells = &hidden_gradient[instance * width..][..width];
                    for (role, &row) in rows[instance * roles..][..roles].iter().enumerate() {
                        if row != ABSENT {
                            let at = (row as usize - words.start) * stride + role * width;
                            add(&mut said[at..][..width], cells);
                        }
                    }
                }
            });
        gradient.absent.fill(0.0);
        for (cells, rows) in hidden_gradient.chunks_exact(width).zip(rows.chunks_exact(roles)) {
            for (role, _) in rows.iter().enumerate().filter(|(_, row)| **row == ABSENT) {
                add(&mut gradient.absent[role * width..][..width], cells);
            }
        }
        gradient.marks.fill(0.0);
        if n_marks > 0 {
            for (cells, marks) in hidden_gradient.chunks_exact(width).zip(marks.chunks_exact(n_marks)) {
                for &mark in marks.iter().filter(|mark| **mark != ABSENT) {
                    add(&mut gradient.marks[mark as usize * width..][..width], cells);
                }
            }
        }
        weights.roles.differentiate(x, said, &mut gradient.roles);
        weights.roles.back(said, space);
        add(dx, space);
        losses.iter().sum::<f64>() * f64::from(share)
    }

    /// Takes the instances of the sentences; where those of each are.
    fn read(&mut self, shape: QuestionShape, asked: &Asked, sentences: &[usize], spans: &Spans) -> Spans {
        self.rows.clear();
        self.marks.clear();
        self.right.clear();
        debug_assert!(shape.roles > 0, "a question is about something");
        let lengths: Vec<usize> = sentences
            .iter()
            .zip(spans.iter())
            .map(|(&sentence, words)| {
                let (places, marks, right) = asked.sentence(sentence);
                self.marks.extend_from_slice(marks);
                #[allow(clippy::cast_possible_truncation, reason = "a minibatch is small")]
                let first = words.start as u32;
                self.rows.extend(places.iter().map(|&place| match place {
                    ABSENT => ABSENT,
                    place => first + place,
                }));
                self.right.extend_from_slice(right);
                right.len()
            })
            .collect();
        Spans::new(lengths.into_iter())
    }
}

impl QuestionWeights {
    fn clear(&mut self) {
        self.absent.fill(0.0);
        self.marks.fill(0.0);
        for affine in [&mut self.roles, &mut self.output] {
            affine.matrix.fill(0.0);
            affine.bias.fill(0.0);
        }
    }
}

/// Sums → hidden units: negative ones become zero, and so does a random part of the others.
fn rectify(hidden: &mut [f32], dropout: f32, generator: &mut impl Rng) {
    let scale = 1.0 / (1.0 - dropout);
    for unit in hidden {
        *unit = if dropout > 0.0 && happens(dropout, generator) { 0.0 } else { unit.max(0.0) * scale };
    }
}

/// Adds numbers to others.
pub(super) fn add(sums: &mut [f32], numbers: &[f32]) {
    kernels::accumulate(sums, &[numbers]);
}
