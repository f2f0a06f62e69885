//! CoNLL-X (2006) and CoNLL 2007: ten columns, several roots allowed, no comments. Blind test files end after FEATS or
//! after DEPREL.

use super::{Format, Sample};
use crate::layout::{Layout, Role};

/// CoNLL-X and CoNLL 2007.
#[derive(Debug)]
pub struct ConllX;

/// The columns of CoNLL-X.
pub fn layout() -> Layout {
    let mut layout = Layout::of(
        "conllx",
        &[
            ("ID", Role::Id),
            ("FORM", Role::Form),
            ("LEMMA", Role::Lemma),
            ("CPOSTAG", Role::CoarseTag),
            ("POSTAG", Role::FineTag),
            ("FEATS", Role::Feats),
            ("HEAD", Role::Head),
            ("DEPREL", Role::Label),
            ("PHEAD", Role::Other),
            ("PDEPREL", Role::Other),
        ],
    );
    layout.min_columns = 6;
    layout
}

impl Format for ConllX {
    fn name(&self) -> &'static str {
        "conllx"
    }

    fn about(&self) -> &'static str {
        "CoNLL-X and CoNLL 2007: ten columns (six or eight in blind test files)"
    }

    fn layout(&self) -> Layout {
        layout()
    }

    fn likelihood(&self, sample: &Sample<'_>) -> u32 {
        let numbered = sample.is_numeric(0) && sample.is_numeric(6);
        if sample.comments == 0 && sample.columns_within(6..=10) && numbered {
            3
        } else {
            // Mostly ten columns: a damaged file; the reader reports the damage.
            u32::from(sample.rows.iter().filter(|row| row.len() == 10).count() * 2 > sample.rows.len())
        }
    }
}
