//! The interface of transformations: a change of training trees, and its inverse for parsed trees.

use std::fmt::Debug;

use quaich_treebank::shape::IllFormed;
use quaich_treebank::symbols::{FrozenSymbols, Label, Symbols};
use quaich_treebank::{Sentence, Tree};

use crate::error::{Error, Result};
use crate::scratch::Scratch;

/// A change of training trees that can be undone in the output of a parser, as far as possible.
///
/// It has options but no state. All information that the inverse needs about a tree is in the tree's labels, so a model
/// stores a transformation as its [`Specification`](crate::Specification), the files that this names, and the label
/// table.
pub trait Transform: Debug + Send + Sync {
    /// Changes a training tree. New labels are interned in `labels`. A tree that is not well-formed is rejected and not
    /// changed.
    fn apply(
        &self,
        sentence: &Sentence,
        tree: &mut Tree,
        labels: &mut Symbols<Label>,
        scratch: &mut Scratch,
    ) -> std::result::Result<(), IllFormed>;

    /// Returns the inverse for trees with labels of this table. All labels that the inverse can need are interned here,
    /// so the table can be frozen afterwards.
    fn inverse(&self, labels: &mut Symbols<Label>) -> Box<dyn Inverse>;

    /// Sets the construction of the arcs of a well-formed tree, by node, where this transformation is concerned and
    /// nothing is set yet. For reports.
    fn constructions(
        &self,
        _sentence: &Sentence,
        _tree: &Tree,
        _labels: &Symbols<Label>,
        _scratch: &mut Scratch,
        _kinds: &mut [Option<&'static str>],
    ) {
    }
}

/// The inverse, prepared for the labels of one table. Shared between threads; each has its own [`Scratch`].
pub trait Inverse: Debug + Send + Sync {
    /// Undoes the transformation in a parser's output. All heads and labels are accepted: a tree stays a tree, and no
    /// label of the transformation remains.
    fn invert(&self, sentence: &Sentence, tree: &mut Tree, scratch: &mut Scratch);

    /// Returns a simpler label of transformed trees, which replaces one that is too rare to be learned; the label
    /// itself if it cannot be simplified.
    fn unmarked(&self, label: Label) -> Label;

    /// Whether the inverse never changes a label.
    fn keeps(&self, label: Label) -> bool;

    /// Whether heads change only where a label is not [kept](Self::keeps), so that a parser can be told to build an arc of
    /// the final tree, with such a label.
    fn keeps_heads(&self) -> bool {
        false
    }

    /// Prepares for labels that were added to the table since, and interns the labels they need.
    fn extend(&mut self, labels: &mut Symbols<Label>);
}

/// Returns the inverse for a table that was frozen after [`Transform::inverse`] had been called on its first
/// `n_learned` labels, such as the table of a model file; an error if its labels differ. `spec` names the
/// transformation in that error.
pub fn frozen_inverse(
    spec: &str,
    transform: &dyn Transform,
    labels: &FrozenSymbols<Label>,
    n_learned: usize,
) -> Result<Box<dyn Inverse>> {
    let mut copy = Symbols::new();
    for (_, text) in labels.iter().take(n_learned) {
        copy.intern(text);
    }
    let inverse = transform.inverse(&mut copy);
    match copy.iter().find(|&(label, text)| labels.get(text) != Some(label)) {
        None => Ok(inverse),
        Some((_, text)) => Err(Error::MissingLabel { spec: spec.to_owned(), label: text.to_owned() }),
    }
}
