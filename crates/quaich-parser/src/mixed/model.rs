//! Two models that decide together, a linear one and a network of either kind.
//!
//! The network is asked first: it is several times as fast, and nine times in ten it is so certain
//! that the linear model would hardly ever change its mind. Only where its margin is small are the scores of
//! both added.

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
    /// How they decide together.
    pub(super) mixing: Mixing,
}

/// How two models decide together.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Mixing {
    /// The weight of the network's log-probabilities beside the linear model's margins.
    pub(super) weight: f32,
    /// The margin, in log-probabilities, from which on the network decides alone.
    pub(super) threshold: f32,
}

/// What a thread needs to ask both.
#[derive(Debug, Default)]
pub(crate) struct MixedScratch<S> {
    linear: LinearScratch,
    network: S,
    scores: Vec<f32>,
}

impl<N: Partner> Mixed<N> {
    /// The scores of both, added, after the network was asked; in log-probabilities.
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

    /// The network's where it decides alone, those of both added elsewhere: the best of them is always
    /// what is chosen.
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
