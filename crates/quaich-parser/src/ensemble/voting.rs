//! How the parsers of an ensemble vote: in which order they are asked, when enough have been asked, what their votes count.

use quaich_treebank::symbols::FrozenSymbols;
use quaich_treebank::{Label, Node, Sentence, Symbols, Tree};
use serde::{Deserialize, Serialize};

use super::certainty::Certainty;
use super::vote::{HeadVotes, Rules, Vote};
use super::weights::Weights;
use crate::scheme::coarse_tag;
use crate::settings::Settings;

/// One word in so many may be doubtful. On the development file of hungarian-szeged this spares the second half of the default ensemble
/// 24 % of the words instead of 15, for 0.03 points of LAS; one in ten 44 % for 0.27.
const DOUBTFUL: usize = 20;

/// How the members of a model vote.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EnsembleDescription {
    /// How a vote is held.
    pub rules: Rules,
    /// By member: what its votes count.
    pub weights: Vec<Weights>,
    /// How likely arcs are right.
    pub certainty: Certainty,
    /// By member: how it was trained.
    pub settings: Vec<Settings>,
}

/// What of a member matters for a vote.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Voter<'m> {
    /// The number of the encoder that it reads.
    pub(crate) encoder: Option<usize>,
    /// Its labels.
    pub(crate) labels: &'m FrozenSymbols<Label>,
}

/// How members vote.
#[derive(Debug)]
pub(crate) struct Ensemble {
    description: EnsembleDescription,
    /// Members that read the same encoder, by number, in the order in which they are asked; a member without an encoder is alone.
    groups: Vec<Group>,
    /// Those of all members, each once.
    labels: FrozenSymbols<Label>,
    /// By member and label of the member: the same label among all.
    translations: Vec<Vec<Label>>,
}

/// Members that read the same encoder.
#[derive(Clone, Debug)]
struct Group {
    encoder: Option<usize>,
    members: Vec<usize>,
}

impl Ensemble {
    /// Nothing if the description is not one of these members.
    pub(crate) fn new(description: EnsembleDescription, voters: &[Voter<'_>]) -> Option<Self> {
        let fits = description.weights.len() == voters.len() && description.settings.len() == voters.len();
        if !fits || voters.is_empty() || !description.certainty.is_sound() {
            return None;
        }
        let mut labels = Symbols::<Label>::new();
        let translate = |voter: &Voter<'_>| {
            voter.labels.iter().map(|(_, text)| labels.intern(text)).collect::<Vec<Label>>()
        };
        let translations = voters.iter().map(translate).collect();
        let mut groups: Vec<Group> = Vec::new();
        for (number, voter) in voters.iter().enumerate() {
            match groups.iter_mut().find(|group| voter.encoder.is_some() && group.encoder == voter.encoder) {
                Some(group) => group.members.push(number),
                None => groups.push(Group { encoder: voter.encoder, members: vec![number] }),
            }
        }
        Some(Self { description, groups, labels: labels.freeze(), translations })
    }

    pub(crate) fn description(&self) -> &EnsembleDescription {
        &self.description
    }

    pub(crate) fn labels(&self) -> &FrozenSymbols<Label> {
        &self.labels
    }

    /// Whether it is clear, from the trees of those who have been asked, which one wins: half of the members or more have been asked,
    /// and all have the same, which would win if all others had another, for it comes first; that what encoders say of heads could
    /// tip the scales then is not worth the asking. Nor is a word in twenty on which two thirds of them agree: whoever asks further
    /// for its sake asks about a long sentence of which all else is clear.
    fn is_clear(&self, trees: &[Tree], winner: &mut Tree) -> bool {
        let n_asked = trees.len();
        if n_asked < 2 || 2 * n_asked < self.translations.len() {
            return false;
        }
        winner.reset(trees[0].n_tokens());
        let mut n_doubtful = 0;
        for token in winner.tokens() {
            let votes = |arc| trees.iter().filter(|tree| arc_into(token, tree) == arc).count();
            let mut arcs = trees.iter().map(|tree| arc_into(token, tree));
            let Some(arc) = arcs.find(|&arc| 3 * votes(arc) >= 2 * n_asked) else { return false };
            n_doubtful += usize::from(votes(arc) < n_asked);
            if DOUBTFUL * n_doubtful > trees[0].n_tokens() {
                return false;
            }
            winner.set(token, arc.0, arc.1);
        }
        let n_roots = || winner.heads()[1..].iter().filter(|head| head.is_root()).count();
        n_doubtful == 0
            || (winner.is_well_formed() && (!self.description.rules.single_root || n_roots() == 1))
    }
}

/// Who is asked: parses a sentence, and knows how likely heads are.
pub(crate) trait Voters {
    /// The tree of a member, with its own labels.
    fn tree(&mut self, member: usize) -> &Tree;

    /// By node and then by head: how likely an encoder finds it; nothing where it cannot tell.
    fn heads(&mut self, encoder: usize) -> &[f32];
}

/// How many members are asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ask {
    /// All.
    All,
    /// As many as it takes until it is clear which tree wins.
    UntilClear,
    /// The same, and when it is clear nothing but the tree matters.
    ForTheTree,
}

/// What members say of a sentence, in the order in which they are asked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ballots {
    /// By group and member: its tree, with labels that all share.
    trees: Vec<Tree>,
    /// By group: by node and then by head, how likely its encoder finds it. Nothing of those that have none, or cannot tell.
    heads: Vec<Vec<f32>>,
    /// How many groups were asked.
    n_groups: usize,
    /// Whether it was clear then which tree wins.
    is_clear: bool,
}

impl Ballots {
    /// The tree of every member that was asked, with its number.
    pub(crate) fn trees<'b>(&'b self, ensemble: &'b Ensemble) -> impl Iterator<Item = (usize, &'b Tree)> {
        let numbers = ensemble.groups.iter().flat_map(|group| group.members.iter().copied());
        numbers.zip(self.asked(ensemble, self.n_groups))
    }

    /// The trees of the first groups.
    fn asked(&self, ensemble: &Ensemble, n_groups: usize) -> &[Tree] {
        &self.trees[..ensemble.groups[..n_groups].iter().map(|group| group.members.len()).sum()]
    }
}

/// What one thread needs to vote; reused from sentence to sentence.
#[derive(Debug, Default)]
pub(crate) struct Voting {
    ballots: Ballots,
    count: Count,
}

/// What is needed to count votes.
#[derive(Debug, Default)]
pub(crate) struct Count {
    vote: Vote,
    /// By member and node: what a vote counts.
    weights: Vec<Vec<u32>>,
    heads: HeadVotes,
    winner: Tree,
}

impl Voting {
    /// What members say of a sentence.
    pub(crate) fn ask(&mut self, ensemble: &Ensemble, voters: &mut dyn Voters, ask: Ask) -> &Ballots {
        let Self { ballots, count } = self;
        ballots.trees.resize(ensemble.translations.len(), Tree::default());
        ballots.heads.resize(ensemble.groups.len(), Vec::new());
        (ballots.n_groups, ballots.is_clear) = (0, false);
        let mut n_asked = 0;
        for (group, heads) in ensemble.groups.iter().zip(&mut ballots.heads) {
            for &member in &group.members {
                translate(voters.tree(member), &ensemble.translations[member], &mut ballots.trees[n_asked]);
                n_asked += 1;
            }
            ballots.n_groups += 1;
            ballots.is_clear =
                ask != Ask::All && ensemble.is_clear(&ballots.trees[..n_asked], &mut count.winner);
            if ballots.is_clear && ask == Ask::ForTheTree {
                break;
            }
            heads.clear();
            if let Some(encoder) = group.encoder {
                heads.extend_from_slice(voters.heads(encoder));
            }
            if ballots.is_clear {
                break;
            }
        }
        ballots
    }

    /// What comes of the votes.
    pub(crate) fn vote(
        &mut self,
        ensemble: &Ensemble,
        sentence: &Sentence,
        voters: &mut dyn Voters,
    ) -> &Tree {
        self.ask(ensemble, voters, Ask::ForTheTree);
        let Self { ballots, count } = self;
        if !ballots.is_clear {
            count.hold(ensemble, sentence, ballots, &ensemble.description.weights);
        }
        &count.winner
    }

    /// The same, and how likely its arcs are right, by node.
    pub(crate) fn vote_with_scores(
        &mut self,
        ensemble: &Ensemble,
        sentence: &Sentence,
        voters: &mut dyn Voters,
        probabilities: &mut Vec<f32>,
    ) -> &Tree {
        self.ask(ensemble, voters, Ask::UntilClear);
        let Self { ballots, count } = self;
        count.hold(ensemble, sentence, ballots, &ensemble.description.weights);
        let certainty = &ensemble.description.certainty;
        probabilities.clear();
        probabilities.extend(count.vote.support().iter().map(|&support| certainty.probability(support)));
        &count.winner
    }

    /// The tree that won last.
    pub(crate) fn winner(&self) -> &Tree {
        &self.count.winner
    }

    /// The vote that the last scores are from.
    pub(crate) fn last_vote(&self) -> &Vote {
        &self.count.vote
    }
}

impl Count {
    /// Counts the votes on a sentence, given what those of each member count: of as many groups as it takes until it is clear.
    pub(crate) fn hold(
        &mut self,
        ensemble: &Ensemble,
        sentence: &Sentence,
        ballots: &Ballots,
        weights: &[Weights],
    ) {
        let Self { vote, weights: by_node, heads, winner } = self;
        by_node.resize(weights.len(), Vec::new());
        for (of_member, by_node) in weights.iter().zip(&mut *by_node) {
            by_node.clear();
            by_node.push(0);
            by_node.extend(sentence.tokens().map(|token| of_member.of(coarse_tag(sentence, token))));
        }
        let mut numbers = 1..ballots.n_groups + usize::from(ballots.is_clear);
        let clear = numbers.find(|&n_groups| ensemble.is_clear(ballots.asked(ensemble, n_groups), winner));
        let groups = &ensemble.groups[..clear.unwrap_or(ballots.n_groups)];
        let known = groups.iter().zip(&ballots.heads).filter(|(_, heads)| !heads.is_empty());
        let known: Vec<(&Group, &Vec<f32>)> = known.collect();
        heads.reset(if known.is_empty() { 0 } else { sentence.n_tokens() });
        for (group, probabilities) in known {
            heads.add(probabilities, &by_node[group.members[0]]);
        }
        let members: Vec<usize> = groups.iter().flat_map(|group| group.members.iter().copied()).collect();
        let weight = |place: usize, token: Node| by_node[members[place]][token.index()];
        let trees = ballots.asked(ensemble, groups.len());
        match clear {
            Some(_) => vote.hold_for(winner, trees, weight, heads),
            None => vote.hold_with(ensemble.description.rules, trees, weight, heads, winner),
        }
    }

    /// The tree that won, and by node the part of the votes that its arc had.
    pub(crate) fn outcome(&self) -> (&Tree, &[f32]) {
        (&self.winner, self.vote.support())
    }
}

/// The same tree with labels of another table.
fn translate(tree: &Tree, translation: &[Label], into: &mut Tree) {
    into.reset(tree.n_tokens());
    for token in tree.tokens() {
        let label = tree.label(token);
        let label = if label.is_none() { label } else { translation[label.index()] };
        into.set(token, tree.head(token), label);
    }
}

fn arc_into(token: Node, tree: &Tree) -> (Node, Label) {
    (tree.head(token), tree.label(token))
}
