//! Arcs that stay in place while others are lifted, and long paths up along them.
//!
//! Lifting by one node at a time takes a quadratic number of lifts if many tokens are attached deep in a chain that is
//! projective itself. A chain of arcs that are never lifted does not change, so a token can move up along it in one
//! step.

use super::extents::Extents;
use super::skeleton::Skeleton;
use crate::tree::Node;

/// The number of rounds in which arcs are removed that others need to be lasting. Trees that need more rounds are rare;
/// they are lifted node by node.
const ROUNDS: usize = 8;

/// The lasting arcs, and the paths along them.
#[derive(Clone, Default, Debug)]
pub(super) struct Lasting {
    skeleton: Skeleton,
    extents: Extents,
    heads: Vec<Node>,
    /// Whether the arc into each node is lasting.
    lasts: Vec<bool>,
    /// Whether all arcs below each node are lasting.
    is_settled: Vec<bool>,
    /// The number of lasting arcs on the path up from each node.
    depth: Vec<u32>,
    /// For paths of 1, 2, 4, … arcs: the path up from each node, if there is one.
    paths_up: Vec<Vec<PathUp>>,
    /// For each node, a node from which the search for the next unpassed one starts.
    not_passed: Vec<Node>,
}

/// A path up.
#[derive(Clone, Copy, Debug)]
struct PathUp {
    end: Node,
    /// The first and the last of its nodes in the sentence, excluding its end.
    first: Node,
    last: Node,
}

/// The nodes that a token passes on its path up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Passed {
    /// The end of the path.
    pub(super) end: Node,
    /// The number of nodes passed.
    pub(super) n_nodes: u32,
    /// The distance from the token to the farthest of them.
    pub(super) reach: u32,
}

impl Lasting {
    /// Clears all results.
    pub(super) fn clear(&mut self) {
        self.lasts.clear();
    }

    /// Finds the lasting arcs, given the heads by node. If the search fails, no arc is lasting.
    ///
    /// An arc is lifted only if its head no longer dominates some token below it, so it is lasting if all arcs are
    /// through which its head dominates these tokens.
    pub(super) fn find(&mut self, heads: &[Node]) {
        let n_nodes = heads.len();
        self.heads.clear();
        self.heads.extend_from_slice(heads);
        self.lasts.clear();
        self.lasts.resize(n_nodes, true);
        self.lasts[0] = false;
        let mut is_found = false;
        for _ in 0..ROUNDS {
            // Arcs that may be lifted are dominated only by the root.
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
        self.find_paths_up();
    }

    fn find_paths_up(&mut self) {
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
            PathUp { end, first: node, last: node }
        };
        self.paths_up.clear();
        self.paths_up.push((0..n_nodes).map(|node| one(Node::from_index(node))).collect());
        while deepest >> self.paths_up.len() > 0 {
            let half = &self.paths_up[self.paths_up.len() - 1];
            let twice = |path: &PathUp| match half.get(path.end.index()).filter(|_| path.end.is_some()) {
                Some(next) if next.end.is_some() => PathUp {
                    end: next.end,
                    first: path.first.min(next.first),
                    last: path.last.max(next.last),
                },
                _ => PathUp { end: Node::NONE, ..*path },
            };
            let paths_up = half.iter().map(twice).collect();
            self.paths_up.push(paths_up);
        }
    }

    /// Whether no arc below a token is ever lifted, so that the time at which the token itself is lifted does not
    /// matter.
    pub(super) fn is_settled(&self, token: Node) -> bool {
        !self.lasts.is_empty() && self.is_settled.get(token.index()).is_some_and(|settled| *settled)
    }

    /// Returns the nodes that a token passes from a node on: nodes with a lasting arc to their head for which `is_left`
    /// holds. `is_left` holds for the beginning of every path up.
    pub(super) fn passed(&self, token: Node, from: Node, is_left: impl Fn(Node) -> bool) -> Passed {
        let passes = |node: Node| self.lasts[node.index()] && is_left(node);
        if !passes(from) {
            return Passed { end: from, n_nodes: 0, reach: 0 };
        }
        let (mut node, mut first, mut last) = (from, from, from);
        for paths_up in self.paths_up.iter().rev() {
            let path = paths_up[node.index()];
            if path.end.is_some() && passes(path.end) {
                (node, first, last) = (path.end, first.min(path.first), last.max(path.last));
            }
        }
        (first, last) = (first.min(node), last.max(node));
        Passed {
            end: self.skeleton.head(node),
            n_nodes: self.depth[from.index()] - self.depth[node.index()] + 1,
            reach: first.0.abs_diff(token.0).max(last.0.abs_diff(token.0)),
        }
    }

    /// Visits every node of a path that has not been visited before.
    pub(super) fn pass(&mut self, from: Node, passed: Passed, mut visit: impl FnMut(Node)) {
        if passed.n_nodes == 0 {
            return;
        }
        let highest = self.depth[from.index()] + 1 - passed.n_nodes;
        let mut node = from;
        loop {
            // Skips visited nodes, and stores where that leads.
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
