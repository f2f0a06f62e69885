//! Copy this file to `NAME.rs` to add a transformation, add `mod NAME;` and `NAME::ENTRY` to `lib.rs`.
//! Say here what is changed and why that is easier to parse, which paper defines it, and what cannot be undone.

use quaich_treebank::shape::IllFormed;
use quaich_treebank::symbols::{Label, Symbols};
use quaich_treebank::{Sentence, Tree};

use crate::entry::{Choice, Entry, Word};
use crate::scratch::Scratch;
use crate::transform::{Inverse, Transform};

pub(crate) const ENTRY: Entry = Entry {
    name: "name-on-the-command-line",
    help: "one line of help",
    losses: "what the inverse cannot bring back",
    // What can be chosen, the default first; `several` if words can stand together, as in `aux+case`.
    choices: &[Choice { words: &[Word { name: "word", help: "one line of help" }], several: false }],
    // What a file can be given for, if one can; `chosen.file()` has its text.
    file: None,
    build: |chosen| Ok(Box::new(Name)),
};

/// What it does.
#[derive(Clone, Copy, Debug)]
pub struct Name;

impl Transform for Name {
    fn apply(
        &self,
        sentence: &Sentence,
        tree: &mut Tree,
        labels: &mut Symbols<Label>,
        scratch: &mut Scratch,
    ) -> Result<(), IllFormed> {
        // Refuse before anything is changed; make a tree of a tree. Labels made here must have one reading
        // whatever characters the treebank's labels have. Buffers are fields of `Scratch`.
        Ok(())
    }

    fn inverse(&self, labels: &mut Symbols<Label>) -> Box<dyn Inverse> {
        let mut inverse = NameInverse { codes: Vec::new() };
        inverse.extend(labels);
        Box::new(inverse)
    }
}

/// What each label says.
#[derive(Debug)]
struct NameInverse {
    codes: Vec<Label>,
}

impl Inverse for NameInverse {
    fn invert(&self, sentence: &Sentence, tree: &mut Tree, scratch: &mut Scratch) {
        // Runs after every parse: no strings, no allocation, and next to nothing where there is nothing to do.
    }

    fn unmarked(&self, label: Label) -> Label {
        // What training makes of a label that it sees too rarely.
        label
    }

    fn keeps(&self, label: Label) -> bool {
        // Whether `invert` leaves the label as it is, wherever it stands.
        true
    }

    fn extend(&mut self, labels: &mut Symbols<Label>) {
        // Decode what is new in the table, and intern the labels that `invert` can need.
    }
}
