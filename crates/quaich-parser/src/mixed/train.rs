//! Training both; they meet only when they parse, and how they decide together is read off sentences
//! that neither has seen.

use std::sync::Arc;

use quaich_features::TokenValues;

use super::model::{Mixed, Mixing, Partner};
use crate::apprentice::Apprentice;
use crate::calibration::{Calibration, Judged};
use crate::decider::{Keepable, ModelDecider};
use crate::error::Result;
use crate::held_out::{judge, n_right};
use crate::learners::Learned;
use crate::linear::{Linear, LinearTraining};
use crate::observer::Event;
use crate::prepare::Example;
use crate::settings::Auto;
use crate::train::Training;

/// What a nat of the network counts where nothing is known. Chosen on english-ewt and hungarian-szeged dev.
const USUAL_WEIGHT: f32 = 0.1;
/// What else is tried; 0 is the linear model alone.
const OTHER_WEIGHTS: [f32; 3] = [0.0, 0.03, 0.3];
/// By how many points of LAS another weight must be better than the usual one: what chance does not do.
const WORTH_IT: f64 = 0.5;

/// Learns a linear model and networks.
pub(crate) fn learn<'a, N: Apprentice<'a>>(training: &'a Training<'a>) -> Result<Learned>
where
    N::Model: Partner,
    Mixed<N::Model>: Keepable,
{
    let mut token_values = TokenValues::default();
    let linear = LinearTraining::new(training, &mut token_values);
    let networks = N::new(training, &mut token_values)?;
    let all = training.examples();
    let (linear, networks) = rayon::join(
        || linear.train(&all),
        || rayon::join(|| networks.train(&all), || networks.rehearse(&all)),
    );
    let (trained, network) = (linear?, networks.0?);
    let rehearsed = match (trained.rehearsal, networks.1?) {
        (Some(linear), Some((network, held_out))) => Some(Rehearsal::new(linear, network, held_out)),
        _ => None,
    };
    let sure = training.settings.sure;
    let (weight, judged) = match (training.settings.network_weight, rehearsed) {
        (Auto::Given(weight), Some(rehearsal)) => {
            (weight, rehearsal.judge(training, &token_values, Mixing { weight, sure }))
        }
        (Auto::Auto, Some(rehearsal)) => rehearsal.choose(training, &token_values, sure),
        (given, None) => (given.unwrap_or_else(|| USUAL_WEIGHT), Vec::new()),
    };
    let calibration = Calibration::fit(&judged);
    if weight <= 0.0 {
        return Ok(Learned::from_all(ModelDecider::boxed(trained.model, token_values), calibration));
    }
    let mixing = Mixing { weight, sure };
    let model = Mixed { linear: Arc::new(trained.model), network: Arc::new(network), mixing };
    Ok(Learned::from_all(ModelDecider::boxed(model, token_values), calibration))
}

/// Models that have not seen the first fold, and that fold.
struct Rehearsal<'e, 't, N> {
    linear: Arc<Linear>,
    network: Arc<N>,
    held_out: Vec<&'e Example<'t>>,
}

impl<'e, 't, N: Partner> Rehearsal<'e, 't, N> {
    fn new(linear: Linear, network: N, held_out: Vec<&'e Example<'t>>) -> Self {
        Self { linear: Arc::new(linear), network: Arc::new(network), held_out }
    }

    /// What the two do together with the fold.
    fn judge(&self, training: &Training<'_>, token_values: &TokenValues, mixing: Mixing) -> Vec<Judged> {
        if mixing.weight <= 0.0 {
            return judge(&*self.linear, token_values, training.way(), &self.held_out);
        }
        let (linear, network) = (Arc::clone(&self.linear), Arc::clone(&self.network));
        judge(&Mixed { linear, network, mixing }, token_values, training.way(), &self.held_out)
    }

    /// The weight that does best with the fold, if it is better than the usual one.
    fn choose(&self, training: &Training<'_>, token_values: &TokenValues, sure: f32) -> (f32, Vec<Judged>) {
        let judge = |weight: f32| self.judge(training, token_values, Mixing { weight, sure });
        #[allow(clippy::cast_precision_loss, reason = "counts of tokens")]
        let las = |judged: &[Judged]| 100.0 * n_right(judged) as f64 / judged.len().max(1) as f64;
        let usual = judge(USUAL_WEIGHT);
        let mut best = (USUAL_WEIGHT, las(&usual) + WORTH_IT, usual);
        for weight in OTHER_WEIGHTS {
            let judged = judge(weight);
            if las(&judged) > best.1 {
                best = (weight, las(&judged), judged);
            }
        }
        let (weight, _, judged) = best;
        if weight.to_bits() != USUAL_WEIGHT.to_bits() {
            training.observer.event(&Event::Mixed { network_weight: weight });
        }
        (weight, judged)
    }
}
