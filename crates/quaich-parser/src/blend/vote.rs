//! Trees of several parsers become one: every arc that any of them proposes is worth the votes of those who propose it,
//! and the tree that is worth most is taken (Sagae and Lavie 2006, Hall et al. 2007).

use quaich_treebank::{Label, Node, Tree};
use serde::{Deserialize, Serialize};

use super::spanning_tree::{Candidates, Roots, SpanningTrees, Weight};

/// When labels are voted on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LabelVote {
    /// With the arcs, as in the papers: the same arc with two labels is two proposals.
    #[default]
    Together,
    /// After the arcs, among those who propose the arc that won.
    Afterwards,
}

/// How a vote is held.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Rules {
    /// When labels are voted on.
    pub labels: LabelVote,
    /// Whether one token is below the root.
    pub single_root: bool,
}

/// An arc into a token that was proposed.
#[derive(Clone, Copy, Debug)]
struct Proposal {
    head: Node,
    label: Label,
    votes: Weight,
    /// Whoever proposed it first.
    first: usize,
}

impl Proposal {
    /// Whether it wins against another one: by votes, then by who proposed it.
    fn beats(&self, other: &Self) -> bool {
        (self.votes, other.first) > (other.votes, self.first)
    }
}

/// Holds votes; reused from sentence to sentence.
#[derive(Debug, Default)]
pub struct Vote {
    /// All proposals, token after token.
    proposals: Vec<Proposal>,
    /// By node: where its proposals end.
    ends: Vec<usize>,
    /// By node: the votes of all who could vote.
    cast: Vec<Weight>,
    /// Of the token at hand: its heads, each once.
    heads_proposed: Vec<Proposal>,
    candidates: Candidates,
    spanning_trees: SpanningTrees,
    heads: Vec<Node>,
    support: Vec<f32>,
}

impl Vote {
    /// Makes one tree of several of the same tokens. `weight` says what a vote on a token counts, given the number of the tree.
    ///
    /// Trees may be incomplete or have cycles: what they have is voted on, and where that is not enough for a tree, tokens are put
    /// below the root or their neighbours. Trees that win by the same number of votes are told apart by whose arcs they
    /// are made of: those of earlier trees are preferred.
    pub fn hold(
        &mut self,
        rules: Rules,
        trees: &[Tree],
        weight: impl Fn(usize, Node) -> u32,
        winner: &mut Tree,
    ) {
        let n_tokens = trees.first().map_or(0, Tree::n_tokens);
        self.collect(trees, n_tokens, weight);
        self.nominate(rules.labels, n_tokens, trees.len());
        let roots = if rules.single_root { Roots::One } else { Roots::Any };
        let is_tree = self.spanning_trees.find(&self.candidates, roots, &mut self.heads);
        let n_roots = || self.heads.iter().filter(|head| head.is_root()).count();
        if !is_tree || (rules.single_root && n_roots() > 1) {
            self.nominate_others(n_tokens);
            self.spanning_trees.find(&self.candidates, roots, &mut self.heads);
        }
        self.elect(n_tokens, winner);
    }

    /// By node: the part of the votes that its arc with its label had in the vote held last; entry 0 means nothing.
    pub fn support(&self) -> &[f32] {
        &self.support
    }

    /// The heads that were proposed for a token in the vote held last, each with its part of the votes for any.
    pub fn heads(&self, token: Node) -> impl Iterator<Item = (Node, f32)> {
        let proposals = self.proposals(token);
        let all: Weight = proposals.iter().map(|proposal| proposal.votes).sum();
        let is_first = |at: usize| proposals[..at].iter().all(|before| before.head != proposals[at].head);
        let share = move |head: Node| {
            let votes: Weight = proposals
                .iter()
                .filter(|proposal| proposal.head == head)
                .map(|proposal| proposal.votes)
                .sum();
            #[allow(clippy::cast_precision_loss, reason = "a part of a small number")]
            let share = votes as f32 / all.max(1) as f32;
            share
        };
        let heads = (0..proposals.len()).filter(move |&at| is_first(at)).map(|at| proposals[at].head);
        heads.map(move |head| (head, share(head)))
    }

    /// Takes down who proposes what.
    fn collect(&mut self, trees: &[Tree], n_tokens: usize, weight: impl Fn(usize, Node) -> u32) {
        self.proposals.clear();
        self.ends.clear();
        self.ends.push(0);
        self.cast.clear();
        self.cast.push(0);
        for token in (1..=n_tokens).map(Node::from_index) {
            let start = self.proposals.len();
            let mut cast = 0;
            for (first, tree) in trees.iter().enumerate() {
                let (head, label, votes) =
                    (tree.head(token), tree.label(token), Weight::from(weight(first, token)));
                cast += votes;
                if head.index() > n_tokens || head == token {
                    continue;
                }
                let mut known = self.proposals[start..].iter_mut();
                match known.find(|proposal| (proposal.head, proposal.label) == (head, label)) {
                    Some(proposal) => proposal.votes += votes,
                    None => self.proposals.push(Proposal { head, label, votes, first }),
                }
            }
            self.ends.push(self.proposals.len());
            self.cast.push(cast);
        }
    }

    fn proposals(&self, token: Node) -> &[Proposal] {
        &self.proposals[self.ends[token.index() - 1]..self.ends[token.index()]]
    }

    /// Makes candidates of the proposals.
    fn nominate(&mut self, labels: LabelVote, n_tokens: usize, n_trees: usize) {
        // Who proposed an arc counts less than any vote, in all tokens together.
        let apart = (n_tokens * n_trees + 1) as Weight;
        self.candidates.reset(n_tokens);
        let mut heads = std::mem::take(&mut self.heads_proposed);
        for token in (1..=n_tokens).map(Node::from_index) {
            heads.clear();
            for proposal in self.proposals(token) {
                match heads.iter_mut().find(|known: &&mut Proposal| known.head == proposal.head) {
                    None => heads.push(*proposal),
                    Some(known) if labels == LabelVote::Afterwards => known.votes += proposal.votes,
                    Some(known) if proposal.beats(known) => *known = *proposal,
                    Some(_) => {}
                }
            }
            for &Proposal { head, votes, first, .. } in &heads {
                self.candidates.push(token, head, votes * apart + (n_trees - first) as Weight);
            }
        }
        self.heads_proposed = heads;
    }

    /// Adds arcs that nobody proposes, so that there is a tree, and one with one root: each costs more than all others are
    /// worth.
    fn nominate_others(&mut self, n_tokens: usize) {
        let cost = self.candidates.spread() + self.candidates.highest();
        for token in 1..=n_tokens {
            for head in [0, token - 1, token + 1] {
                if head <= n_tokens {
                    self.candidates.push(Node::from_index(token), Node::from_index(head), -cost);
                }
            }
        }
    }

    /// Gives every token its head and the label with most votes: among those who propose the arc, or among all where nobody does.
    fn elect(&mut self, n_tokens: usize, winner: &mut Tree) {
        winner.reset(n_tokens);
        self.support.clear();
        self.support.push(0.0);
        for token in (1..=n_tokens).map(Node::from_index) {
            let head = self.heads[token.index()];
            let best = |of_arc: bool| {
                let proposals =
                    self.proposals(token).iter().filter(|proposal| !of_arc || proposal.head == head);
                proposals.fold(None, |best: Option<&Proposal>, proposal| match best {
                    Some(best) if !proposal.beats(best) => Some(best),
                    _ => Some(proposal),
                })
            };
            let votes = best(true).map_or(0, |proposal| proposal.votes);
            let label = best(true).or_else(|| best(false)).map_or(Label::NONE, |proposal| proposal.label);
            winner.set(token, head, label);
            #[allow(clippy::cast_precision_loss, reason = "a part of a small number")]
            let support = votes as f32 / self.cast[token.index()].max(1) as f32;
            self.support.push(support);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tree(arcs: &[(u32, u32)]) -> Tree {
        let mut tree = Tree::new(arcs.len());
        for (token, &(head, label)) in (1..).zip(arcs) {
            tree.set(Node(token), Node(head), Label(label));
        }
        tree
    }

    fn vote(rules: Rules, trees: &[Tree], weights: &[u32]) -> Tree {
        let mut winner = Tree::default();
        Vote::default().hold(rules, trees, |tree, _| weights[tree], &mut winner);
        winner
    }

    fn single_root() -> Rules {
        Rules { single_root: true, ..Rules::default() }
    }

    const AFTERWARDS: Rules = Rules { labels: LabelVote::Afterwards, single_root: false };

    #[test]
    fn most_votes_win() {
        let trees = [tree(&[(2, 1), (0, 0)]), tree(&[(2, 2), (0, 0)]), tree(&[(2, 2), (0, 0)])];
        assert_eq!(vote(Rules::default(), &trees, &[1, 1, 1]), trees[1]);
        assert_eq!(vote(Rules::default(), &trees, &[3, 1, 1]), trees[0]);
        // Of equal ones the earlier.
        assert_eq!(vote(Rules::default(), &trees, &[2, 1, 1]), trees[0]);
    }

    /// Three propose the arc 2 → 1, with three labels; two the arc 3 → 1, with one.
    #[test]
    fn labels_together_and_afterwards() {
        let rest = [(0, 0), (2, 9)];
        let of = |first: (u32, u32)| tree(&[first, rest[0], rest[1]]);
        let trees = [of((2, 1)), of((2, 2)), of((2, 3)), of((3, 4)), of((3, 4))];
        assert_eq!(vote(Rules::default(), &trees, &[1; 5]), trees[3]);
        assert_eq!(vote(AFTERWARDS, &trees, &[1; 5]), trees[0]);
        assert_eq!(vote(AFTERWARDS, &trees, &[1, 1, 2, 1, 1]), trees[2]);
    }

    /// Every arc has a majority, and together they make a cycle.
    #[test]
    fn a_majority_that_is_no_tree() {
        let trees = [tree(&[(2, 0), (0, 0)]), tree(&[(0, 0), (1, 0)]), tree(&[(2, 0), (1, 0)])];
        let winner = vote(Rules::default(), &trees, &[1, 1, 1]);
        assert!(winner.is_well_formed());
        assert_eq!(winner, trees[0]);
        assert_eq!(vote(Rules::default(), &trees, &[1, 2, 1]), trees[1]);
    }

    #[test]
    fn what_there_is_is_voted_on() {
        let mut partial = Tree::new(3);
        partial.set(Node(2), Node(1), Label(5));
        let winner = vote(Rules::default(), &[partial.clone()], &[1]);
        assert!(winner.is_well_formed());
        assert_eq!((winner.head(Node(2)), winner.label(Node(2))), (Node(1), Label(5)));
        assert_eq!(winner.label(Node(3)), Label::NONE);
        let one_root = vote(single_root(), &[partial], &[1]);
        assert_eq!(one_root.heads()[1..].iter().filter(|head| head.is_root()).count(), 1);
        assert_eq!(one_root.head(Node(2)), Node(1));
        assert_eq!(vote(single_root(), &[], &[]), Tree::new(0));
    }

    #[test]
    fn support_is_a_part_of_the_votes() {
        let trees = [tree(&[(2, 1), (0, 0)]), tree(&[(2, 2), (0, 0)]), tree(&[(2, 2), (0, 0)])];
        let mut held = Vote::default();
        held.hold(Rules::default(), &trees, |tree, _| [2, 1, 1][tree], &mut Tree::default());
        assert_eq!(held.support()[1..], [0.5, 1.0]);
    }

    fn any_trees() -> impl Strategy<Value = Vec<Tree>> {
        (1_u32..8, 1_usize..5).prop_flat_map(|(n_tokens, n_trees)| {
            let arc = (0..=n_tokens + 1, 0_u32..3);
            let arcs = proptest::collection::vec(arc, n_tokens as usize);
            let whole = move |arcs: Vec<(u32, u32)>| {
                let mut tree = Tree::new(arcs.len());
                for (token, (head, label)) in (1..).zip(arcs).filter(|(_, (head, _))| *head <= n_tokens) {
                    tree.set(Node(token), Node(head), Label(label));
                }
                tree
            };
            proptest::collection::vec(arcs.prop_map(whole), n_trees)
        })
    }

    proptest! {
        /// Whatever the trees are, what comes of them is one; and a tree that all agree on stays.
        #[test]
        fn there_is_always_a_tree(trees in any_trees(), afterwards: bool, single_root: bool) {
            let labels = if afterwards { LabelVote::Afterwards } else { LabelVote::Together };
            let rules = Rules { labels, single_root };
            let weights = vec![1; trees.len()];
            let winner = vote(rules, &trees, &weights);
            prop_assert!(winner.is_well_formed());
            let n_roots = winner.heads()[1..].iter().filter(|head| head.is_root()).count();
            prop_assert!(!single_root || n_roots == 1);
            let twice = [winner.clone(), winner.clone(), trees[0].clone()];
            if trees[0].is_well_formed() {
                prop_assert_eq!(vote(rules, &twice, &[1; 3]), winner);
            }
        }
    }
}
