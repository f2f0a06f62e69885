//! The weights of an encoder in training, as flat arrays.

use rand::{Rng, RngExt};
use rand_pcg::Pcg64Mcg;

use super::{Affine, Shape};
use crate::arrays::{Arrays, LoadError};
use crate::fit::Persist;

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

    /// Takes over the weights of a pretrained encoder with as many units: the embeddings of its attributes, and as many of its layers as
    /// there are. `attributes` has the number of each of them in this encoder, where its values come first.
    ///
    /// # Panics
    /// If the sizes differ.
    pub fn adopt(&mut self, pretrained: &Self, attributes: &[usize]) {
        let own = self.shape.clone();
        assert_eq!(own.units, pretrained.shape.units, "both have as many units");
        let starts = |shape: &Shape| -> Vec<usize> {
            let widths = shape.attributes.iter().map(|attribute| attribute.width);
            widths
                .scan(0, |start, width| {
                    *start += width;
                    Some(*start - width)
                })
                .collect()
        };
        let (to, from) = (starts(&own), starts(&pretrained.shape));
        let gates = own.gates_width();
        for (number, &attribute) in attributes.iter().enumerate() {
            let width = own.attributes[attribute].width;
            assert_eq!(width, pretrained.shape.attributes[number].width, "the embeddings are as wide");
            let table = &pretrained.embeddings[number];
            self.embeddings[attribute][..table.len()].copy_from_slice(table);
            let rows = from[number] * gates..(from[number] + width) * gates;
            let into = to[attribute] * gates..(to[attribute] + width) * gates;
            self.layers[0].matrix[into].copy_from_slice(&pretrained.layers[0].matrix[rows]);
        }
        self.layers[0].bias.copy_from_slice(&pretrained.layers[0].bias);
        for (own, layer) in self.layers.iter_mut().zip(&pretrained.layers).skip(1) {
            own.clone_from(layer);
        }
    }

    /// Loads weights of this shape.
    ///
    /// # Errors
    /// If they were saved with another shape, or are not finite.
    pub fn load(shape: Shape, arrays: &Arrays) -> Result<Self, LoadError> {
        let mut numbers = 0..;
        let mut next = |length: usize| {
            let name = format!("numbers.{}", numbers.next().unwrap_or(0));
            let array = arrays.get_exactly::<f32>(&name, length)?;
            if array.iter().all(|number| number.is_finite()) {
                Ok(array)
            } else {
                Err(LoadError::unfit(&name, "has a number that is not finite"))
            }
        };
        let tables = shape.attributes.iter().map(|attribute| next(attribute.values * attribute.width));
        let embeddings = tables.collect::<Result<_, _>>()?;
        let layers = (0..shape.layers).map(|layer| {
            let inputs = if layer == 0 { shape.input_width() } else { shape.output_width() };
            Ok(Affine { matrix: next(inputs * shape.gates_width())?, bias: next(shape.gates_width())? })
        });
        let layers = layers.collect::<Result<_, _>>()?;
        Ok(Self { shape, embeddings, layers })
    }

    /// The arrays of the layers.
    pub(super) fn layer_arrays(&self) -> impl Iterator<Item = &Vec<f32>> {
        self.layers.iter().flat_map(Affine::arrays)
    }
}

impl Persist for EncoderWeights {
    fn save(&self, arrays: &mut Arrays) {
        for (number, array) in self.embeddings.iter().chain(self.layer_arrays()).enumerate() {
            arrays.set(&format!("numbers.{number}"), array);
        }
    }
}

/// An approximately normally distributed number: a sum of uniform ones, which gives the same result on every processor.
fn normal(generator: &mut impl Rng) -> f32 {
    (0..12).map(|_| generator.random_range(-0.5f32..0.5)).sum()
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::super::Attribute;
    use super::*;

    fn random(attributes: &[(usize, usize)], layers: usize, seed: u64) -> EncoderWeights {
        let attribute = |&(values, width): &(usize, usize)| Attribute { values, width, is_bag: false };
        let shape = Shape { attributes: attributes.iter().map(attribute).collect(), layers, units: 3 };
        EncoderWeights::random(shape, &mut Pcg64Mcg::seed_from_u64(seed))
    }

    #[test]
    fn an_encoder_takes_over_what_it_has_in_common_with_a_pretrained_one() {
        let pretrained = random(&[(5, 3), (4, 2)], 2, 1);
        let before = random(&[(6, 2), (4, 1), (7, 3)], 3, 2);
        let mut after = before.clone();
        after.adopt(&pretrained, &[2, 0]);
        assert_eq!(after.embeddings[2][..15], pretrained.embeddings[0]);
        assert_eq!(after.embeddings[2][15..], before.embeddings[2][15..]);
        assert_eq!(after.embeddings[0][..8], pretrained.embeddings[1]);
        assert_eq!(after.embeddings[1], before.embeddings[1]);
        // Rows of the first layer's matrix have 18 cells.
        let [own, old, new] = [&pretrained, &before, &after]
            .map(|weights| weights.layers[0].matrix.chunks(18).collect::<Vec<_>>());
        assert_eq!(new[..2], own[3..5]);
        assert_eq!(new[2], old[2]);
        assert_eq!(new[3..], own[..3]);
        assert_eq!(after.layers[0].bias, pretrained.layers[0].bias);
        assert_eq!(after.layers[1], pretrained.layers[1]);
        assert_eq!(after.layers[2], before.layers[2]);
    }

    #[test]
    fn saved_weights_are_checked() {
        let weights = random(&[(5, 3), (4, 2)], 2, 1);
        let mut arrays = Arrays::default();
        weights.save(&mut arrays);
        assert_eq!(EncoderWeights::load(weights.shape.clone(), &arrays).unwrap(), weights);
        let other = Shape { layers: 3, ..weights.shape.clone() };
        assert!(EncoderWeights::load(other, &arrays).is_err());
        arrays.set("numbers.0", &[f32::NAN; 15]);
        assert!(EncoderWeights::load(weights.shape, &arrays).is_err());
    }
}
