//! CoNLL 2009: fourteen columns, and one more per predicate of the sentence.

use super::{Format, Sample};
use crate::layout::{Layout, Role};

/// CoNLL 2009.
#[derive(Debug)]
pub struct Conll09;

impl Format for Conll09 {
    fn name(&self) -> &'static str {
        "conll09"
    }

    fn about(&self) -> &'static str {
        "CoNLL 2009: gold and predicted columns, predicates and their arguments"
    }

    fn layout(&self) -> Layout {
        let mut layout = Layout::of(
            "conll09",
            &[
                ("ID", Role::Id),
                ("FORM", Role::Form),
                ("LEMMA", Role::Lemma),
                ("PLEMMA", Role::Other),
                ("POS", Role::FineTag),
                ("PPOS", Role::Other),
                ("FEAT", Role::Feats),
                ("PFEAT", Role::Other),
                ("HEAD", Role::Head),
                ("PHEAD", Role::Other),
                ("DEPREL", Role::Label),
                ("PDEPREL", Role::Other),
                ("FILLPRED", Role::Other),
                ("PRED", Role::Other),
            ],
        );
        layout.extra_columns = true;
        layout
    }

    fn likelihood(&self, sample: &Sample<'_>) -> u32 {
        let numbered = sample.is_numeric(0) && sample.is_numeric(8) && sample.is_numeric(9);
        if sample.columns_within(14..=1000) && numbered { 3 } else { 0 }
    }
}
