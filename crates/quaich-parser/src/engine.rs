//! The models a parser can have: linear, network, or both deciding together.

use quaich_features::Tokens;
use quaich_transition::configuration::Configuration;
use quaich_transition::transition::{Kind, KindSet};
use quaich_treebank::{Label, Node};

use crate::linear::{Linear, LinearScratch};
use crate::model::{Choice, Model};
use crate::network_engine::{NetworkEngine, NetworkScratch};

/// What decides in a parser.
#[derive(Debug)]
pub enum Engine {
    /// Sums of weights.
    Linear(Linear),
    /// A feed-forward network.
    Network(NetworkEngine),
    /// Both, their scores added.
    Mixed(Mixed),
}

/// A linear model and a network that decide together: the scores of each class are added.
#[derive(Debug)]
pub struct Mixed {
    /// The linear model.
    pub linear: Linear,
    /// The network.
    pub network: NetworkEngine,
    /// What a nat of the network counts in the linear model's margins.
    pub weight: f32,
}

/// What a thread needs to ask a mixed model.
#[derive(Debug, Default)]
pub struct MixedScratch {
    linear: LinearScratch,
    network: NetworkScratch,
    labels: Vec<f32>,
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

/// How far one candidate is ahead of all others; less than 0 if it is not.
///
/// Mixed models report the lead in the linear model alone, because that is what was seen on held-out
/// sentences, where probabilities come from.
#[inline]
fn lead_of<T: PartialEq>(chosen: T, scored: impl IntoIterator<Item = (T, f32)>) -> f32 {
    let (mut own, mut others) = (0.0, f32::NEG_INFINITY);
    for (candidate, score) in scored {
        if candidate == chosen {
            own = score;
        } else {
            others = others.max(score);
        }
    }
    own - others
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
        let scores = self.score_transitions(c, scratch);
        let permitted =
            self.kinds.iter().copied().zip(scores).filter(|(kind, _)| permissible.contains(*kind));
        best_of(permitted, Kind::Shift)
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
        let (mut best, mut highest, mut second) = (0, i32::MIN, i32::MIN);
        for (label, &score) in (0u32..).zip(self.sum_labels(c, (head, dependent), scratch)) {
            if score > highest {
                second = highest;
                highest = score;
                best = label;
            } else {
                second = second.max(score);
            }
        }
        let nats = |score| self.labels.frozen.nats(score);
        let margin = if second == i32::MIN { f32::INFINITY } else { nats(highest) - nats(second) };
        Choice { best: Label(best), margin }
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
        let linear = self.linear.score_transitions(c, tokens, &mut scratch.linear);
        let network = self.network.score_transitions(c, &mut scratch.network);
        let permitted = || {
            let scores = linear.iter().zip(network);
            self.linear.kinds().iter().copied().zip(scores).filter(|(kind, _)| permissible.contains(*kind))
        };
        let added = permitted().map(|(kind, (linear, network))| (kind, linear + self.weight * network));
        let best = best_of(added, Kind::Shift).best;
        Choice { best, margin: lead_of(best, permitted().map(|(kind, (&linear, _))| (kind, linear))) }
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
        let MixedScratch { linear, network, labels } = scratch;
        self.network.score_labels(c, (head, dependent), network, labels);
        let (sums, scale) = self.linear.sum_labels(c, tokens, head, dependent, linear);
        let all = || (0u32..).map(Label).zip(sums.iter().map(|&sum| f32::from(sum) * scale));
        let added = all().zip(&*labels).map(|((label, linear), nats)| (label, linear + self.weight * nats));
        let best = best_of(added, Label(0)).best;
        Choice { best, margin: lead_of(best, all()) }
    }
}
