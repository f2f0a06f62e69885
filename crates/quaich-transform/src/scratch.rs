//! The buffers of all transformations; they allocate only until they have grown.

use quaich_treebank::shape::Shapes;
use quaich_treebank::symbols::Label;

use crate::pseudo_projective::{Covering, Descent, MaltDescent};
use crate::{coordination, flips};

/// Reusable buffers; one per thread. They hold no data between calls.
#[derive(Clone, Default, Debug)]
pub struct Scratch {
    pub(crate) shapes: Shapes,
    pub(crate) text: String,
    pub(crate) covering: Covering,
    pub(crate) relabelled: Vec<Label>,
    pub(crate) descent: Descent,
    pub(crate) malt_descent: MaltDescent,
    pub(crate) flips: flips::Buffers,
    pub(crate) coordination: coordination::Buffers,
}
