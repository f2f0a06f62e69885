//! The given arcs in a finished tree: arcs that the parse does not have replace others.

use quaich_treebank::tree::{Node, Tree};

/// Puts the given arcs into a tree, and changes no more of it than they need; returns the number of tokens whose given
/// head was missing. A tree that has all given arcs is not changed, apart from given labels.
///
/// If a token's new head is one of its descendants, the nearest of these whose own head is not given takes the token's
/// place. With `single_root`, a root that is not given becomes a dependent of the given one.
///
/// The given heads must not form a cycle, and the tree must be well-formed.
pub fn complete(tree: &mut Tree, given: &Tree, single_root: bool) -> usize {
    let mut n_missing = 0;
    for token in given.tokens() {
        let (head, label) = (given.head(token), given.label(token));
        if head.is_none() {
            continue;
        }
        let label = if label.is_none() { tree.label(token) } else { label };
        if tree.head(token) != head {
            n_missing += 1;
            make_way(tree, given, token, head);
        }
        tree.set(token, head, label);
    }
    if single_root && n_missing > 0 {
        let roots: Vec<Node> = tree.tokens().filter(|token| tree.head(*token).is_root()).collect();
        let is_given = |root: &Node| given.head(*root).is_root();
        if let Some(&kept) = roots.iter().find(|root| is_given(root)).or(roots.first()) {
            for &other in roots.iter().filter(|root| **root != kept && !is_given(root)) {
                tree.set(other, kept, tree.label(other));
            }
        }
    }
    n_missing
}

/// If `head` is a descendant of `token`, gives the token's present head to a descendant on the path between them.
fn make_way(tree: &mut Tree, given: &Tree, token: Node, head: Node) {
    let mut on_path = head;
    let mut moved = Node::NONE;
    while on_path != token {
        if on_path.is_root() || on_path.is_none() {
            return;
        }
        if moved.is_none() && tree.head(on_path) != given.head(on_path) {
            moved = on_path;
        }
        on_path = tree.head(on_path);
    }
    if moved.is_some() {
        tree.set(moved, tree.head(token), tree.label(token));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNKNOWN: u32 = u32::MAX;

    /// Checks the heads of a tree with given heads, for several roots and for one.
    fn check(tree: &[u32], given: &[u32], several: &[u32], one: &[u32]) {
        for (single_root, expected) in [(false, several), (true, one)] {
            let mut found = Tree::from_heads(tree);
            let n_missing = complete(&mut found, &Tree::from_heads(given), single_root);
            assert_eq!(found, Tree::from_heads(expected));
            assert_eq!(n_missing == 0, tree == several);
        }
    }

    #[test]
    fn given_heads_replace_others() {
        check(&[2, 0, 2], &[2, UNKNOWN, 2], &[2, 0, 2], &[2, 0, 2]);
        check(&[2, 0, 2], &[UNKNOWN, UNKNOWN, 1], &[2, 0, 1], &[2, 0, 1]);
    }

    /// 0 → 1 → 2 → 3, and 1 becomes a dependent of 3: 3 takes its place, or 2 if 2 → 3 is given.
    #[test]
    fn descendants_take_the_place_of_a_token() {
        check(&[0, 1, 2], &[3, UNKNOWN, UNKNOWN], &[3, 1, 0], &[3, 1, 0]);
        check(&[0, 1, 2], &[3, UNKNOWN, 2], &[3, 0, 2], &[3, 0, 2]);
    }

    #[test]
    fn a_given_root_is_the_only_one() {
        check(&[2, 0, 2], &[0, UNKNOWN, UNKNOWN], &[0, 0, 2], &[0, 1, 2]);
        check(&[2, 0, 2], &[0, 0, UNKNOWN], &[0, 0, 2], &[0, 0, 2]);
    }
}
