//! What a transformation is: a change of training trees, and the way back for parsed ones.

use std::fmt::Debug;

use quaich_treebank::shape::IllFormed;
use quaich_treebank::symbols::{FrozenSymbols, Label, Symbols};
use quaich_treebank::{Sentence, Tree};

use crate::error::{Error, Result};
use crate::scratch::Scratch;

/// A change of training trees that can be undone, as far as possible, in what a parser builds.
///
/// It holds its options and no state. Everything that the inverse has to know about a tree is in the
/// tree's labels, so a model remembers a transformation by its [`Specification`](crate::Specification), the files
/// that this names, and the label table.
pub trait Transform: Debug + Send + Sync {
    /// Changes a training tree. Labels made on the fly are interned in `labels`. A tree that is not well-formed
    /// is refused and left as it was.
    fn apply(
        &self,
        sentence: &Sentence,
        tree: &mut Tree,
        labels: &mut Symbols<Label>,
        scratch: &mut Scratch,
    ) -> std::result::Result<(), IllFormed>;

    /// The way back for trees with labels of this table. All labels that the way back can need are
    /// interned here, so that the table can be frozen afterwards.
    fn inverse(&self, labels: &mut Symbols<Label>) -> Box<dyn Inverse>;

    /// Says of the tokens of a well-formed tree, by node, which construction their arcs belong to, as far as this transformation has
    /// to do with it and nothing is said yet. For reports.
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

/// The way back, prepared for the labels of one table. Shared between threads; each has its own [`Scratch`].
pub trait Inverse: Debug + Send + Sync {
    /// Undoes the transformation in a parser's output. Any heads and labels will do: a tree stays a tree,
    /// and no label that the transformation made is left.
    fn invert(&self, sentence: &Sentence, tree: &mut Tree, scratch: &mut Scratch);

    /// A label of transformed trees that says less: what training makes of one that is too rare to be learned. The
    /// label itself where nothing can be left out.
    fn unmarked(&self, label: Label) -> Label;

    /// Whether the inverse leaves a label as it is, wherever it stands.
    fn keeps(&self, label: Label) -> bool;

    /// Prepares for labels that the table has got since, and interns what they need.
    fn extend(&mut self, labels: &mut Symbols<Label>);
}

/// The way back for a table that was frozen after [`Transform::inverse`] had seen its first `n_learned` labels, such as
/// that of a model file; an error if it has other labels than this comes to. `spec` names the transformation in that error.
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
