//! Steps from node to node. Answers that configurations do not store are searched, in time linear in the sentence
//! length.
//!
//! In undirected systems no node has a head, so no node has ancestors or siblings; dependents are linked nodes, and a
//! subtree is a connected component.

use quaich_transition::configuration::{Configuration, Edge};
use quaich_treebank::{Label, Node};

use crate::address::Step;

/// Returns the node that a step from a node leads to.
#[inline]
pub(crate) fn take(step: Step, node: Node, c: &Configuration) -> Node {
    match step {
        Step::Head => c.head(node),
        Step::Left(k @ (0 | 1)) => c.left_child(node, usize::from(k)),
        Step::Right(k @ (0 | 1)) => c.right_child(node, usize::from(k)),
        Step::Next => next(node, c),
        Step::Previous => previous(node),
        Step::Topmost => topmost(node, c),
        Step::ProperTopmost => {
            if c.has_head(node) {
                topmost(node, c)
            } else {
                Node::NONE
            }
        }
        Step::Token => {
            if node.is_root() {
                Node::NONE
            } else {
                node
            }
        }
        Step::Left(k) => nth_dependent(Side::Left, k, node, c).0,
        Step::Right(k) => nth_dependent(Side::Right, k, node, c).0,
        Step::LeftSibling => sibling(Side::Left, node, c),
        Step::RightSibling => sibling(Side::Right, node, c),
        Step::LeftUndirectedSibling => undirected_sibling(Side::Left, node, c),
        Step::RightUndirectedSibling => undirected_sibling(Side::Right, node, c),
        Step::LeftDescendant => descendant(Side::Left, node, c),
        Step::RightDescendant => descendant(Side::Right, node, c),
        Step::ProperLeftDescendant => proper_descendant(Side::Left, node, c),
        Step::ProperRightDescendant => proper_descendant(Side::Right, node, c),
    }
}

/// Returns the token after a node.
#[inline]
pub(crate) fn next(node: Node, c: &Configuration) -> Node {
    if node.is_root() || node.index() >= c.n_tokens() { Node::NONE } else { Node(node.0 + 1) }
}

/// Returns the token before a node.
#[inline]
pub(crate) fn previous(node: Node) -> Node {
    if node.0 <= 1 { Node::NONE } else { Node(node.0 - 1) }
}

/// Returns the label of the edge to a linked node, at any rank; of no other step.
pub(crate) fn scanned_label(step: Step, node: Node, c: &Configuration) -> Label {
    match step {
        Step::Left(k) => nth_dependent(Side::Left, k, node, c).1,
        Step::Right(k) => nth_dependent(Side::Right, k, node, c).1,
        _ => Label::NONE,
    }
}

/// The left or right side of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    Left,
    Right,
}

impl Side {
    /// Iterates over the nodes on this side of a node, outermost first; node 0 is left of all others.
    fn nodes(self, node: Node, c: &Configuration) -> impl DoubleEndedIterator<Item = Node> + use<> {
        let (left, right) = match self {
            Self::Left => (0..node.index(), 0..0),
            Self::Right => (0..0, node.index() + 1..c.n_tokens() + 1),
        };
        left.chain(right.rev()).map(Node::from_index)
    }
}

#[inline(never)]
fn topmost(mut node: Node, c: &Configuration) -> Node {
    while c.has_head(node) {
        node = c.head(node);
    }
    node
}

/// Returns the k-th dependent or linked node on a side, outermost first, with the label of the arc or edge.
#[inline(never)]
fn nth_dependent(side: Side, k: u8, node: Node, c: &Configuration) -> (Node, Label) {
    let link = |other: Node| {
        if c.is_undirected() {
            let is_between = |edge: &&Edge| (edge.left, edge.right) == (node.min(other), node.max(other));
            c.edges().iter().find(is_between).map(|edge| (other, edge.label))
        } else {
            (c.head(other) == node).then(|| (other, c.label(other)))
        }
    };
    side.nodes(node, c).filter_map(link).nth(usize::from(k)).unwrap_or((Node::NONE, Label::NONE))
}

#[inline(never)]
fn sibling(side: Side, node: Node, c: &Configuration) -> Node {
    let head = c.head(node);
    if head.is_none() {
        return Node::NONE;
    }
    let nearest_first = side.nodes(node, c).rev();
    nearest_first
        .take_while(|&other| other != head)
        .find(|&other| c.head(other) == head)
        .unwrap_or(Node::NONE)
}

/// Returns the nearest node on a side that shares a linked node with another one, beyond that node.
#[inline(never)]
fn undirected_sibling(side: Side, node: Node, c: &Configuration) -> Node {
    let beyond = if side == Side::Left { Side::Right } else { Side::Left };
    let shared: Vec<Node> = beyond.nodes(node, c).filter(|&other| link(node, other, c).is_some()).collect();
    let mut nearest_first = side.nodes(node, c).rev();
    let is_sibling = |&other: &Node| shared.iter().any(|&common| link(other, common, c).is_some());
    if shared.is_empty() { Node::NONE } else { nearest_first.find(is_sibling).unwrap_or(Node::NONE) }
}

/// Returns the label of the arc or edge between two nodes, if there is one.
pub(crate) fn link(a: Node, b: Node, c: &Configuration) -> Option<Label> {
    if a.is_none() || b.is_none() {
        None
    } else if c.is_undirected() {
        let ends = (a.min(b), a.max(b));
        c.edges().iter().find(|edge| (edge.left, edge.right) == ends).map(|edge| edge.label)
    } else if c.head(a) == b {
        Some(c.label(a))
    } else if c.head(b) == a {
        Some(c.label(b))
    } else {
        None
    }
}

#[inline(never)]
fn descendant(side: Side, node: Node, c: &Configuration) -> Node {
    side.nodes(node, c).find(|&other| is_below(other, node, c)).unwrap_or(node)
}

/// Returns the outermost node below another on one side, or the nearest to it on the other side if there is none.
#[inline(never)]
fn proper_descendant(side: Side, node: Node, c: &Configuration) -> Node {
    let other_side = if side == Side::Left { Side::Right } else { Side::Left };
    let mut outermost_first = side.nodes(node, c).chain(other_side.nodes(node, c).rev());
    outermost_first.find(|&other| is_below(other, node, c)).unwrap_or(Node::NONE)
}

/// Whether a node is a descendant of another.
fn is_below(other: Node, node: Node, c: &Configuration) -> bool {
    if c.is_undirected() {
        return c.connected(other, node);
    }
    let mut at = c.head(other);
    while at.is_some() && at != node {
        at = c.head(at);
    }
    at == node
}

/// Returns the i-th token, from the left or from the right, among those between the top of the stack and the buffer's
/// front whose heads are neither these two nor between them.
#[inline(never)]
pub(crate) fn context(side: Side, i: u8, c: &Configuration) -> Node {
    let (left, right) = (c.stack(0), c.buffer(0));
    if left.is_none() || right.is_none() {
        return Node::NONE;
    }
    let mut between = (left.index() + 1..right.index()).map(Node::from_index).filter(|&token| {
        let head = c.head(token);
        head.is_none() || head < left || head > right
    });
    let i = usize::from(i);
    let found = if side == Side::Left { between.nth(i) } else { between.nth_back(i) };
    found.unwrap_or(Node::NONE)
}

#[cfg(test)]
mod tests {
    use quaich_transition::configuration::RootPosition;

    use super::*;

    /// Returns a configuration with these heads, `-` for none, `label = 10 + token`.
    fn configuration(heads: &[i8]) -> Configuration {
        let mut c = Configuration::new();
        c.reset(heads.len(), RootPosition::Stack);
        for (token, &head) in (1u32..).zip(heads) {
            if let Ok(head) = u32::try_from(head) {
                c.attach(Node(head), Label(10 + token), Node(token));
            }
        }
        c
    }

    fn check(c: &Configuration, step: Step, expected: &[(u32, i8)]) {
        for &(node, to) in expected {
            let to = u32::try_from(to).map_or(Node::NONE, Node);
            assert_eq!(take(step, Node(node), c), to, "{node}{step}");
        }
    }

    #[test]
    fn steps_lead_where_they_say() {
        //                        1  2  3   4  5  6  7  8   (2 → 4 is crossed by 3 → 7)
        let c = configuration(&[4, 4, -1, 0, 4, 4, 3, 4]);
        check(&c, Step::Head, &[(1, 4), (4, 0), (3, -1), (0, -1)]);
        check(&c, Step::Topmost, &[(1, 0), (7, 3), (3, 3), (0, 0)]);
        check(&c, Step::Left(0), &[(4, 1), (3, -1), (0, -1)]);
        check(&c, Step::Left(1), &[(4, 2)]);
        check(&c, Step::Left(2), &[(4, -1)]);
        check(&c, Step::Right(0), &[(4, 8), (3, 7), (0, 4)]);
        check(&c, Step::Right(1), &[(4, 6), (0, -1)]);
        check(&c, Step::Right(2), &[(4, 5)]);
        check(&c, Step::Right(3), &[(4, -1)]);
        check(&c, Step::LeftSibling, &[(2, 1), (1, -1), (6, 5), (5, -1), (8, 6), (3, -1), (4, -1)]);
        check(&c, Step::RightSibling, &[(1, 2), (2, -1), (5, 6), (6, 8), (8, -1), (7, -1)]);
        check(&c, Step::LeftDescendant, &[(4, 1), (3, 3), (0, 0), (5, 5)]);
        check(&c, Step::RightDescendant, &[(4, 8), (3, 7), (0, 8), (1, 1)]);
        check(&c, Step::ProperTopmost, &[(1, 0), (7, 3), (3, -1), (0, -1)]);
        check(&c, Step::Token, &[(1, 1), (0, -1)]);
        check(&c, Step::ProperLeftDescendant, &[(4, 1), (3, 7), (0, 1), (5, -1)]);
        check(&c, Step::ProperRightDescendant, &[(4, 8), (3, 7), (0, 8), (1, -1)]);
        check(&c, Step::Next, &[(1, 2), (8, -1), (0, -1)]);
        check(&c, Step::Previous, &[(2, 1), (1, -1), (0, -1)]);
    }

    #[test]
    fn descendants_may_be_on_the_other_side() {
        // 1 is below 4, which is right of 3.
        let c = configuration(&[4, -1, -1, 3]);
        check(&c, Step::LeftDescendant, &[(3, 1), (4, 1)]);
        check(&c, Step::RightDescendant, &[(3, 4)]);
    }

    #[test]
    fn edges_are_links_both_ways() {
        let mut c = Configuration::new();
        c.reset(6, RootPosition::Stack);
        c.track_edges();
        for (a, label, b) in [(4, 1, 3), (2, 2, 4), (1, 3, 4), (4, 4, 0), (5, 5, 6)] {
            c.connect(Node(a), Label(label), Node(b));
        }
        check(&c, Step::Head, &[(3, -1), (4, -1)]);
        check(&c, Step::Left(0), &[(4, 0), (6, 5)]);
        check(&c, Step::Left(2), &[(4, 2)]);
        check(&c, Step::Left(3), &[(4, 3)]);
        check(&c, Step::Left(4), &[(4, -1)]);
        check(&c, Step::Right(0), &[(0, 4), (3, 4), (5, 6)]);
        check(&c, Step::Topmost, &[(3, 3)]);
        check(&c, Step::LeftSibling, &[(3, -1)]);
        // 4 is linked to 0, 1, 2 and 3; nothing is linked to a node right of 4.
        check(&c, Step::LeftUndirectedSibling, &[(3, 2), (2, 1), (1, 0), (4, -1), (6, -1)]);
        check(&c, Step::RightUndirectedSibling, &[(4, -1), (0, -1), (3, -1)]);
        check(&c, Step::LeftDescendant, &[(3, 0), (6, 5)]);
        check(&c, Step::RightDescendant, &[(1, 4), (5, 6)]);
        let labels: Vec<u32> = (0..4).map(|k| scanned_label(Step::Left(k), Node(4), &c).0).collect();
        assert_eq!(labels, [4, 3, 2, 1]);
        assert_eq!(scanned_label(Step::Right(0), Node(3), &c), Label(1));
        assert_eq!(scanned_label(Step::Right(2), Node(3), &c), Label::NONE);
    }
}
