//! A mixture of a linear model and a network of either kind.
//!
//! The network runs first: it is several times as fast, and in nine of ten cases its margin is so large that the linear model would
//! hardly ever change the result. Only where its margin is small are the scores of both added.

use std::sync::Arc;

use crate::linear::{Linear, LinearScratch};
use crate::scorer::{Allowed, Choice, Input, Partner, Scorer, State, best};

/// A linear model and a network.
#[derive(Clone, Debug)]
pub(crate) struct Mixed<N> {
    /// The linear model.
    pub(super) linear: Arc<Linear>,
    /// The network.
    pub(super) network: Arc<N>,
    /// How they are combined.
    pub(super) mixing: Mixing,
}

/// How two models are combined.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Mixing {
    /// The weight of the network's log-probabilities relative to the linear model's margins.
    pub(super) weight: f32,
    /// The margin, in log-probabilities, from which the network decides alone.
    pub(super) threshold: f32,
}

/// The buffers of one thread.
#[derive(Debug, Default)]
pub(crate) struct MixedScratch<S> {
    linear: LinearScratch,
    network: S,
    scores: Vec<f32>,
}

impl<N: Partner> Mixed<N> {
    /// The sum of both scores, after the network has run; in log-probabilities.
    #[inline]
    fn add<'s>(
        &self,
        question: usize,
        state: State<'_>,
        allowed: Allowed<'_>,
        scratch: &'s mut MixedScratch<N::Scratch>,
    ) -> &'s [f32] {
        let MixedScratch { linear, network, scores } = scratch;
        let own = self.network.last_scores(question, network);
        let margins = self.linear.scores(question, state, allowed, linear);
        scores.clear();
        scores.extend(own.iter().zip(margins).map(|(own, margin)| own + margin / self.mixing.weight));
        scores
    }
}

impl<N: Partner> Scorer for Mixed<N> {
    type Scratch = MixedScratch<N::Scratch>;

    fn start(&self, input: Input<'_>, scratch: &mut MixedScratch<N::Scratch>) {
        self.network.start(input, &mut scratch.network);
    }

    /// The network's scores where it decides alone, the sum of both elsewhere; the best class is always the chosen one.
    fn scores<'s>(
        &self,
        question: usize,
        state: State<'_>,
        allowed: Allowed<'_>,
        scratch: &'s mut MixedScratch<N::Scratch>,
    ) -> &'s [f32] {
        let choice = self.network.choose(question, state, allowed, &mut scratch.network);
        if choice.margin >= self.mixing.threshold {
            return self.network.last_scores(question, &mut scratch.network);
        }
        self.add(question, state, allowed, scratch)
    }

    #[inline]
    fn choose(
        &self,
        question: usize,
        state: State<'_>,
        allowed: Allowed<'_>,
        scratch: &mut MixedScratch<N::Scratch>,
    ) -> Choice {
        let choice = self.network.choose(question, state, allowed, &mut scratch.network);
        if choice.margin >= self.mixing.threshold {
            return choice;
        }
        best(self.add(question, state, allowed, scratch), allowed)
    }
}
