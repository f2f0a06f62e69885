//! Copy this file to `NAME.rs` to add a format, add `pub mod NAME;` and `&NAME::Name` to `mod.rs`.
//! Say here what the format is, who uses it and where it is defined.

use super::{Format, Sample};
use crate::layout::{Layout, Role};

/// What it is called.
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
        // Columns in order. A role may appear once; what the parser does not need is `Role::Other`.
        Layout::of("name", &[("FORM", Role::Form), ("HEAD", Role::Head), ("DEPREL", Role::Label)])
    }

    fn likelihood(&self, sample: &Sample<'_>) -> u32 {
        // 0: cannot be; 1: damaged, perhaps; 2: fits but says little; 3: likely; 5: has a mark no other format has.
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
