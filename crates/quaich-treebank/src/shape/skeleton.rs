//! The heads of a well-formed tree and what follows from them: children in order, dominance and subtree sizes. All
//! measures of shape read a skeleton, so none has to check that its input is a tree.

use std::iter;

use crate::tree::{Node, Tree};

/// The error for a tree with a token that does not reach the root.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("some token does not reach the root")]
pub struct IllFormed;

/// A well-formed tree, read from its heads. Starts as the tree without tokens and can be refilled without allocating.
#[derive(Clone, Debug)]
pub struct Skeleton {
    /// Indexed by node; entry 0 is `Node::NONE`.
    heads: Vec<Node>,
    /// The start of each node's children in `children`; one entry more than nodes.
    starts: Vec<u32>,
    /// The children of node 0 in order, then those of node 1, and so on.
    children: Vec<Node>,
    /// Every node before its descendants, children from left to right.
    preorder: Vec<Node>,
    /// The position of each node in `preorder`.
    entered: Vec<u32>,
    /// The number of nodes that each node dominates, including itself.
    sizes: Vec<u32>,
    /// Nodes still to be visited.
    pending: Vec<Node>,
}

impl Default for Skeleton {
    fn default() -> Self {
        let mut skeleton = Self {
            heads: Vec::new(),
            starts: Vec::new(),
            children: Vec::new(),
            preorder: Vec::new(),
            entered: Vec::new(),
            sizes: Vec::new(),
            pending: Vec::new(),
        };
        skeleton.clear();
        skeleton
    }
}

impl Skeleton {
    /// Reads a tree. After an error, the skeleton has no tokens.
    pub fn fill(&mut self, tree: &Tree) -> Result<(), IllFormed> {
        self.fill_heads(tree.heads())
    }

    /// Like [`fill`](Self::fill), from the heads by node; entry 0 is ignored, and may be missing in a tree without
    /// tokens.
    pub fn fill_heads(&mut self, heads: &[Node]) -> Result<(), IllFormed> {
        let found = self.fill_from_heads(heads);
        if found.is_err() {
            self.clear();
        }
        found
    }

    /// Returns the number of tokens.
    pub fn n_tokens(&self) -> usize {
        self.heads.len() - 1
    }

    /// Iterates over the tokens 1 to n.
    pub fn tokens(&self) -> impl DoubleEndedIterator<Item = Node> + ExactSizeIterator + use<> {
        (1..self.heads.len()).map(Node::from_index)
    }

    /// Returns the heads by node; entry 0 is `Node::NONE`.
    pub fn heads(&self) -> &[Node] {
        &self.heads
    }

    /// Returns the head of a node, `Node::NONE` for the root.
    pub fn head(&self, node: Node) -> Node {
        self.heads[node.index()]
    }

    /// Returns the children of a node from left to right.
    pub fn children(&self, node: Node) -> &[Node] {
        &self.children[self.starts[node.index()] as usize..self.starts[node.index() + 1] as usize]
    }

    /// Returns every node before its descendants, with children from left to right: a node and the nodes it dominates
    /// are contiguous.
    pub fn preorder(&self) -> &[Node] {
        &self.preorder
    }

    /// Returns the position of a node in [`preorder`](Self::preorder).
    pub fn entered(&self, node: Node) -> u32 {
        self.entered[node.index()]
    }

    /// Returns the number of nodes that a node dominates, including itself.
    pub fn size(&self, node: Node) -> u32 {
        self.sizes[node.index()]
    }

    /// Returns a node and all nodes it dominates, the node first.
    pub fn subtree(&self, node: Node) -> &[Node] {
        let start = self.entered(node) as usize;
        &self.preorder[start..start + self.size(node) as usize]
    }

    /// Whether `above` →* `below`: the same node or an ancestor.
    pub fn dominates(&self, above: Node, below: Node) -> bool {
        self.entered(below).wrapping_sub(self.entered(above)) < self.size(above)
    }

    /// Iterates over the arcs whose left end is `node`, longest first, as right end and dependent.
    pub(super) fn arcs_to_the_right(&self, node: Node) -> impl Iterator<Item = (Node, Node)> {
        let children = self.children(node);
        let head = Some(self.head(node)).filter(|&head| head.is_some() && head > node);
        let right = &children[children.partition_point(|&child| child < node)..];
        let (near, far) = right.split_at(head.map_or(0, |head| right.partition_point(|&child| child < head)));
        let far = far.iter().rev().map(|&child| (child, child));
        let near = near.iter().rev().map(|&child| (child, child));
        far.chain(head.map(|head| (head, node))).chain(near)
    }

    fn clear(&mut self) {
        self.fill_from_heads(&[Node::NONE]).expect("the tree without tokens is well-formed");
    }

    fn fill_from_heads(&mut self, heads: &[Node]) -> Result<(), IllFormed> {
        let heads = heads.get(1..).unwrap_or_default();
        let n_nodes = heads.len() + 1;
        if heads.iter().any(|head| head.index() >= n_nodes) {
            return Err(IllFormed);
        }
        self.heads.clear();
        self.heads.push(Node::NONE);
        self.heads.extend_from_slice(heads);
        self.count_children();
        self.place_children();

        self.preorder.clear();
        self.entered.clear();
        self.entered.resize(n_nodes, 0);
        self.pending.clear();
        self.pending.push(Node::ROOT);
        let mut place = 0;
        while let Some(node) = self.pending.pop() {
            self.entered[node.index()] = place;
            place += 1;
            self.preorder.push(node);
            let children = self.starts[node.index()] as usize..self.starts[node.index() + 1] as usize;
            self.pending.extend(self.children[children].iter().rev());
        }
        // Tokens on or below a cycle were not reached.
        if self.preorder.len() < n_nodes {
            return Err(IllFormed);
        }
        self.sizes.clear();
        self.sizes.extend(iter::repeat_n(1, n_nodes));
        for &node in self.preorder[1..].iter().rev() {
            self.sizes[self.heads[node.index()].index()] += self.sizes[node.index()];
        }
        Ok(())
    }

    /// Leaves in `starts[node]` the end of the children of the previous node.
    fn count_children(&mut self) {
        self.starts.clear();
        self.starts.resize(self.heads.len() + 1, 0);
        for head in &self.heads[1..] {
            self.starts[head.index() + 1] += 1;
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
    }

    /// Puts the children in place, from the last token to the first.
    fn place_children(&mut self) {
        self.children.clear();
        self.children.resize(self.heads.len() - 1, Node::ROOT);
        // `starts[head + 1]` is the end of the head's children; moving it down to their start leaves the array one
        // entry too far to the right, so it is shifted back at the end.
        for token in self.tokens().rev() {
            let head = self.heads[token.index()].index();
            self.starts[head + 1] -= 1;
            self.children[self.starts[head + 1] as usize] = token;
        }
        self.starts.copy_within(1.., 0);
        let n_children = Node::from_index(self.children.len());
        *self.starts.last_mut().expect("there is always a root") = n_children.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skeleton(heads: &[u32]) -> Result<Skeleton, IllFormed> {
        let mut skeleton = Skeleton::default();
        skeleton.fill(&Tree::from_heads(heads)).map(|()| skeleton)
    }

    #[test]
    fn children_are_in_order_and_dominance_is_reflexive_and_transitive() {
        let skeleton = skeleton(&[2, 0, 2, 3, 2]).unwrap();
        assert_eq!(skeleton.children(Node(0)), [Node(2)]);
        assert_eq!(skeleton.children(Node(2)), [Node(1), Node(3), Node(5)]);
        assert_eq!(skeleton.children(Node(5)), []);
        assert_eq!(skeleton.preorder().iter().map(|n| n.0).collect::<Vec<_>>(), [0, 2, 1, 3, 4, 5]);
        assert_eq!(skeleton.subtree(Node(3)), [Node(3), Node(4)]);
        assert!(skeleton.dominates(Node(2), Node(2)));
        assert!(skeleton.dominates(Node(2), Node(4)));
        assert!(skeleton.dominates(Node(0), Node(4)));
        assert!(!skeleton.dominates(Node(3), Node(5)));
        assert!(!skeleton.dominates(Node(3), Node(2)));
    }

    #[test]
    fn arcs_to_the_right_are_longest_first() {
        let skeleton = skeleton(&[3, 1, 0, 1, 1]).unwrap();
        let arcs: Vec<_> = skeleton.arcs_to_the_right(Node(1)).map(|(end, dep)| (end.0, dep.0)).collect();
        assert_eq!(arcs, [(5, 5), (4, 4), (3, 1), (2, 2)]);
    }

    #[test]
    fn what_is_no_tree_leaves_an_empty_skeleton() {
        for heads in [&[2, 1][..], &[1], &[0, 3], &[u32::MAX], &[0, 3, 4, 2, 2]] {
            let mut filled = skeleton(&[0, 1, 2]).unwrap();
            assert_eq!(filled.fill(&Tree::from_heads(heads)), Err(IllFormed));
            assert_eq!(filled.n_tokens(), 0);
            assert_eq!(filled.children(Node::ROOT), []);
        }
    }
}
