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
/// tree's labels, so a model remembers a transformation by its [`spec`](Self::spec) and the label table.
pub trait Transform: Debug + Send + Sync {
    /// Name and variant, as [`by_spec`](crate::by_spec) takes them.
    fn spec(&self) -> String;

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
}

/// The way back, prepared for the labels of one table. Shared between threads; each has its own [`Scratch`].
pub trait Inverse: Debug + Send + Sync {
    /// Undoes the transformation in a parser's output. Any heads and labels will do: a tree stays a tree,
    /// and no label that the transformation made is left.
    fn invert(&self, sentence: &Sentence, tree: &mut Tree, scratch: &mut Scratch);

    /// The label without what the transformation wrote into it.
    fn plain(&self, label: Label) -> Label;

    /// Prepares for labels that the table has got since, and interns what they need.
    fn extend(&mut self, labels: &mut Symbols<Label>);
}

/// The way back for a table that was frozen after [`Transform::inverse`] had seen it, such as that of a model
/// file; an error if it was not, so that labels are missing.
pub fn frozen_inverse(transform: &dyn Transform, labels: &FrozenSymbols<Label>) -> Result<Box<dyn Inverse>> {
    let mut copy = Symbols::new();
    for (_, text) in labels.iter() {
        copy.intern(text);
    }
    let inverse = transform.inverse(&mut copy);
    match copy.iter().nth(labels.len()) {
        None => Ok(inverse),
        Some((_, text)) => Err(Error::MissingLabel { spec: transform.spec(), label: text.to_owned() }),
    }
}
