//! How an ensemble votes: the order of its parsers, early stopping, and the weights of votes.

use quaich_treebank::symbols::FrozenSymbols;
use quaich_treebank::{Label, Node, Sentence, Symbols, Tree};
use serde::{Deserialize, Serialize};

use super::certainty::Certainty;
use super::vote::{HeadVotes, Rules, Vote};
use super::weights::Weights;
use crate::given::Given;
use crate::scheme::coarse_tag;
use crate::settings::Settings;

/// Early stopping allows disagreement on one word in this many. On the dev set of hungarian-szeged the second half of the default
/// ensemble then skips 24 % of the words instead of 15, for 0.03 points of LAS; with one in ten, 44 % for 0.27.
const ONE_DISAGREEMENT_IN: usize = 20;

/// The description of a vote in a model file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EnsembleDescription {
    /// The rules of the vote.
    pub rules: Rules,
    /// One per member: the weights of its votes.
    pub weights: Vec<Weights>,
    /// Maps support to probabilities.
    pub certainty: Certainty,
    /// One per member: its training settings.
    pub settings: Vec<Settings>,
}

/// What the vote needs to know about a member.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Voter<'m> {
    /// The number of the encoder that it uses.
    pub(crate) encoder: Option<usize>,
    /// Its labels.
    pub(crate) labels: &'m FrozenSymbols<Label>,
}

/// The vote of an ensemble.
#[derive(Clone, Debug)]
pub(crate) struct Ensemble {
    description: EnsembleDescription,
    /// Groups of members that use the same encoder, in voting order; a member without an encoder is a group of its own.
    groups: Vec<Group>,
    /// The distinct labels of all members.
    labels: FrozenSymbols<Label>,
    /// Indexed by member and its label: the label in `labels`.
    translations: Vec<Vec<Label>>,
}

/// Members that use the same encoder.
#[derive(Clone, Debug)]
struct Group {
    encoder: Option<usize>,
    members: Vec<usize>,
}

impl Ensemble {
    /// `None` if the description does not fit the members.
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

    /// Whether the trees so far decide the vote: at least half of the members have voted and agree. Their tree would win even if all
    /// others agreed on another one, because it comes first; head probabilities of encoders could only tip the balance in rare cases.
    /// Members may disagree on one word in twenty if two thirds of them agree on each arc, because further votes would cost a whole
    /// sentence for a few words.
    fn is_decided(&self, trees: &[Tree], winner: &mut Tree) -> bool {
        let n_asked = trees.len();
        if n_asked < 2 || 2 * n_asked < self.translations.len() {
            return false;
        }
        winner.reset(trees[0].n_tokens());
        let mut n_disagreements = 0;
        for token in winner.tokens() {
            let votes = |arc| trees.iter().filter(|tree| arc_into(token, tree) == arc).count();
            let mut arcs = trees.iter().map(|tree| arc_into(token, tree));
            let Some(arc) = arcs.find(|&arc| 3 * votes(arc) >= 2 * n_asked) else { return false };
            n_disagreements += usize::from(votes(arc) < n_asked);
            if ONE_DISAGREEMENT_IN * n_disagreements > trees[0].n_tokens() {
                return false;
            }
            winner.set(token, arc.0, arc.1);
        }
        let n_roots = || winner.heads()[1..].iter().filter(|head| head.is_root()).count();
        n_disagreements == 0
            || (winner.is_well_formed() && (!self.description.rules.single_root || n_roots() == 1))
    }
}

/// The members of an ensemble: parse a sentence and provide head probabilities.
pub(crate) trait Voters {
    /// Parses with a member; the tree has the member's labels.
    fn tree(&mut self, member: usize) -> &Tree;

    /// The probabilities of heads from an encoder, indexed by node and then by head; empty if not available.
    fn heads(&mut self, encoder: usize) -> &[f32];

    /// The heads that are given and not voted on.
    fn given(&self) -> Option<&Given> {
        None
    }
}

/// How many members vote.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ask {
    /// All.
    All,
    /// As many as needed to decide the vote.
    UntilDecided,
    /// The same, but only the tree is needed.
    TreeOnly,
}

/// The trees and head probabilities of the members, in voting order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ballots {
    /// Indexed by group and member: its tree, with the ensemble's labels.
    trees: Vec<Tree>,
    /// One per group: the head probabilities of its encoder, indexed by node and then by head; empty if not available.
    heads: Vec<Vec<f32>>,
    /// The number of groups that voted.
    n_groups: usize,
    /// Whether their trees decided the vote.
    is_decided: bool,
}

impl Ballots {
    /// The trees of the members that voted, with the members' numbers.
    pub(crate) fn trees<'b>(&'b self, ensemble: &'b Ensemble) -> impl Iterator<Item = (usize, &'b Tree)> {
        let numbers = ensemble.groups.iter().flat_map(|group| group.members.iter().copied());
        numbers.zip(self.asked(ensemble, self.n_groups))
    }

    /// The trees of the first groups.
    fn asked(&self, ensemble: &Ensemble, n_groups: usize) -> &[Tree] {
        &self.trees[..ensemble.groups[..n_groups].iter().map(|group| group.members.len()).sum()]
    }
}

/// The buffers that one thread needs to vote; reused for several sentences.
#[derive(Debug, Default)]
pub(crate) struct Voting {
    ballots: Ballots,
    count: VoteCounter,
}

/// The buffers to count votes.
#[derive(Debug, Default)]
pub(crate) struct VoteCounter {
    vote: Vote,
    /// Indexed by member and node: the weight of a vote.
    weights: Vec<Vec<u32>>,
    heads: HeadVotes,
    winner: Tree,
}

impl Voting {
    /// Collects the votes on a sentence.
    pub(crate) fn ask(&mut self, ensemble: &Ensemble, voters: &mut dyn Voters, ask: Ask) -> &Ballots {
        let Self { ballots, count } = self;
        ballots.trees.resize(ensemble.translations.len(), Tree::default());
        ballots.heads.resize(ensemble.groups.len(), Vec::new());
        (ballots.n_groups, ballots.is_decided) = (0, false);
        let mut n_asked = 0;
        for (group, heads) in ensemble.groups.iter().zip(&mut ballots.heads) {
            for &member in &group.members {
                translate(voters.tree(member), &ensemble.translations[member], &mut ballots.trees[n_asked]);
                n_asked += 1;
            }
            ballots.n_groups += 1;
            ballots.is_decided =
                ask != Ask::All && ensemble.is_decided(&ballots.trees[..n_asked], &mut count.winner);
            if ballots.is_decided && ask == Ask::TreeOnly {
                break;
            }
            heads.clear();
            if let Some(encoder) = group.encoder {
                heads.extend_from_slice(voters.heads(encoder));
                if let Some(given) = voters.given().filter(|_| !heads.is_empty()) {
                    let n_nodes = ballots.trees[0].n_tokens() + 1;
                    let rows = (0..).map(Node).zip(heads.chunks_exact_mut(n_nodes)).skip(1);
                    rows.filter(|(token, _)| given.head(*token).is_some()).for_each(|(_, row)| row.fill(0.0));
                }
            }
            if ballots.is_decided {
                break;
            }
        }
        ballots
    }

    /// The winning tree of a sentence.
    pub(crate) fn vote(
        &mut self,
        ensemble: &Ensemble,
        sentence: &Sentence,
        voters: &mut dyn Voters,
    ) -> &Tree {
        self.ask(ensemble, voters, Ask::TreeOnly);
        let Self { ballots, count } = self;
        if !ballots.is_decided {
            count.hold(ensemble, sentence, ballots, &ensemble.description.weights);
        }
        &count.winner
    }

    /// The winning tree, and the probability of each arc, indexed by node.
    pub(crate) fn vote_with_scores(
        &mut self,
        ensemble: &Ensemble,
        sentence: &Sentence,
        voters: &mut dyn Voters,
        probabilities: &mut Vec<f32>,
    ) -> &Tree {
        self.ask(ensemble, voters, Ask::UntilDecided);
        let Self { ballots, count } = self;
        count.hold(ensemble, sentence, ballots, &ensemble.description.weights);
        let certainty = &ensemble.description.certainty;
        probabilities.clear();
        probabilities.extend(count.vote.support().iter().map(|&support| certainty.probability(support)));
        &count.winner
    }

    /// The last winning tree.
    pub(crate) fn winner(&self) -> &Tree {
        &self.count.winner
    }

    /// The last winning tree, to be changed.
    pub(crate) fn winner_mut(&mut self) -> &mut Tree {
        &mut self.count.winner
    }

    /// The vote behind the last scores.
    pub(crate) fn last_vote(&self) -> &Vote {
        &self.count.vote
    }
}

impl VoteCounter {
    /// Counts the votes on a sentence with the given weights, using only as many groups as needed to decide.
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
        let mut numbers = 1..ballots.n_groups + usize::from(ballots.is_decided);
        let decided =
            numbers.find(|&n_groups| ensemble.is_decided(ballots.asked(ensemble, n_groups), winner));
        let groups = &ensemble.groups[..decided.unwrap_or(ballots.n_groups)];
        let known = groups.iter().zip(&ballots.heads).filter(|(_, heads)| !heads.is_empty());
        let known: Vec<(&Group, &Vec<f32>)> = known.collect();
        heads.reset(if known.is_empty() { 0 } else { sentence.n_tokens() });
        for (group, probabilities) in known {
            heads.add(probabilities, &by_node[group.members[0]]);
        }
        let members: Vec<usize> = groups.iter().flat_map(|group| group.members.iter().copied()).collect();
        let weight = |place: usize, token: Node| by_node[members[place]][token.index()];
        let trees = ballots.asked(ensemble, groups.len());
        match decided {
            Some(_) => vote.hold_for(winner, trees, weight, heads),
            None => vote.hold_with(ensemble.description.rules, trees, weight, heads, winner),
        }
    }

    /// The winning tree, and the support of each arc, indexed by node.
    pub(crate) fn outcome(&self) -> (&Tree, &[f32]) {
        (&self.winner, self.vote.support())
    }
}

/// Translates the labels of a tree.
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
