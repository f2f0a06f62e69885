//! To add a format, copy this file to `NAME.rs` and add `pub mod NAME;` and `&NAME::Name` to `mod.rs`. Describe the
//! format here: who uses it and where it is defined.

use super::{Format, Sample};
use crate::layout::{Layout, Role};

/// The name of the format.
#[derive(Debug)]
pub struct Name;

impl Format for Name {
    fn name(&self) -> &'static str {
        "name-on-the-command-line"
    }

    fn about(&self) -> &'static str {
        "one line of help"
    }

    fn layout(&self) -> Layout {
        // Columns in order. A role can occur only once; columns that the parser does not use are `Role::Other`.
        Layout::of("name", &[("FORM", Role::Form), ("HEAD", Role::Head), ("DEPREL", Role::Label)])
    }

    fn likelihood(&self, sample: &Sample<'_>) -> u32 {
        // 0: impossible; 1: possibly damaged; 2: fits, weak evidence; 3: likely; 5: has a feature that only this format
        // has.
        u32::from(sample.columns_within(3..=3) && sample.is_numeric(1))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::sentence::Sentence;
    use crate::tree::Node;

    #[test]
    fn a_file_is_recognised_and_read() {
        let text = "the\t2\tdet\ncat\t0\troot\n\n";
        assert_eq!(Name.likelihood(&Sample::new(text, false)), 1);
        assert_eq!(Name.likelihood(&Sample::new("the\tDT\tdet\n", false)), 0);
        let layout = Arc::new(Name.layout());
        let (mut sentence, mut problems) = (Sentence::empty(Arc::clone(&layout)), Vec::new());
        sentence.read_block(&layout, text.as_bytes(), 1, &mut problems);
        assert_eq!((problems, sentence.text()), (vec![], text));
        assert_eq!((sentence.form(Node(1)), sentence.heads()[1]), ("the", Node(2)));
    }
}
