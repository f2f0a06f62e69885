//! Fitting the weights of votes and the calibration of the ensemble, on sentences that its parsers have not learned from.

use quaich_treebank::{Node, Sentence, Tree};
use rayon::prelude::*;

use crate::ensemble::voting::{Ballots, Ensemble, VoteCounter};
use crate::ensemble::{Certainty, TagScores, Weights};
use crate::model::Model;
use crate::observer::{Event, Observer};
use crate::scheme::{coarse_tag, gold_tree};

/// Fits the weights of each parser's votes, and maps support to probabilities.
pub(crate) fn fit_vote_weights(
    model: &Model,
    held_out: &[&Sentence],
    equal: bool,
    observer: &dyn Observer,
) -> (Vec<Weights>, Certainty) {
    let ensemble = model.parts().ensemble.as_ref().expect("an ensemble");
    let votes = HeldOutVotes::new(model, ensemble, held_out);
    let all_equal = &ensemble.description().weights;
    let weights: Vec<Weights> = votes.scores.iter().map(TagScores::weights).collect();
    let (of_equal, of_weighted) = (votes.hold(ensemble, all_equal), votes.hold(ensemble, &weights));
    let parsers: Vec<f64> = votes.scores.iter().filter_map(TagScores::las).collect();
    let event = Event::Voted { parsers: &parsers, equal: las(&of_equal), weighted: las(&of_weighted) };
    observer.event(&event);
    if equal {
        (all_equal.clone(), Certainty::fit(&of_equal))
    } else {
        (weights, Certainty::fit(&of_weighted))
    }
}

/// Held-out sentences with their gold trees and the votes of all parsers.
struct HeldOutVotes<'s> {
    sentences: Vec<(&'s Sentence, Tree, Ballots)>,
    /// One per parser.
    scores: Vec<TagScores>,
}

impl<'s> HeldOutVotes<'s> {
    /// Parses the sentences with all parsers.
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

    /// The support of each arc of the winning tree, and whether the arc is correct.
    fn hold(&self, ensemble: &Ensemble, weights: &[Weights]) -> Vec<(f32, bool)> {
        let (mut count, mut arcs) = (VoteCounter::default(), Vec::new());
        for (sentence, gold, ballots) in &self.sentences {
            count.hold(ensemble, sentence, ballots, weights);
            let (winner, support) = count.outcome();
            let arc = |token: Node| (support[token.index()], same_arc(gold, winner, token));
            arcs.extend(known_tokens(sentence, gold).map(arc));
        }
        arcs
    }
}

/// The tokens with gold heads.
fn known_tokens<'t>(sentence: &'t Sentence, gold: &'t Tree) -> impl Iterator<Item = Node> + 't {
    sentence.tokens().filter(|token| gold.head(*token).is_some())
}

fn same_arc(one: &Tree, other: &Tree, token: Node) -> bool {
    one.head(token) == other.head(token) && one.label(token) == other.label(token)
}

/// The labelled attachment score in percent.
fn las(arcs: &[(f32, bool)]) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "counts of tokens")]
    let percent = |n: usize| 100.0 * n as f64 / arcs.len().max(1) as f64;
    percent(arcs.iter().filter(|arc| arc.1).count())
}
