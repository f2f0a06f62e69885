//! The projective order `<_G`: the order in which an inorder traversal from node 0 visits the nodes, a
//! node's left children first, then the node, then its right children (Nivre, 2009). In this
//! order the tree is projective, and it is the sentence's own order iff the tree is projective.

use super::skeleton::Skeleton;
use crate::tree::Node;

/// The projective order of a tree.
#[derive(Clone, Default, Debug)]
pub(super) struct ProjectiveOrder {
    /// The place of each node in the order.
    places: Vec<u32>,
}

impl ProjectiveOrder {
    /// The place of each node; node 0 comes first.
    pub(super) fn fill(&mut self, skeleton: &Skeleton) -> &[u32] {
        self.places.clear();
        self.places.resize(skeleton.n_tokens() + 1, 0);
        // Until a node is visited, its entry holds where its subtree begins.
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

/// The nodes in an order given by their places.
pub fn nodes_in_order(places: &[u32]) -> Vec<Node> {
    let mut nodes = vec![Node::ROOT; places.len()];
    for (node, &place) in places.iter().enumerate() {
        nodes[place as usize] = Node::from_index(node);
    }
    nodes
}
