//! By transition: the precision of arcs by the kind of transition that built them (Fernández-González and
//! Gómez-Rodríguez 2012, Table 3).

use std::collections::BTreeMap;

use super::{Breakdown, Context, Need, Table, Tally};
use crate::attachment::Attachment;
use crate::evaluator::SentencePair;
use crate::score::Score;

/// The breakdown.
pub(super) struct ByTransition;

impl Breakdown for ByTransition {
    fn name(&self) -> &'static str {
        "transitions"
    }

    fn about(&self) -> &'static str {
        "precision of arcs by the transition of a model that built them, labelled (LAS) and unlabelled (UAS) (--model)"
    }

    fn need(&self) -> Need {
        Need::Derivations
    }

    fn is_partition(&self) -> bool {
        false
    }

    fn start(&self, _context: &Context) -> Box<dyn Tally> {
        Box::new(Transitions::default())
    }
}

#[derive(Default)]
struct Transitions(BTreeMap<&'static str, Attachment>);

impl Tally for Transitions {
    fn add(&mut self, pair: &SentencePair<'_>) {
        let Some(derivation) = pair.derivation else {
            return;
        };
        for attached in &derivation.attached {
            if pair.token_match(attached.token).is_some() {
                self.0.entry(attached.transition).or_default().add(attached.token_match);
            }
        }
    }

    fn table(&self) -> Table {
        let rows = self
            .0
            .iter()
            .map(|(name, scored)| ((*name).to_owned(), Score { scored: *scored, ..Score::default() }));
        Table::of_tokens(rows)
    }
}
