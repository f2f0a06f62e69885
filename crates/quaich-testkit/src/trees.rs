//! All small trees.

use quaich_treebank::symbols::Label;
use quaich_treebank::tree::{Node, Tree};

/// Calls `visit` with every well-formed tree over `n_tokens` tokens, (n + 1)ⁿ⁻¹ of them, in the order of their heads
/// read as a number. Trees may have several roots.
pub fn for_each_tree(n_tokens: u32, mut visit: impl FnMut(&Tree)) {
    let mut tree = Tree::from_heads(&vec![0; n_tokens as usize]);
    loop {
        if tree.is_well_formed() {
            visit(&tree);
        }
        // Count up: the last token whose head is not the largest gets the next one.
        let Some(token) = tree.tokens().rev().find(|&token| tree.head(token).0 < n_tokens) else { return };
        tree.set(token, Node(tree.head(token).0 + 1), Label::NONE);
        for after in (token.0 + 1..=n_tokens).map(Node) {
            tree.set(after, Node::ROOT, Label::NONE);
        }
    }
}

/// Returns the tree of a Prüfer sequence: with n − 1 numbers from 0 to n for n tokens, each tree has exactly one
/// sequence. Numbers are taken modulo n + 1. The empty sequence is the tree with one token.
///
/// # Panics
/// Never: a tree always has a leaf.
pub fn from_pruefer(sequence: &[u32]) -> Tree {
    let n_tokens = sequence.len() + 1;
    let n_nodes = Node::from_index(n_tokens + 1).0;
    let mut degree = vec![1u32; n_tokens + 1];
    for number in sequence {
        degree[(number % n_nodes) as usize] += 1;
    }
    // Adjacency in the undirected tree. The smallest leaf other than the root is always joined first.
    let mut heads = vec![0; n_tokens];
    for number in sequence {
        let neighbour = (number % n_nodes) as usize;
        let leaf = (1..=n_tokens).find(|&node| degree[node] == 1).expect("a tree has two leaves");
        heads[leaf - 1] = Node::from_index(neighbour).0;
        degree[leaf] = 0;
        degree[neighbour] -= 1;
    }
    // The remaining token is attached to the root, as its entry says.
    Tree::from_heads(&heads)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn there_are_as_many_trees_as_cayley_says() {
        for (n_tokens, expected) in [(0, 1), (1, 1), (2, 3), (3, 16), (4, 125), (5, 1296)] {
            let mut count = 0;
            for_each_tree(n_tokens, |_| count += 1);
            assert_eq!(count, expected);
        }
    }

    #[test]
    fn each_pruefer_sequence_is_another_tree() {
        let mut seen = BTreeSet::new();
        for number in 0..5 * 5 * 5 {
            let tree = from_pruefer(&[number % 5, number / 5 % 5, number / 25]);
            assert!(tree.is_well_formed());
            assert!(seen.insert(tree.heads().to_vec()));
        }
        assert_eq!(seen.len(), 125);
    }
}
