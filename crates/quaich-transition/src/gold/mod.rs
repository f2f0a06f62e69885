//! Gold trees with precomputed structures for oracles, computed once per sentence so that no step of an oracle scans
//! the sentence.
//!
//! A head of `Node::NONE` is unknown: static oracles treat such a token as having no head, dynamic oracles accept any
//! head for it at no cost.

mod components;
mod planes;

use quaich_treebank::symbols::Label;
use quaich_treebank::tree::{Node, Tree};

pub use planes::Planes;

use crate::configuration::{Configuration, RootPosition};
use crate::dynamic::Targets;

/// A gold tree with its precomputed structures; reusable from sentence to sentence.
#[derive(Clone, Debug, Default)]
pub struct Gold {
    root: RootPosition,
    heads: Vec<Node>,
    labels: Vec<Label>,
    /// Children of node x, ascending: `children[starts[x]..starts[x + 1]]`. A token with an unknown head is listed
    /// under 0.
    starts: Vec<u32>,
    children: Vec<Node>,
    last_root: Option<Node>,
    /// The position of each node in the projective order; filled by [`Gold::compute_order`].
    order: Vec<u32>,
    /// Whether each node dominates the last token; filled by [`Gold::compute_last_path`].
    last_path: Vec<bool>,
    /// The maximal projective component of each node; filled by [`Gold::compute_components`].
    component: Vec<Node>,
    /// Crossing arcs and their planes; filled by [`Gold::compute_planes`].
    pub(crate) planes: Planes,
    /// For each node, the position where a forward scan continues; reset by [`Gold::rewind`].
    pub(crate) cursors: Vec<u32>,
    /// The reachable arcs for Covington's and the planar dynamic oracle, moved out while they query the rest; reset by
    /// [`Gold::rewind`].
    pub(crate) targets: Option<Box<Targets>>,
}

impl Gold {
    /// Creates an empty gold tree.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a tree. `root` is the position of node 0, which determines what is left and right of it.
    pub fn read(&mut self, tree: &Tree, root: RootPosition) {
        let n_nodes = tree.n_tokens() + 1;
        self.root = root;
        self.heads.clear();
        self.heads.extend_from_slice(tree.heads());
        self.labels.clear();
        self.labels.extend_from_slice(tree.labels());
        self.starts.clear();
        self.starts.resize(n_nodes + 2, 0);
        self.last_root = None;
        // Counting sort of the tokens by head: counts two entries ahead, sums one entry ahead, then fill.
        for token in tree.tokens() {
            let head = self.listed_head(token);
            self.starts[head.index() + 2] += 1;
            if self.heads[token.index()].is_root() {
                self.last_root = Some(token);
            }
        }
        for index in 2..self.starts.len() {
            self.starts[index] += self.starts[index - 1];
        }
        self.children.clear();
        self.children.resize(n_nodes - 1, Node::NONE);
        for token in tree.tokens() {
            let slot = &mut self.starts[self.heads[token.index()].index_or_root() + 1];
            self.children[*slot as usize] = token;
            *slot += 1;
        }
        self.order.clear();
        self.last_path.clear();
        self.component.clear();
        self.planes.clear();
        self.rewind();
    }

    /// Resets the state of a run; call before every run over the same tree.
    pub fn rewind(&mut self) {
        self.cursors.clear();
        self.cursors.resize(self.heads.len(), 0);
        self.planes.rewind();
        if let Some(targets) = &mut self.targets {
            targets.rewind();
        }
    }

    /// Returns the number of tokens.
    #[inline]
    pub fn n_tokens(&self) -> usize {
        self.heads.len() - 1
    }

    /// Returns the position of node 0.
    #[inline]
    pub fn root(&self) -> RootPosition {
        self.root
    }

    /// Returns the gold head of a node, `Node::NONE` if unknown.
    #[inline]
    pub fn head(&self, node: Node) -> Node {
        self.heads[node.index()]
    }

    /// Returns the gold label of the arc into a node.
    #[inline]
    pub fn label(&self, node: Node) -> Label {
        self.labels[node.index()]
    }

    /// Returns the head of a node if a system has to build that arc: not if the head is unknown, nor if it is 0 and 0
    /// is nowhere in the configuration.
    #[inline]
    pub fn built_head(&self, node: Node) -> Node {
        let head = self.head(node);
        if head.is_root() && self.root == RootPosition::None { Node::NONE } else { head }
    }

    /// Whether the arc from `head` to `dependent` is gold. Missing nodes have no arcs.
    #[inline]
    pub fn has_arc(&self, head: Node, dependent: Node) -> bool {
        head.is_some() && dependent.is_some() && self.heads[dependent.index()] == head
    }

    /// Returns the gold children of a node, ascending. Under 0 also the tokens with an unknown head.
    #[inline]
    pub fn children(&self, node: Node) -> &[Node] {
        &self.children[self.starts[node.index()] as usize..self.starts[node.index() + 1] as usize]
    }

    /// Returns the number of children of a token.
    #[inline]
    pub fn n_children(&self, node: Node) -> u32 {
        self.starts[node.index() + 1] - self.starts[node.index()]
    }

    /// Returns the last token whose head is 0.
    #[inline]
    pub fn last_root(&self) -> Option<Node> {
        self.last_root
    }

    /// Whether a node has all its children in the configuration, provided that all its arcs are gold.
    #[inline]
    pub fn is_complete(&self, c: &Configuration, node: Node) -> bool {
        c.valency(node) == self.n_children(node)
    }

    /// Whether the gold arc into a token is in the configuration, provided that all its arcs are gold. Two adjacent
    /// nodes of a tree are connected exactly if the edge between them is built.
    #[inline]
    pub fn is_built(&self, c: &Configuration, dependent: Node) -> bool {
        if c.is_undirected() {
            let head = self.built_head(dependent);
            head.is_some() && c.connected(head, dependent)
        } else {
            c.has_head(dependent)
        }
    }

    /// Returns the position of a node: its number, except for node 0 at the end.
    #[inline]
    pub fn position(&self, node: Node) -> u32 {
        if node.is_root() && self.root == RootPosition::End {
            Node::from_index(self.heads.len()).0
        } else {
            node.0
        }
    }

    /// Returns the outermost child to the left of a node.
    #[inline]
    pub fn leftmost(&self, node: Node) -> Option<Node> {
        self.children(node).first().copied().filter(|&child| self.position(child) < self.position(node))
    }

    /// Returns the outermost child to the right of a node.
    #[inline]
    pub fn rightmost(&self, node: Node) -> Option<Node> {
        self.children(node).last().copied().filter(|&child| self.position(child) > self.position(node))
    }

    /// Whether `node` has an unbuilt gold arc, which has to be built, with a node left of `limit`. Exact as long as the
    /// left children of `node` are attached from the inside out.
    #[inline]
    pub fn has_link_left_of(&self, c: &Configuration, node: Node, limit: Node) -> bool {
        let limit = self.position(limit);
        let head = self.built_head(node);
        (head.is_some() && self.position(head) < limit && !self.is_built(c, node))
            || self
                .leftmost(node)
                .is_some_and(|child| self.position(child) < limit && !self.is_built(c, child))
    }

    /// Whether a left child of `node` has no head yet. Visits each child once per run.
    #[inline]
    pub(crate) fn has_headless_left_child(&mut self, c: &Configuration, node: Node) -> bool {
        let limit = self.position(node);
        let (start, end) = (self.starts[node.index()], self.starts[node.index() + 1]);
        let cursor = &mut self.cursors[node.index()];
        while start + *cursor < end {
            let child = self.children[(start + *cursor) as usize];
            if child.0 > limit {
                return false;
            }
            if self.heads[child.index()] == node && !c.has_head(child) {
                return true;
            }
            *cursor += 1;
        }
        false
    }

    /// Computes the projective order: inorder from 0, left children, node, right children.
    pub fn compute_order(&mut self) {
        const UNSEEN: u32 = u32::MAX;
        let n_nodes = self.heads.len();
        self.order.clear();
        self.order.resize(n_nodes, UNSEEN);
        self.cursors.clear();
        self.cursors.resize(n_nodes, 0);
        let mut place = 0;
        let mut node = Node::ROOT;
        loop {
            let cursor = self.cursors[node.index()];
            let child = self.children(node).get(cursor as usize).copied();
            let passed = child.is_none_or(|child| self.position(child) > self.position(node));
            if passed && self.order[node.index()] == UNSEEN {
                self.order[node.index()] = place;
                place += 1;
            }
            match child {
                Some(child) => {
                    self.cursors[node.index()] += 1;
                    node = child;
                }
                None if node.is_root() => break,
                None => node = self.listed_head(node),
            }
        }
        self.rewind();
    }

    /// Determines which nodes dominate the last token, including itself.
    pub fn compute_last_path(&mut self) {
        self.last_path.clear();
        self.last_path.resize(self.heads.len(), false);
        let mut node = Node::from_index(self.heads.len() - 1);
        while node.is_some() && !std::mem::replace(&mut self.last_path[node.index()], true) {
            node = self.heads[node.index()];
        }
    }

    /// Whether a node dominates the last token or is it.
    #[inline]
    pub fn leads_to_last(&self, node: Node) -> bool {
        self.last_path[node.index()]
    }

    /// Returns the position of a node in the projective order.
    #[inline]
    pub fn order(&self, node: Node) -> u32 {
        self.order[node.index()]
    }

    /// Returns the head under which a token is listed.
    #[inline]
    fn listed_head(&self, token: Node) -> Node {
        let head = self.heads[token.index()];
        if head.is_none() { Node::ROOT } else { head }
    }
}

/// The array index of a head; an unknown head counts as 0.
trait IndexOrRoot {
    fn index_or_root(self) -> usize;
}

impl IndexOrRoot for Node {
    fn index_or_root(self) -> usize {
        if self.is_none() { 0 } else { self.index() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(heads: &[u32], root: RootPosition) -> Vec<u32> {
        let mut gold = Gold::new();
        gold.read(&Tree::from_heads(heads), root);
        gold.compute_order();
        (0u32..).take(heads.len() + 1).map(|n| gold.order(Node(n))).collect()
    }

    #[test]
    fn projective_order_of_the_worked_examples() {
        // A hearing on the issue is scheduled today .
        assert_eq!(order(&[2, 3, 0, 3, 2, 7, 5, 4, 3], RootPosition::Stack), [0, 1, 2, 6, 7, 3, 4, 5, 8, 9]);
        // Who 6, did 1, you 2, send 3, the 4, letter 5, to 7, ? 8
        assert_eq!(order(&[7, 0, 2, 2, 6, 4, 4, 2], RootPosition::Stack), [0, 6, 1, 2, 3, 4, 5, 7, 8]);
        assert_eq!(order(&[2, 0, 2], RootPosition::End), [3, 0, 1, 2]);
    }

    #[test]
    fn children_are_listed_in_order() {
        let mut gold = Gold::new();
        gold.read(&Tree::from_heads(&[3, 3, 0, 3, u32::MAX]), RootPosition::Stack);
        assert_eq!(gold.children(Node(3)), [1, 2, 4].map(Node));
        assert_eq!((gold.leftmost(Node(3)), gold.rightmost(Node(3))), (Some(Node(1)), Some(Node(4))));
        assert_eq!((gold.n_children(Node(3)), gold.n_children(Node(1))), (3, 0));
        assert_eq!(gold.children(Node(0)), [3, 5].map(Node));
        assert_eq!(gold.head(Node(5)), Node::NONE);
    }
}
