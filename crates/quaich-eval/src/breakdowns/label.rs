//! By label: the arcs of the gold standard by their labels there, those of the system by theirs.

use quaich_treebank::Label;

use super::groups::{ArcGroup, LABEL_ONLY};
use super::named::Named;
use super::{Breakdown, Context, Table, Tally};
use crate::evaluator::Judged;

/// The break-down.
pub(super) struct ByLabel;

impl Breakdown for ByLabel {
    fn name(&self) -> &'static str {
        "label"
    }

    fn about(&self) -> &'static str {
        "precision, recall and F of every label, with the head right as well and whatever the head"
    }

    fn start(&self, _context: &Context) -> Box<dyn Tally> {
        Box::new(Labels::default())
    }
}

#[derive(Default)]
struct Labels(Named<Label, ArcGroup>);

impl Tally for Labels {
    fn add(&mut self, judged: &Judged<'_>) {
        for (token, verdict) in judged.scored() {
            self.0.group(judged.gold.label(token)).add_gold(verdict, verdict.label);
            self.0.group(judged.system.label(token)).add_system(verdict, verdict.label);
        }
    }

    fn table(&self) -> Table {
        Table::of_arcs(&LABEL_ONLY, self.0.by_size(|group| group.both.gold))
    }
}
