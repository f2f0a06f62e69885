//! How likely each word of a sentence is the head of each: what the second aim of the training comes to, for those who want to
//! hear it.

use super::affine::Affine;
use super::arcs::{LEAK, LONGEST};
use super::rounded::{Rounded, RoundedScratch, at_least};
use super::weights::ArcWeights;
use crate::arrays::{Arrays, LoadError};
use crate::kernels::{Turn, multiply, softmax};

/// How words find their heads, when nothing is learned any more: score(d, h) = d U h + v h.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Heads {
    /// A word as a head, and then as a dependent.
    sides: Rounded,
    /// U, with v as its bias.
    bilinear: Affine,
}

/// What one thread needs.
#[derive(Clone, Debug, Default)]
pub(super) struct HeadsScratch {
    /// By word that was read: itself as a head, and then as a dependent.
    sides: Vec<f32>,
    heads: Vec<f32>,
    dependents: Vec<f32>,
    turned: Vec<f32>,
    scores: Vec<f32>,
}

impl Heads {
    pub(super) fn new(ArcWeights { head, dependent, bilinear }: &ArcWeights) -> Self {
        let width = head.n_outputs();
        let rows = head.matrix.chunks_exact(width).zip(dependent.matrix.chunks_exact(width));
        let matrix = rows.flat_map(|(head, dependent)| [head, dependent].concat()).collect();
        let sides = Affine { matrix, bias: [&head.bias[..], &dependent.bias].concat() };
        Self { sides: Rounded::new(&sides, 0), bilinear: bilinear.clone() }
    }

    /// How long vectors are.
    pub(super) fn width(&self) -> usize {
        self.bilinear.n_outputs()
    }

    /// Looks at words in context, after `before` others of the sentence.
    pub(super) fn read(
        &self,
        words: &[f32],
        width: usize,
        before: usize,
        scratch: &mut HeadsScratch,
        rounded: &mut RoundedScratch,
    ) {
        let n_cells = self.sides.n_outputs();
        let n_words = words.len() / width.max(1);
        let sides = &mut at_least(&mut scratch.sides, (before + n_words) * n_cells)[before * n_cells..];
        self.sides.apply(words, width, sides, rounded);
        for cell in sides {
            *cell = if *cell > 0.0 { *cell } else { LEAK * *cell };
        }
    }

    /// By word, then by head: the probability of the head. Nothing for sentences that are too long to learn this from.
    pub(super) fn probabilities<'s>(
        &self,
        n_words: usize,
        scratch: &'s mut HeadsScratch,
    ) -> Option<&'s [f32]> {
        if n_words > LONGEST {
            return None;
        }
        let HeadsScratch { sides, heads, dependents, turned, scores } = scratch;
        let width = self.width();
        heads.clear();
        dependents.clear();
        for row in sides.chunks_exact(2 * width).take(n_words) {
            heads.extend_from_slice(&row[..width]);
            dependents.extend_from_slice(&row[width..]);
        }
        turned.resize(n_words * width, 0.0);
        scores.resize(n_words * n_words, 0.0);
        let bilinear = (&self.bilinear.matrix[..], Turn::Plain);
        multiply((n_words, width, width), (dependents, Turn::Plain), bilinear, turned);
        // What is liked of a head is liked by every dependent.
        for row in turned.chunks_exact_mut(width) {
            for (cell, liked) in row.iter_mut().zip(&self.bilinear.bias) {
                *cell += liked;
            }
        }
        multiply((n_words, width, n_words), (turned, Turn::Plain), (heads, Turn::Transposed), scores);
        scores.chunks_exact_mut(n_words).for_each(softmax);
        Some(scores)
    }

    /// Its arrays of floats.
    pub(super) fn floats(&self) -> [&[f32]; 4] {
        let [scales, bias] = self.sides.floats();
        [scales, bias, &self.bilinear.matrix, &self.bilinear.bias]
    }

    /// Puts it among arrays.
    pub(super) fn save(&self, arrays: &mut Arrays) {
        self.sides.save("heads.sides", arrays);
        arrays.set("heads.matrix", &self.bilinear.matrix);
        arrays.set("heads.bias", &self.bilinear.bias);
    }

    /// Takes it from arrays, for words in context of this width.
    pub(super) fn load(inputs: usize, width: usize, arrays: &Arrays) -> Result<Self, LoadError> {
        Ok(Self {
            sides: Rounded::load("heads.sides", (inputs, width.saturating_mul(2)), 0, arrays)?,
            bilinear: Affine {
                matrix: arrays.get_exactly("heads.matrix", width.saturating_mul(width))?,
                bias: arrays.get_exactly("heads.bias", width)?,
            },
        })
    }
}
