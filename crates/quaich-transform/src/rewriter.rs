//! Transforms the trees of sentences; all other text is unchanged, byte for byte.

use std::io::Write;

use quaich_treebank::symbols::{Label, Symbols};
use quaich_treebank::{Node, Role, Sentence, Tree, Underscore};

use crate::scratch::Scratch;
use crate::transform::{Inverse, Transform};

/// Whether a transformation is applied or inverted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// As before training.
    Apply,
    /// As after parsing.
    Invert,
}

/// The result for a sentence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rewritten {
    /// The tree is unchanged.
    Same,
    /// Some head or label changed.
    Changed,
    /// The heads do not form a tree, so nothing is changed. The inverse accepts these too.
    NoTree,
}

/// Transforms sentence by sentence, with one table of labels for all.
#[derive(Debug)]
pub struct Rewriter<'t> {
    transform: &'t dyn Transform,
    inverse: Box<dyn Inverse>,
    operation: Operation,
    labels: Symbols<Label>,
    scratch: Scratch,
}

impl<'t> Rewriter<'t> {
    /// Creates a rewriter for this operation.
    pub fn new(transform: &'t dyn Transform, operation: Operation) -> Self {
        let mut labels = Symbols::new();
        let inverse = transform.inverse(&mut labels);
        Self { transform, inverse, operation, labels, scratch: Scratch::default() }
    }

    /// Returns the labels so far, of all trees before and after.
    pub fn labels(&self) -> &Symbols<Label> {
        &self.labels
    }

    /// Returns the tree of a sentence; `_` is a label like any other, so the whole treebank does not have to be known.
    pub fn read(&mut self, sentence: &Sentence) -> Tree {
        let n_known = self.labels.len();
        let tree = sentence.tree_with(&mut self.labels, Underscore::Label);
        if self.operation == Operation::Invert && self.labels.len() > n_known {
            self.inverse.extend(&mut self.labels);
        }
        tree
    }

    /// Transforms the tree of a sentence.
    pub fn rewrite(&mut self, sentence: &Sentence, tree: &mut Tree) -> Rewritten {
        let before = tree.clone();
        let Self { transform, inverse, labels, scratch, .. } = self;
        match self.operation {
            Operation::Apply => {
                if transform.apply(sentence, tree, labels, scratch).is_err() {
                    return Rewritten::NoTree;
                }
            }
            Operation::Invert => inverse.invert(sentence, tree, scratch),
        }
        if *tree == before { Rewritten::Same } else { Rewritten::Changed }
    }

    /// Appends the text of a sentence with its tree transformed.
    pub fn write(&mut self, sentence: &Sentence, out: &mut Vec<u8>) -> Rewritten {
        let before = self.read(sentence);
        let mut tree = before.clone();
        let rewritten = self.rewrite(sentence, &mut tree);
        if rewritten != Rewritten::Changed {
            out.extend_from_slice(sentence.text().as_bytes());
            return rewritten;
        }
        let layout = sentence.layout();
        let (head_column, label_column) = (layout.position(Role::Head), layout.position(Role::Label));
        let mut columns: Vec<usize> = head_column.into_iter().chain(label_column).collect();
        columns.sort_unstable();
        sentence.write_replacing(out, &columns, |token, column, out| {
            if Some(column) == head_column && tree.head(token) != before.head(token) {
                write_head(tree.head(token), out);
            } else if Some(column) == label_column && tree.label(token) != before.label(token) {
                let label = tree.label(token);
                let text = if label.is_none() { "_" } else { self.labels.text(label) };
                out.extend_from_slice(text.as_bytes());
            } else {
                out.extend_from_slice(sentence.cell(token, column).as_bytes());
            }
        });
        rewritten
    }
}

fn write_head(head: Node, out: &mut Vec<u8>) {
    // Writing to memory does not fail.
    let _ = if head.is_some() { write!(out, "{head}") } else { write!(out, "_") };
}
