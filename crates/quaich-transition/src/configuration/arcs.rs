//! The arcs of a configuration: heads, labels, and the dependents that features use, updated arc by arc in any order.
//! Undirected systems keep edges here instead.

use quaich_treebank::symbols::Label;
use quaich_treebank::tree::{Node, Tree};

use super::Configuration;

/// The arc of a node, and those of its dependents that features use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Links {
    pub(super) head: Node,
    label: Label,
    /// Outermost first.
    left: [Node; 2],
    right: [Node; 2],
    left_valency: u32,
    right_valency: u32,
    left_labels: u64,
    right_labels: u64,
}

pub(super) static UNLINKED: Links = Links {
    head: Node::NONE,
    label: Label::NONE,
    left: [Node::NONE; 2],
    right: [Node::NONE; 2],
    left_valency: 0,
    right_valency: 0,
    left_labels: 0,
    right_labels: 0,
};

/// An undirected edge, built by the undirected systems.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The node nearer to the start.
    pub left: Node,
    /// The node nearer to the end.
    pub right: Node,
    /// The label.
    pub label: Label,
}

impl Configuration {
    /// Starts keeping undirected edges, which requires components; called before the first edge.
    pub fn track_edges(&mut self) {
        self.track_components();
        self.edge_labels.clear();
        self.edge_labels.resize(self.n_tokens + 1, [Label::NONE; 4]);
    }

    /// Returns the head of a node, `Node::NONE` if it has none.
    #[inline]
    pub fn head(&self, node: Node) -> Node {
        self.links(node).head
    }

    /// Returns the label of the arc into a node, `Label::NONE` if it has none.
    #[inline]
    pub fn label(&self, node: Node) -> Label {
        self.links(node).label
    }

    /// Whether a node has a head.
    #[inline]
    pub fn has_head(&self, node: Node) -> bool {
        self.head(node).is_some()
    }

    /// Returns the outermost (`k` = 0) or second outermost (`k` = 1) dependent to the left of a node. In undirected
    /// systems: linked node.
    #[inline]
    pub fn left_child(&self, node: Node, k: usize) -> Node {
        self.links(node).left[k]
    }

    /// Returns the outermost (`k` = 0) or second outermost (`k` = 1) dependent to the right of a node. Node 0 counts as
    /// left of every token wherever it is in the configuration.
    #[inline]
    pub fn right_child(&self, node: Node, k: usize) -> Node {
        self.links(node).right[k]
    }

    /// Returns the number of dependents (linked nodes) to the left of a node.
    #[inline]
    pub fn left_valency(&self, node: Node) -> u32 {
        self.links(node).left_valency
    }

    /// Returns the number of dependents (linked nodes) to the right of a node.
    #[inline]
    pub fn right_valency(&self, node: Node) -> u32 {
        self.links(node).right_valency
    }

    /// Returns the number of dependents (linked nodes) of a node.
    #[inline]
    pub fn valency(&self, node: Node) -> u32 {
        let links = self.links(node);
        links.left_valency + links.right_valency
    }

    /// Returns the labels of a node's left dependents as a set: bit `label % 64` for each.
    #[inline]
    pub fn left_labels(&self, node: Node) -> u64 {
        self.links(node).left_labels
    }

    /// Returns the labels of a node's right dependents as a set: bit `label % 64` for each.
    #[inline]
    pub fn right_labels(&self, node: Node) -> u64 {
        self.links(node).right_labels
    }

    /// Returns the label between a node and `left_child(node, k)`.
    #[inline]
    pub fn left_label(&self, node: Node, k: usize) -> Label {
        self.link_label(node, k, self.left_child(node, k))
    }

    /// Returns the label between a node and `right_child(node, k)`.
    #[inline]
    pub fn right_label(&self, node: Node, k: usize) -> Label {
        self.link_label(node, 2 + k, self.right_child(node, k))
    }

    /// Returns the links of a node; a missing node has none.
    #[inline]
    fn links(&self, node: Node) -> &Links {
        self.links.get(node.index()).unwrap_or(&UNLINKED)
    }

    fn link_label(&self, node: Node, slot: usize, other: Node) -> Label {
        match self.edge_labels.get(node.index()) {
            Some(labels) => labels[slot],
            None if other.is_some() => self.label(other),
            None => Label::NONE,
        }
    }

    /// Returns the edges of an undirected system in the order they were built.
    #[inline]
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Whether the configuration has undirected edges instead of arcs.
    #[inline]
    pub fn is_undirected(&self) -> bool {
        !self.edge_labels.is_empty()
    }

    /// Copies heads and labels to a tree.
    pub fn write_tree(&self, tree: &mut Tree) {
        tree.reset(self.n_tokens);
        for (index, links) in self.links.iter().enumerate().skip(1) {
            tree.set(Node::from_index(index), links.head, links.label);
        }
    }

    /// Returns heads and labels as a new tree.
    pub fn tree(&self) -> Tree {
        let mut tree = Tree::new(0);
        self.write_tree(&mut tree);
        tree
    }

    /// Adds an arc. Arcs can be added in any order.
    #[inline]
    pub fn attach(&mut self, head: Node, label: Label, dependent: Node) {
        debug_assert!(!dependent.is_root() && !self.has_head(dependent));
        let links = &mut self.links[dependent.index()];
        links.head = head;
        links.label = label;
        self.link(head, label, dependent);
        self.components.join(head, dependent);
    }

    /// Adds an undirected edge; only after [`track_edges`](Self::track_edges).
    pub fn connect(&mut self, a: Node, label: Label, b: Node) {
        let (left, right) = if a < b { (a, b) } else { (b, a) };
        self.edges.push(Edge { left, right, label });
        self.link(left, label, right);
        self.link(right, label, left);
        self.components.join(a, b);
    }

    /// Removes all edges and components, so that arcs can replace them.
    pub fn forget_edges(&mut self) {
        self.edge_labels.clear();
        self.components.clear();
        for links in &mut self.links {
            *links = UNLINKED;
        }
    }

    /// Attaches every token without a head to 0, with this label.
    pub fn attach_rest_to_root(&mut self, label: Label) {
        for node in (1..=self.n_tokens).map(Node::from_index) {
            if !self.has_head(node) {
                self.attach(Node::ROOT, label, node);
            }
        }
    }

    /// Like [`attach_rest_to_root`](Self::attach_rest_to_root), but 0 gets exactly one child: its present one, or else
    /// the first token without a head; the others become dependents of that child.
    pub fn attach_rest_to_single_root(&mut self, label: Label) {
        let mut single = self.left_child(Node::ROOT, 0);
        if single.is_none() {
            single = self.right_child(Node::ROOT, 0);
        }
        for node in (1..=self.n_tokens).map(Node::from_index) {
            if self.has_head(node) {
                continue;
            }
            if single.is_none() {
                single = node;
                self.attach(Node::ROOT, label, node);
            } else {
                self.attach(single, label, node);
            }
        }
    }

    /// Adds `other` to the nodes linked to `node`.
    #[inline]
    fn link(&mut self, node: Node, label: Label, other: Node) {
        let links = &mut self.links[node.index()];
        let bit = 1u64 << (label.0 % 64);
        let (slot, at) = if other < node {
            links.left_valency += 1;
            links.left_labels |= bit;
            (0, insert(&mut links.left, |held| held.is_none() || other < held, other))
        } else {
            links.right_valency += 1;
            links.right_labels |= bit;
            (2, insert(&mut links.right, |held| held.is_none() || other > held, other))
        };
        if let Some(labels) = self.edge_labels.get_mut(node.index()) {
            match at {
                Some(0) => {
                    labels[slot + 1] = labels[slot];
                    labels[slot] = label;
                }
                Some(_) => labels[slot + 1] = label,
                None => {}
            }
        }
    }
}

/// Inserts `node` before the first of two stored nodes that it is further out than; returns the index.
#[inline]
fn insert(held: &mut [Node; 2], further_out: impl Fn(Node) -> bool, node: Node) -> Option<usize> {
    if further_out(held[0]) {
        *held = [node, held[0]];
        Some(0)
    } else if further_out(held[1]) {
        held[1] = node;
        Some(1)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::RootPosition;
    use super::*;

    #[test]
    fn outermost_dependents_stay_right_in_any_order() {
        let orders: [[u32; 6]; 4] =
            [[1, 2, 3, 5, 6, 7], [7, 6, 5, 3, 2, 1], [2, 6, 1, 7, 3, 5], [3, 5, 2, 6, 1, 7]];
        for order in orders {
            let mut c = Configuration::new();
            c.reset(7, RootPosition::Stack);
            for dependent in order {
                c.attach(Node(4), Label(dependent + 60), Node(dependent));
            }
            assert_eq!([c.left_child(Node(4), 0), c.left_child(Node(4), 1)], [Node(1), Node(2)]);
            assert_eq!([c.right_child(Node(4), 0), c.right_child(Node(4), 1)], [Node(7), Node(6)]);
            assert_eq!((c.left_valency(Node(4)), c.right_valency(Node(4)), c.valency(Node(4))), (3, 3, 6));
            assert_eq!(c.left_labels(Node(4)), 1 << 61 | 1 << 62 | 1 << 63);
            assert_eq!(c.right_labels(Node(4)), 1 << 1 | 1 << 2 | 1 << 3);
            assert_eq!((c.left_label(Node(4), 0), c.right_label(Node(4), 1)), (Label(61), Label(66)));
        }
    }

    #[test]
    fn missing_nodes_have_nothing() {
        let mut c = Configuration::new();
        c.reset(1, RootPosition::Stack);
        let missing = c.stack(5);
        assert_eq!(
            (missing, c.head(missing), c.left_child(missing, 1)),
            (Node::NONE, Node::NONE, Node::NONE)
        );
        assert_eq!((c.label(missing), c.valency(missing), c.right_labels(missing)), (Label::NONE, 0, 0));
        assert_eq!(c.left_label(missing, 0), Label::NONE);
    }

    #[test]
    fn edges_remember_their_labels_at_both_ends() {
        let mut c = Configuration::new();
        c.reset(3, RootPosition::Stack);
        c.track_edges();
        c.connect(Node(3), Label(1), Node(2));
        c.connect(Node(1), Label(2), Node(3));
        assert_eq!((c.left_child(Node(3), 0), c.left_label(Node(3), 0)), (Node(1), Label(2)));
        assert_eq!((c.left_child(Node(3), 1), c.left_label(Node(3), 1)), (Node(2), Label(1)));
        assert_eq!((c.right_child(Node(2), 0), c.right_label(Node(2), 0)), (Node(3), Label(1)));
        assert!(c.connected(Node(1), Node(2)) && !c.connected(Node(0), Node(1)));
    }
}
