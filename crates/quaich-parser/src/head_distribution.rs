//! What a teacher thinks of the heads of a sentence: how the votes of an ensemble fell.

use quaich_treebank::Node;

use crate::ensemble::Vote;

/// What a teacher thinks of the heads of a sentence's tokens: heads with their parts of the votes.
#[derive(Clone, PartialEq, Debug)]
pub struct HeadDistribution {
    shares: Vec<(Node, f32)>,
    /// By token: where its shares end.
    ends: Vec<usize>,
}

impl HeadDistribution {
    /// How a vote on so many tokens fell.
    pub(crate) fn of(vote: &Vote, n_tokens: usize) -> Self {
        let mut opinion = Self { shares: Vec::new(), ends: Vec::new() };
        for token in (1..=n_tokens).map(Node::from_index) {
            opinion.shares.extend(vote.heads(token));
            opinion.ends.push(opinion.shares.len());
        }
        opinion
    }

    /// How many tokens the sentence has.
    pub(crate) fn n_tokens(&self) -> usize {
        self.ends.len()
    }

    /// Appends the places of a node's heads with their shares; nothing for the root.
    pub(crate) fn shares(&self, node: Node, into: &mut Vec<(u32, f32)>) {
        let Some(token) = node.index().checked_sub(1) else { return };
        let start = token.checked_sub(1).map_or(0, |before| self.ends[before]);
        let shares = &self.shares[start..self.ends[token]];
        into.extend(shares.iter().map(|&(head, share)| (head.0, share)));
    }
}

#[cfg(test)]
mod tests {
    use quaich_treebank::Tree;

    use super::*;
    use crate::ensemble::Rules;

    /// Two of three votes for one head, one for another.
    #[test]
    fn votes_become_shares() {
        let trees = [[2, 0, 2], [2, 0, 2], [3, 0, 2]].map(|heads| Tree::from_heads(&heads));
        let mut vote = Vote::default();
        vote.hold(Rules::default(), &trees, |_, _| 1, &mut Tree::default());
        let shares = HeadDistribution::of(&vote, 3);
        let of = |node: u32| {
            let mut found = Vec::new();
            shares.shares(Node(node), &mut found);
            found.into_iter().map(|(head, share)| format!("{head} {share:.2}")).collect::<Vec<_>>().join(", ")
        };
        assert_eq!([0, 1, 2, 3].map(of), ["", "2 0.67, 3 0.33", "0 1.00", "2 1.00"]);
    }
}
