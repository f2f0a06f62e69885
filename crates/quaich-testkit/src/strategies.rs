//! Strategies for random trees. All shrink towards fewer tokens and simpler choices.

use std::ops::RangeInclusive;

use proptest::collection::vec;
use proptest::prelude::*;
use quaich_treebank::symbols::Label;
use quaich_treebank::tree::{Node, Tree};

use crate::trees::from_pruefer;

/// Trees with any number of roots, uniformly distributed for a number of tokens. Most are far from projective.
pub fn any_tree(n_tokens: RangeInclusive<usize>) -> impl Strategy<Value = Tree> {
    n_tokens.prop_flat_map(|n_tokens| {
        vec(any::<u32>(), n_tokens.saturating_sub(1))
            .prop_map(move |sequence| if n_tokens == 0 { Tree::new(0) } else { from_pruefer(&sequence) })
    })
}

/// Like [`any_tree`], with one root.
pub fn single_root_tree(n_tokens: RangeInclusive<usize>) -> impl Strategy<Value = Tree> {
    let n_below = n_tokens.start().saturating_sub(1)..=n_tokens.end().saturating_sub(1);
    (any_tree(n_below), any::<u32>()).prop_map(|(below, root)| {
        // The root of `below` becomes a token at a random position.
        let n = Node::from_index(below.n_tokens()).0;
        let root = root % (n + 1) + 1;
        let renumber = |node: Node| match node.0 {
            0 => root,
            node if node < root => node,
            node => node + 1,
        };
        let mut tree = Tree::new(below.n_tokens() + 1);
        tree.set(Node(root), Node::ROOT, Label::NONE);
        for token in below.tokens() {
            tree.set(Node(renumber(token)), Node(renumber(below.head(token))), Label::NONE);
        }
        tree
    })
}

/// Projective trees with one to three roots, built by joining adjacent subtrees.
pub fn projective_tree(n_tokens: RangeInclusive<usize>) -> impl Strategy<Value = Tree> {
    n_tokens.prop_flat_map(|n_tokens| {
        let joins = vec((any::<u32>(), any::<bool>()), n_tokens.saturating_sub(1));
        (joins, 1..=3usize).prop_map(move |(joins, n_roots)| {
            let mut tree = Tree::from_heads(&vec![0; n_tokens]);
            let mut roots: Vec<Node> = tree.tokens().collect();
            for (place, leftwards) in joins {
                if roots.len() <= n_roots {
                    break;
                }
                let place = place as usize % (roots.len() - 1);
                let (left, right) = (roots[place], roots[place + 1]);
                if leftwards {
                    tree.set(left, right, Label::NONE);
                    roots.remove(place);
                } else {
                    tree.set(right, left, Label::NONE);
                    roots.remove(place + 1);
                }
            }
            tree
        })
    })
}

/// Projective trees in which up to four tokens were reattached.
pub fn nearly_projective_tree(n_tokens: RangeInclusive<usize>) -> impl Strategy<Value = Tree> {
    let moves = vec((any::<u32>(), any::<u32>()), 0..=4);
    (projective_tree(n_tokens), moves).prop_map(|(mut tree, moves)| {
        let n = Node::from_index(tree.n_tokens()).0;
        for (token, head) in moves.into_iter().filter(|_| n > 0) {
            let (token, head) = (Node(token % n + 1), Node(head % (n + 1)));
            let before = tree.head(token);
            tree.set(token, head, Label::NONE);
            if !tree.is_well_formed() {
                tree.set(token, before, Label::NONE);
            }
        }
        tree
    })
}

/// All of the above, and chains and stars with tokens in any order.
pub fn mixed_tree(n_tokens: RangeInclusive<usize>) -> impl Strategy<Value = Tree> {
    prop_oneof![
        any_tree(n_tokens.clone()),
        single_root_tree(n_tokens.clone()),
        projective_tree(n_tokens.clone()),
        nearly_projective_tree(n_tokens.clone()),
        shuffled_chain(n_tokens),
    ]
}

/// A chain from the root, with tokens in random order and some links skipped.
pub fn shuffled_chain(n_tokens: RangeInclusive<usize>) -> impl Strategy<Value = Tree> {
    n_tokens.prop_flat_map(|n_tokens| {
        let order: Vec<u32> = (1..=Node::from_index(n_tokens).0).collect();
        (Just(order).prop_shuffle(), vec(0..4usize, n_tokens)).prop_map(|(order, skips)| {
            let mut tree = Tree::new(order.len());
            for (place, (&token, skip)) in order.iter().zip(skips).enumerate() {
                // Mostly the previous token of the chain, sometimes one farther up.
                let up = if skip < 3 { 1 } else { 3 };
                let head = (place + 1).checked_sub(up + 1).map_or(0, |place| order[place]);
                tree.set(Node(token), Node(head), Label::NONE);
            }
            tree
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slow;

    proptest! {
        #[test]
        fn they_are_trees(tree in mixed_tree(0..=20)) {
            prop_assert!(tree.is_well_formed());
        }

        #[test]
        fn single_root_means_one(tree in single_root_tree(1..=20)) {
            prop_assert_eq!(tree.tokens().filter(|&token| tree.head(token).is_root()).count(), 1);
        }

        #[test]
        fn projective_means_projective(tree in projective_tree(0..=20)) {
            prop_assert_eq!(slow::nonprojective_arcs(&tree), []);
        }
    }
}
