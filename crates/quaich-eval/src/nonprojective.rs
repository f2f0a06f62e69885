//! Precision and recall of non-projective arcs: those over a token that their head does not dominate.
//!
//! An arc that is non-projective in the system's tree is correct if the gold standard has it, and one that is
//! non-projective in the gold standard is found if the system has it, regardless of its projectivity on the other side.
//! Heads that do not form a tree have no shape: such a sentence has no non-projective arcs on that side.

use quaich_treebank::shape::Shapes;
use serde::Serialize;

use crate::agreement::Agreement;
use crate::evaluator::SentencePair;

/// The non-projective arcs of both sides.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct NonProjective {
    /// An arc is correct if its head is.
    #[serde(flatten)]
    pub unlabelled: Agreement,
    /// An arc is correct if its head and label are.
    pub labelled: Agreement,
}

impl NonProjective {
    /// Counts the scored arcs of a sentence.
    pub(crate) fn add(&mut self, pair: &SentencePair<'_>, shapes: &mut Shapes) {
        if shapes.read_heads(pair.gold.heads()).is_ok() {
            for token_match in shapes.nonprojective_arcs().iter().filter_map(|&arc| pair.token_match(arc)) {
                self.unlabelled.add_gold(token_match.head);
                self.labelled.add_gold(token_match.both());
            }
        }
        if shapes.read_heads(pair.system.heads()).is_ok() {
            for token_match in shapes.nonprojective_arcs().iter().filter_map(|&arc| pair.token_match(arc)) {
                self.unlabelled.add_system(token_match.head);
                self.labelled.add_system(token_match.both());
            }
        }
    }
}
