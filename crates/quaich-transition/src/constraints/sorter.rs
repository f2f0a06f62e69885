//! An order of the tokens in which the given arcs of a partial tree do not cross, close to that of the sentence: it *is*
//! that of the sentence if they do not cross there.

use quaich_treebank::symbols::Label;
use quaich_treebank::tree::{Node, Tree};

use crate::configuration::RootPosition;
use crate::gold::Gold;

/// Sorts tokens into the projective order of a whole tree with the given arcs. A token without a given head gets the
/// head of the shortest given arc that covers it.
#[derive(Clone, Debug, Default)]
pub(super) struct Sorter {
    gold: Gold,
    tree: Tree,
    /// Given arcs as their first and last node and their head, by their first node, longer ones first.
    arcs: Vec<(u32, u32, Node)>,
    /// The arcs that cover a token, the shortest last.
    covering: Vec<(u32, Node)>,
}

impl Sorter {
    /// Appends the places of all nodes, by node.
    pub(super) fn sort(&mut self, given: &Tree, root: RootPosition, order: &mut Vec<u32>) {
        self.tree.clone_from(given);
        let between_tokens = given.arcs().filter(|arc| !arc.head.is_root());
        let span = |head: Node, dependent: Node| (head.0.min(dependent.0), head.0.max(dependent.0), head);
        self.arcs.clear();
        self.arcs.extend(between_tokens.map(|arc| span(arc.head, arc.dependent)));
        self.arcs.sort_unstable_by_key(|&(first, last, _)| (first, std::cmp::Reverse(last)));
        self.covering.clear();
        let mut opening = 0;
        for token in given.tokens() {
            while self.covering.pop_if(|(last, _)| *last <= token.0).is_some() {}
            if given.head(token).is_none()
                && let Some(&(_, head)) = self.covering.last()
                && !self.dominates(token, head)
            {
                self.tree.set(token, head, Label::NONE);
            }
            while let Some(&(_, last, head)) = self.arcs.get(opening).filter(|arc| arc.0 <= token.0) {
                self.covering.push((last, head));
                opening += 1;
            }
        }
        self.gold.read(&self.tree, root);
        self.gold.compute_order();
        order.extend((0..=given.n_tokens()).map(|node| self.gold.order(Node::from_index(node))));
    }

    fn dominates(&self, node: Node, other: Node) -> bool {
        let mut above = other;
        while above.is_some() && !above.is_root() && above != node {
            above = self.tree.head(above);
        }
        above == node
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the tokens in order; `-` is an unknown head.
    fn check(heads: &str, expected: &[u32]) {
        let heads: Vec<u32> = heads.split(' ').map(|head| head.parse().unwrap_or(u32::MAX)).collect();
        let mut order = Vec::new();
        Sorter::default().sort(&Tree::from_heads(&heads), RootPosition::End, &mut order);
        let mut tokens: Vec<u32> = (1..).take(heads.len()).collect();
        tokens.sort_by_key(|token| order[*token as usize]);
        assert_eq!(tokens, expected);
    }

    #[test]
    fn arcs_that_do_not_cross_change_nothing() {
        check("- - 2 1", &[1, 2, 3, 4]);
        check("2 - 5 - -", &[1, 2, 3, 4, 5]);
        check("- - -", &[1, 2, 3]);
    }

    #[test]
    fn crossing_arcs_are_separated() {
        check("- - 1 2", &[1, 2, 4, 3]);
        check("2 0 1", &[1, 3, 2]);
        check("4 - - - 2", &[1, 2, 3, 5, 4]);
    }
}
