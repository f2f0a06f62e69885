//! A mixture as a part of a model file; each of its two models is a nested part.

use std::sync::Arc;

use quaich_features::TokenValues;

use super::model::{Mixed, Mixing};
use crate::decoder::{Decoder, Persist, ScorerDecoder};
use crate::learner::Loading;
use crate::network::NetworkModel;
use crate::part::{PartError, PartReader, PartWriter};
use crate::recurrent::RecurrentModel;
use crate::scorer::Partner;
use crate::{linear, network, recurrent};

/// The names of the learners.
pub(crate) const WITH_NETWORK: &str = "linear+network";
pub(crate) const WITH_RECURRENT: &str = "linear+recurrent";

/// The learner of a mixture with this type of network.
pub(super) trait Pair: Persist + Partner {
    const PAIR: &'static str;
}

impl Pair for NetworkModel {
    const PAIR: &'static str = WITH_NETWORK;
}

impl Pair for RecurrentModel {
    const PAIR: &'static str = WITH_RECURRENT;
}

/// The nested part of the network.
const NETWORK: &str = "network";

impl<N: Pair> Persist for Mixed<N> {
    fn kind(&self) -> &'static str {
        N::PAIR
    }

    fn about(&self) -> Vec<(String, String)> {
        let mixing = format!("network weight {}", self.mixing.weight);
        let mut about = self.linear.about();
        about.extend(self.network.about());
        about.push(("mixture".to_owned(), mixing));
        about
    }

    fn save(&self, part: &mut PartWriter<'_>) {
        part.describe(&self.mixing);
        self.linear.save(&mut part.part(linear::NAME));
        self.network.save(&mut part.part(NETWORK));
    }
}

/// Reads a mixture with a feed-forward network.
pub(crate) fn load_with_network(
    part: PartReader<'_>,
    of: Loading<'_>,
) -> Result<Box<dyn Decoder>, PartError> {
    load(part, of, |part, of, token_values| network::read(part, of.questions, token_values))
}

/// Reads a mixture with a recurrent network.
pub(crate) fn load_with_recurrent(
    part: PartReader<'_>,
    of: Loading<'_>,
) -> Result<Box<dyn Decoder>, PartError> {
    load(part, of, |part, of, _| recurrent::read(part, of))
}

fn load<N: Pair>(
    part: PartReader<'_>,
    of: Loading<'_>,
    read: fn(PartReader<'_>, Loading<'_>, &mut TokenValues) -> Result<N, PartError>,
) -> Result<Box<dyn Decoder>, PartError> {
    let mixing: Mixing = part.description()?;
    if !(mixing.weight.is_finite() && mixing.weight > 0.0) {
        return Err(PartError::broken("mixture"));
    }
    let mut token_values = TokenValues::default();
    let linear = part.part(linear::NAME, |part| linear::read(part, of.questions, &mut token_values))?;
    let network = part.part(NETWORK, |part| read(part, of, &mut token_values))?;
    let model = Mixed { linear: Arc::new(linear), network: Arc::new(network), mixing };
    Ok(ScorerDecoder::boxed(Arc::new(model), token_values))
}
