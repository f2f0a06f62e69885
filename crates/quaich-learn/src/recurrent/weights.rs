//! Everything that is learned, in flat arrays.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::{Affine, Shape};

/// A network.
#[derive(Clone, PartialEq, Debug)]
pub struct Network {
    /// The sizes.
    pub shape: Shape,
    /// By attribute: the vectors of its values.
    pub embeddings: Vec<Vec<f32>>,
    /// All else.
    pub weights: Weights,
}

/// Everything but the vectors of values; gradients have the same form.
#[derive(Clone, PartialEq, Debug)]
pub struct Weights {
    /// By layer: gates, candidates and output gates, each of both directions.
    pub layers: Vec<Affine>,
    /// By question.
    pub questions: Vec<QuestionWeights>,
    /// How words find their heads.
    pub arcs: Option<ArcWeights>,
}

/// How a question is answered.
#[derive(Clone, PartialEq, Debug)]
pub struct QuestionWeights {
    /// What a word in context says in every role; the bias is that of the hidden units, one role after the other.
    pub roles: Affine,
    /// What it says that there is no word, one role after the other.
    pub absent: Vec<f32>,
    /// What each value of a mark says.
    pub marks: Vec<f32>,
    /// Hidden units → classes.
    pub output: Affine,
}

/// How words find their heads: score(d, h) = d U h + v h.
#[derive(Clone, PartialEq, Debug)]
pub struct ArcWeights {
    /// A word as a head.
    pub head: Affine,
    /// A word as a dependent.
    pub dependent: Affine,
    /// U, with v as its bias.
    pub bilinear: Affine,
}

impl Network {
    /// A network with random weights.
    pub fn random(shape: Shape, seed: u64) -> Self {
        let mut generator = Pcg64Mcg::seed_from_u64(seed);
        let embeddings = shape.attributes.iter().map(|attribute| {
            (0..attribute.values * attribute.width).map(|_| normal(&mut generator)).collect()
        });
        let embeddings = embeddings.collect();
        let mut affine = |inputs, outputs| Affine::random(inputs, outputs, &mut generator);
        let (width, units) = (shape.output_width(), shape.units);
        let layers = (0..shape.layers).map(|layer| {
            let inputs = if layer == 0 { shape.input_width() } else { width };
            affine(inputs, 6 * units)
        });
        let layers = layers.collect();
        let questions = shape.questions.iter().map(|question| QuestionWeights {
            roles: affine(width, question.roles * question.width),
            absent: vec![0.0; question.roles * question.width],
            marks: vec![0.0; question.marks * question.width],
            output: affine(question.width, question.classes),
        });
        let questions = questions.collect();
        let arcs = (shape.arcs > 0).then(|| ArcWeights {
            head: affine(width, shape.arcs),
            dependent: affine(width, shape.arcs),
            bilinear: Affine::zeros(shape.arcs, shape.arcs),
        });
        Self { embeddings, weights: Weights { layers, questions, arcs }, shape }
    }
}

impl Weights {
    /// As many zeros.
    #[must_use]
    pub(super) fn zeros(&self) -> Self {
        let mut zeros = self.clone();
        zeros.arrays_mut().into_iter().for_each(|array| array.fill(0.0));
        zeros
    }

    /// All arrays.
    pub fn arrays(&self) -> Vec<&Vec<f32>> {
        let layers = self.layers.iter().flat_map(Affine::arrays);
        let questions = self.questions.iter().flat_map(|question| {
            question
                .roles
                .arrays()
                .into_iter()
                .chain([&question.absent, &question.marks])
                .chain(question.output.arrays())
        });
        let arcs = self.arcs.iter().flat_map(|arcs| {
            [&arcs.head, &arcs.dependent, &arcs.bilinear].into_iter().flat_map(Affine::arrays)
        });
        layers.chain(questions).chain(arcs).collect()
    }

    /// All arrays, to be changed.
    pub fn arrays_mut(&mut self) -> Vec<&mut Vec<f32>> {
        let layers = self.layers.iter_mut().flat_map(Affine::arrays_mut);
        let questions = self.questions.iter_mut().flat_map(|question| {
            let QuestionWeights { roles, absent, marks, output } = question;
            roles.arrays_mut().into_iter().chain([absent, marks]).chain(output.arrays_mut())
        });
        let arcs = self.arcs.iter_mut().flat_map(|ArcWeights { head, dependent, bilinear }| {
            [head, dependent, bilinear].into_iter().flat_map(Affine::arrays_mut)
        });
        layers.chain(questions).chain(arcs).collect()
    }
}

impl Affine {
    fn arrays(&self) -> [&Vec<f32>; 2] {
        [&self.matrix, &self.bias]
    }

    fn arrays_mut(&mut self) -> [&mut Vec<f32>; 2] {
        [&mut self.matrix, &mut self.bias]
    }
}

/// A number that is nearly normally distributed: a sum of uniform ones, which needs nothing that differs
/// between processors.
fn normal(generator: &mut Pcg64Mcg) -> f32 {
    (0..12).map(|_| generator.random_range(-0.5f32..0.5)).sum()
}
