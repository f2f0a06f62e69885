//! The view of a tree for coordinations: heads, and the relevant properties of labels.

use quaich_treebank::Node;

use crate::children::Children;

/// The mark that a transformation adds to the end of a label.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Mark {
    /// Nothing.
    #[default]
    None,
    /// `+`: a dependent of the whole coordination; or a conjunct that is not changed.
    Plus,
    /// `>`: the first conjunct after a conjunct that begins a nested coordination.
    Nested,
    /// The suffix of conjuncts, in a treebank without one of its own.
    Suffix,
}

/// The properties of a token by its label and tag.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is an independent property of a label")]
pub(super) struct Word {
    pub(super) conjunction: bool,
    pub(super) separator: bool,
    pub(super) conjunct: bool,
    pub(super) through: bool,
    pub(super) shared: bool,
    /// Whether the label has the treebank's own suffix of conjuncts.
    pub(super) suffix: bool,
    pub(super) mark: Mark,
}

impl Word {
    /// Whether this separates conjuncts.
    pub(super) fn separates(self) -> bool {
        self.conjunction || self.separator
    }
}

/// Heads and labels by node, and the children computed from the heads.
#[derive(Clone, Default, Debug)]
pub(super) struct State {
    pub(super) heads: Vec<Node>,
    pub(super) words: Vec<Word>,
    children: Children,
}

impl State {
    /// Reads a tree.
    pub(super) fn fill(&mut self, heads: &[Node], words: impl Iterator<Item = Word>) {
        self.heads.clear();
        self.heads.extend_from_slice(heads);
        self.words.clear();
        self.words.push(Word::default());
        self.words.extend(words);
        self.link();
    }

    /// Copies another state.
    pub(super) fn copy(&mut self, other: &Self) {
        self.heads.clone_from(&other.heads);
        self.words.clone_from(&other.words);
        self.link();
    }

    pub(super) fn tokens(&self) -> impl DoubleEndedIterator<Item = Node> + use<> {
        (1..self.heads.len()).map(Node::from_index)
    }

    pub(super) fn head(&self, token: Node) -> Node {
        self.heads[token.index()]
    }

    pub(super) fn word(&self, token: Node) -> Word {
        self.words[token.index()]
    }

    pub(super) fn mark(&mut self, token: Node, mark: Mark) {
        self.words[token.index()].mark = mark;
    }

    /// Whether this is a token of the sentence.
    pub(super) fn is_token(&self, node: Node) -> bool {
        node.is_some() && !node.is_root() && node.index() < self.heads.len()
    }

    /// Iterates over the children of a node from left to right.
    pub(super) fn children(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        self.children.of(node)
    }

    /// Attaches a token to a node.
    pub(super) fn attach(&mut self, token: Node, head: Node) {
        let before = self.head(token);
        if before.is_some() && before.index() < self.heads.len() {
            self.children.unlink(token, before);
        }
        self.heads[token.index()] = head;
        if head.is_some() && head.index() < self.heads.len() {
            self.children.link(token, head);
        }
    }

    /// Returns the tokens that reach the root, each after all tokens below it.
    pub(super) fn bottom_up(&self) -> Vec<Node> {
        let mut order = vec![Node::ROOT];
        let mut at = 0;
        while at < order.len() {
            order.extend(self.children(order[at]));
            at += 1;
        }
        order.reverse();
        order.pop();
        order
    }

    fn link(&mut self) {
        self.children.fill_heads(&self.heads);
    }
}
