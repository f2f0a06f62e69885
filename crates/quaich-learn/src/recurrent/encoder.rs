//! A trained network at work: the words of a sentence → what each says in every role → scores.
//!
//! What the first layer makes of a word before the recurrence depends on the word alone, so that it can be kept
//! from sentence to sentence. All other products are of bytes.

use super::affine::Affine;
use super::embedding::add_vectors;
use super::rounded::{Rounded, RoundedScratch};
use super::weights::{Network, QuestionWeights};
use super::words::ABSENT;
use super::{Attribute, QuestionShape, Shape};
use crate::arrays::{Arrays, LoadError};
use crate::kernels::recurrence::{activate, run};
use crate::kernels::{self, answer};

/// A network that is not trained any more.
#[derive(Clone, PartialEq, Debug)]
pub struct Encoder {
    shape: Shape,
    embeddings: Vec<Vec<f32>>,
    first: Affine,
    /// The layers after the first.
    layers: Vec<Rounded>,
    questions: Vec<Question>,
}

/// How a question is answered.
#[derive(Clone, PartialEq, Debug)]
struct Question {
    roles: Rounded,
    absent: Vec<f32>,
    marks: Vec<f32>,
    output: Affine,
}

/// What one thread needs.
#[derive(Clone, Debug, Default)]
pub struct EncoderScratch {
    input: Vec<f32>,
    states: Vec<f32>,
    out: Vec<f32>,
    gates: Vec<f32>,
    rounded: RoundedScratch,
    /// By question: what every word says in every role.
    said: Vec<Vec<f32>>,
    hidden: Vec<f32>,
    scores: Vec<f32>,
}

impl Encoder {
    /// Rounds a network.
    pub fn new(network: &Network) -> Self {
        let Network { shape, embeddings, weights } = network;
        let question = |QuestionWeights { roles, absent, marks, output }: &QuestionWeights| Question {
            roles: Rounded::new(roles),
            absent: absent.clone(),
            marks: marks.clone(),
            output: output.clone(),
        };
        Self {
            shape: Shape { arcs: 0, ..shape.clone() },
            embeddings: embeddings.clone(),
            first: weights.layers[0].clone(),
            layers: weights.layers[1..].iter().map(Rounded::new).collect(),
            questions: weights.questions.iter().map(question).collect(),
        }
    }

    /// The sizes.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// How long [`word`](Self::word) is.
    pub fn word_width(&self) -> usize {
        6 * self.shape.units
    }

    /// Writes what the first layer makes of a word, given the values of its attributes.
    pub fn word<'v>(
        &self,
        values: impl Iterator<Item = &'v [u32]>,
        out: &mut [f32],
        scratch: &mut EncoderScratch,
    ) {
        scratch.input.clear();
        scratch.input.resize(self.shape.input_width(), 0.0);
        let mut cells = &mut scratch.input[..];
        for ((attribute, table), values) in self.shape.attributes.iter().zip(&self.embeddings).zip(values) {
            let (own, rest) = cells.split_at_mut(attribute.width);
            add_vectors(*attribute, table, values, 1.0, own);
            cells = rest;
        }
        kernels::multiply_row(&scratch.input, &self.first.matrix, &self.first.bias, out);
        activate(out, self.shape.units);
    }

    /// Reads a sentence: the words as [`word`](Self::word) writes them, one after the other, the root first.
    pub fn read(&self, words: &[f32], scratch: &mut EncoderScratch) {
        let (units, width) = (self.shape.units, self.shape.output_width());
        let n = words.len() / self.word_width().max(1);
        let EncoderScratch { states, out, gates, rounded, said, .. } = scratch;
        states.resize(n * width, 0.0);
        out.resize(n * width, 0.0);
        run(words, units, states, out);
        for layer in &self.layers {
            layer.apply(out, n, gates, rounded);
            activate(gates, units);
            run(gates, units, states, out);
        }
        said.resize(self.questions.len(), Vec::new());
        for (question, said) in self.questions.iter().zip(said) {
            question.roles.apply(out, n, said, rounded);
        }
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
        let EncoderScratch { said, hidden, scores, .. } = scratch;
        let QuestionShape { roles, width, classes, .. } = self.shape.questions[question];
        let (said, question) = (&said[question], &self.questions[question]);
        let mut rows: [&[f32]; MAX_ROLES + MAX_MARKS] = [&[]; MAX_ROLES + MAX_MARKS];
        for (role, (row, &word)) in rows.iter_mut().zip(words).enumerate().take(roles) {
            *row = match word {
                ABSENT => &question.absent[role * width..][..width],
                word => &said[(word as usize * roles + role) * width..][..width],
            };
        }
        let mut n = roles;
        for &mark in marks.iter().filter(|mark| **mark != ABSENT) {
            rows[n] = &question.marks[mark as usize * width..][..width];
            n += 1;
        }
        hidden.resize(width, 0.0);
        scores.resize(classes, 0.0);
        answer(&rows[..n], &question.output.matrix, &question.output.bias, hidden, scores);
        scores
    }
}

impl Encoder {
    /// Puts everything among arrays.
    pub fn save(&self, arrays: &mut Arrays) {
        let Shape { attributes, layers, units, questions, .. } = &self.shape;
        arrays.set("sizes", &[*layers as u64, *units as u64]);
        let attributes = attributes.iter().map(|a| [a.values as u64, a.width as u64, u64::from(a.is_bag)]);
        arrays.set("attributes", &attributes.collect::<Vec<_>>());
        let questions =
            questions.iter().map(|q| [q.roles, q.marks, q.width, q.classes].map(|size| size as u64));
        arrays.set("questions", &questions.collect::<Vec<_>>());
        for (i, table) in self.embeddings.iter().enumerate() {
            arrays.set(&format!("embeddings.{i}"), table);
        }
        arrays.set("first.matrix", &self.first.matrix);
        arrays.set("first.bias", &self.first.bias);
        for (i, layer) in self.layers.iter().enumerate() {
            layer.save(&format!("layers.{i}"), arrays);
        }
        for (i, question) in self.questions.iter().enumerate() {
            question.roles.save(&format!("questions.{i}.roles"), arrays);
            arrays.set(&format!("questions.{i}.absent"), &question.absent);
            arrays.set(&format!("questions.{i}.marks"), &question.marks);
            arrays.set(&format!("questions.{i}.output.matrix"), &question.output.matrix);
            arrays.set(&format!("questions.{i}.output.bias"), &question.output.bias);
        }
    }

    /// All arrays of floats.
    fn floats(&self) -> impl Iterator<Item = &[f32]> {
        let tables = self.embeddings.iter().map(Vec::as_slice);
        let first = [&self.first.matrix[..], &self.first.bias];
        let layers = self.layers.iter().flat_map(Rounded::floats);
        let questions = self.questions.iter().flat_map(|question| {
            let Question { roles, absent, marks, output } = question;
            roles.floats().into_iter().chain([&absent[..], marks, &output.matrix, &output.bias])
        });
        tables.chain(first).chain(layers).chain(questions)
    }

    /// Takes everything from arrays. Sizes are believed only as far as the arrays bear them out.
    pub fn load(arrays: &Arrays) -> Result<Self, LoadError> {
        let number = |number: u64, name: &str| {
            let small = usize::try_from(number).ok().filter(|&number| number <= LARGEST);
            small.ok_or_else(|| LoadError::unfit(name, "has a size that nothing has"))
        };
        let sizes: Vec<u64> = arrays.get_exactly("sizes", 2)?;
        let (layers, units) = (number(sizes[0], "sizes")?, number(sizes[1], "sizes")?);
        if layers == 0 || units == 0 || layers > MOST_LAYERS {
            return Err(LoadError::unfit("sizes", "has a size that nothing has"));
        }
        let mut shape = Shape { attributes: Vec::new(), layers, units, questions: Vec::new(), arcs: 0 };
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
        let first = Affine {
            matrix: arrays.get_exactly("first.matrix", product(input, 6 * units))?,
            bias: arrays.get_exactly("first.bias", 6 * units)?,
        };
        let later =
            (0..layers - 1).map(|i| Rounded::load(&format!("layers.{i}"), (output, 6 * units), arrays));
        let later = later.collect::<Result<_, _>>()?;
        let question = |(i, &QuestionShape { roles, marks, width, classes }): (usize, &QuestionShape)| {
            let name = |part: &str| format!("questions.{i}.{part}");
            Ok(Question {
                roles: Rounded::load(&name("roles"), (output, product(roles, width)), arrays)?,
                absent: arrays.get_exactly(&name("absent"), product(roles, width))?,
                marks: arrays.get_exactly(&name("marks"), product(marks, width))?,
                output: Affine {
                    matrix: arrays.get_exactly(&name("output.matrix"), product(width, classes))?,
                    bias: arrays.get_exactly(&name("output.bias"), classes)?,
                },
            })
        };
        let questions = shape.questions.iter().enumerate().map(question).collect::<Result<_, LoadError>>()?;
        let encoder = Self { shape, embeddings, first, layers: later, questions };
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
