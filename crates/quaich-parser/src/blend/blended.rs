//! A blend in a model file and at work.

use quaich_treebank::symbols::FrozenSymbols;
use quaich_treebank::{Label, Node, Role, Sentence, Symbols, Tree};
use serde::{Deserialize, Serialize};

use super::certainty::Certainty;
use super::vote::{HeadVotes, Rules, Vote};
use super::weights::Weights;
use crate::member::{Member, MemberWorker};
use crate::settings::Settings;

/// One word in so many may be doubtful. On the development file of hungarian-szeged this spares the second half of the usual blend 24 %
/// of the words instead of 15, for 0.03 points of LAS; one in ten 44 % for 0.27.
const DOUBTFUL: usize = 20;

/// How the members of a model vote.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct BlendDescription {
    /// How a vote is held.
    pub rules: Rules,
    /// By member: what its votes count.
    pub weights: Vec<Weights>,
    /// How likely arcs are right.
    pub certainty: Certainty,
    /// By member: how it was trained.
    pub settings: Vec<Settings>,
}

/// Members that vote with a first one.
#[derive(Debug)]
pub(crate) struct Blend {
    description: BlendDescription,
    others: Vec<Member>,
    /// The numbers of all members in the order in which they are asked: those that share an encoder one after the other.
    order: Vec<usize>,
    /// Where each group of those ends in the order.
    group_ends: Vec<usize>,
    /// Those of all members, each once.
    labels: FrozenSymbols<Label>,
    /// By member and label of the member: the same label among all.
    translations: Vec<Vec<Label>>,
}

impl Blend {
    /// Nothing if the description is not one of so many members.
    pub(crate) fn new(description: BlendDescription, first: &Member, others: Vec<Member>) -> Option<Self> {
        let fits =
            description.weights.len() == others.len() + 1 && description.settings.len() == others.len() + 1;
        if !fits || !description.certainty.is_sound() {
            return None;
        }
        let mut labels = Symbols::<Label>::new();
        let mut translate = |member: &Member| {
            member.labels.iter().map(|(_, text)| labels.intern(text)).collect::<Vec<Label>>()
        };
        let mut translations = vec![translate(first)];
        translations.extend(others.iter().map(translate));
        let members: Vec<&Member> = [first].into_iter().chain(&others).collect();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (number, member) in members.iter().enumerate() {
            let shares = |group: &&mut Vec<usize>| member.decider.shares_with(&*members[group[0]].decider);
            match groups.iter_mut().find(shares) {
                Some(group) => group.push(number),
                None => groups.push(vec![number]),
            }
        }
        let mut n_members = 0;
        let group_ends = groups.iter().map(|group| {
            n_members += group.len();
            n_members
        });
        let (group_ends, order) = (group_ends.collect(), groups.concat());
        Some(Self { description, others, order, group_ends, labels: labels.freeze(), translations })
    }

    /// Whether it is clear, from the trees of those who have been asked, which one wins: half of the members or more have been asked,
    /// and all have the same, which would win if all others had another, for it comes first; that what encoders say of heads could
    /// tip the scales then is not worth the asking. Nor is a word in twenty on which two thirds of them agree: whoever asks further
    /// for its sake asks about a long sentence of which all else is clear.
    fn is_clear(&self, trees: &[Tree], winner: &mut Tree) -> bool {
        let n_asked = trees.len();
        if n_asked < 2 || 2 * n_asked < self.order.len() {
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

    pub(crate) fn description(&self) -> &BlendDescription {
        &self.description
    }

    pub(crate) fn others(&self) -> &[Member] {
        &self.others
    }

    pub(crate) fn into_others(self) -> Vec<Member> {
        self.others
    }

    pub(crate) fn labels(&self) -> &FrozenSymbols<Label> {
        &self.labels
    }
}

/// What members say of a sentence, in the order in which they are asked.
#[derive(Clone, Debug, Default)]
pub(super) struct Ballots {
    /// With labels that all share.
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
    pub(super) fn trees<'b>(&'b self, blend: &'b Blend) -> impl Iterator<Item = (usize, &'b Tree)> {
        blend.order.iter().copied().zip(self.asked(blend, self.n_groups))
    }

    /// The trees of the first groups.
    fn asked(&self, blend: &Blend, n_groups: usize) -> &[Tree] {
        &self.trees[..n_groups.checked_sub(1).map_or(0, |last| blend.group_ends[last])]
    }
}

/// How many members are asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ask {
    /// All.
    All,
    /// As many as it takes until it is clear which tree wins.
    UntilClear,
    /// The same, and when it is clear nothing but the tree matters.
    ForTheTree,
}

/// What one thread needs to vote; reused from sentence to sentence.
#[derive(Debug)]
pub(crate) struct BlendWorker<'p> {
    blend: &'p Blend,
    others: Vec<MemberWorker<'p>>,
    ballots: Ballots,
    count: Count,
}

/// What is needed to count votes.
#[derive(Debug, Default)]
pub(super) struct Count {
    vote: Vote,
    /// By member and node: what a vote counts.
    weights: Vec<Vec<u32>>,
    heads: HeadVotes,
    winner: Tree,
}

impl<'p> BlendWorker<'p> {
    /// With the worker of the first member, which will be asked for more than its trees.
    pub(crate) fn new(blend: &'p Blend, first: &mut MemberWorker<'p>) -> Self {
        let mut others: Vec<_> = blend.others.iter().map(MemberWorker::new).collect();
        first.hear_heads();
        others.iter_mut().for_each(MemberWorker::hear_heads);
        Self { blend, others, ballots: Ballots::default(), count: Count::default() }
    }

    /// What members say of a sentence.
    pub(super) fn ask(&mut self, sentence: &Sentence, first: &mut MemberWorker<'p>, ask: Ask) -> &Ballots {
        let Self { blend, others, ballots, count } = self;
        ballots.trees.resize(blend.order.len(), Tree::default());
        ballots.heads.resize(blend.group_ends.len(), Vec::new());
        (ballots.n_groups, ballots.is_clear) = (0, false);
        let n_nodes = sentence.n_tokens() + 1;
        for (group, &end) in blend.group_ends.iter().enumerate() {
            let start = group.checked_sub(1).map_or(0, |before| blend.group_ends[before]);
            let leader = blend.order[start];
            for (&member, into) in blend.order[start..end].iter().zip(&mut ballots.trees[start..]) {
                let tree = match (leader, member) {
                    (0, 0) => first.parse(sentence),
                    (0, member) => others[member - 1].parse_after(first, sentence),
                    (leader, member) if leader == member => others[member - 1].parse(sentence),
                    (leader, member) => {
                        let (earlier, later) = others.split_at_mut(member - 1);
                        later[0].parse_after(&mut earlier[leader - 1], sentence)
                    }
                };
                translate(tree, &blend.translations[member], into);
            }
            ballots.n_groups += 1;
            ballots.is_clear = ask != Ask::All && blend.is_clear(&ballots.trees[..end], &mut count.winner);
            if ballots.is_clear && ask == Ask::ForTheTree {
                break;
            }
            let leader = if leader == 0 { &mut *first } else { &mut others[leader - 1] };
            let heads = &mut ballots.heads[group];
            heads.clear();
            heads.resize(n_nodes * n_nodes, 0.0);
            if !leader.add_heads(heads) {
                heads.clear();
            }
            if ballots.is_clear {
                break;
            }
        }
        ballots
    }

    /// What comes of the votes.
    pub(crate) fn vote(&mut self, sentence: &Sentence, first: &mut MemberWorker<'p>) -> &Tree {
        self.ask(sentence, first, Ask::ForTheTree);
        let Self { blend, ballots, count, .. } = self;
        if !ballots.is_clear {
            count.hold(blend, sentence, ballots, &blend.description.weights);
        }
        &count.winner
    }

    /// The same, and how likely its arcs are right, by node.
    pub(crate) fn vote_with_scores(
        &mut self,
        sentence: &Sentence,
        first: &mut MemberWorker<'p>,
        probabilities: &mut Vec<f32>,
    ) -> &Tree {
        self.ask(sentence, first, Ask::UntilClear);
        let Self { blend, ballots, count, .. } = self;
        count.hold(blend, sentence, ballots, &blend.description.weights);
        let certainty = &blend.description.certainty;
        probabilities.clear();
        probabilities.extend(count.vote.support().iter().map(|&support| certainty.probability(support)));
        &count.winner
    }

    /// The vote that the last scores are from.
    pub(crate) fn last_vote(&self) -> &Vote {
        &self.count.vote
    }
}

impl Count {
    /// Counts the votes on a sentence, given what those of each member count: of as many groups as it takes until it is clear.
    pub(super) fn hold(
        &mut self,
        blend: &Blend,
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
        let clear = numbers.find(|&n_groups| blend.is_clear(ballots.asked(blend, n_groups), winner));
        let n_groups = clear.unwrap_or(ballots.n_groups);
        let said: Vec<usize> = (0..n_groups).filter(|&group| !ballots.heads[group].is_empty()).collect();
        heads.reset(if said.is_empty() { 0 } else { sentence.n_tokens() });
        for group in said {
            let leader = group.checked_sub(1).map_or(0, |before| blend.group_ends[before]);
            heads.add(&ballots.heads[group], &by_node[blend.order[leader]]);
        }
        let weight = |place: usize, token: Node| by_node[blend.order[place]][token.index()];
        let trees = ballots.asked(blend, n_groups);
        match clear {
            Some(_) => vote.hold_for(winner, trees, weight, heads),
            None => vote.hold_with(blend.description.rules, trees, weight, heads, winner),
        }
    }

    /// The tree that won, and by node the part of the votes that its arc had.
    pub(super) fn outcome(&self) -> (&Tree, &[f32]) {
        (&self.winner, self.vote.support())
    }
}

/// The kind of word that votes are counted by: its coarse tag, or the fine one in formats that have no other.
pub fn coarse_tag(sentence: &Sentence, token: Node) -> &str {
    let position = |role: Role| sentence.layout().position(role);
    let column = position(Role::CoarseTag).or_else(|| position(Role::FineTag));
    column.map_or("_", |column| sentence.cell(token, column))
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
