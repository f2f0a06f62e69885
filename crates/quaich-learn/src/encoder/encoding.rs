//! A trained, quantised encoder and its output for a sequence.
//!
//! The first layer's output before the recurrence depends only on the item, so it is cached across sequences. All matrix products use
//! bytes. The projections for slots are quantised to integers, and everything after them is integer arithmetic.

use std::ops::Range;

use super::class_head::ClassLayer;
use super::embedding::add_vectors;
use super::rounded::{Rounded, RoundedScratch, at_least};
use super::slot_head::{MAX_SIZE, Projections};
use super::weights::EncoderWeights;
use super::{Attribute, Shape};
use crate::arrays::{Arrays, LoadError};
use crate::kernels::MIDDLE;
use crate::kernels::recurrence::{activate, run_rows};

/// A trained encoder.
#[derive(Clone, PartialEq, Debug)]
pub struct Encoder {
    shape: Shape,
    embeddings: Vec<Vec<f32>>,
    first: Rounded,
    /// The layers after the first.
    layers: Vec<Rounded>,
    /// The projections for all slots of all heads, as integer cells.
    projections: Rounded,
    /// The hidden layer of the classifier of items, if there is one.
    classes: Option<ClassLayer>,
}

/// The encoding of a sequence: filled once by a [`Reader`](super::Reader), then only read.
#[derive(Clone, Debug, Default)]
pub struct Encoding {
    n_items: usize,
    /// The width of an item's vector.
    pub(super) width: usize,
    /// One contextual vector per item; may have stale items at the end.
    vectors: Vec<f32>,
    /// The number of cells per item.
    pub(super) n_cells: usize,
    /// Per item, the projections for every slot of every head.
    pub(super) projections: Vec<i16>,
    /// One row per item: the hidden units of the classifier, before the rectifier.
    pub(super) hidden: Vec<i16>,
}

/// The buffers that one thread needs to encode.
#[derive(Clone, Debug, Default)]
pub(super) struct EncoderScratch {
    state: Vec<f32>,
    gates: Vec<f32>,
    /// The sequence 0, 1, 2, …: the row numbers of the gates.
    in_order: Vec<u32>,
    pub(super) rounded: RoundedScratch,
}

impl Encoding {
    /// The number of items.
    pub fn n_items(&self) -> usize {
        self.n_items
    }

    /// One contextual vector per item.
    pub fn vectors(&self) -> &[f32] {
        &self.vectors[..self.n_items * self.width]
    }

    /// Removes all items.
    pub(super) fn clear(&mut self) {
        self.n_items = 0;
    }
}

impl Encoder {
    /// Quantises weights, including the projections of all heads.
    pub fn new(weights: &EncoderWeights, projections: &Projections) -> Self {
        let EncoderWeights { shape, embeddings, layers } = weights;
        Self {
            shape: shape.clone(),
            embeddings: embeddings.clone(),
            first: Rounded::new(&layers[0], MIDDLE),
            layers: layers[1..].iter().map(|layer| Rounded::new(layer, 0)).collect(),
            projections: Rounded::new(&projections.packed(shape.output_width()), 0),
            classes: None,
        }
    }

    /// The same encoder with the hidden layer of a classifier of items.
    #[must_use]
    pub fn with_classes(self, classes: Option<ClassLayer>) -> Self {
        Self { classes, ..self }
    }

    /// The number of hidden units of the classifier of items.
    pub(super) fn n_hidden(&self) -> usize {
        self.classes.as_ref().map_or(0, ClassLayer::n_hidden)
    }

    /// Computes the contribution of embeddings to the hidden units of the classifier, one row per item.
    pub(super) fn own_hidden(&self, inputs: &[f32], out: &mut [i16], rounded: &mut RoundedScratch) {
        if let Some(classes) = &self.classes {
            classes.own.apply_to_cells(inputs, self.shape.input_width(), out, rounded);
        }
    }

    /// The sizes.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The number of cells of an item's projections.
    pub(super) fn n_cells(&self) -> usize {
        self.projections.n_outputs()
    }

    /// Appends an item's embedding.
    pub(super) fn embed<'v>(&self, values: impl Iterator<Item = &'v [u32]>, inputs: &mut Vec<f32>) {
        let start = inputs.len();
        inputs.resize(start + self.shape.input_width(), 0.0);
        let mut cells = &mut inputs[start..];
        for ((attribute, table), values) in self.shape.attributes.iter().zip(&self.embeddings).zip(values) {
            let (own, rest) = cells.split_at_mut(attribute.width);
            add_vectors(*attribute, table, values, 1.0, own);
            cells = rest;
        }
    }

    /// Computes the first layer's gates for embedded items, one row per item.
    pub(super) fn first_layer(&self, inputs: &[f32], out: &mut [f32], rounded: &mut RoundedScratch) {
        self.first.apply(inputs, self.shape.input_width(), out, rounded);
        activate(out, self.shape.units);
    }

    /// Encodes items, given as row numbers of [`first_layer`](Self::first_layer)'s output. Those in `kept` are appended to the encoding;
    /// the others are only context.
    ///
    /// # Panics
    /// If there are 2³² items.
    pub(super) fn encode(
        &self,
        (rows, own_hidden): (&[f32], &[i16]),
        items: &[u32],
        kept: Range<usize>,
        scratch: &mut EncoderScratch,
        into: &mut Encoding,
    ) {
        let (units, width, n) = (self.shape.units, self.shape.output_width(), items.len());
        let EncoderScratch { state, gates, in_order, rounded } = scratch;
        let Encoding { n_items, vectors, projections, hidden, .. } = into;
        (into.width, into.n_cells) = (width, self.n_cells());
        state.resize(units, 0.0);
        let out = &mut at_least(vectors, (*n_items + n) * width)[*n_items * width..];
        run_rows(rows, items, units, state, out);
        if in_order.len() < n {
            let next = u32::try_from(in_order.len()).expect("fewer than 2³² items");
            in_order.extend((next..).take(n - in_order.len()));
        }
        let first_hidden = *n_items * self.n_hidden();
        let mut classify = |n_layers: usize, out: &[f32], rounded: &mut RoundedScratch| {
            let at_layer = |classes: &&ClassLayer| classes.layers == n_layers;
            let Some(classes) = self.classes.as_ref().filter(at_layer) else { return };
            let n = classes.n_hidden();
            let hidden = &mut at_least(hidden, first_hidden + kept.len() * n)[first_hidden..];
            classes.context.apply_to_cells(
                &out[kept.start * width..kept.end * width],
                width,
                hidden,
                rounded,
            );
            for (hidden, &item) in hidden.chunks_exact_mut(n).zip(&items[kept.clone()]) {
                for (cell, &own) in hidden.iter_mut().zip(&own_hidden[item as usize * n..][..n]) {
                    *cell = cell.saturating_add(own);
                }
            }
        };
        classify(1, out, rounded);
        for (number, layer) in (2..).zip(&self.layers) {
            let gates = at_least(gates, n * self.shape.gates_width());
            layer.apply(out, width, gates, rounded);
            activate(gates, units);
            run_rows(gates, &in_order[..n], units, state, out);
            classify(number, out, rounded);
        }
        if kept.start > 0 {
            out.copy_within(kept.start * width..kept.end * width, 0);
        }
        let cells = at_least(projections, (*n_items + kept.len()) * into.n_cells);
        let cells = &mut cells[*n_items * into.n_cells..];
        // Without slot heads, there is nothing to project.
        if into.n_cells > 0 {
            self.projections.apply_to_cells(&out[..kept.len() * width], width, cells, rounded);
        }
        *n_items += kept.len();
    }

    /// Saves the encoder as arrays.
    pub fn save(&self, arrays: &mut Arrays) {
        let Shape { attributes, layers, units } = &self.shape;
        arrays.set("sizes", &[*layers as u64, *units as u64, self.n_cells() as u64]);
        let attributes = attributes.iter().map(|a| [a.values as u64, a.width as u64, u64::from(a.is_bag)]);
        arrays.set("attributes", &attributes.collect::<Vec<_>>());
        for (i, table) in self.embeddings.iter().enumerate() {
            arrays.set(&format!("embeddings.{i}"), table);
        }
        self.first.save("first", arrays);
        for (i, layer) in self.layers.iter().enumerate() {
            layer.save(&format!("layers.{i}"), arrays);
        }
        self.projections.save("projections", arrays);
        if let Some(classes) = &self.classes {
            classes.save(arrays);
        }
    }

    /// All arrays of floats.
    fn floats(&self) -> impl Iterator<Item = &[f32]> {
        let tables = self.embeddings.iter().map(Vec::as_slice);
        let of_classes = self.classes.iter().flat_map(|classes| [&classes.context, &classes.own]);
        let matrices = [&self.first, &self.projections].into_iter().chain(&self.layers).chain(of_classes);
        tables.chain(matrices.flat_map(Rounded::floats))
    }

    /// Loads an encoder. Sizes are checked against the arrays, because files may be malicious.
    pub fn load(arrays: &Arrays) -> Result<Self, LoadError> {
        let number = |number: u64, name: &str| {
            let small = usize::try_from(number).ok().filter(|&number| number <= MAX_SIZE);
            small.ok_or_else(|| LoadError::unfit(name, "has an impossible size"))
        };
        let sizes: Vec<u64> = arrays.get_exactly("sizes", 3)?;
        let size = |at: usize| number(sizes[at], "sizes");
        let (layers, units, n_cells) = (size(0)?, size(1)?, size(2)?);
        if layers == 0 || units == 0 || layers > MAX_LAYERS {
            return Err(LoadError::unfit("sizes", "has an impossible size"));
        }
        let mut shape = Shape { attributes: Vec::new(), layers, units };
        for [values, width, is_bag] in arrays.get::<[u64; 3]>("attributes")? {
            let (values, width) = (number(values, "attributes")?, number(width, "attributes")?);
            shape.attributes.push(Attribute { values, width, is_bag: is_bag != 0 });
        }
        let embeddings = shape.attributes.iter().enumerate().map(|(i, attribute)| {
            let n_numbers = attribute.values.saturating_mul(attribute.width);
            arrays.get_exactly(&format!("embeddings.{i}"), n_numbers)
        });
        let embeddings = embeddings.collect::<Result<_, _>>()?;
        let (input, output, gates) = (shape.input_width(), shape.output_width(), shape.gates_width());
        let first = Rounded::load("first", (input, gates), MIDDLE, arrays)?;
        let later =
            (0..layers - 1).map(|i| Rounded::load(&format!("layers.{i}"), (output, gates), 0, arrays));
        let later = later.collect::<Result<_, _>>()?;
        let projections = Rounded::load("projections", (output, n_cells), 0, arrays)?;
        let classes = ClassLayer::load(&shape, arrays)?;
        let encoder = Self { shape, embeddings, first, layers: later, projections, classes };
        if encoder.floats().any(|array| array.iter().any(|number| !number.is_finite())) {
            return Err(LoadError::unfit("embeddings", "or another array contains NaN or infinity"));
        }
        Ok(encoder)
    }
}

/// The maximum number of layers of a loaded encoder.
const MAX_LAYERS: usize = 64;
