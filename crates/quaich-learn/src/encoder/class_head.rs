//! A trained classifier of items, quantised to integers: a hidden layer, which the encoder computes for every item of a sequence, and the
//! scores of classes, which are computed on request.

use std::ops::Range;

use super::Shape;
use super::affine::Affine;
use super::encoding::{Encoder, Encoding};
use super::objectives::classes::ClassShape;
use super::rounded::Rounded;
use super::slot_head::{MAX_SIZE, UNIT};
use crate::arrays::{Arrays, LoadError};
use crate::kernels::{BLOCK, LANES, MIDDLE};
use crate::output::Output;

/// The maximum value of a quantised hidden unit.
const MAX_UNIT: i16 = 4095;

/// The hidden layer of a classifier, which is part of an encoder.
#[derive(Clone, PartialEq, Debug)]
pub struct ClassLayer {
    /// The number of layers of the encoder below it.
    pub(super) layers: usize,
    /// The map from the contextual vector of the item.
    pub(super) context: Rounded,
    /// The map from the embedding of the item.
    pub(super) own: Rounded,
}

/// The output layer of a classifier, with one or more groups of classes.
#[derive(Clone, PartialEq, Debug)]
pub struct ClassHead {
    groups: Vec<usize>,
    output: Output,
}

/// The scores of the classes of an item, averaged over several heads and computed on request: with hundreds of classes, most of them are
/// never needed.
#[derive(Clone, Debug, Default)]
pub struct ClassScores {
    /// The hidden units of all heads, one after the other.
    units: Vec<i16>,
    means: Vec<f32>,
    /// Whether the scores of [`LANES`] neighbouring classes are computed.
    is_scored: Vec<bool>,
}

/// The maximum number of groups of a loaded head.
const MAX_GROUPS: usize = 4096;

impl ClassScores {
    /// The number of neighbouring classes that are scored together.
    pub const BATCH: usize = LANES;

    /// Starts with an item. There is one head per encoding, and all heads have the same classes.
    ///
    /// # Panics
    /// If the item was not encoded, or an encoder does not have the hidden layer.
    pub fn start(&mut self, heads: &[ClassHead], encodings: &[Encoding], item: u32) {
        self.units.clear();
        for (head, encoding) in heads.iter().zip(encodings) {
            let hidden = head.output.hidden;
            let cells = &encoding.hidden[item as usize * hidden..][..hidden];
            self.units.extend(cells.iter().map(|&cell| cell.clamp(0, MAX_UNIT)));
        }
        let n_classes = heads.first().map_or(0, |head| head.output.classes);
        self.means.resize(n_classes, 0.0);
        self.is_scored.clear();
        self.is_scored.resize(n_classes.div_ceil(LANES), false);
    }

    /// Computes the scores of a range of classes, unless they are computed.
    pub fn need(&mut self, heads: &[ClassHead], classes: Range<usize>) {
        for batch in classes.start / LANES..classes.end.div_ceil(LANES) {
            self.need_batch(heads, batch);
        }
    }

    /// Computes the scores of a batch of [`BATCH`](Self::BATCH) classes, unless they are computed.
    pub fn need_batch(&mut self, heads: &[ClassHead], batch: usize) {
        if std::mem::replace(&mut self.is_scored[batch], true) {
            return;
        }
        let end = (batch * LANES + LANES).min(self.means.len());
        let means = &mut self.means[batch * LANES..end];
        means.fill(0.0);
        #[allow(clippy::cast_precision_loss, reason = "a handful of heads")]
        let weight = 1.0 / heads.len() as f32;
        let (mut units, mut sums) = (&self.units[..], [0; LANES]);
        for head in heads {
            let (own, others) = units.split_at(head.output.hidden);
            units = others;
            head.output.score_group(batch, own, &mut sums);
            for (mean, sum) in means.iter_mut().zip(sums) {
                #[allow(
                    clippy::cast_precision_loss,
                    reason = "the precision of a float is enough for scores"
                )]
                let score = sum as f32 * head.output.scale;
                *mean += weight * score;
            }
        }
    }

    /// The scores of all classes of all groups: log-probabilities up to a constant per group. Those that were not computed are arbitrary.
    pub fn scores(&self) -> &[f32] {
        &self.means
    }
}

impl ClassLayer {
    /// Quantises a hidden layer. Its inputs are a contextual vector of this width, followed by an embedding.
    pub(super) fn new(shape: &ClassShape, hidden: &Affine, context_width: usize) -> Self {
        let padded = shape.width.next_multiple_of(BLOCK);
        let cells = |weights: &[f32]| {
            let mut cells: Vec<f32> = weights.iter().map(|weight| weight / UNIT).collect();
            cells.resize(padded, 0.0);
            cells
        };
        let part = |matrix: &[f32], bias: Vec<f32>| Affine {
            matrix: matrix.chunks_exact(shape.width).flat_map(cells).collect(),
            bias,
        };
        let (of_context, own) = hidden.matrix.split_at(context_width * shape.width);
        Self {
            layers: shape.layers,
            context: Rounded::new(&part(of_context, cells(&hidden.bias)), 0),
            own: Rounded::new(&part(own, vec![0.0; padded]), MIDDLE),
        }
    }

    /// The number of hidden units, including padding.
    pub(super) fn n_hidden(&self) -> usize {
        self.own.n_outputs()
    }

    /// Saves the hidden layer as arrays.
    pub(super) fn save(&self, arrays: &mut Arrays) {
        arrays.set("classes", &[self.layers as u64, self.n_hidden() as u64]);
        self.context.save("classes.context", arrays);
        self.own.save("classes.own", arrays);
    }

    /// Loads the hidden layer from the arrays of an encoder of this shape; `None` if there is none.
    pub(super) fn load(shape: &Shape, arrays: &Arrays) -> Result<Option<Self>, LoadError> {
        if arrays.get::<u64>("classes").is_err() {
            return Ok(None);
        }
        let invalid = || LoadError::unfit("classes", "has an impossible size");
        let sizes: Vec<u64> = arrays.get_exactly("classes", 2)?;
        let size = |at: usize| usize::try_from(sizes[at]).ok().filter(|&n| n <= MAX_SIZE).ok_or_else(invalid);
        let (layers, hidden) = (size(0)?, size(1)?);
        if layers == 0 || layers > shape.layers || hidden == 0 || !hidden.is_multiple_of(BLOCK) {
            return Err(invalid());
        }
        let context = Rounded::load("classes.context", (shape.output_width(), hidden), 0, arrays)?;
        let own = Rounded::load("classes.own", (shape.input_width(), hidden), MIDDLE, arrays)?;
        Ok(Some(Self { layers, context, own }))
    }
}

impl ClassHead {
    pub(super) fn new(shape: &ClassShape, output: &Affine) -> Self {
        Self { groups: shape.groups.clone(), output: Output::new(&output.matrix, &output.bias, UNIT) }
    }

    /// The number of classes of each group.
    pub fn groups(&self) -> &[usize] {
        &self.groups
    }

    /// Saves the head as arrays.
    pub fn save(&self, arrays: &mut Arrays) {
        arrays.set("groups", &self.groups.iter().map(|&n| n as u64).collect::<Vec<_>>());
        arrays.set_one("hidden", self.output.hidden as u64);
        arrays.set("weights", &self.output.weights);
        arrays.set("bias", &self.output.bias);
        arrays.set_one("scale", self.output.scale);
    }

    /// Loads a head. Sizes are checked against the arrays, because files may be malicious.
    pub fn load(arrays: &Arrays) -> Result<Self, LoadError> {
        let invalid = || LoadError::unfit("groups", "has an impossible size");
        let size =
            |size: u64| usize::try_from(size).ok().filter(|&size| size <= MAX_SIZE).ok_or_else(invalid);
        let groups: Vec<usize> =
            arrays.get::<u64>("groups")?.into_iter().map(size).collect::<Result<_, _>>()?;
        let classes = groups.iter().try_fold(0usize, |sum, &n| sum.checked_add(n)).ok_or_else(invalid)?;
        let hidden = size(arrays.one("hidden")?)?;
        if groups.is_empty() || groups.len() > MAX_GROUPS || groups.contains(&0) || classes > MAX_SIZE {
            return Err(invalid());
        }
        let n_weights = classes.div_ceil(LANES).saturating_mul(hidden / 2);
        let weights = arrays.get_exactly("weights", n_weights)?;
        let bias = arrays.get_exactly("bias", classes)?;
        let output = Output::from_parts((hidden, classes), weights, bias, arrays.one("scale")?);
        if !output.fits() {
            return Err(LoadError::unfit("weights", "has numbers that are too large"));
        }
        Ok(Self { groups, output })
    }

    /// Whether the encoder computes the hidden layer of this head.
    pub fn fits(&self, encoder: &Encoder) -> bool {
        encoder.n_hidden() == self.output.hidden
    }
}
