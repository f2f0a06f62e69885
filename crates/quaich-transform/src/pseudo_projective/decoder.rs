//! Decodes all labels of a table in advance, and inverts trees.

use quaich_treebank::symbols::{Label, Symbols};
use quaich_treebank::{Node, Tree};

use super::marks::Spelling;
use super::{Encoding, PseudoProjective, Search};
use crate::scratch::Scratch;

/// The inverse of a pseudo-projective transformation for the labels of one table.
///
/// It follows from the strings of the table, so model files do not store it.
#[derive(Clone, Debug)]
pub struct Decoder {
    transform: PseudoProjective,
    /// By label.
    codes: Vec<Code>,
    /// For each label, the same label without marks, in its escaped spelling.
    unmarked: Vec<Label>,
    /// Whether any label is not plain.
    has_marks: bool,
}

/// A decoded label.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is an independent property of a label")]
pub(super) struct Code {
    /// The label without marks.
    pub(super) plain: Label,
    /// The label of the syntactic head of a lifted arc; `Label::NONE` if the encoding does not name it.
    pub(super) from: Label,
    /// Whether the arc was lifted.
    pub(super) lifted: bool,
    /// Whether the arc is on the path to a syntactic head.
    pub(super) on_path: bool,
    /// Whether the arc is from 0, and was attached to a token that covered it.
    pub(super) covered: bool,
    /// Whether the label differs from its plain label or has marks.
    pub(super) marked: bool,
}

impl Code {
    /// Returns the code of a label without marks.
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

    /// Decodes the labels that were added to the table since.
    pub fn extend(&mut self, labels: &mut Symbols<Label>) {
        // Labels interned here are decoded in turn, so a second decoder would have nothing to add. Plain labels are
        // shorter than marked ones, so this terminates.
        while let Some(label) =
            u32::try_from(self.codes.len()).ok().filter(|_| self.codes.len() < labels.len())
        {
            let (code, unmarked) = self.decode(Label(label), labels);
            self.has_marks |= code.marked;
            self.codes.push(code);
            self.unmarked.push(unmarked);
        }
    }

    /// Returns the label without marks.
    pub fn plain(&self, label: Label) -> Label {
        self.code(label).plain
    }

    /// Returns the label without marks, in the spelling of unmarked labels.
    pub fn unmarked(&self, label: Label) -> Label {
        self.unmarked.get(label.index()).copied().unwrap_or(label)
    }

    /// Whether the label marks its arc as lifted.
    pub fn is_lifted(&self, label: Label) -> bool {
        self.code(label).lifted
    }

    /// Whether the label marks its arc as on the path to a syntactic head.
    pub fn is_on_path(&self, label: Label) -> bool {
        self.code(label).on_path
    }

    /// Moves lifted tokens to their syntactic heads and restores plain labels. A well-formed tree stays well-formed,
    /// and other heads are handled safely. Without marked labels the cost is one table look-up per token; nothing
    /// allocates once the buffers have grown. Every lifted token visits each node below its linear head at most once.
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
            // The papers do not mention covered roots. Tokens attached to them during lifting are still attached when
            // they are moved down, so the right heads are found in place.
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

    /// Returns the code of a label; an unknown label has no marks.
    pub(super) fn code(&self, label: Label) -> Code {
        self.codes.get(label.index()).copied().unwrap_or(Code::plain(label))
    }

    /// Decodes a label; returns its code and its spelling without marks.
    fn decode(&self, label: Label, labels: &mut Symbols<Label>) -> (Code, Label) {
        let PseudoProjective { encoding, notation, .. } = self.transform;
        if !self.transform.has_marks() {
            return (Code::plain(label), label);
        }
        let text = labels.text(label).to_owned();
        let Spelling { plain, from, on_path, covered } = notation.read(&text);
        let spelt = notation.spell(&plain);
        let plain = labels.intern(&plain);
        // Not interned: the inverse never needs it, and a label that occurs in no tree is no fallback.
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
