//! Copy this file to `NAME.rs` to add a transformation, add `pub mod NAME;` and `NAME::ENTRY` to `lib.rs`.
//! Say here what is changed and why that is easier to parse, which paper defines it, and what cannot be undone.

use quaich_treebank::shape::IllFormed;
use quaich_treebank::symbols::{Label, Symbols};
use quaich_treebank::{Sentence, Tree};

use crate::scratch::Scratch;
use crate::transform::{Inverse, Transform};
use crate::{Entry, Variant};

pub(crate) const ENTRY: Entry = Entry {
    name: "name-on-the-command-line",
    help: "one line of help",
    losses: "what the inverse cannot bring back",
    // The default first. A transformation without variants has one, called `plain`.
    variants: &[Variant { name: "plain", help: "one line of help", build: || Box::new(Name) }],
};

/// What it does.
#[derive(Clone, Copy, Debug)]
pub struct Name;

impl Transform for Name {
    fn spec(&self) -> String {
        "name-on-the-command-line:plain".to_owned()
    }

    fn apply(
        &self,
        sentence: &Sentence,
        tree: &mut Tree,
        labels: &mut Symbols<Label>,
        scratch: &mut Scratch,
    ) -> Result<(), IllFormed> {
        // Refuse before anything is changed; make a tree of a tree. Labels made here must have one reading
        // whatever characters the treebank's labels have. Buffers are fields of `Scratch`.
        Ok(())
    }

    fn inverse(&self, labels: &mut Symbols<Label>) -> Box<dyn Inverse> {
        let mut inverse = NameInverse { codes: Vec::new() };
        inverse.extend(labels);
        Box::new(inverse)
    }
}

/// What each label says.
#[derive(Debug)]
struct NameInverse {
    codes: Vec<Label>,
}

impl Inverse for NameInverse {
    fn invert(&self, sentence: &Sentence, tree: &mut Tree, scratch: &mut Scratch) {
        // Runs after every parse: no strings, no allocation, and next to nothing where there is nothing to do.
    }

    fn plain(&self, label: Label) -> Label {
        // The label as it was before the transformation.
        label
    }

    fn extend(&mut self, labels: &mut Symbols<Label>) {
        // Decode what is new in the table, and intern the labels that `invert` can need.
    }
}
