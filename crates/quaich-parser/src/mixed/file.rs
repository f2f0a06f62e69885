//! Two models as a part of a model file, each a part of its own.

use std::sync::Arc;

use quaich_features::TokenValues;

use super::model::{Mixed, Mixing, Partner};
use crate::decider::{Decider, Keepable, ModelDecider};
use crate::decisions::Questions;
use crate::network::NetworkModel;
use crate::part::{PartError, PartReader, PartWriter};
use crate::recurrent::RecurrentModel;
use crate::{linear, network, recurrent};

/// The kinds' names in model files.
pub(crate) const WITH_NETWORK: &str = "linear+network";
pub(crate) const WITH_RECURRENT: &str = "linear+recurrent";

/// What the kind of a pair is called.
trait Pair: Keepable + Partner {
    const PAIR: &'static str;
}

impl Pair for NetworkModel {
    const PAIR: &'static str = WITH_NETWORK;
}

impl Pair for RecurrentModel {
    const PAIR: &'static str = WITH_RECURRENT;
}

impl<N: Pair> Keepable for Mixed<N> {
    const KIND: &'static str = N::PAIR;

    fn about(&self) -> Vec<(String, String)> {
        let mixing = format!("a nat of the network counts {} of a margin", self.mixing.weight);
        let mut about = self.linear.about();
        about.extend(self.network.about());
        about.push(("mixing".to_owned(), mixing));
        about
    }

    fn save(&self, part: &mut PartWriter<'_>) {
        part.describe(&self.mixing);
        self.linear.save(&mut part.part(linear::NAME));
        self.network.save(&mut part.part(N::KIND));
    }
}

type Read<N> = fn(PartReader<'_>, &Questions, &mut TokenValues) -> Result<N, PartError>;

/// Puts a decider together of which one is a network.
pub(crate) fn load_with_network(
    part: PartReader<'_>,
    questions: &Questions,
) -> Result<Box<dyn Decider>, PartError> {
    load(part, questions, network::read)
}

/// Puts a decider together of which one is a recurrent network.
pub(crate) fn load_with_recurrent(
    part: PartReader<'_>,
    questions: &Questions,
) -> Result<Box<dyn Decider>, PartError> {
    load(part, questions, |part, questions, _| recurrent::read(part, questions))
}

fn load<N: Pair>(
    part: PartReader<'_>,
    questions: &Questions,
    read: Read<N>,
) -> Result<Box<dyn Decider>, PartError> {
    let mixing: Mixing = part.description()?;
    if !(mixing.weight.is_finite() && mixing.weight > 0.0) {
        return Err(PartError::broken("mixing"));
    }
    let mut token_values = TokenValues::default();
    let linear = part.part(linear::NAME, |part| linear::read(part, questions, &mut token_values))?;
    let network = part.part(N::KIND, |part| read(part, questions, &mut token_values))?;
    let model = Mixed { linear: Arc::new(linear), network: Arc::new(network), mixing };
    Ok(ModelDecider::boxed(model, token_values))
}
