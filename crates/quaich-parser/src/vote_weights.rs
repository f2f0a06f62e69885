//! What votes count, and how certain one may be of their outcome: found on sentences that the parsers have not learned from.

use quaich_treebank::{Node, Sentence, Tree};
use rayon::prelude::*;

use crate::ensemble::voting::{Ballots, Count, Ensemble};
use crate::ensemble::{Certainty, TagScores, Weights};
use crate::model::Model;
use crate::observer::{Event, Observer};
use crate::scheme::{coarse_tag, gold_tree};

/// What votes count by parser, and what support says.
pub(crate) fn fit_vote_weights(
    model: &Model,
    held_out: &[&Sentence],
    equal: bool,
    observer: &dyn Observer,
) -> (Vec<Weights>, Certainty) {
    let ensemble = model.parts().ensemble.as_ref().expect("an ensemble");
    let election = Election::new(model, ensemble, held_out);
    let all_equal = &ensemble.description().weights;
    let weights: Vec<Weights> = election.scores.iter().map(TagScores::weights).collect();
    let (of_equal, of_weighted) = (election.hold(ensemble, all_equal), election.hold(ensemble, &weights));
    let parsers: Vec<f64> = election.scores.iter().filter_map(TagScores::las).collect();
    let event = Event::Voted { parsers: &parsers, equal: las(&of_equal), weighted: las(&of_weighted) };
    observer.event(&event);
    if equal {
        (all_equal.clone(), Certainty::fit(&of_equal))
    } else {
        (weights, Certainty::fit(&of_weighted))
    }
}

/// Held-out sentences, what is right, and what the parsers say.
struct Election<'s> {
    sentences: Vec<(&'s Sentence, Tree, Ballots)>,
    /// By parser.
    scores: Vec<TagScores>,
}

impl<'s> Election<'s> {
    /// Asks all parsers.
    fn new(model: &Model, ensemble: &Ensemble, sentences: &[&'s Sentence]) -> Self {
        let sentences: Vec<_> = sentences
            .par_iter()
            .map_init(
                || model.worker(),
                |worker, &sentence| {
                    (sentence, gold_tree(sentence, ensemble.labels()), worker.ballots(sentence).clone())
                },
            )
            .collect();
        let mut scores = vec![TagScores::default(); model.n_members()];
        for (sentence, gold, ballots) in &sentences {
            for token in known_tokens(sentence, gold) {
                for (parser, tree) in ballots.trees(ensemble) {
                    scores[parser].add(coarse_tag(sentence, token), same_arc(gold, tree, token));
                }
            }
        }
        Self { sentences, scores }
    }

    /// The part of the votes that each arc of the winner has, and whether it is right.
    fn hold(&self, ensemble: &Ensemble, weights: &[Weights]) -> Vec<(f32, bool)> {
        let (mut count, mut arcs) = (Count::default(), Vec::new());
        for (sentence, gold, ballots) in &self.sentences {
            count.hold(ensemble, sentence, ballots, weights);
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
fn las(arcs: &[(f32, bool)]) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "counts of tokens")]
    let percent = |n: usize| 100.0 * n as f64 / arcs.len().max(1) as f64;
    percent(arcs.iter().filter(|arc| arc.1).count())
}
