//! Training both; they meet only when they parse, and how they decide together is chosen on sentences
//! that neither has seen.

use std::sync::Arc;

use quaich_features::TokenValues;
use quaich_treebank::Sentence;

use super::file::Pair;
use super::model::{Mixed, Mixing};
use crate::calibration::{Calibration, Evidence};
use crate::decoder::{Decoder, ScorerDecoder};
use crate::encoder::SentenceEncoder;
use crate::error::Result;
use crate::evaluation::{Evaluation, evaluate, first_tokens};
use crate::learner::{HeldOut, Learned, Profile, TrainingInput};
use crate::linear::{self, Linear};
use crate::observer::Event;
use crate::task::Example;
use crate::{network, recurrent};

/// The weight of the network where nothing is known. Chosen on english-ewt and hungarian-szeged dev.
const USUAL_WEIGHT: f32 = 0.1;
/// What else is tried; 0 is the linear model alone.
const OTHER_WEIGHTS: [f32; 3] = [0.0, 0.03, 0.3];
/// By how many points of LAS another weight must be better than the usual one: what chance does not do.
const WORTH_IT: f64 = 0.5;
/// Held-out tokens that weights are chosen by; more would only take longer.
const JUDGED: usize = 20_000;

/// A network and the encoder that it reads, if there is one.
struct Network<N> {
    model: Arc<N>,
    encoder: Option<Arc<SentenceEncoder>>,
}

impl<N> Clone for Network<N> {
    fn clone(&self) -> Self {
        Self { model: Arc::clone(&self.model), encoder: self.encoder.clone() }
    }
}

/// How many steps training a linear model and a feed-forward network takes.
pub(crate) fn steps_with_network(input: &TrainingInput<'_>) -> usize {
    linear::steps(input) + network::steps_with(input, holds_out(input))
}

/// How many steps training a linear model and recurrent networks takes.
pub(crate) fn steps_with_recurrent(input: &TrainingInput<'_>) -> usize {
    linear::steps(input) + recurrent::steps_with(input, holds_out(input))
}

/// Whether networks are trained without a fold, besides: there is no other use for it than beside a linear model without that fold.
fn holds_out(input: &TrainingInput<'_>) -> bool {
    input.holds_out() && linear::n_folds(input).is_some()
}

/// Learns a linear model and a feed-forward network.
pub(crate) fn learn_with_network(input: &TrainingInput<'_>, profile: Profile) -> Result<Learned> {
    let mut token_values = TokenValues::default();
    let setup = network::Setup::new(input, &mut token_values)?;
    learn(input, profile, token_values, |examples, is_second| {
        Ok(Network { model: setup.train(input, examples, is_second), encoder: None })
    })
}

/// Learns a linear model and recurrent networks.
pub(crate) fn learn_with_recurrent(input: &TrainingInput<'_>, profile: Profile) -> Result<Learned> {
    let setup = recurrent::Setup::new(input)?;
    learn(input, profile, TokenValues::default(), |examples, is_second| {
        let trained = setup.train(input, examples, is_second)?;
        Ok(Network { model: Arc::clone(&trained.models[0]), encoder: Some(trained.encoder) })
    })
}

fn learn<'e, N: Pair>(
    input: &TrainingInput<'e>,
    profile: Profile,
    mut token_values: TokenValues,
    train: impl Fn(&[&'e Example<'e>], bool) -> Result<Network<N>> + Sync,
) -> Result<Learned> {
    let features = input.features(profile)?;
    let linear = linear::Setup::new(input, &features, &mut token_values)?;
    let all = input.examples();
    // The linear model has not seen one of these folds when it is trained on the others.
    let held_out = match linear::n_folds(input) {
        Some(folds) => HeldOut::choose(input, None, folds),
        None => HeldOut::Nothing,
    };
    let (linear, networks) = rayon::join(|| linear.train(&all), || held_out.train(input, &train));
    let (linear, (network, second, _)) = (linear?, networks?);
    let settings = input.settings.group("mixture");
    let threshold = settings.float("margin-threshold");
    let trial = linear.of_others.zip(second).map(|(linear, (network, held_out))| Trial {
        input,
        pair: Both { linear, network },
        sentences: held_out.iter().map(|example| example.sentence).collect(),
        token_values: &token_values,
        threshold,
    });
    let (weight, judged) = match (settings.given_float("network-weight"), trial) {
        (Some(weight), Some(trial)) => (weight, trial.evaluate(weight)),
        (None, Some(trial)) => trial.choose(),
        (given, None) => (given.unwrap_or(USUAL_WEIGHT), Evaluation::default()),
    };
    let arcs: Vec<(Evidence, bool)> = judged.arcs.iter().map(|arc| (arc.evidence, arc.right)).collect();
    let both = Both { linear: linear.model, network };
    let (encoder, decoder) = both.decoder(weight, threshold, &token_values);
    Ok(Learned { encoder, ..Learned::single(decoder, Calibration::fit(&arcs)) })
}

/// Both models.
struct Both<N> {
    linear: Arc<Linear>,
    network: Network<N>,
}

impl<N: Pair> Both<N> {
    /// What decides with this weight of the network, and its encoder.
    fn decoder(
        &self,
        weight: f32,
        threshold: f32,
        token_values: &TokenValues,
    ) -> (Option<Arc<SentenceEncoder>>, Box<dyn Decoder>) {
        let (linear, token_values) = (Arc::clone(&self.linear), token_values.clone());
        if weight <= 0.0 {
            return (None, ScorerDecoder::boxed(linear, token_values));
        }
        let Network { model, encoder } = self.network.clone();
        let mixed = Mixed { linear, network: model, mixing: Mixing { weight, threshold } };
        (encoder, ScorerDecoder::boxed(Arc::new(mixed), token_values))
    }
}

/// Models that have not seen some sentences, and those.
struct Trial<'a, N> {
    input: &'a TrainingInput<'a>,
    pair: Both<N>,
    sentences: Vec<&'a Sentence>,
    token_values: &'a TokenValues,
    threshold: f32,
}

impl<N: Pair> Trial<'_, N> {
    /// What the two do together with the sentences.
    fn evaluate(&self, weight: f32) -> Evaluation {
        let (encoder, decoder) = self.pair.decoder(weight, self.threshold, self.token_values);
        let model = self.input.model(encoder, decoder, Calibration::default());
        evaluate(&model, &first_tokens(self.sentences.iter().copied(), JUDGED))
    }

    /// The weight that does best, if it is better than the usual one.
    fn choose(&self) -> (f32, Evaluation) {
        let usual = self.evaluate(USUAL_WEIGHT);
        let mut best = (USUAL_WEIGHT, usual.las() + WORTH_IT, usual);
        for weight in OTHER_WEIGHTS {
            let judged = self.evaluate(weight);
            if judged.las() > best.1 {
                best = (weight, judged.las(), judged);
            }
        }
        let (weight, _, judged) = best;
        if weight.to_bits() != USUAL_WEIGHT.to_bits() {
            self.input.observer.event(&Event::Mixed { network_weight: weight });
        }
        (weight, judged)
    }
}
