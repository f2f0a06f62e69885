//! Composition: several transformations one after the other, undone in the opposite order.

use quaich_treebank::shape::IllFormed;
use quaich_treebank::symbols::{Label, Symbols};
use quaich_treebank::{Sentence, Tree};

use crate::scratch::Scratch;
use crate::transform::{Inverse, Transform};

/// Transformations applied from first to last. Without any it changes nothing.
#[derive(Debug, Default)]
pub struct Chain {
    links: Vec<Box<dyn Transform>>,
}

impl Chain {
    /// The composition of these.
    pub fn new(links: Vec<Box<dyn Transform>>) -> Self {
        Self { links }
    }
}

impl Transform for Chain {
    fn spec(&self) -> String {
        self.links.iter().map(|link| link.spec()).collect::<Vec<_>>().join(",")
    }

    fn apply(
        &self,
        sentence: &Sentence,
        tree: &mut Tree,
        labels: &mut Symbols<Label>,
        scratch: &mut Scratch,
    ) -> Result<(), IllFormed> {
        // A transformation makes a tree of a tree, so only the first can refuse, before anything is changed.
        self.links.iter().try_for_each(|link| link.apply(sentence, tree, labels, scratch))
    }

    fn inverse(&self, labels: &mut Symbols<Label>) -> Box<dyn Inverse> {
        // The last one's inverse comes first, and the labels it leaves are there for the next to see.
        let links = self.links.iter().rev().map(|link| link.inverse(labels)).collect();
        Box::new(ChainInverse { links })
    }
}

/// The inverses in the order in which they are taken.
#[derive(Debug)]
struct ChainInverse {
    links: Vec<Box<dyn Inverse>>,
}

impl Inverse for ChainInverse {
    fn invert(&self, sentence: &Sentence, tree: &mut Tree, scratch: &mut Scratch) {
        for link in &self.links {
            link.invert(sentence, tree, scratch);
        }
    }

    fn plain(&self, label: Label) -> Label {
        self.links.iter().fold(label, |label, link| link.plain(label))
    }

    fn extend(&mut self, labels: &mut Symbols<Label>) {
        for link in &mut self.links {
            link.extend(labels);
        }
    }
}
