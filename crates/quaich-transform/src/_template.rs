//! To add a transformation, copy this file to `NAME.rs` and add `mod NAME;` and `NAME::ENTRY` to `lib.rs`. Describe
//! here what changes and why that is easier to parse, the paper that defines it, and what cannot be undone.

use quaich_treebank::shape::IllFormed;
use quaich_treebank::symbols::{Label, Symbols};
use quaich_treebank::{Sentence, Tree};

use crate::entry::{Choice, Entry, Word};
use crate::scratch::Scratch;
use crate::transform::{Inverse, Transform};

pub(crate) const ENTRY: Entry = Entry {
    name: "name-on-the-command-line",
    help: "one line of help",
    losses: "what the inverse cannot restore",
    // The options, the default first; `several` if options can be combined, as in `aux+case`.
    choices: &[Choice { words: &[Word { name: "word", help: "one line of help" }], several: false }],
    // What a file is used for, if one can be given; `chosen.file()` has its text.
    file: None,
    build: |_chosen| Ok(Box::new(Name)),
};

/// The transformation, in one line.
#[derive(Clone, Copy, Debug)]
pub struct Name;

impl Transform for Name {
    fn apply(
        &self,
        _sentence: &Sentence,
        _tree: &mut Tree,
        _labels: &mut Symbols<Label>,
        _scratch: &mut Scratch,
    ) -> Result<(), IllFormed> {
        // Reject invalid trees before changing anything, and return a tree. New labels must be unambiguous whatever
        // characters the treebank's labels have. Buffers are fields of `Scratch`.
        Ok(())
    }

    fn inverse(&self, labels: &mut Symbols<Label>) -> Box<dyn Inverse> {
        let mut inverse = NameInverse { codes: Vec::new() };
        inverse.extend(labels);
        Box::new(inverse)
    }
}

/// The decoded labels.
#[derive(Debug)]
struct NameInverse {
    codes: Vec<Label>,
}

impl Inverse for NameInverse {
    fn invert(&self, _sentence: &Sentence, _tree: &mut Tree, _scratch: &mut Scratch) {
        // Runs after every parse: no strings, no allocation, and almost no work if nothing changes.
    }

    fn unmarked(&self, label: Label) -> Label {
        // The label that training uses instead of a label that is too rare.
        self.codes[label.index()]
    }

    fn keeps(&self, label: Label) -> bool {
        // Whether `invert` never changes the label.
        self.codes[label.index()] == label
    }

    fn extend(&mut self, labels: &mut Symbols<Label>) {
        // Decode the new labels of the table, and intern the labels that `invert` can need.
        let known = self.codes.len();
        self.codes.extend(labels.iter().skip(known).map(|(label, _text)| label));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use quaich_treebank::formats::FORMATS;

    use super::*;

    // A worked example; `tests/conformance.rs` checks what holds for all transformations of the table.
    #[test]
    fn a_tree_comes_back() {
        let sentence = Sentence::empty(Arc::new(FORMATS[0].layout()));
        let (mut labels, mut scratch) = (Symbols::new(), Scratch::default());
        labels.intern("x");
        let mut tree = Tree::from_heads(&[2, 0, 2]);
        let before = tree.heads().to_vec();
        Name.apply(&sentence, &mut tree, &mut labels, &mut scratch).unwrap();
        let inverse = Name.inverse(&mut labels);
        inverse.invert(&sentence, &mut tree, &mut scratch);
        assert_eq!(tree.heads(), before);
        assert!(inverse.keeps(Label(0)) && inverse.unmarked(Label(0)) == Label(0));
        assert!(ENTRY.choices.iter().all(|choice| !choice.words.is_empty()));
    }
}
