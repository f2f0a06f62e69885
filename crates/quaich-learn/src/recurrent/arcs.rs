//! Every word finds its head among all words of its sentence: a second aim beside the questions, which makes
//! better vectors (Dozat and Manning 2017).

use rayon::prelude::*;

use super::affine::Affine;
use super::embedding::happens;
use super::questions::add;
use super::spans::Spans;
use super::weights::ArcWeights;
use super::words::Words;
use crate::chance::Chance;
use crate::kernels::{Turn, multiply};
use crate::loss;
use crate::targets::Right;

/// What is left of a negative number.
pub(super) const LEAK: f32 = 0.1;
/// Longer sentences are left out: the scores of all pairs of words would take too much memory.
pub(super) const LONGEST: usize = 1000;

/// The aim on its way through a minibatch and back.
#[derive(Debug, Default)]
pub(super) struct ArcRun {
    head: Side,
    dependent: Side,
    /// By word: U applied to the dependent; then the gradient of that.
    turned: Vec<f32>,
    gradient: Vec<f32>,
    bias_gradients: Vec<f32>,
}

/// Words in one part of an arc.
#[derive(Debug, Default)]
struct Side {
    /// By word: its vector, after rectifying and leaving out.
    rows: Vec<f32>,
    /// What each cell was multiplied by.
    factors: Vec<f32>,
}

impl ArcRun {
    /// Works out the gradients of the mean loss: of the weights and, added to `dx`, of the words. Returns the mean
    /// loss.
    #[allow(clippy::too_many_arguments, reason = "weights and their gradient, words and theirs")]
    pub(super) fn differentiate(
        &mut self,
        weights: &ArcWeights,
        (words, sentences, spans): (&Words, &[usize], &Spans),
        (x, dx): (&[f32], &mut [f32]),
        (dropout, chance): (f32, [Chance; 2]),
        gradient: &mut ArcWeights,
        space: &mut Vec<f32>,
    ) -> f64 {
        let width = weights.head.n_outputs();
        let Self { head, dependent, turned, gradient: dh, bias_gradients } = self;
        head.read(&weights.head, x, spans, dropout, chance[0]);
        dependent.read(&weights.dependent, x, spans, dropout, chance[1]);
        let plain = Affine { matrix: weights.bilinear.matrix.clone(), bias: vec![0.0; width] };
        plain.apply(&dependent.rows, turned);
        dh.resize(turned.len(), 0.0);
        bias_gradients.resize(sentences.len() * width, 0.0);
        let n_words: usize = spans.iter().map(|span| span.len() - 1).filter(|&n| n < LONGEST).sum();
        #[allow(clippy::cast_precision_loss, reason = "the size of a batch")]
        let share = 1.0 / n_words.max(1) as f32;
        let all_spans: Vec<_> = spans.iter().collect();
        let losses: Vec<f64> = spans
            .split(turned, width)
            .into_par_iter()
            .zip(spans.split(dh, width))
            .zip(bias_gradients.par_chunks_mut(width))
            .zip(all_spans)
            .zip(sentences)
            .map(|((((turned, dh), dv), span), &sentence)| {
                let heads = &head.rows[span.start * width..span.end * width];
                let right = |place: usize| words.head(words.sentence(sentence).start + place);
                in_sentence((turned, dh, dv), (heads, &weights.bilinear.bias), span.len(), right, share)
            })
            .collect();
        // `turned` and `dh` are gradients now.
        plain.differentiate(&dependent.rows, turned, &mut gradient.bilinear);
        super::affine::sum_columns(bias_gradients, &mut gradient.bilinear.bias);
        plain.back(turned, space);
        for (side, affine, of_rows, of_weights) in [
            (&*dependent, &weights.dependent, &*space, &mut gradient.dependent),
            (&*head, &weights.head, &*dh, &mut gradient.head),
        ] {
            let of_sums: Vec<f32> = of_rows.iter().zip(&side.factors).map(|(d, factor)| d * factor).collect();
            affine.differentiate(x, &of_sums, of_weights);
            let mut of_words = Vec::new();
            affine.back(&of_sums, &mut of_words);
            add(dx, &of_words);
        }
        losses.iter().sum::<f64>() * f64::from(share)
    }
}

/// The gradients of one sentence: of the turned dependents in their place, of heads and of v. Returns the loss.
fn in_sentence<'w>(
    (turned, dh, dv): (&mut [f32], &mut [f32], &mut [f32]),
    (heads, v): (&[f32], &[f32]),
    n: usize,
    right: impl Fn(usize) -> Right<'w>,
    share: f32,
) -> f64 {
    let width = v.len();
    dh.fill(0.0);
    dv.fill(0.0);
    if n > LONGEST {
        turned.fill(0.0);
        return 0.0;
    }
    let mut scores = vec![0.0; n * n];
    multiply((n, width, n), (turned, Turn::Plain), (heads, Turn::Transposed), &mut scores);
    let liked: Vec<f32> =
        heads.chunks_exact(width).map(|head| head.iter().zip(v).map(|(a, b)| a * b).sum()).collect();
    let (root, others) = scores.split_at_mut(n);
    root.fill(0.0);
    let mut loss = 0.0;
    let mut sums = vec![0.0; n];
    for (scores, place) in others.chunks_exact_mut(n).zip(1..) {
        add(scores, &liked);
        loss += loss::differentiate(scores, right(place), 0.0);
        for score in scores.iter_mut() {
            *score *= share;
        }
        add(&mut sums, scores);
    }
    multiply((n, n, width), (&scores, Turn::Transposed), (turned, Turn::Plain), dh);
    for ((dh, head), &sum) in dh.chunks_exact_mut(width).zip(heads.chunks_exact(width)).zip(&sums) {
        for (((dh, dv), head), v) in dh.iter_mut().zip(&mut *dv).zip(head).zip(v) {
            *dh += sum * v;
            *dv += sum * head;
        }
    }
    multiply((n, n, width), (&scores, Turn::Plain), (heads, Turn::Plain), turned);
    loss
}

impl Side {
    fn read(&mut self, affine: &Affine, x: &[f32], spans: &Spans, dropout: f32, chance: Chance) {
        affine.apply(x, &mut self.rows);
        let width = affine.n_outputs();
        self.factors.resize(self.rows.len(), 0.0);
        let sentences = spans.split(&mut self.rows, width).into_par_iter();
        sentences.zip(spans.split(&mut self.factors, width)).enumerate().for_each(|(i, (rows, factors))| {
            let mask = mask(width, dropout, chance, i);
            for (rows, factors) in rows.chunks_exact_mut(width).zip(factors.chunks_exact_mut(width)) {
                for ((cell, factor), mask) in rows.iter_mut().zip(factors).zip(&mask) {
                    *factor = if *cell > 0.0 { *mask } else { LEAK * mask };
                    *cell *= *factor;
                }
            }
        });
    }
}

/// What the columns of a sentence are multiplied by: some are left out throughout (Gal and Ghahramani 2016).
pub(super) fn mask(width: usize, dropout: f32, chance: Chance, sentence: usize) -> Vec<f32> {
    let mut generator = chance.stream(sentence as u64);
    let scale = 1.0 / (1.0 - dropout);
    (0..width).map(|_| if dropout > 0.0 && happens(dropout, &mut generator) { 0.0 } else { scale }).collect()
}
