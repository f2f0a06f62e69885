//! Nestedness: a tree is ill-nested iff two disjoint subtrees interleave (i₁ < j₁ < i₂ < j₂ with the
//! i's in one and the j's in the other).
//!
//! Two such subtrees lie below different children of their lowest common ancestor. So it suffices that, for each node,
//! the subtrees of its children partition their tokens without crossing. Heavy paths keep this near-linear: the subtree
//! of the largest child stays in a set from one node of the path to the next, and only the tokens of the other children
//! are visited.

use super::position_set::PositionSet;
use super::skeleton::Skeleton;
use crate::tree::Node;

/// Buffers of the test.
#[derive(Clone, Default, Debug)]
pub(super) struct Nestedness {
    /// The largest child of each node, `Node::NONE` for leaves.
    heavy: Vec<Node>,
    path: Vec<Node>,
    /// The tokens below the current node of the path.
    covered: PositionSet,
    /// The tokens of the smaller children, each with that child, by position.
    light: Vec<(Node, Node)>,
    /// The children visited from left to right, without immediate repetition.
    met: Vec<Node>,
    /// The number of remaining visits of each child.
    to_meet: Vec<u32>,
    /// Children that were visited and will be visited again, the last on top.
    open: Vec<Node>,
    is_open: Vec<bool>,
}

impl Nestedness {
    /// Whether no two disjoint subtrees interleave.
    pub(super) fn is_well_nested(&mut self, skeleton: &Skeleton) -> bool {
        let n = skeleton.n_tokens();
        self.covered.clear(n + 1);
        self.to_meet.clear();
        self.to_meet.resize(n + 1, 0);
        self.is_open.clear();
        self.is_open.resize(n + 1, false);
        self.heavy.clear();
        self.heavy.extend((0..=n).map(Node::from_index).map(|node| {
            let largest = skeleton.children(node).iter().max_by_key(|&&child| skeleton.size(child));
            largest.copied().unwrap_or(Node::NONE)
        }));
        for &top in skeleton.preorder() {
            let starts_a_path = top.is_root() || self.heavy[skeleton.head(top).index()] != top;
            // Below five nodes, no two subtrees of two nodes can interleave.
            if starts_a_path && skeleton.size(top) >= 5 && !self.path_is_well_nested(skeleton, top) {
                return false;
            }
        }
        true
    }

    /// Checks every node of the path of largest children that starts at `top`, from the bottom up.
    fn path_is_well_nested(&mut self, skeleton: &Skeleton, top: Node) -> bool {
        self.path.clear();
        let mut node = top;
        while node.is_some() {
            self.path.push(node);
            node = self.heavy[node.index()];
        }
        for place in (0..self.path.len()).rev() {
            let node = self.path[place];
            if !self.children_are_well_nested(skeleton, node) {
                return false;
            }
            for &(token, _) in &self.light {
                self.covered.insert(token.index());
            }
            self.covered.insert(node.index());
        }
        for &token in skeleton.subtree(top) {
            self.covered.remove(token.index());
        }
        true
    }

    /// Whether the subtrees of a node's children do not cross, the largest one being `covered`. Leaves the tokens of
    /// the others in `light`.
    fn children_are_well_nested(&mut self, skeleton: &Skeleton, node: Node) -> bool {
        let heavy = self.heavy[node.index()];
        self.light.clear();
        let mut may_cross = false;
        for &child in skeleton.children(node) {
            if child != heavy {
                may_cross |= skeleton.size(child) >= 2;
                self.light.extend(skeleton.subtree(child).iter().map(|&token| (token, child)));
            }
        }
        if !may_cross {
            return true;
        }
        self.light.sort_unstable();
        self.met.clear();
        let mut after = 0;
        for &(token, child) in &self.light {
            if self.covered.at_or_after(after).is_some_and(|covered| covered < token.index()) {
                self.met.push(heavy);
            }
            if self.met.last() != Some(&child) {
                self.met.push(child);
            }
            after = token.index() + 1;
        }
        if self.covered.at_or_after(after).is_some() {
            self.met.push(heavy);
        }
        self.met_without_crossing()
    }

    /// Whether no two children alternate: a, b, a, b.
    fn met_without_crossing(&mut self) -> bool {
        for child in &self.met {
            self.to_meet[child.index()] += 1;
        }
        let mut nested = true;
        for &child in &self.met {
            while let Some(&open) = self.open.last()
                && open != child
                && self.to_meet[open.index()] == 0
            {
                self.is_open[open.index()] = false;
                self.open.pop();
            }
            if self.open.last() != Some(&child) {
                // Open but not on top: the one on top will be visited again.
                nested &= !self.is_open[child.index()];
                self.is_open[child.index()] = true;
                self.open.push(child);
            }
            self.to_meet[child.index()] -= 1;
        }
        for open in self.open.drain(..) {
            self.is_open[open.index()] = false;
        }
        nested
    }
}
