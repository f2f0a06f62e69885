//! The children of every node from left to right, updated as heads change.

use quaich_treebank::{Node, Tree};

/// Doubly linked lists of children, each from left to right.
#[derive(Clone, Default, Debug)]
pub(crate) struct Children {
    first: Vec<Node>,
    next: Vec<Node>,
    previous: Vec<Node>,
}

impl Children {
    /// Reads a tree. Tokens without a head in the sentence have no parent.
    pub(crate) fn fill(&mut self, tree: &Tree) {
        self.fill_heads(tree.heads());
    }

    /// Like [`fill`](Self::fill), from the heads by node.
    pub(crate) fn fill_heads(&mut self, heads: &[Node]) {
        let n_nodes = heads.len();
        for list in [&mut self.first, &mut self.next, &mut self.previous] {
            list.clear();
            list.resize(n_nodes, Node::NONE);
        }
        for token in (1..n_nodes).rev().map(Node::from_index) {
            let head = heads[token.index()];
            if head.is_some() && head.index() < n_nodes {
                self.link(token, head);
            }
        }
    }

    /// Returns the first child of a node, or `Node::NONE`.
    pub(crate) fn first(&self, node: Node) -> Node {
        self.first[node.index()]
    }

    /// Returns the next child of the same node, or `Node::NONE`.
    pub(crate) fn next(&self, child: Node) -> Node {
        self.next[child.index()]
    }

    /// Iterates over the children of a node.
    pub(crate) fn of(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        let first = Some(self.first(node)).filter(|child| child.is_some());
        std::iter::successors(first, |&child| Some(self.next(child)).filter(|next| next.is_some()))
    }

    /// Inserts a token among the children of a node.
    pub(crate) fn link(&mut self, token: Node, head: Node) {
        let (mut before, mut after) = (Node::NONE, self.first[head.index()]);
        while after.is_some() && after < token {
            (before, after) = (after, self.next[after.index()]);
        }
        self.previous[token.index()] = before;
        self.next[token.index()] = after;
        self.join(head, before, token);
        if after.is_some() {
            self.previous[after.index()] = token;
        }
    }

    /// Removes a token from the children of its head.
    pub(crate) fn unlink(&mut self, token: Node, head: Node) {
        let (before, after) = (self.previous[token.index()], self.next[token.index()]);
        self.join(head, before, after);
        if after.is_some() {
            self.previous[after.index()] = before;
        }
    }

    /// Makes `child` follow `before` among the children of a node; if `before` is `Node::NONE`, makes it the first.
    fn join(&mut self, head: Node, before: Node, child: Node) {
        if before.is_some() {
            self.next[before.index()] = child;
        } else {
            self.first[head.index()] = child;
        }
    }
}
