//! Votes on sentences whose trees are known: what parsers and their blend get right.

use quaich_treebank::{Node, Sentence, Tree};
use rayon::prelude::*;

use super::blended::{Ask, Ballots, Blend, BlendWorker, Count, coarse_tag};
use super::weights::{TagScores, Weights};
use crate::development::gold_tree;
use crate::member::{Member, MemberWorker};

/// Held-out sentences, what is right, and what the parsers say.
pub(super) struct Election<'s> {
    sentences: Vec<(&'s Sentence, Tree, Ballots)>,
    /// By parser.
    pub(super) scores: Vec<TagScores>,
}

impl<'s> Election<'s> {
    /// Asks all parsers of a blend.
    pub(super) fn new<'p>(blend: &'p Blend, first: &'p Member, sentences: &'s [Sentence]) -> Self {
        let workers = || {
            let mut first = MemberWorker::new(first);
            (BlendWorker::new(blend, &mut first), first)
        };
        let ask = |(others, first): &mut (BlendWorker<'p>, MemberWorker<'p>), sentence: &'s Sentence| {
            let labels = blend.labels();
            let gold = gold_tree(sentence, labels.len(), |text| labels.get(text));
            (sentence, gold, others.ask(sentence, first, Ask::All).clone())
        };
        let sentences: Vec<_> = sentences.par_iter().map_init(workers, ask).collect();
        let mut scores = vec![TagScores::default(); blend.description().weights.len()];
        for (sentence, gold, ballots) in &sentences {
            for token in known_tokens(sentence, gold) {
                for (parser, tree) in ballots.trees(blend) {
                    scores[parser].add(coarse_tag(sentence, token), same_arc(gold, tree, token));
                }
            }
        }
        Self { sentences, scores }
    }

    /// The part of the votes that each arc of the winner has, and whether it is right.
    pub(super) fn hold(&self, blend: &Blend, weights: &[Weights]) -> Vec<(f32, bool)> {
        let (mut count, mut arcs) = (Count::default(), Vec::new());
        for (sentence, gold, ballots) in &self.sentences {
            count.hold(blend, sentence, ballots, weights);
            let (winner, support) = count.outcome();
            let arc = |token: Node| (support[token.index()], same_arc(gold, winner, token));
            arcs.extend(known_tokens(sentence, gold).map(arc));
        }
        arcs
    }
}

/// The tokens whose heads are known.
fn known_tokens<'t>(sentence: &'t Sentence, gold: &'t Tree) -> impl Iterator<Item = Node> + 't {
    sentence.tokens().filter(|token| gold.head(*token).is_some())
}

fn same_arc(one: &Tree, other: &Tree, token: Node) -> bool {
    one.head(token) == other.head(token) && one.label(token) == other.label(token)
}

/// The labelled attachment score of arcs that are right or not, in percent.
pub(super) fn las(arcs: &[(f32, bool)]) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "counts of tokens")]
    let percent = |n: usize| 100.0 * n as f64 / arcs.len().max(1) as f64;
    percent(arcs.iter().filter(|arc| arc.1).count())
}
