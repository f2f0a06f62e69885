//! A trained network at work: the words of a sentence → what each says in every role → scores.
//!
//! What the first layer makes of a word before the recurrence depends on the word alone, so that it can be kept
//! from sentence to sentence. All products are of bytes. What words say is rounded to whole numbers, and all that
//! follows is of whole numbers.

use std::ops::Range;

use super::affine::Affine;
use super::embedding::add_vectors;
use super::heads::{Heads, HeadsScratch};
use super::rounded::{Rounded, RoundedScratch, at_least};
use super::weights::{Network, QuestionWeights};
use super::words::ABSENT;
use super::{Attribute, QuestionShape, Shape};
use crate::arrays::{Arrays, LoadError};
use crate::kernels::recurrence::{activate, run_rows};
use crate::kernels::{BLOCK, LANES, MIDDLE, hidden_units_of_cells};
use crate::output::Output;

/// What a cell of 1 stands for in a hidden unit.
const UNIT: f32 = 1.0 / 256.0;

/// A network that is not trained any more.
#[derive(Clone, PartialEq, Debug)]
pub struct Encoder {
    shape: Shape,
    embeddings: Vec<Vec<f32>>,
    first: Rounded,
    /// The layers after the first.
    layers: Vec<Rounded>,
    /// What words say in every role of every question, in cells.
    roles: Rounded,
    questions: Vec<Question>,
    heads: Option<Heads>,
}

/// How a question is answered.
#[derive(Clone, PartialEq, Debug)]
struct Question {
    /// Where its roles begin in what a word says.
    start: usize,
    /// Rows of cells: by role what it says that there is no word, and then by value what marks say.
    rows: Vec<i16>,
    output: Output,
}

/// What one thread needs.
#[derive(Clone, Debug, Default)]
pub struct EncoderScratch {
    /// New words: the vectors of their attributes.
    inputs: Vec<f32>,
    state: Vec<f32>,
    out: Vec<f32>,
    gates: Vec<f32>,
    /// The numbers from 0: the rows of gates.
    in_order: Vec<u32>,
    rounded: RoundedScratch,
    /// By word: what it says in every role of every question.
    said: Vec<i16>,
    units: Vec<i16>,
    sums: Vec<i32>,
    scores: Vec<f32>,
    /// Whether heads are looked at when words are read.
    hears_heads: bool,
    heads: HeadsScratch,
}

impl EncoderScratch {
    /// From now on it can be asked for [heads](Encoder::heads) of what is read.
    pub fn hear_heads(&mut self) {
        self.hears_heads = true;
    }

    /// The scores that were worked out last.
    pub fn last_scores(&self) -> &[f32] {
        &self.scores
    }
}

impl Encoder {
    /// Rounds a network.
    pub fn new(network: &Network) -> Self {
        let Network { shape, embeddings, weights } = network;
        let mut start = 0;
        let question = |(weights, &shape): (&QuestionWeights, &QuestionShape)| {
            let QuestionWeights { absent, marks, output, .. } = weights;
            let rows = [&absent[..], marks].concat();
            let mut cells = Vec::with_capacity(rows.len());
            for row in rows.chunks_exact(shape.width) {
                cells.extend(row.iter().map(|&cell| crate::output::round::<i16>(cell, UNIT, 32767.0)));
                cells.resize(cells.len().next_multiple_of(BLOCK), 0);
            }
            let here = start;
            start += shape.roles * shape.padded_width();
            Question { start: here, rows: cells, output: Output::new(&output.matrix, &output.bias, UNIT) }
        };
        let questions = weights.questions.iter().zip(&shape.questions).map(question).collect();
        Self {
            shape: shape.clone(),
            embeddings: embeddings.clone(),
            first: Rounded::new(&weights.layers[0], MIDDLE),
            layers: weights.layers[1..].iter().map(|layer| Rounded::new(layer, 0)).collect(),
            roles: Rounded::new(&all_roles(network), 0),
            questions,
            heads: weights.arcs.as_ref().map(Heads::new),
        }
    }

    /// The sizes.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// How long a row of [`words`](Self::words) is.
    pub fn word_width(&self) -> usize {
        6 * self.shape.units
    }

    /// Adds a new word, given by the values of its attributes.
    pub fn add_word<'v>(&self, values: impl Iterator<Item = &'v [u32]>, scratch: &mut EncoderScratch) {
        let start = scratch.inputs.len();
        scratch.inputs.resize(start + self.shape.input_width(), 0.0);
        let mut cells = &mut scratch.inputs[start..];
        for ((attribute, table), values) in self.shape.attributes.iter().zip(&self.embeddings).zip(values) {
            let (own, rest) = cells.split_at_mut(attribute.width);
            add_vectors(*attribute, table, values, 1.0, own);
            cells = rest;
        }
    }

    /// Writes what the first layer makes of the new words that were added, one row after the other.
    pub fn words(&self, out: &mut [f32], scratch: &mut EncoderScratch) {
        self.first.apply(&scratch.inputs, self.shape.input_width(), out, &mut scratch.rounded);
        activate(out, self.shape.units);
        scratch.inputs.clear();
    }

    /// Reads some words: by word, where it is among rows that [`words`](Self::words) wrote. Those in `kept` are words of the
    /// sentence and can be asked about, after `before` others that can already; the others are their context.
    ///
    /// # Panics
    /// When there are 2³² words.
    pub fn read(
        &self,
        rows: &[f32],
        words: &[u32],
        (before, kept): (usize, Range<usize>),
        scratch: &mut EncoderScratch,
    ) {
        let (units, width) = (self.shape.units, self.shape.output_width());
        let n = words.len();
        let EncoderScratch { state, out, gates, in_order, rounded, said, hears_heads, heads, .. } = scratch;
        state.resize(units, 0.0);
        let out = at_least(out, n * width);
        run_rows(rows, words, units, state, out);
        if in_order.len() < n {
            let next = u32::try_from(in_order.len()).expect("fewer than 2³² words");
            in_order.extend((next..).take(n - in_order.len()));
        }
        for layer in &self.layers {
            let gates = at_least(gates, n * self.word_width());
            layer.apply(out, width, gates, rounded);
            activate(gates, units);
            run_rows(gates, &in_order[..n], units, state, out);
        }
        let n_cells = self.roles.n_outputs();
        let said = &mut at_least(said, (before + kept.len()) * n_cells)[before * n_cells..];
        let kept = &out[kept.start * width..kept.end * width];
        self.roles.apply_to_cells(kept, width, said, rounded);
        if let (true, Some(own)) = (*hears_heads, &self.heads) {
            own.read(kept, width, before, heads, rounded);
        }
    }

    /// By word of the sentence of so many words that was read, the root among them, and then by head: how likely it is the
    /// head. Nothing if it was not to be heard of, and for sentences that are too long.
    pub fn heads<'s>(&self, n_words: usize, scratch: &'s mut EncoderScratch) -> Option<&'s [f32]> {
        let heads = self.heads.as_ref().filter(|_| scratch.hears_heads)?;
        heads.probabilities(n_words, &mut scratch.heads)
    }

    /// The score of every class of a question about some words of the sentence that was read, by role, with these
    /// marks; in nats.
    ///
    /// # Panics
    /// When there are more marks than [`MAX_MARKS`], or values that the marks do not have.
    #[inline]
    pub fn scores<'s>(
        &self,
        question: usize,
        words: &[u32],
        marks: &[u32],
        scratch: &'s mut EncoderScratch,
    ) -> &'s [f32] {
        let EncoderScratch { said, units, sums, scores, .. } = scratch;
        let shape = &self.shape.questions[question];
        let question = &self.questions[question];
        #[allow(clippy::cast_possible_truncation, reason = "a few hundred")]
        let (width, stride) = (shape.padded_width() as u32, self.roles.n_outputs());
        let (mut here, mut n_here) = ([0usize; MAX_ROLES], 0);
        let (mut own, mut n_own) = ([0u32; MAX_ROLES + MAX_MARKS], 0);
        #[allow(clippy::cast_possible_truncation, reason = "a few hundred")]
        let (mut role_start, mut absent_start) = (question.start as u32, 0);
        for &word in words.iter().take(shape.roles) {
            if word == ABSENT {
                own[n_own] = absent_start;
                n_own += 1;
            } else {
                here[n_here] = word as usize * stride + role_start as usize;
                n_here += 1;
            }
            role_start += width;
            absent_start += width;
        }
        for &mark in marks.iter().filter(|mark| **mark != ABSENT) {
            own[n_own] = absent_start + mark * width;
            n_own += 1;
        }
        units.resize(question.output.hidden, 0);
        hidden_units_of_cells(said, &here[..n_here], &question.rows, &own[..n_own], units);
        sums.resize(question.output.classes, 0);
        question.output.score(units, sums);
        scores.clear();
        #[allow(clippy::cast_precision_loss, reason = "scores need no more than a float has")]
        scores.extend(sums.iter().map(|&sum| sum as f32 * question.output.scale));
        scores
    }
}

impl QuestionShape {
    /// How many cells a row has.
    fn padded_width(&self) -> usize {
        self.width.next_multiple_of(BLOCK)
    }
}

/// The roles of all questions side by side, in cells.
fn all_roles(network: &Network) -> Affine {
    let mut roles = Affine::default();
    let questions = || network.weights.questions.iter().zip(&network.shape.questions);
    let add = |row: &[f32], shape: &QuestionShape, out: &mut Vec<f32>| {
        for cells in row.chunks_exact(shape.width) {
            out.extend(cells.iter().map(|cell| cell / UNIT));
            out.extend(std::iter::repeat_n(0.0, shape.padded_width() - shape.width));
        }
    };
    for input in 0..network.shape.output_width() {
        for (weights, shape) in questions() {
            let n = weights.roles.n_outputs();
            add(&weights.roles.matrix[input * n..][..n], shape, &mut roles.matrix);
        }
    }
    for (weights, shape) in questions() {
        add(&weights.roles.bias, shape, &mut roles.bias);
    }
    roles
}

impl Encoder {
    /// Puts everything among arrays.
    pub fn save(&self, arrays: &mut Arrays) {
        let Shape { attributes, layers, units, questions, arcs } = &self.shape;
        arrays.set("sizes", &[*layers as u64, *units as u64, *arcs as u64]);
        let attributes = attributes.iter().map(|a| [a.values as u64, a.width as u64, u64::from(a.is_bag)]);
        arrays.set("attributes", &attributes.collect::<Vec<_>>());
        let questions =
            questions.iter().map(|q| [q.roles, q.marks, q.width, q.classes].map(|size| size as u64));
        arrays.set("questions", &questions.collect::<Vec<_>>());
        for (i, table) in self.embeddings.iter().enumerate() {
            arrays.set(&format!("embeddings.{i}"), table);
        }
        self.first.save("first", arrays);
        for (i, layer) in self.layers.iter().enumerate() {
            layer.save(&format!("layers.{i}"), arrays);
        }
        self.roles.save("roles", arrays);
        if let Some(heads) = &self.heads {
            heads.save(arrays);
        }
        for (i, Question { rows, output, .. }) in self.questions.iter().enumerate() {
            arrays.set(&format!("questions.{i}.rows"), rows);
            arrays.set(&format!("questions.{i}.weights"), &output.weights);
            arrays.set(&format!("questions.{i}.bias"), &output.bias);
            arrays.set(&format!("questions.{i}.scale"), &[output.scale]);
        }
    }

    /// All arrays of floats.
    fn floats(&self) -> impl Iterator<Item = &[f32]> {
        let tables = self.embeddings.iter().map(Vec::as_slice);
        let matrices = [&self.first, &self.roles].into_iter().chain(&self.layers);
        tables.chain(matrices.flat_map(Rounded::floats)).chain(self.heads.iter().flat_map(Heads::floats))
    }

    /// Takes everything from arrays. Sizes are believed only as far as the arrays bear them out.
    pub fn load(arrays: &Arrays) -> Result<Self, LoadError> {
        let number = |number: u64, name: &str| {
            let small = usize::try_from(number).ok().filter(|&number| number <= LARGEST);
            small.ok_or_else(|| LoadError::unfit(name, "has a size that nothing has"))
        };
        let sizes: Vec<u64> = arrays.get_exactly("sizes", 3)?;
        let size = |at: usize| number(sizes[at], "sizes");
        let (layers, units, arcs) = (size(0)?, size(1)?, size(2)?);
        if layers == 0 || units == 0 || layers > MOST_LAYERS {
            return Err(LoadError::unfit("sizes", "has a size that nothing has"));
        }
        let mut shape = Shape { attributes: Vec::new(), layers, units, questions: Vec::new(), arcs };
        for [values, width, is_bag] in arrays.get::<[u64; 3]>("attributes")? {
            let (values, width) = (number(values, "attributes")?, number(width, "attributes")?);
            shape.attributes.push(Attribute { values, width, is_bag: is_bag != 0 });
        }
        for sizes in arrays.get::<[u64; 4]>("questions")? {
            let [roles, marks, width, classes] = sizes.map(|size| number(size, "questions"));
            let question = QuestionShape { roles: roles?, marks: marks?, width: width?, classes: classes? };
            if question.roles == 0
                || question.roles > MAX_ROLES
                || question.classes == 0
                || question.width == 0
            {
                return Err(LoadError::unfit("questions", "has a size that nothing has"));
            }
            shape.questions.push(question);
        }
        let product = |a: usize, b: usize| a.saturating_mul(b);
        let embeddings = shape.attributes.iter().enumerate().map(|(i, attribute)| {
            arrays.get_exactly(&format!("embeddings.{i}"), product(attribute.values, attribute.width))
        });
        let embeddings = embeddings.collect::<Result<_, _>>()?;
        let (input, output) = (shape.input_width(), shape.output_width());
        let first = Rounded::load("first", (input, 6 * units), MIDDLE, arrays)?;
        let later =
            (0..layers - 1).map(|i| Rounded::load(&format!("layers.{i}"), (output, 6 * units), 0, arrays));
        let later = later.collect::<Result<_, _>>()?;
        let mut n_roles = 0usize;
        let mut questions = Vec::new();
        for (i, shape) in shape.questions.iter().enumerate() {
            let name = |part: &str| format!("questions.{i}.{part}");
            let (width, classes) = (shape.padded_width(), shape.classes);
            let n_weights = product(classes.div_ceil(LANES), width / 2);
            let [scale] = arrays.get_exactly::<f32>(&name("scale"), 1)?[..] else {
                return Err(LoadError::unfit(&name("scale"), "is not one number"));
            };
            let weights = arrays.get_exactly(&name("weights"), n_weights)?;
            let bias = arrays.get_exactly(&name("bias"), classes)?;
            let output = Output::from_parts((width, classes), weights, bias, scale);
            if !output.fits() {
                return Err(LoadError::unfit(&name("weights"), "has numbers that are too large"));
            }
            let rows = arrays.get_exactly(&name("rows"), product(shape.roles + shape.marks, width))?;
            questions.push(Question { start: n_roles, rows, output });
            n_roles = n_roles.saturating_add(product(shape.roles, width));
        }
        let roles = Rounded::load("roles", (output, n_roles), 0, arrays)?;
        let heads = (arcs > 0).then(|| Heads::load(output, arcs, arrays)).transpose()?;
        let encoder = Self { shape, embeddings, first, layers: later, roles, questions, heads };
        if encoder.floats().any(|array| array.iter().any(|number| !number.is_finite())) {
            return Err(LoadError::unfit("embeddings", "or another array has what is no number"));
        }
        Ok(encoder)
    }
}

/// Larger than any size of a network: what keeps products of two sizes within numbers.
const LARGEST: usize = 1 << 28;
/// The most layers that can be loaded.
const MOST_LAYERS: usize = 64;

/// The most marks that a question can have.
pub const MAX_MARKS: usize = 32;
/// The most words that a question can be about.
pub const MAX_ROLES: usize = 32;
