//! Combines the trees of several parsers: each proposed arc is weighted by the votes for it, and the maximum spanning tree wins (Sagae
//! and Lavie 2006, Hall et al. 2007).

use quaich_treebank::{Label, Node, Tree};
use serde::{Deserialize, Serialize};

use super::spanning_tree::{Candidates, Roots, SpanningTrees, Weight};

/// When labels are voted on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LabelVote {
    /// Together with arcs, as in the literature: an arc with two labels counts as two proposals.
    #[default]
    Together,
    /// After arcs, among the parsers that proposed the winning arc.
    Afterwards,
}

/// The rules of a vote.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Rules {
    /// When labels are voted on.
    pub labels: LabelVote,
    /// Whether the root has exactly one child.
    pub single_root: bool,
}

/// A proposed arc into a token.
#[derive(Clone, Copy, Debug)]
struct Proposal {
    head: Node,
    label: Label,
    votes: Weight,
    /// The first tree that proposed it.
    first: usize,
}

impl Proposal {
    /// Whether it beats another proposal: by votes, then by the order of trees.
    fn beats(&self, other: &Self) -> bool {
        (self.votes, other.first) > (other.votes, self.first)
    }
}

/// Probabilistic votes: fractions of a vote for several heads of the same token.
#[derive(Clone, Debug, Default)]
pub struct HeadVotes {
    /// Indexed by node, then by head; empty if there are no such votes.
    votes: Vec<f32>,
}

impl HeadVotes {
    /// Smaller probabilities are ignored: most heads are implausible.
    const MIN_PROBABILITY: f32 = 0.05;

    /// Removes all votes, and sets the number of tokens.
    pub fn reset(&mut self, n_tokens: usize) {
        self.votes.clear();
        self.votes.resize((n_tokens + 1) * (n_tokens + 1), 0.0);
    }

    /// Adds votes: probabilities indexed by node and head, and the weight of the vote on each node.
    pub fn add(&mut self, probabilities: &[f32], weights: &[u32]) {
        let n_nodes = weights.len();
        let rows = probabilities.chunks_exact(n_nodes).zip(self.votes.chunks_exact_mut(n_nodes));
        for ((probabilities, votes), &weight) in rows.zip(weights) {
            #[allow(clippy::cast_precision_loss, reason = "it is rounded anyway")]
            let weight = weight as f32;
            for (votes, &probability) in votes.iter_mut().zip(probabilities) {
                if probability > Self::MIN_PROBABILITY {
                    *votes += weight * probability;
                }
            }
        }
    }

    /// The heads of a token with votes, and their votes.
    fn of(&self, token: Node, n_tokens: usize) -> impl Iterator<Item = (Node, Weight)> {
        let n_nodes = n_tokens + 1;
        let votes = self.votes.get(token.index() * n_nodes..(token.index() + 1) * n_nodes).unwrap_or(&[]);
        // Most heads have no votes and are skipped before rounding.
        let voted = (0..).map(Node).zip(votes).filter(move |(head, votes)| **votes >= 0.5 && *head != token);
        #[allow(clippy::cast_possible_truncation, reason = "some millions")]
        voted.map(|(head, votes)| (head, Weight::from(votes.round() as i64)))
    }
}

/// Holds votes; reused for several sentences.
#[derive(Debug, Default)]
pub struct Vote {
    /// The proposals of all tokens, one token after the other.
    proposals: Vec<Proposal>,
    /// Indexed by node: the end of its proposals.
    ends: Vec<usize>,
    /// Indexed by node: the total number of votes.
    cast: Vec<Weight>,
    /// The distinct heads of the current token.
    heads_proposed: Vec<Proposal>,
    candidates: Candidates,
    spanning_trees: SpanningTrees,
    heads: Vec<Node>,
    support: Vec<f32>,
    /// The label of roots, and of roots only, if known.
    root_label: Option<Label>,
}

impl Vote {
    /// Sets the label that marks roots, and only roots, in the text as a whole, for sentences in which no tree says it.
    pub fn set_root_label(&mut self, label: Option<Label>) {
        self.root_label = label;
    }

    /// Combines trees over the same tokens. `weight` returns the weight of a vote on a token, given the number of the tree.
    ///
    /// Trees may be incomplete or contain cycles; their arcs are still votes. Where that is not enough for a tree, tokens are attached to
    /// the root, or with a single root, to the token with the most votes for being the root. An arc without a label is a vote for the arc
    /// with any label. If several trees win with the same number of votes, arcs of earlier trees are preferred.
    pub fn hold(
        &mut self,
        rules: Rules,
        trees: &[Tree],
        weight: impl Fn(usize, Node) -> u32,
        winner: &mut Tree,
    ) {
        self.hold_with(rules, trees, weight, &HeadVotes::default(), winner);
    }

    /// The same with additional votes for heads with any label.
    pub fn hold_with(
        &mut self,
        rules: Rules,
        trees: &[Tree],
        weight: impl Fn(usize, Node) -> u32,
        heads: &HeadVotes,
        winner: &mut Tree,
    ) {
        let n_tokens = trees.first().map_or(0, Tree::n_tokens);
        self.collect(trees, n_tokens, weight, heads);
        self.add_candidates(rules.labels, n_tokens, trees.len(), None);
        let roots = if rules.single_root { Roots::One } else { Roots::Any };
        let is_tree = self.spanning_trees.find(&self.candidates, roots, &mut self.heads);
        let n_roots = || self.heads.iter().filter(|head| head.is_root()).count();
        if !is_tree || (rules.single_root && n_roots() > 1) {
            let only_root = rules.single_root.then(|| self.most_voted_root(n_tokens));
            self.add_candidates(rules.labels, n_tokens, trees.len(), only_root);
            self.add_fallback_arcs(n_tokens, only_root.unwrap_or(Node::ROOT));
            self.spanning_trees.find(&self.candidates, Roots::Any, &mut self.heads);
        }
        self.assign_heads(n_tokens, winner);
    }

    /// Counts the votes for a tree that is known to win.
    pub(super) fn hold_for(
        &mut self,
        winner: &Tree,
        trees: &[Tree],
        weight: impl Fn(usize, Node) -> u32,
        heads: &HeadVotes,
    ) {
        self.collect(trees, winner.n_tokens(), weight, heads);
        self.support.clear();
        self.support.push(0.0);
        for token in winner.tokens() {
            let (head, label) = (winner.head(token), winner.label(token));
            let is_for = |one: &&Proposal| one.head == head && (one.label == label || one.label.is_none());
            let votes = self.proposals(token).iter().filter(is_for).map(|proposal| proposal.votes).sum();
            self.push_support(token, votes);
        }
    }

    fn push_support(&mut self, token: Node, votes: Weight) {
        #[allow(clippy::cast_precision_loss, reason = "a part of a small number")]
        let support = votes as f32 / self.cast[token.index()].max(1) as f32;
        self.support.push(support);
    }

    /// Indexed by node: the share of the votes for its arc and label in the last vote; entry 0 has no meaning.
    pub fn support(&self) -> &[f32] {
        &self.support
    }

    /// The proposed heads of a token in the last vote, each with its share of the votes for heads.
    pub fn heads(&self, token: Node) -> impl Iterator<Item = (Node, f32)> {
        let proposals = self.proposals(token);
        let of_heads = proposals.iter().filter(|proposal| proposal.head.is_some());
        let all: Weight = of_heads.map(|proposal| proposal.votes).sum();
        let is_first = |at: usize| {
            proposals[at].head.is_some()
                && proposals[..at].iter().all(|before| before.head != proposals[at].head)
        };
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

    /// Collects proposals. The label of a token without a head is a proposal without a head. If all votes have weight zero, they count
    /// the same.
    fn collect(
        &mut self,
        trees: &[Tree],
        n_tokens: usize,
        weight: impl Fn(usize, Node) -> u32,
        heads: &HeadVotes,
    ) {
        self.proposals.clear();
        self.ends.clear();
        self.ends.push(0);
        self.cast.clear();
        self.cast.push(0);
        for token in (1..=n_tokens).map(Node::from_index) {
            let start = self.proposals.len();
            let counts = (0..trees.len()).any(|tree| weight(tree, token) > 0);
            let mut cast = 0;
            for (first, tree) in trees.iter().enumerate() {
                let votes = if counts { Weight::from(weight(first, token)) } else { 1 };
                cast += votes;
                let (head, label) = (tree.head(token), tree.label(token));
                let head = if head.index() > n_tokens || head == token { Node::NONE } else { head };
                if head.is_none() && label.is_none() {
                    continue;
                }
                let mut known = self.proposals[start..].iter_mut();
                match known.find(|proposal| (proposal.head, proposal.label) == (head, label)) {
                    Some(proposal) => proposal.votes += votes,
                    None => self.proposals.push(Proposal { head, label, votes, first }),
                }
            }
            for (head, votes) in heads.of(token, n_tokens) {
                cast += votes;
                let of_arc = |proposal: &&mut Proposal| proposal.head == head && proposal.label.is_none();
                if let Some(proposal) = self.proposals[start..].iter_mut().find(of_arc) {
                    proposal.votes += votes;
                } else {
                    let (label, first) = (Label::NONE, trees.len() - 1);
                    self.proposals.push(Proposal { head, label, votes, first });
                }
            }
            self.ends.push(self.proposals.len());
            self.cast.push(cast);
        }
    }

    fn proposals(&self, token: Node) -> &[Proposal] {
        &self.proposals[self.ends[token.index() - 1]..self.ends[token.index()]]
    }

    /// The votes for an arc without a label.
    fn unlabelled(&self, token: Node, head: Node) -> Weight {
        let of_arc = |proposal: &&Proposal| proposal.head == head && proposal.label.is_none();
        self.proposals(token).iter().find(of_arc).map_or(0, |proposal| proposal.votes)
    }

    /// Turns proposals into candidates; with a given root, excludes other roots.
    fn add_candidates(
        &mut self,
        labels: LabelVote,
        n_tokens: usize,
        n_trees: usize,
        only_root: Option<Node>,
    ) {
        // The order of trees counts less than any vote, over all tokens.
        let apart = (n_tokens * n_trees + 1) as Weight;
        self.candidates.reset(n_tokens);
        let mut heads = std::mem::take(&mut self.heads_proposed);
        for token in (1..=n_tokens).map(Node::from_index) {
            let is_possible = |head: Node| match only_root {
                Some(root) if root == token => head.is_root(),
                Some(_) => !head.is_root(),
                None => true,
            };
            heads.clear();
            let proposals = self.proposals(token).iter().filter(|proposal| proposal.head.is_some());
            for proposal in proposals.filter(|proposal| is_possible(proposal.head)) {
                match heads.iter_mut().find(|known: &&mut Proposal| known.head == proposal.head) {
                    None => heads.push(*proposal),
                    Some(known) if labels == LabelVote::Afterwards => known.votes += proposal.votes,
                    // Votes without a label are added below.
                    Some(known) if known.label.is_none() => {
                        *known = Proposal { first: known.first, ..*proposal };
                    }
                    Some(known) if !proposal.label.is_none() && proposal.beats(known) => *known = *proposal,
                    Some(_) => {}
                }
            }
            for &Proposal { head, label, votes, first } in &heads {
                let is_apart = labels == LabelVote::Together && !label.is_none();
                let unlabelled = if is_apart { self.unlabelled(token, head) } else { 0 };
                let weight = (votes + unlabelled) * apart + (n_trees - first) as Weight;
                self.candidates.push(token, head, weight);
            }
        }
        self.heads_proposed = heads;
    }

    /// The token with the most votes for being a root; without any, the one whose best arc has the fewest votes.
    fn most_voted_root(&self, n_tokens: usize) -> Node {
        let value = |token: Node| {
            let votes = |is_root: bool| {
                let of_kind = self.proposals(token).iter().filter(move |one| one.head.is_root() == is_root);
                of_kind.filter(|proposal| proposal.head.is_some()).map(|proposal| proposal.votes)
            };
            (votes(true).sum::<Weight>(), -votes(false).max().unwrap_or(0))
        };
        let tokens = (1..=n_tokens).map(Node::from_index);
        // The first of several equal ones.
        tokens.rev().max_by_key(|&token| value(token)).unwrap_or(Node::ROOT)
    }

    /// Adds arcs from one node that nobody proposed, so that there is a tree; each costs more than all other arcs are worth. Any other
    /// arc that nobody proposed could be replaced by one of these, so no proposal is lost.
    fn add_fallback_arcs(&mut self, n_tokens: usize, from: Node) {
        let cost = self.candidates.spread() + self.candidates.highest();
        for token in (1..=n_tokens).map(Node::from_index) {
            let head = if token == from { Node::ROOT } else { from };
            self.candidates.push(token, head, -cost);
        }
    }

    /// The label with the most votes for an arc that nobody proposed: among the proposals for the token that agree on whether the head is
    /// the root, or else among those for all tokens.
    fn label_of_kind(&self, token: Node, is_root: bool) -> Option<Label> {
        let is_of_kind = |proposal: &&Proposal| {
            proposal.head.is_some() && proposal.head.is_root() == is_root && !proposal.label.is_none()
        };
        let own = self.proposals(token).iter().filter(is_of_kind);
        let own = own.reduce(|best, proposal| if proposal.beats(best) { proposal } else { best });
        own.map(|proposal| proposal.label).or_else(|| {
            let mut votes: Vec<(Label, Weight)> = Vec::new();
            for proposal in self.proposals.iter().filter(is_of_kind) {
                match votes.iter_mut().find(|(label, _)| *label == proposal.label) {
                    Some((_, sum)) => *sum += proposal.votes,
                    None => votes.push((proposal.label, proposal.votes)),
                }
            }
            votes.into_iter().rev().max_by_key(|(_, votes)| *votes).map(|(label, _)| label)
        })
    }

    /// Gives every token its head and the label with the most votes: among the proposals for the arc, or else among all.
    fn assign_heads(&mut self, n_tokens: usize, winner: &mut Tree) {
        winner.reset(n_tokens);
        self.support.clear();
        self.support.push(0.0);
        for token in (1..=n_tokens).map(Node::from_index) {
            let head = self.heads[token.index()];
            let best = |of_arc: bool| {
                let labelled = self.proposals(token).iter().filter(|proposal| !proposal.label.is_none());
                let labelled = labelled.filter(|proposal| !of_arc || proposal.head == head);
                labelled.fold(None, |best: Option<&Proposal>, proposal| match best {
                    Some(best) if !proposal.beats(best) => Some(best),
                    _ => Some(proposal),
                })
            };
            let votes = best(true).map_or(0, |proposal| proposal.votes) + self.unlabelled(token, head);
            // A label that only occurs on arcs from the root is not used on other arcs, and vice versa.
            let of_kind = || self.label_of_kind(token, head.is_root());
            let label = best(true).map(|proposal| proposal.label).or_else(of_kind);
            let other = || best(false).map(|proposal| proposal.label);
            let label = label.or_else(|| match self.root_label {
                Some(root) if head.is_root() => Some(root),
                root_label => other().filter(|label| Some(*label) != root_label),
            });
            let label = label.unwrap_or(Label::NONE);
            winner.set(token, head, label);
            self.push_support(token, votes);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use quaich_testkit::trees::for_each_tree;

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
        // The earlier of equal ones.
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

    /// If one of two roots is attached to the other, it does not keep the label of a root, and a root that nobody proposed gets one.
    #[test]
    fn labels_of_roots_stay_with_roots() {
        let (root, other) = (7, 3);
        let two_roots = tree(&[(0, root), (0, root), (2, other)]);
        let winner = vote(single_root(), &[two_roots], &[1]);
        let labels: Vec<u32> = winner.labels()[1..].iter().map(|label| label.0).collect();
        assert_eq!(winner.heads()[1..].iter().filter(|head| head.is_root()).count(), 1);
        for (token, label) in winner.tokens().zip(labels) {
            assert_eq!(winner.head(token).is_root(), label == root, "{winner:?}");
        }
        // 1 and 2 are a cycle in both; 3 is a root in one.
        let cycle = tree(&[(2, other), (1, other), (0, root)]);
        let winner = vote(Rules::default(), &[cycle.clone(), cycle], &[1, 1]);
        assert!(winner.is_well_formed());
        for token in winner.tokens() {
            assert_eq!(winner.head(token).is_root(), winner.label(token) == Label(root), "{winner:?}");
        }
    }

    /// Sentences in which all arcs or none are from the root follow the text as a whole.
    #[test]
    fn labels_of_roots_can_be_known_from_other_sentences() {
        let (root, other) = (7, 3);
        let hold = |root_label: Option<u32>, rules: Rules, tree: Tree| {
            let (mut vote, mut winner) = (Vote::default(), Tree::default());
            vote.set_root_label(root_label.map(Label));
            vote.hold(rules, &[tree], |_, _| 1, &mut winner);
            let labels = winner.tokens().map(|token| (winner.head(token).is_root(), winner.label(token)));
            labels.collect::<Vec<_>>()
        };
        let cycle = || tree(&[(2, other), (1, other)]);
        let expected = [(true, Label(root)), (false, Label(other))];
        assert_eq!(hold(Some(root), Rules::default(), cycle()), expected);
        let expected = [(true, Label(other)), (false, Label(other))];
        assert_eq!(hold(None, Rules::default(), cycle()), expected);
        let roots = || tree(&[(0, root), (0, root)]);
        let expected = [(true, Label(root)), (false, Label::NONE)];
        assert_eq!(hold(Some(root), single_root(), roots()), expected);
        let expected = [(true, Label(root)), (false, Label(root))];
        assert_eq!(hold(None, single_root(), roots()), expected);
    }

    /// Parsers without labels vote for arcs, and do not remove labels.
    #[test]
    fn who_has_no_labels_votes_for_arcs() {
        let unlabelled = Tree::from_heads(&[2, 0, 2]);
        let labelled = tree(&[(2, 1), (0, 0), (1, 3)]);
        let others = [labelled, unlabelled.clone(), unlabelled];
        for rules in [Rules::default(), AFTERWARDS] {
            let winner = vote(rules, &others, &[1; 3]);
            assert_eq!(winner, tree(&[(2, 1), (0, 0), (2, 3)]), "{rules:?}");
        }
        // Two labels of one arc, and a vote for the arc with either.
        let of = |first: (u32, u32)| tree(&[first, (0, 0)]);
        let trees = [of((2, 1)), of((2, 2)), of((0, 4)), of((0, 4)), Tree::from_heads(&[2, 0])];
        assert_eq!(vote(Rules::default(), &trees, &[1; 5]).head(Node(1)), Node(2));
        assert_eq!(vote(Rules::default(), &trees[..4], &[1; 4]).head(Node(1)), Node(0));
        // A label without an arc is better than none.
        let mut lost = Tree::new(1);
        lost.set(Node(1), Node::NONE, Label(7));
        assert_eq!(vote(Rules::default(), &[lost.clone(), lost], &[1; 2]), tree(&[(0, 7)]));
    }

    /// Two trees with different heads, and a vote that is split between two others.
    #[test]
    fn parts_of_votes_are_votes_for_arcs_with_any_label() {
        let of = |first: (u32, u32)| tree(&[first, (0, 0), (2, 3)]);
        let trees = [of((2, 1)), of((3, 2))];
        let elect = |of_first: [f32; 4]| {
            let mut probabilities = [0.0; 16];
            probabilities[4..8].copy_from_slice(&of_first);
            let mut heads = HeadVotes::default();
            heads.reset(3);
            heads.add(&probabilities, &[0, 100, 100, 100]);
            let (mut vote, mut winner) = (Vote::default(), Tree::default());
            vote.hold_with(Rules::default(), &trees, |_, _| 100, &heads, &mut winner);
            (winner, vote.support()[1])
        };
        assert_eq!(elect([0.0, 0.0, 0.2, 0.8]), (trees[1].clone(), 0.6));
        assert_eq!(elect([0.0, 0.0, 0.5, 0.5]).0, trees[0]);
        // An absent head and the word itself lose against trees; a label is always found, for a root that of a root.
        assert_eq!(elect([0.9, 0.1, 0.0, 0.0]).0, trees[0]);
        let mut heads = HeadVotes::default();
        heads.reset(3);
        heads.add(
            &[[0.0; 4], [1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0; 4]].concat(),
            &[0, 900, 900, 0],
        );
        let mut winner = Tree::default();
        Vote::default().hold_with(Rules::default(), &trees, |_, _| 100, &heads, &mut winner);
        assert_eq!(winner, tree(&[(0, 0), (0, 0), (2, 3)]));
    }

    #[test]
    fn votes_that_count_nothing_count_the_same() {
        let trees = [tree(&[(2, 1), (0, 0)]), tree(&[(0, 2), (1, 0)]), tree(&[(0, 2), (1, 0)])];
        assert_eq!(vote(Rules::default(), &trees, &[0; 3]), trees[1]);
        let mut held = Vote::default();
        held.hold(Rules::default(), &trees, |_, _| 0, &mut Tree::default());
        assert!((held.support()[1] - 2.0 / 3.0).abs() < 1e-6);
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
        /// The result is always a tree, and a unanimous tree is kept.
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

        /// Support is the same whether the winner was known in advance or not.
        #[test]
        fn votes_for_a_winner_are_the_same(trees in any_trees()) {
            let (mut known, mut unknown, mut winner) = (Vote::default(), Vote::default(), Tree::default());
            let weight = |tree: usize, token: Node| 1 + u32::try_from(tree).unwrap_or(0) * 7 % 3 + token.0 % 2;
            unknown.hold(Rules::default(), &trees, weight, &mut winner);
            known.hold_for(&winner, &trees, weight, &HeadVotes::default());
            let is_proposed = |token: &Node| trees.iter().any(|tree| tree.head(*token) == winner.head(*token));
            for token in winner.tokens().filter(is_proposed) {
                let [known, unknown] = [&known, &unknown].map(|vote| vote.support()[token.index()].to_bits());
                prop_assert_eq!(known, unknown);
            }
        }

        /// No tree has more proposed arcs, and none with as many has more votes.
        #[test]
        fn no_tree_has_more_votes(trees in any_trees()) {
            let trees: Vec<Tree> = trees.into_iter().filter(|tree| tree.n_tokens() < 6).collect();
            let Some(n_tokens) = trees.first().map(Tree::n_tokens) else { return Ok(()) };
            let value = |heads: &[Node]| {
                let votes = |token: usize| {
                    let of_head = trees.iter().filter(|tree| tree.heads()[token] == heads[token]);
                    let mut labels: Vec<Label> = of_head.map(|tree| tree.labels()[token]).collect();
                    labels.sort();
                    labels.chunk_by(|one, other| one == other).map(<[Label]>::len).max().unwrap_or(0)
                };
                let votes: Vec<usize> = (1..=n_tokens).map(votes).collect();
                (votes.iter().filter(|votes| **votes > 0).count(), votes.iter().sum::<usize>())
            };
            let winner = vote(Rules::default(), &trees, &vec![1; trees.len()]);
            let mut highest = (0, 0);
            for_each_tree(u32::try_from(n_tokens).unwrap(), |tree| highest = highest.max(value(tree.heads())));
            prop_assert_eq!(value(winner.heads()), highest);
        }
    }
}
