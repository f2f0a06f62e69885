//! Precision and recall of non-projective arcs: those over a token that their head does not dominate.
//!
//! An arc of the system that is non-projective in its tree is right if the gold standard has it, and one of the
//! gold standard that is non-projective there is found if the system has it; whether it is non-projective on the
//! other side does not matter. Heads that make no tree have no shape: such a sentence has no non-projective arcs
//! on that side.

use quaich_treebank::shape::Shapes;
use serde::Serialize;

use crate::agreement::Agreement;
use crate::evaluator::Judged;

/// The non-projective arcs of both sides.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct NonProjective {
    /// An arc is right if its head is.
    #[serde(flatten)]
    pub unlabelled: Agreement,
    /// An arc is right if its head and its label are.
    pub labelled: Agreement,
}

impl NonProjective {
    /// Counts the scored arcs of a sentence.
    pub(crate) fn add(&mut self, judged: &Judged<'_>, shapes: &mut Shapes) {
        if shapes.read_heads(judged.gold.heads()).is_ok() {
            for verdict in shapes.nonprojective_arcs().iter().filter_map(|&arc| judged.verdict(arc)) {
                self.unlabelled.add_gold(verdict.head);
                self.labelled.add_gold(verdict.both());
            }
        }
        if shapes.read_heads(judged.system.heads()).is_ok() {
            for verdict in shapes.nonprojective_arcs().iter().filter_map(|&arc| judged.verdict(arc)) {
                self.unlabelled.add_system(verdict.head);
                self.labelled.add_system(verdict.both());
            }
        }
    }
}
