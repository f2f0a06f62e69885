//! What every label of a table says, worked out once; and the way back for a tree.

use quaich_treebank::symbols::{Label, Symbols};
use quaich_treebank::{Node, Tree};

use super::marks::Spelling;
use super::{Encoding, PseudoProjective, Search};
use crate::scratch::Scratch;

/// The inverse of a pseudo-projective transformation for the labels of one table.
///
/// It follows from the strings of the table, so a model file need not hold it.
#[derive(Clone, Debug)]
pub struct Decoder {
    transform: PseudoProjective,
    /// By label.
    codes: Vec<Code>,
    /// By label: the same label without marks, as it is spelt here.
    unmarked: Vec<Label>,
    /// Whether any label is not plain.
    has_marks: bool,
}

/// What a label says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is one thing that labels say or do not")]
pub(super) struct Code {
    /// The label without marks.
    pub(super) plain: Label,
    /// The label of the syntactic head of a lifted arc; no label where the encoding does not name it.
    pub(super) from: Label,
    /// Whether the arc was lifted.
    pub(super) lifted: bool,
    /// Whether the arc is on the way to a syntactic head.
    pub(super) on_path: bool,
    /// Whether the arc comes from 0, and was hung on a token that covered it.
    pub(super) covered: bool,
    /// Whether the label is not its own plain label, or says something beyond it.
    pub(super) marked: bool,
}

impl Code {
    /// The code of a label that says nothing.
    pub(super) const fn plain(label: Label) -> Self {
        Self { plain: label, from: Label::NONE, lifted: false, on_path: false, covered: false, marked: false }
    }
}

impl Decoder {
    /// Decodes all labels of a table, and interns the plain labels they need.
    pub fn new(transform: PseudoProjective, labels: &mut Symbols<Label>) -> Self {
        let mut decoder = Self { transform, codes: Vec::new(), unmarked: Vec::new(), has_marks: false };
        decoder.extend(labels);
        decoder
    }

    /// Decodes the labels that the table has got since.
    pub fn extend(&mut self, labels: &mut Symbols<Label>) {
        // What is interned on the way is decoded in turn, so that a second decoder would find nothing to add.
        // Plain labels are shorter than marked ones, so this comes to an end.
        while let Some(label) =
            u32::try_from(self.codes.len()).ok().filter(|_| self.codes.len() < labels.len())
        {
            let (code, unmarked) = self.decode(Label(label), labels);
            self.has_marks |= code.marked;
            self.codes.push(code);
            self.unmarked.push(unmarked);
        }
    }

    /// The label without marks.
    pub fn plain(&self, label: Label) -> Label {
        self.code(label).plain
    }

    /// The label without marks, spelt as labels are that have none.
    pub fn unmarked(&self, label: Label) -> Label {
        self.unmarked.get(label.index()).copied().unwrap_or(label)
    }

    /// Whether the label says that its arc was lifted.
    pub fn is_lifted(&self, label: Label) -> bool {
        self.code(label).lifted
    }

    /// Whether the label says that its arc is on the way to a syntactic head.
    pub fn is_on_path(&self, label: Label) -> bool {
        self.code(label).on_path
    }

    /// Takes lifted tokens to their syntactic heads and leaves plain labels. A well-formed tree stays one, and other
    /// heads do no harm. Without marked labels this is one table look-up a token; nothing allocates once
    /// the buffers have grown. Every lifted token costs at most one look at each node below its linear head.
    pub fn deprojectivize(&self, tree: &mut Tree, scratch: &mut Scratch) {
        if !self.has_marks {
            return;
        }
        let (mut any_marked, mut any_lifted, mut any_covered) = (false, false, false);
        for &label in &tree.labels()[1..] {
            let code = self.code(label);
            any_marked |= code.marked;
            any_lifted |= code.lifted;
            any_covered |= code.covered;
        }
        if !any_marked {
            return;
        }
        let uncover = |tree: &mut Tree| {
            for token in tree.tokens().filter(|_| any_covered) {
                if self.code(tree.label(token)).covered {
                    tree.set(token, Node::ROOT, tree.label(token));
                }
            }
        };
        match self.transform.search {
            // The papers know nothing of covered roots. What hung on them when arcs were lifted hangs on them still when
            // these are taken down, so that the right heads are where they are looked for.
            Search::Papers => {
                if any_lifted {
                    scratch.descent.run(self, tree);
                }
                uncover(tree);
            }
            Search::Malt => {
                uncover(tree);
                if any_lifted {
                    scratch.malt_descent.run(self, tree);
                }
            }
        }
        for token in tree.tokens() {
            tree.set(token, tree.head(token), self.plain(tree.label(token)));
        }
    }

    pub(super) fn encoding(&self) -> Encoding {
        self.transform.encoding
    }

    /// What a label says; a label that is not in the table, or none, says nothing.
    pub(super) fn code(&self, label: Label) -> Code {
        self.codes.get(label.index()).copied().unwrap_or(Code::plain(label))
    }

    /// What a label says, and its spelling without marks.
    fn decode(&self, label: Label, labels: &mut Symbols<Label>) -> (Code, Label) {
        let PseudoProjective { encoding, notation, .. } = self.transform;
        if !self.transform.has_marks() {
            return (Code::plain(label), label);
        }
        let text = labels.text(label).to_owned();
        let Spelling { plain, from, on_path, covered } = notation.read(&text);
        let spelt = notation.spell(&plain);
        let plain = labels.intern(&plain);
        // Not interned: the way back never needs it, and what no tree has is nothing to fall back on.
        let unmarked = labels.get(&spelt).unwrap_or(label);
        let lifted = from.is_some() && encoding.marks_lifts();
        let from = match from {
            Some(from) if encoding.names_head() => labels.intern(&from),
            _ => Label::NONE,
        };
        let marked = lifted || on_path || covered || plain != label;
        (Code { plain, from, lifted, on_path, covered, marked }, unmarked)
    }
}
