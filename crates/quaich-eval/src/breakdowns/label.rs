//! By label: arcs of the gold standard by their gold labels, those of the system by its labels.

use quaich_treebank::Label;

use super::groups::{ArcGroup, LABEL_ONLY};
use super::named::Named;
use super::{Breakdown, Context, Table, Tally};
use crate::evaluator::SentencePair;

/// The breakdown.
pub(super) struct ByLabel;

impl Breakdown for ByLabel {
    fn name(&self) -> &'static str {
        "label"
    }

    fn about(&self) -> &'static str {
        "precision, recall and F of every label, with the correct head and regardless of the head"
    }

    fn start(&self, _context: &Context) -> Box<dyn Tally> {
        Box::new(Labels::default())
    }
}

#[derive(Default)]
struct Labels(Named<Label, ArcGroup>);

impl Tally for Labels {
    fn add(&mut self, pair: &SentencePair<'_>) {
        for (token, token_match) in pair.scored() {
            self.0.group(pair.gold.label(token)).add_gold(token_match, token_match.label);
            self.0.group(pair.system.label(token)).add_system(token_match, token_match.label);
        }
    }

    fn table(&self) -> Table {
        Table::of_arcs(&LABEL_ONLY, self.0.by_size(|group| group.both.gold))
    }
}
