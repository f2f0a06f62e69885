//! Right-to-left parsing (2007): the tokens are reversed before parsing and restored afterwards.
//!
//! This applies to trees and sentences, not to configurations: token x becomes token n + 1 − x, and the system sees an
//! ordinary sentence.

use quaich_treebank::tree::{Node, Tree};

/// Returns the position of a node in the reversed sentence; node 0 and `Node::NONE` are unchanged.
#[inline]
pub fn mirrored(node: Node, n_tokens: usize) -> Node {
    if node.is_root() || node.is_none() { node } else { Node::from_index(n_tokens + 1 - node.index()) }
}

/// Returns the tree of the reversed sentence. Applied twice, this is the identity.
pub fn mirror(tree: &Tree) -> Tree {
    let n = tree.n_tokens();
    let mut reversed = Tree::new(n);
    for token in tree.tokens() {
        reversed.set(mirrored(token, n), mirrored(tree.head(token), n), tree.label(token));
    }
    reversed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twice_is_the_identity() {
        let tree = Tree::from_heads(&[2, 0, 2, u32::MAX, 4]);
        assert_eq!(mirror(&tree), Tree::from_heads(&[2, u32::MAX, 4, 0, 4]));
        assert_eq!(mirror(&mirror(&tree)), tree);
    }
}
