//! Non-projective arcs. The *extent* of a node is the longest span of tokens around it that it dominates entirely; an
//! arc is projective iff its dependent lies in the extent of its head.

use super::skeleton::Skeleton;
use crate::tree::Node;

/// The extents of all nodes of a tree.
#[derive(Clone, Default, Debug)]
pub(super) struct Extents {
    /// The first node of each node's extent.
    pub(super) first: Vec<Node>,
    /// The last node of each node's extent.
    pub(super) last: Vec<Node>,
    /// Visited nodes whose preorder position is lower than that of every node visited later.
    lows: Vec<Node>,
    /// Visited nodes whose preorder position is higher than that of every node visited later.
    highs: Vec<Node>,
}

impl Extents {
    /// Computes all extents in O(n log n).
    ///
    /// The nodes that a node dominates are contiguous in preorder, so the extent ends at the first node outside that
    /// range: the nearest node earlier in preorder, or the nearest one after all dominated nodes.
    pub(super) fn fill(&mut self, skeleton: &Skeleton) {
        let n = skeleton.n_tokens();
        self.first.clear();
        self.first.resize(n + 1, Node::ROOT);
        self.last.clear();
        self.last.resize(n + 1, Node::from_index(n));
        self.lows.clear();
        self.highs.clear();
        for token in skeleton.tokens().rev() {
            if let Some(outside) = self.nearest_outside(skeleton, token, Ord::min) {
                self.last[token.index()] = Node(outside.0 - 1);
            }
        }
        // Node 0 is first in preorder, so the search to the left always succeeds.
        self.lows.clear();
        self.highs.clear();
        self.lows.push(Node::ROOT);
        for token in skeleton.tokens() {
            if let Some(outside) = self.nearest_outside(skeleton, token, Ord::max) {
                self.first[token.index()] = Node(outside.0 + 1);
            }
        }
    }

    /// Whether the arc into a token is projective.
    pub(super) fn is_projective(&self, head: Node, dependent: Node) -> bool {
        (self.first[head.index()]..=self.last[head.index()]).contains(&dependent)
    }

    /// Returns the nearest visited node that `token` does not dominate, and adds `token` to the visited nodes.
    fn nearest_outside(
        &mut self,
        skeleton: &Skeleton,
        token: Node,
        nearer: fn(Node, Node) -> Node,
    ) -> Option<Node> {
        let entered = skeleton.entered(token);
        let left = entered + skeleton.size(token);
        while self.lows.last().is_some_and(|&low| skeleton.entered(low) > entered) {
            self.lows.pop();
        }
        while self.highs.last().is_some_and(|&high| skeleton.entered(high) < entered) {
            self.highs.pop();
        }
        let earlier = self.lows.last().copied();
        // From bottom to top, the nodes in `highs` are nearer and earlier in preorder.
        let later = self.highs[..self.highs.partition_point(|&high| skeleton.entered(high) >= left)].last();
        self.lows.push(token);
        let later = later.copied();
        self.highs.push(token);
        match (earlier, later) {
            (Some(earlier), Some(later)) => Some(nearer(earlier, later)),
            (found, None) | (None, found) => found,
        }
    }
}
