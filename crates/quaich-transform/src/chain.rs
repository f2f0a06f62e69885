//! Composition: several transformations in a row, inverted in the opposite order.

use quaich_treebank::shape::IllFormed;
use quaich_treebank::symbols::{Label, Symbols};
use quaich_treebank::{Sentence, Tree};

use crate::scratch::Scratch;
use crate::transform::{Inverse, Transform};

/// Transformations applied from first to last. An empty chain changes nothing.
#[derive(Debug, Default)]
pub struct Chain {
    links: Vec<Box<dyn Transform>>,
}

impl Chain {
    /// Creates a composition.
    pub fn new(links: Vec<Box<dyn Transform>>) -> Self {
        Self { links }
    }
}

impl Transform for Chain {
    fn apply(
        &self,
        sentence: &Sentence,
        tree: &mut Tree,
        labels: &mut Symbols<Label>,
        scratch: &mut Scratch,
    ) -> Result<(), IllFormed> {
        // A transformation returns a valid tree, so only the first can fail, before anything is changed.
        self.links.iter().try_for_each(|link| link.apply(sentence, tree, labels, scratch))
    }

    fn inverse(&self, labels: &mut Symbols<Label>) -> Box<dyn Inverse> {
        // The inverse of the last transformation comes first; the next one sees the labels it leaves.
        let links = self.links.iter().rev().map(|link| link.inverse(labels)).collect();
        Box::new(ChainInverse { links })
    }

    fn constructions(
        &self,
        sentence: &Sentence,
        tree: &Tree,
        labels: &Symbols<Label>,
        scratch: &mut Scratch,
        kinds: &mut [Option<&'static str>],
    ) {
        for link in &self.links {
            link.constructions(sentence, tree, labels, scratch, kinds);
        }
    }
}

/// The inverses in the order of application.
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

    fn unmarked(&self, label: Label) -> Label {
        for link in &self.links {
            let unmarked = link.unmarked(label);
            // A label written by an earlier transformation is visible only if the later ones left it unchanged.
            if unmarked != label || !link.keeps(label) {
                return unmarked;
            }
        }
        label
    }

    fn keeps(&self, label: Label) -> bool {
        self.links.iter().all(|link| link.keeps(label))
    }

    fn keeps_heads(&self) -> bool {
        self.links.iter().all(|link| link.keeps_heads())
    }

    fn extend(&mut self, labels: &mut Symbols<Label>) {
        for link in &mut self.links {
            link.extend(labels);
        }
    }
}
