//! What is compared with what: heads and labels, wherever they are kept.

use quaich_treebank::{Label, Node, Sentence, Tree};

/// Heads and labels of a sentence.
pub trait Analysis {
    /// The heads by node; entry 0 is not looked at. `Node::NONE` for a token without a head.
    fn heads(&self) -> &[Node];

    /// Whether a token has the same label here and there.
    fn same_label(&self, other: &Self, token: Node) -> bool;

    /// The number of tokens.
    fn n_tokens(&self) -> usize {
        self.heads().len().saturating_sub(1)
    }
}

/// How one token of an analysis compares with the gold standard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// Whether the head is right.
    pub head: bool,
    /// Whether the label is right.
    pub label: bool,
}

impl Verdict {
    /// Compares a token. One without a head in the gold standard is never right.
    pub fn of<A: Analysis + ?Sized>(gold: &A, system: &A, token: Node) -> Self {
        let head = gold.heads()[token.index()];
        Self {
            head: head.is_some() && head == system.heads()[token.index()],
            label: gold.same_label(system, token),
        }
    }

    /// Whether head and label are right.
    pub fn both(self) -> bool {
        self.head && self.label
    }
}

/// Labels are the same if they are interned as the same.
impl Analysis for Tree {
    fn heads(&self) -> &[Node] {
        self.heads()
    }

    fn same_label(&self, other: &Self, token: Node) -> bool {
        self.label(token) == other.label(token)
    }
}

/// Labels are the same if they are written the same.
impl Analysis for Sentence {
    fn heads(&self) -> &[Node] {
        self.heads()
    }

    fn same_label(&self, other: &Self, token: Node) -> bool {
        self.label(token) == other.label(token)
    }
}

/// Heads and labels in two arrays by node, entry 0 of which is not looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arcs<'a, L = Label> {
    /// The heads.
    pub heads: &'a [Node],
    /// The labels.
    pub labels: &'a [L],
}

impl<'a> From<&'a Tree> for Arcs<'a> {
    fn from(tree: &'a Tree) -> Self {
        Self { heads: tree.heads(), labels: tree.labels() }
    }
}

impl<L: PartialEq> Analysis for Arcs<'_, L> {
    fn heads(&self) -> &[Node] {
        self.heads
    }

    fn same_label(&self, other: &Self, token: Node) -> bool {
        self.labels[token.index()] == other.labels[token.index()]
    }
}
