//! Malt-TAB, MaltParser's first format: form, tag, head and label, without token numbers. There are no comments,
//! because a token may be `#`.

use super::{Format, Sample};
use crate::layout::{Layout, Role};

/// Malt-TAB.
#[derive(Debug)]
pub struct MaltTab;

impl Format for MaltTab {
    fn name(&self) -> &'static str {
        "malttab"
    }

    fn about(&self) -> &'static str {
        "MaltParser's Malt-TAB: FORM, POSTAG, HEAD, DEPREL (two columns before parsing)"
    }

    fn layout(&self) -> Layout {
        let mut layout = Layout::of(
            "malttab",
            &[("FORM", Role::Form), ("POSTAG", Role::FineTag), ("HEAD", Role::Head), ("DEPREL", Role::Label)],
        );
        layout.min_columns = 2;
        layout
    }

    fn likelihood(&self, sample: &Sample<'_>) -> u32 {
        if !sample.columns_within(2..=4) || !sample.is_numeric(2) {
            return 0;
        }
        if sample.columns_within(4..=4) {
            return 3;
        }
        // Two columns occur in many files that are not treebanks, but in no other known format. Tokens and tags have no spaces.
        let is_word = |cell: &&str| !cell.is_empty() && !cell.contains(char::is_whitespace);
        u32::from(sample.rows.iter().flatten().all(is_word))
    }
}
