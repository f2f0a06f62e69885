//! A blend in a model file and at work.

use quaich_treebank::symbols::FrozenSymbols;
use quaich_treebank::{Label, Node, Role, Sentence, Symbols, Tree};
use serde::{Deserialize, Serialize};

use super::certainty::Certainty;
use super::vote::{Rules, Vote};
use super::weights::Weights;
use crate::member::{Member, MemberWorker};
use crate::settings::Settings;

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
        Some(Self { description, others, labels: labels.freeze(), translations })
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

/// What one thread needs to vote; reused from sentence to sentence.
#[derive(Debug)]
pub(crate) struct BlendWorker<'p> {
    blend: &'p Blend,
    others: Vec<MemberWorker<'p>>,
    vote: Vote,
    /// By member, with labels that all share.
    trees: Vec<Tree>,
    /// By member and node: what a vote counts.
    weights: Vec<Vec<u32>>,
    winner: Tree,
}

impl<'p> BlendWorker<'p> {
    pub(crate) fn new(blend: &'p Blend) -> Self {
        let n_members = blend.translations.len();
        Self {
            blend,
            others: blend.others.iter().map(MemberWorker::new).collect(),
            vote: Vote::default(),
            trees: vec![Tree::default(); n_members],
            weights: vec![Vec::new(); n_members],
            winner: Tree::default(),
        }
    }

    /// What comes of the first member's tree and those of the others.
    pub(crate) fn vote(&mut self, sentence: &Sentence, first: &Tree) -> &Tree {
        let Self { blend, others, vote, trees, weights, winner } = self;
        let Blend { description, translations, .. } = blend;
        translate(first, &translations[0], &mut trees[0]);
        for ((worker, translation), tree) in others.iter_mut().zip(&translations[1..]).zip(&mut trees[1..]) {
            translate(worker.parse(sentence), translation, tree);
        }
        for (of_member, by_node) in description.weights.iter().zip(&mut *weights) {
            by_node.clear();
            by_node.push(0);
            by_node.extend(sentence.tokens().map(|token| of_member.of(coarse_tag(sentence, token))));
        }
        vote.hold(description.rules, trees, |member, token| weights[member][token.index()], winner);
        winner
    }

    /// The same, and how likely its arcs are right, by node.
    pub(crate) fn vote_with_scores(
        &mut self,
        sentence: &Sentence,
        first: &Tree,
        probabilities: &mut Vec<f32>,
    ) -> &Tree {
        self.vote(sentence, first);
        let certainty = &self.blend.description.certainty;
        probabilities.clear();
        probabilities.extend(self.vote.support().iter().map(|&support| certainty.probability(support)));
        &self.winner
    }
}

impl BlendWorker<'_> {
    /// The vote held last.
    pub(crate) fn last_vote(&self) -> &Vote {
        &self.vote
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
