//! Training a mixture: the two models are trained independently, and the weight is chosen on sentences that neither has seen.

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

/// The default weight of the network. Chosen on english-ewt and hungarian-szeged dev.
const DEFAULT_WEIGHT: f32 = 0.1;
/// The other weights that are tried; 0 is the linear model alone.
const OTHER_WEIGHTS: [f32; 3] = [0.0, 0.03, 0.3];
/// The minimum gain in points of LAS over the default weight, to rule out chance.
const MIN_GAIN: f64 = 0.5;
/// The number of held-out tokens to choose the weight on; more would only take longer.
const MAX_HELD_OUT_TOKENS: usize = 20_000;

/// A network and its encoder, if it uses one.
struct Network<N> {
    model: Arc<N>,
    encoder: Option<Arc<SentenceEncoder>>,
}

impl<N> Clone for Network<N> {
    fn clone(&self) -> Self {
        Self { model: Arc::clone(&self.model), encoder: self.encoder.clone() }
    }
}

/// The number of training steps with a feed-forward network.
pub(crate) fn steps_with_network(input: &TrainingInput<'_>) -> usize {
    linear::steps(input) + network::steps_with(input, holds_out(input))
}

/// The number of training steps with recurrent networks.
pub(crate) fn steps_with_recurrent(input: &TrainingInput<'_>) -> usize {
    linear::steps(input) + recurrent::steps_with(input, holds_out(input))
}

/// Whether the network has a held-out run; only needed if the linear model has one, too.
fn holds_out(input: &TrainingInput<'_>) -> bool {
    input.holds_out() && linear::n_folds(input).is_some()
}

/// Trains a linear model and a feed-forward network.
pub(crate) fn learn_with_network(input: &TrainingInput<'_>, profile: Profile) -> Result<Learned> {
    let mut token_values = TokenValues::default();
    let setup = network::Setup::new(input, &mut token_values)?;
    learn(input, profile, token_values, |examples, is_second| {
        Ok(Network { model: setup.train(input, examples, is_second)?, encoder: None })
    })
}

/// Trains a linear model and recurrent networks.
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
    let trial = linear.without_first_fold.zip(second).map(|(linear, (network, held_out))| HeldOutTrial {
        input,
        pair: ModelPair { linear, network },
        sentences: held_out.iter().map(|example| example.sentence).collect(),
        token_values: &token_values,
        threshold,
    });
    let (weight, evaluation) = match (settings.given_float("network-weight"), trial) {
        (Some(weight), Some(trial)) => (weight, trial.evaluate(weight)),
        (None, Some(trial)) => trial.choose(),
        (given, None) => (given.unwrap_or(DEFAULT_WEIGHT), Evaluation::default()),
    };
    let arcs: Vec<(Evidence, bool)> = evaluation.arcs.iter().map(|arc| (arc.evidence, arc.right)).collect();
    let both = ModelPair { linear: linear.model, network };
    let (encoder, decoder) = both.decoder(weight, threshold, &token_values);
    Ok(Learned { encoder, ..Learned::single(decoder, Calibration::fit(&arcs)) })
}

/// The two models.
struct ModelPair<N> {
    linear: Arc<Linear>,
    network: Network<N>,
}

impl<N: Pair> ModelPair<N> {
    /// The decoder with this weight of the network, and its encoder.
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

/// Models that have not seen some sentences, and those sentences.
struct HeldOutTrial<'a, N> {
    input: &'a TrainingInput<'a>,
    pair: ModelPair<N>,
    sentences: Vec<&'a Sentence>,
    token_values: &'a TokenValues,
    threshold: f32,
}

impl<N: Pair> HeldOutTrial<'_, N> {
    /// Evaluates the mixture on the sentences.
    fn evaluate(&self, weight: f32) -> Evaluation {
        let (encoder, decoder) = self.pair.decoder(weight, self.threshold, self.token_values);
        let model = self.input.model(encoder, decoder, Calibration::default());
        let sentences = first_tokens(self.sentences.iter().copied(), MAX_HELD_OUT_TOKENS);
        // Nothing is known if the observer stops it.
        evaluate(&model, &sentences, self.input.observer).unwrap_or_default()
    }

    /// The best weight, if it beats the default weight.
    fn choose(&self) -> (f32, Evaluation) {
        let baseline = self.evaluate(DEFAULT_WEIGHT);
        let mut best = (DEFAULT_WEIGHT, baseline.las() + MIN_GAIN, baseline);
        for weight in OTHER_WEIGHTS {
            let evaluation = self.evaluate(weight);
            if evaluation.las() > best.1 {
                best = (weight, evaluation.las(), evaluation);
            }
        }
        let (weight, _, evaluation) = best;
        if weight.to_bits() != DEFAULT_WEIGHT.to_bits() {
            self.input.observer.event(&Event::Mixed { network_weight: weight });
        }
        (weight, evaluation)
    }
}
