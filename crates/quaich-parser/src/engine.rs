//! The models a parser can have: linear, network, or both deciding together.

use quaich_features::Tokens;
use quaich_transition::configuration::Configuration;
use quaich_transition::transition::{Kind, KindSet};
use quaich_treebank::{Label, Node};

use crate::linear::{Linear, LinearScratch};
use crate::model::{Choice, Model};
use crate::network_engine::{MAX_KINDS, NetworkEngine, NetworkScratch};

/// What decides in a parser.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one a parser")]
pub enum Engine {
    /// Sums of weights.
    Linear(Linear),
    /// A feed-forward network.
    Network(NetworkEngine),
    /// Both, their scores added.
    Mixed(Mixed),
}

/// A linear model and a network that decide together.
///
/// The network is asked first: it is several times as fast, and nine times in ten it is so sure
/// that the linear model would hardly ever change its mind. Only where it is not are the scores of
/// both added.
#[derive(Debug)]
pub struct Mixed {
    /// The linear model.
    pub linear: Linear,
    /// The network.
    pub network: NetworkEngine,
    /// What a nat of the network counts in the linear model's margins.
    pub weight: f32,
    /// The lead, in nats, from which on the network decides alone.
    pub sure: f32,
}

/// What a thread needs to ask a mixed model.
#[derive(Debug, Default)]
pub struct MixedScratch {
    linear: LinearScratch,
    network: NetworkScratch,
}

impl Engine {
    /// The linear model, if there is one.
    pub fn linear(&self) -> Option<&Linear> {
        match self {
            Self::Linear(linear) | Self::Mixed(Mixed { linear, .. }) => Some(linear),
            Self::Network(_) => None,
        }
    }

    /// The network, if there is one.
    pub fn network(&self) -> Option<&NetworkEngine> {
        match self {
            Self::Network(network) | Self::Mixed(Mixed { network, .. }) => Some(network),
            Self::Linear(_) => None,
        }
    }
}

/// The best and its lead over the second best; the first of several equal ones.
#[inline]
fn best_of<T>(scored: impl IntoIterator<Item = (T, f32)>, otherwise: T) -> Choice<T> {
    let mut best = otherwise;
    let (mut highest, mut second) = (f32::NEG_INFINITY, f32::NEG_INFINITY);
    for (candidate, score) in scored {
        if score > highest {
            second = highest;
            highest = score;
            best = candidate;
        } else if score > second {
            second = score;
        }
    }
    Choice { best, margin: highest - second }
}

/// The label with the highest sum and its lead; `nats` is what a unit of a sum is worth.
#[inline]
fn best_label(sums: &[i32], nats: f32) -> Choice<Label> {
    let highest = sums.iter().copied().max().unwrap_or(0);
    let best = sums.iter().position(|&sum| sum == highest).unwrap_or(0);
    let (before, after) = (sums.get(..best).unwrap_or(&[]), sums.get(best + 1..).unwrap_or(&[]));
    let second = before.iter().copied().max().max(after.iter().copied().max());
    #[allow(clippy::cast_precision_loss, reason = "leads are far below 2²⁴ units")]
    let margin = second.map_or(f32::INFINITY, |second| (highest - second) as f32 * nats);
    Choice { best: Label(u32::try_from(best).unwrap_or(0)), margin }
}

impl NetworkEngine {
    /// The best permissible kind by its scores.
    #[inline]
    fn best_kind(&self, scores: &[f32; MAX_KINDS], permissible: KindSet) -> Choice<Kind> {
        let scored = self.kinds.iter().copied().zip(scores.iter().copied());
        best_of(scored.filter(|(kind, _)| permissible.contains(*kind)), Kind::Shift)
    }
}

impl Model for NetworkEngine {
    type Scratch = NetworkScratch;

    fn start(&self, tokens: &Tokens, scratch: &mut NetworkScratch) {
        Self::start(self, tokens, scratch);
    }

    #[inline]
    fn kind(
        &self,
        c: &Configuration,
        _tokens: &Tokens,
        permissible: KindSet,
        scratch: &mut NetworkScratch,
    ) -> Choice<Kind> {
        self.best_kind(&self.score_transitions(c, scratch), permissible)
    }

    #[inline]
    fn label(
        &self,
        c: &Configuration,
        _tokens: &Tokens,
        head: Node,
        dependent: Node,
        scratch: &mut NetworkScratch,
    ) -> Choice<Label> {
        best_label(self.sum_labels(c, (head, dependent), scratch), self.labels.frozen.scale)
    }
}

impl Model for Mixed {
    type Scratch = MixedScratch;

    fn start(&self, tokens: &Tokens, scratch: &mut MixedScratch) {
        self.network.start(tokens, &mut scratch.network);
    }

    #[inline]
    fn kind(
        &self,
        c: &Configuration,
        tokens: &Tokens,
        permissible: KindSet,
        scratch: &mut MixedScratch,
    ) -> Choice<Kind> {
        let mut scores = self.network.score_transitions(c, &mut scratch.network);
        let choice = self.network.best_kind(&scores, permissible);
        if choice.margin >= self.sure {
            return choice;
        }
        let linear = self.linear.score_transitions(c, tokens, &mut scratch.linear);
        for (score, linear) in scores.iter_mut().zip(linear) {
            *score += linear / self.weight;
        }
        self.network.best_kind(&scores, permissible)
    }

    #[inline]
    fn label(
        &self,
        c: &Configuration,
        tokens: &Tokens,
        head: Node,
        dependent: Node,
        scratch: &mut MixedScratch,
    ) -> Choice<Label> {
        let MixedScratch { linear, network } = scratch;
        let nats = self.network.labels.frozen.scale;
        let sums = self.network.sum_labels(c, (head, dependent), network);
        let choice = best_label(sums, nats);
        if choice.margin >= self.sure {
            return choice;
        }
        let (linear, scale) = self.linear.sum_labels(c, tokens, head, dependent, linear);
        let unit = scale / self.weight;
        #[allow(clippy::cast_precision_loss, reason = "sums need no more than a float has")]
        let added =
            sums.iter().zip(linear).map(|(&sum, &linear)| sum as f32 * nats + f32::from(linear) * unit);
        best_of((0u32..).map(Label).zip(added), Label(0))
    }
}
