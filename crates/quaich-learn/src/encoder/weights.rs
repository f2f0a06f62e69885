//! The weights of an encoder in training, as flat arrays.

use rand::{Rng, RngExt};
use rand_pcg::Pcg64Mcg;

use super::{Affine, Shape};

/// An encoder's weights, as floats.
#[derive(Clone, PartialEq, Debug)]
pub struct EncoderWeights {
    /// The sizes.
    pub shape: Shape,
    /// One table per attribute: the embeddings of its values.
    pub embeddings: Vec<Vec<f32>>,
    /// One per layer: gates, candidates and output gates, each in both directions.
    pub layers: Vec<Affine>,
}

impl EncoderWeights {
    /// Random initial weights.
    pub fn random(shape: Shape, generator: &mut Pcg64Mcg) -> Self {
        let embeddings = shape
            .attributes
            .iter()
            .map(|attribute| (0..attribute.values * attribute.width).map(|_| normal(generator)).collect());
        let embeddings = embeddings.collect();
        let layers = (0..shape.layers).map(|layer| {
            let inputs = if layer == 0 { shape.input_width() } else { shape.output_width() };
            Affine::random(inputs, shape.gates_width(), generator)
        });
        Self { layers: layers.collect(), embeddings, shape }
    }

    /// The arrays of the layers.
    pub(super) fn layer_arrays(&self) -> impl Iterator<Item = &Vec<f32>> {
        self.layers.iter().flat_map(Affine::arrays)
    }
}

/// An approximately normally distributed number: a sum of uniform ones, which gives the same result on every processor.
fn normal(generator: &mut impl Rng) -> f32 {
    (0..12).map(|_| generator.random_range(-0.5f32..0.5)).sum()
}
