//! A teacher's probability distributions over heads, from the votes of an ensemble: soft targets for a student.

use quaich_treebank::Node;

use crate::ensemble::Vote;

/// Per token of a sentence, a distribution over its heads: each head's share of the votes.
#[derive(Clone, PartialEq, Debug)]
pub struct HeadDistribution {
    shares: Vec<(Node, f32)>,
    /// The end of each token's shares.
    ends: Vec<usize>,
}

impl HeadDistribution {
    /// The distributions of a vote on `n_tokens` tokens.
    pub(crate) fn of(vote: &Vote, n_tokens: usize) -> Self {
        let mut opinion = Self { shares: Vec::new(), ends: Vec::new() };
        for token in (1..=n_tokens).map(Node::from_index) {
            opinion.shares.extend(vote.heads(token));
            opinion.ends.push(opinion.shares.len());
        }
        opinion
    }

    /// The number of tokens.
    pub(crate) fn n_tokens(&self) -> usize {
        self.ends.len()
    }

    /// Appends the heads of a node with their shares; nothing for the root.
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
