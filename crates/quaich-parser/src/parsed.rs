//! A sentence with the tree that a model gave it, as library users look at it.

use std::sync::Arc;

use quaich_treebank::{Node, Sentence, Tree};

use crate::model::Model;

/// A parsed sentence.
#[derive(Clone, Debug)]
pub struct Parsed {
    sentence: Sentence,
    tree: Tree,
    /// By node; entry 0 means nothing.
    probabilities: Vec<f32>,
    model: Model,
}

/// A word of a parsed sentence.
#[derive(Clone, Copy, Debug)]
pub struct Word<'p> {
    parsed: &'p Parsed,
    node: Node,
}

impl Parsed {
    pub(crate) fn new(sentence: Sentence, tree: Tree, probabilities: Vec<f32>, model: Model) -> Self {
        Self { sentence, tree, probabilities, model }
    }

    /// The sentence as it was given.
    pub fn sentence(&self) -> &Sentence {
        &self.sentence
    }

    /// Heads, and labels as numbers of [`Model::labels`].
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The words.
    pub fn words(&self) -> impl Iterator<Item = Word<'_>> {
        self.sentence.tokens().map(|node| Word { parsed: self, node })
    }

    /// The sentence with the new heads and labels in place of its own.
    pub fn to_sentence(&self) -> Sentence {
        let mut text = Vec::new();
        self.sentence.write_tree(&self.tree, |label| self.model.labels().text(label), &mut text);
        let layout = self.sentence.layout();
        let mut parsed = Sentence::empty(Arc::clone(layout));
        // What could be read before can be read again.
        parsed.read_block(layout, &text, self.sentence.first_line(), &mut Vec::new());
        parsed
    }
}

impl<'p> Word<'p> {
    /// Its number in the sentence, from 1.
    pub fn number(&self) -> usize {
        self.node.index()
    }

    /// Its form.
    pub fn form(&self) -> &'p str {
        self.parsed.sentence.form(self.node)
    }

    /// The number of its head, 0 for the root.
    pub fn head(&self) -> usize {
        self.parsed.tree.head(self.node).index()
    }

    /// The label of its arc; `_` where there is none.
    pub fn label(&self) -> &'p str {
        let label = self.parsed.tree.label(self.node);
        if label.is_none() { "_" } else { self.parsed.model.labels().text(label) }
    }

    /// The probability that head and label are right.
    pub fn probability(&self) -> f32 {
        self.parsed.probabilities[self.node.index()]
    }
}
