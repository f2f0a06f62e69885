//! Gap degree: the number of gaps in the projection of a node.

use super::skeleton::Skeleton;
use crate::tree::Node;

/// The gap degrees of all nodes of a tree.
#[derive(Clone, Default, Debug)]
pub(super) struct Gaps {
    degrees: Vec<u32>,
    /// The number of pairs of adjacent tokens below each node.
    pairs: Vec<u32>,
    /// Union-find towards the lowest unfinished ancestor.
    unfinished: Vec<Node>,
}

impl Gaps {
    /// Returns the gap degree of each node.
    ///
    /// The projection of v has as many blocks as tokens, minus one per pair of adjacent tokens k, k + 1 in it; such a
    /// pair is in the projection iff its lowest common ancestor is. Nodes are finished bottom-up; when one token of a
    /// pair is reached and the other was finished before, the lowest unfinished ancestor of the other is the common one
    /// (Tarjan, 1979).
    pub(super) fn fill(&mut self, skeleton: &Skeleton) -> &[u32] {
        let n = skeleton.n_tokens();
        self.degrees.clear();
        self.degrees.resize(n + 1, 0);
        self.pairs.clear();
        self.pairs.resize(n + 1, 0);
        self.unfinished.clear();
        self.unfinished.extend((0..=n).map(Node::from_index));
        for &node in skeleton.preorder()[1..].iter().rev() {
            let (left, right) = (node.0 - 1, node.0 + 1);
            for neighbour in [left, right].map(Node) {
                let is_token = !neighbour.is_root() && neighbour.index() <= n;
                if is_token && skeleton.entered(neighbour) > skeleton.entered(node) {
                    let common = self.lowest_unfinished(neighbour);
                    self.pairs[common.index()] += 1;
                }
            }
            let head = skeleton.head(node);
            let pairs = self.pairs[node.index()];
            self.degrees[node.index()] = skeleton.size(node) - pairs - 1;
            self.pairs[head.index()] += pairs;
            self.unfinished[node.index()] = head;
        }
        &self.degrees
    }

    fn lowest_unfinished(&mut self, mut node: Node) -> Node {
        loop {
            let above = self.unfinished[node.index()];
            if above == node {
                return node;
            }
            self.unfinished[node.index()] = self.unfinished[above.index()];
            node = above;
        }
    }
}
