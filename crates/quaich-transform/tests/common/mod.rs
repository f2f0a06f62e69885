//! Shared code of the tests of transformations.
#![allow(dead_code, reason = "not every test uses all of it")]

use std::sync::Arc;

use quaich_transform::Entry;
use quaich_treebank::formats::FORMATS;
use quaich_treebank::{Label, Node, Sentence, Symbols, Tree};

/// A sentence for transformations that ignore it.
pub(crate) fn no_sentence() -> Sentence {
    Sentence::empty(Arc::new(FORMATS[0].layout()))
}

/// Returns the same heads with the labels returned by `label`.
pub(crate) fn labelled(heads: &Tree, mut label: impl FnMut(Node) -> Label) -> Tree {
    let mut tree = heads.clone();
    for token in heads.tokens() {
        tree.set(token, heads.head(token), label(token));
    }
    tree
}

/// Returns the same heads with a different label per token.
pub(crate) fn all_different(heads: &Tree, labels: &mut Symbols<Label>) -> Tree {
    labelled(heads, |token| labels.intern(&format!("l{token}")))
}

/// Returns the tokens under node 0.
pub(crate) fn roots(tree: &Tree) -> Vec<Node> {
    tree.tokens().filter(|&token| tree.head(token).is_root()).collect()
}

/// Formats heads and labels, `3:AuxP↑Sb 1:Atr …`.
pub(crate) fn show(tree: &Tree, labels: &Symbols<Label>) -> String {
    let cell = |token: Node| match tree.label(token) {
        Label::NONE => format!("{}", tree.head(token)),
        label => format!("{}:{}", tree.head(token), labels.text(label)),
    };
    tree.tokens().map(cell).collect::<Vec<_>>().join(" ")
}

/// Parses a tree in the format of [`show`].
pub(crate) fn tree(text: &str, labels: &mut Symbols<Label>) -> Tree {
    let cells: Vec<&str> = text.split_whitespace().collect();
    let mut tree = Tree::new(cells.len());
    for (token, cell) in tree.tokens().zip(cells) {
        let (head, label) = match cell.split_once(':') {
            Some((head, label)) => (head, labels.intern(label)),
            None => (cell, Label::NONE),
        };
        tree.set(token, Node(head.parse().unwrap()), label);
    }
    tree
}

/// Returns the part of a specification that names a file, if the entry needs one.
pub(crate) fn file_for(entry: &Entry) -> String {
    let required = entry.file.as_ref().is_some_and(|file| file.required);
    if required { format!(":tests/files/{}.txt", entry.name) } else { String::new() }
}
