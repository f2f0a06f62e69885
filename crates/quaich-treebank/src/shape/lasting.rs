//! Arcs that last while others are lifted, and the long ways up along them.
//!
//! Lifting by one node at a time takes as many lifts as there are pairs of tokens where many tokens hang deep in a chain that is
//! projective itself. A chain of arcs that are never lifted is the same at any time, so what goes up along it can go at once.

use super::extents::Extents;
use super::skeleton::Skeleton;
use crate::tree::Node;

/// How often arcs are taken away that others need in order to last. Trees for which this is not enough are rare, and
/// lifted node by node.
const ROUNDS: usize = 8;

/// Which arcs last, and the ways along them.
#[derive(Clone, Default, Debug)]
pub(super) struct Lasting {
    skeleton: Skeleton,
    extents: Extents,
    heads: Vec<Node>,
    /// By node: whether the arc into it lasts.
    lasts: Vec<bool>,
    /// By node: whether all arcs below it last.
    is_settled: Vec<bool>,
    /// By node: how many lasting arcs lead up from it.
    depth: Vec<u32>,
    /// For ways of 1, 2, 4, … arcs: by node, where such a way up leads, if there is one.
    ways: Vec<Vec<Way>>,
    /// By node: a node from which on the next one is found that has not been passed.
    not_passed: Vec<Node>,
}

/// A way up.
#[derive(Clone, Copy, Debug)]
struct Way {
    end: Node,
    /// The first and last of its nodes but for the end.
    first: Node,
    last: Node,
}

/// What a token passes on its way up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Passed {
    /// Where the way ends.
    pub(super) end: Node,
    /// How many nodes are passed.
    pub(super) n_nodes: u32,
    /// The distance from the token to the farthest of them.
    pub(super) reach: u32,
}

impl Lasting {
    /// Forgets what is known.
    pub(super) fn clear(&mut self) {
        self.lasts.clear();
    }

    /// Finds the arcs that last, given the heads by node. Without success there are none.
    ///
    /// An arc is lifted only when some token below it is no longer dominated by its head, so it lasts if all
    /// arcs last by which its head dominates these tokens.
    pub(super) fn find(&mut self, heads: &[Node]) {
        let n_nodes = heads.len();
        self.heads.clear();
        self.heads.extend_from_slice(heads);
        self.lasts.clear();
        self.lasts.resize(n_nodes, true);
        self.lasts[0] = false;
        let mut is_found = false;
        for _ in 0..ROUNDS {
            // What may be lifted is dominated by nothing but the root.
            if self.skeleton.fill_heads(&self.heads).is_err() {
                break;
            }
            self.extents.fill(&self.skeleton);
            is_found = true;
            for token in self.skeleton.tokens() {
                let head = self.skeleton.head(token);
                if !self.extents.is_projective(head, token) {
                    self.lasts[token.index()] = false;
                    self.heads[token.index()] = Node::ROOT;
                    is_found = false;
                }
            }
            if is_found {
                break;
            }
        }
        if !is_found || self.skeleton.fill_heads(heads).is_err() {
            self.lasts.fill(false);
            return;
        }
        self.is_settled.clear();
        self.is_settled.resize(n_nodes, true);
        for &node in self.skeleton.preorder()[1..].iter().rev() {
            let settled = self.lasts[node.index()] && self.is_settled[node.index()];
            self.is_settled[self.skeleton.head(node).index()] &= settled;
        }
        self.find_ways();
    }

    fn find_ways(&mut self) {
        let n_nodes = self.lasts.len();
        self.not_passed.clear();
        self.not_passed.extend((0..n_nodes).map(Node::from_index));
        self.depth.clear();
        self.depth.resize(n_nodes, 0);
        let mut deepest = 0;
        for &node in &self.skeleton.preorder()[1..] {
            if self.lasts[node.index()] {
                self.depth[node.index()] = self.depth[self.skeleton.head(node).index()] + 1;
                deepest = deepest.max(self.depth[node.index()]);
            }
        }
        let one = |node: Node| {
            let end = if self.lasts[node.index()] { self.skeleton.head(node) } else { Node::NONE };
            Way { end, first: node, last: node }
        };
        self.ways.clear();
        self.ways.push((0..n_nodes).map(|node| one(Node::from_index(node))).collect());
        while deepest >> self.ways.len() > 0 {
            let half = &self.ways[self.ways.len() - 1];
            let twice = |way: &Way| match half.get(way.end.index()).filter(|_| way.end.is_some()) {
                Some(next) if next.end.is_some() => {
                    Way { end: next.end, first: way.first.min(next.first), last: way.last.max(next.last) }
                }
                _ => Way { end: Node::NONE, ..*way },
            };
            let ways = half.iter().map(twice).collect();
            self.ways.push(ways);
        }
    }

    /// Whether nothing below a token is ever lifted, so that it does not matter when the token itself is.
    pub(super) fn is_settled(&self, token: Node) -> bool {
        !self.lasts.is_empty() && self.is_settled.get(token.index()).is_some_and(|settled| *settled)
    }

    /// What a token passes from a node on: nodes from which lasting arcs lead up, and that `is_left` holds for. What it holds for is
    /// the beginning of any way up.
    pub(super) fn way(&self, token: Node, from: Node, is_left: impl Fn(Node) -> bool) -> Passed {
        let passes = |node: Node| self.lasts[node.index()] && is_left(node);
        if !passes(from) {
            return Passed { end: from, n_nodes: 0, reach: 0 };
        }
        let (mut node, mut first, mut last) = (from, from, from);
        for ways in self.ways.iter().rev() {
            let way = ways[node.index()];
            if way.end.is_some() && passes(way.end) {
                (node, first, last) = (way.end, first.min(way.first), last.max(way.last));
            }
        }
        (first, last) = (first.min(node), last.max(node));
        Passed {
            end: self.skeleton.head(node),
            n_nodes: self.depth[from.index()] - self.depth[node.index()] + 1,
            reach: first.0.abs_diff(token.0).max(last.0.abs_diff(token.0)),
        }
    }

    /// Gives every node of a way that none was on before.
    pub(super) fn pass(&mut self, from: Node, passed: Passed, mut visit: impl FnMut(Node)) {
        if passed.n_nodes == 0 {
            return;
        }
        let highest = self.depth[from.index()] + 1 - passed.n_nodes;
        let mut node = from;
        loop {
            // Skips what has been passed, and remembers where that leads.
            let mut next = node;
            while self.not_passed[next.index()] != next {
                next = self.not_passed[next.index()];
            }
            while node != next {
                node = std::mem::replace(&mut self.not_passed[node.index()], next);
            }
            if !self.lasts[node.index()] || self.depth[node.index()] < highest {
                return;
            }
            visit(node);
            self.not_passed[node.index()] = self.skeleton.head(node);
        }
    }
}
