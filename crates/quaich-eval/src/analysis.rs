//! Analyses that can be compared: heads and labels in any representation.

use quaich_treebank::{Label, Node, Sentence, Tree};

/// Heads and labels of a sentence.
pub trait Analysis {
    /// Returns the heads by node; entry 0 is ignored. `Node::NONE` for a token without a head.
    fn heads(&self) -> &[Node];

    /// Whether a token has the same label in both analyses.
    fn same_label(&self, other: &Self, token: Node) -> bool;

    /// Returns the number of tokens.
    fn n_tokens(&self) -> usize {
        self.heads().len().saturating_sub(1)
    }
}

/// Whether a token of an analysis matches the gold standard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TokenMatch {
    /// Whether the head is correct.
    pub head: bool,
    /// Whether the label is correct.
    pub label: bool,
}

impl TokenMatch {
    /// Compares a token. A token without a head in the gold standard never matches.
    pub fn of<A: Analysis + ?Sized>(gold: &A, system: &A, token: Node) -> Self {
        let head = gold.heads()[token.index()];
        Self {
            head: head.is_some() && head == system.heads()[token.index()],
            label: gold.same_label(system, token),
        }
    }

    /// Whether head and label are correct.
    pub fn both(self) -> bool {
        self.head && self.label
    }
}

/// Labels are equal if they are the same symbol.
impl Analysis for Tree {
    fn heads(&self) -> &[Node] {
        self.heads()
    }

    fn same_label(&self, other: &Self, token: Node) -> bool {
        self.label(token) == other.label(token)
    }
}

/// Labels are equal if they are spelled the same.
impl Analysis for Sentence {
    fn heads(&self) -> &[Node] {
        self.heads()
    }

    fn same_label(&self, other: &Self, token: Node) -> bool {
        self.label(token) == other.label(token)
    }
}

/// Heads and labels in two arrays by node; entry 0 is ignored.
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
