//! The projective order `<_G`: the order of an inorder traversal from node 0, that is, of a node's left children first,
//! then the node, then its right children (Nivre, 2009). The tree is projective in this order, and the order is that of
//! the sentence iff the tree is projective.

use super::skeleton::Skeleton;
use crate::tree::Node;

/// The projective order of a tree.
#[derive(Clone, Default, Debug)]
pub(super) struct ProjectiveOrder {
    /// The position of each node in the order.
    places: Vec<u32>,
}

impl ProjectiveOrder {
    /// Returns the position of each node; node 0 is first.
    pub(super) fn fill(&mut self, skeleton: &Skeleton) -> &[u32] {
        self.places.clear();
        self.places.resize(skeleton.n_tokens() + 1, 0);
        // Until a node is visited, its entry is the start of its subtree.
        for &node in skeleton.preorder() {
            let mut place = self.places[node.index()];
            let children = skeleton.children(node);
            let (left, right) = children.split_at(children.partition_point(|&child| child < node));
            for &child in left {
                self.places[child.index()] = place;
                place += skeleton.size(child);
            }
            self.places[node.index()] = place;
            place += 1;
            for &child in right {
                self.places[child.index()] = place;
                place += skeleton.size(child);
            }
        }
        &self.places
    }
}

/// Returns the nodes in the order of their positions.
pub fn nodes_in_order(places: &[u32]) -> Vec<Node> {
    let mut nodes = vec![Node::ROOT; places.len()];
    for (node, &place) in places.iter().enumerate() {
        nodes[place as usize] = Node::from_index(node);
    }
    nodes
}
