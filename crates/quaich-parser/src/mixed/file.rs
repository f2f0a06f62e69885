//! Two models as a part of a model file, each a part of its own.

use std::sync::Arc;

use quaich_features::TokenValues;

use super::model::{Mixed, Mixing};
use crate::decider::{Decider, Keepable, ModelDecider};
use crate::decisions::Questions;
use crate::part::{PartError, PartReader, PartWriter};
use crate::{linear, network};

/// The kind's name in model files.
pub(crate) const NAME: &str = "linear+network";

impl Keepable for Mixed {
    const KIND: &'static str = NAME;

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
        self.network.save(&mut part.part(network::NAME));
    }
}

/// Puts a decider together.
pub(crate) fn load(part: PartReader<'_>, questions: &Questions) -> Result<Box<dyn Decider>, PartError> {
    let mixing: Mixing = part.description()?;
    if !(mixing.weight.is_finite() && mixing.weight > 0.0) {
        return Err(PartError::broken("mixing"));
    }
    let mut token_values = TokenValues::default();
    let linear = part.part(linear::NAME, |part| linear::read(part, questions, &mut token_values))?;
    let network = part.part(network::NAME, |part| network::read(part, questions, &mut token_values))?;
    let model = Mixed { linear: Arc::new(linear), network: Arc::new(network), mixing };
    Ok(ModelDecider::boxed(model, token_values))
}
