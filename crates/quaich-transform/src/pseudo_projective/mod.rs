//! Pseudo-projective parsing (Nivre and Nilsson 2005): non-projective arcs are lifted until the tree is
//! projective, labels remember it, and a search in the parser's output takes the tokens back down.
//!
//! ```text
//!            lifted arc   arcs of its path   labels at most (n without marks)
//! baseline   d            p                  n
//! head       d↑h          p                  n (n + 1)
//! head+path  d↑h          p↓                 2 n (n + 1)
//! path       d↑           p↓                 4 n
//! ```
//!
//! Here d is the label of the lifted arc, h that of the arc into its syntactic head (the head it had
//! before), and p those of the arcs between its linear head (the head it has now) and its syntactic head.
//!
//! What cannot be undone: the baseline undoes nothing. *Head* goes wrong where another arc labelled h comes
//! first in the search; a tree whose labels all differ comes back as it was. *Head+path* goes wrong only where
//! another arc labelled h↓ comes first; a tree whose path arcs all have different labels comes back as it was.
//! *Path* goes wrong where paths fork or one ends inside another. With both of these, a tree with one
//! lifted arc comes back as it was. Labels always come back.
//!
//! Marks are parts of labels, so a tree in which a label is missing gets none: its arcs are lifted as under the
//! baseline, and the way back leaves them where they are. Marks on some of its arcs would lead astray, as a head
//! without a label cannot be named and a path over an arc without one cannot be followed.
//!
//! Which arcs are lifted, and in which order, is the business of
//! [`Projectivized`](quaich_treebank::shape::Projectivized); how marks are spelt, of [`marks`].

mod decoder;
mod descent;
pub mod marks;

use quaich_treebank::shape::IllFormed;
use quaich_treebank::symbols::{Label, Symbols};
use quaich_treebank::{Sentence, Tree};

pub use decoder::Decoder;
pub(crate) use descent::Descent;
use marks::Marks;

use crate::scratch::Scratch;
use crate::transform::{Inverse, Transform};
use crate::{Entry, Variant};

pub(crate) const ENTRY: Entry = Entry {
    name: NAME,
    help: "makes trees projective by lifting arcs, with labels that tell how to take them down again",
    losses: "tokens whose syntactic head cannot be told from another node by the labels of the encoding; all lifts \
             in trees without labels",
    variants: &[
        Variant {
            name: "head",
            help: "lifted arcs name the label of their syntactic head: d↑h",
            build: || Box::new(PseudoProjective::new(Encoding::Head)),
        },
        Variant {
            name: "head+path",
            help: "as head, and arcs on the way to the syntactic head are marked: d↑h, p↓",
            build: || Box::new(PseudoProjective::new(Encoding::HeadPath)),
        },
        Variant {
            name: "path",
            help: "lifted arcs and arcs on the way to the syntactic head are marked: d↑, p↓",
            build: || Box::new(PseudoProjective::new(Encoding::Path)),
        },
        Variant {
            name: "baseline",
            help: "lifted arcs keep their labels, and stay lifted",
            build: || Box::new(PseudoProjective::new(Encoding::Baseline)),
        },
    ],
};

const NAME: &str = "pseudo-projective";

/// What labels say about lifts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    /// Nothing.
    Baseline,
    /// Lifted arcs name the label of their syntactic head.
    Head,
    /// As `Head`, and arcs on the way to the syntactic head are marked.
    HeadPath,
    /// Lifted arcs and arcs on the way to the syntactic head are marked.
    Path,
}

impl Encoding {
    /// The name of the variant on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::Head => "head",
            Self::HeadPath => "head+path",
            Self::Path => "path",
        }
    }

    /// Whether lifted arcs name the label of their syntactic head.
    pub const fn names_head(self) -> bool {
        matches!(self, Self::Head | Self::HeadPath)
    }

    /// Whether arcs on the way to a syntactic head are marked.
    pub const fn marks_path(self) -> bool {
        matches!(self, Self::HeadPath | Self::Path)
    }
}

/// The transformation under one encoding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PseudoProjective {
    encoding: Encoding,
}

impl PseudoProjective {
    /// The transformation under this encoding.
    pub const fn new(encoding: Encoding) -> Self {
        Self { encoding }
    }

    /// The encoding.
    pub const fn encoding(self) -> Encoding {
        self.encoding
    }

    /// Makes a tree projective and marks its labels, if none of them is missing. Linear if it is projective already.
    /// A tree that is not well-formed is refused and left as it was.
    pub fn projectivize(
        self,
        tree: &mut Tree,
        labels: &mut Symbols<Label>,
        scratch: &mut Scratch,
    ) -> Result<(), IllFormed> {
        let Scratch { shapes, text, on_path, .. } = scratch;
        shapes.read(tree)?;
        let lifted = if shapes.is_projective() { None } else { Some(shapes.projectivize()) };
        if self.encoding == Encoding::Baseline {
            for token in tree.tokens() {
                let head = lifted.map_or(tree.head(token), |lifted| lifted.heads()[token.index()]);
                tree.set(token, head, tree.label(token));
            }
            return Ok(());
        }
        let marking = lifted.filter(|_| tree.labels()[1..].iter().all(|label| !label.is_none()));
        on_path.clear();
        on_path.resize(tree.n_tokens() + 1, false);
        if let Some(lifted) = marking.filter(|_| self.encoding.marks_path()) {
            // A node leaves the path from a token up to the root when it is lifted over, be it by the
            // token or by another node of the path; either way it lies between a syntactic and a linear
            // head. So the marked nodes are those that paths of the tree as it was have lost.
            for token in tree.tokens() {
                let mut node = tree.head(token);
                while node != lifted.heads()[token.index()] {
                    on_path[node.index()] = true;
                    node = tree.head(node);
                }
            }
        }
        // A label names that of a head, which may be marked itself by then: `relabelled` has the new ones.
        scratch.relabelled.clear();
        for token in tree.tokens() {
            let label = tree.label(token);
            let is_lifted = marking.is_some_and(|lifted| lifted.lifts()[token.index()] > 0);
            let marks = Marks {
                plain: label,
                lifted: is_lifted,
                from: (is_lifted && self.encoding.names_head()).then(|| tree.label(tree.head(token))),
                on_path: on_path[token.index()],
            };
            scratch.relabelled.push(marks.intern(labels, text));
        }
        for (token, &label) in tree.tokens().zip(&scratch.relabelled) {
            let head = lifted.map_or(tree.head(token), |lifted| lifted.heads()[token.index()]);
            tree.set(token, head, label);
        }
        Ok(())
    }
}

impl Transform for PseudoProjective {
    fn spec(&self) -> String {
        format!("{NAME}:{}", self.encoding.name())
    }

    fn apply(
        &self,
        _sentence: &Sentence,
        tree: &mut Tree,
        labels: &mut Symbols<Label>,
        scratch: &mut Scratch,
    ) -> Result<(), IllFormed> {
        self.projectivize(tree, labels, scratch)
    }

    fn inverse(&self, labels: &mut Symbols<Label>) -> Box<dyn Inverse> {
        Box::new(Decoder::new(self.encoding, labels))
    }
}

impl Inverse for Decoder {
    fn invert(&self, _sentence: &Sentence, tree: &mut Tree, scratch: &mut Scratch) {
        self.deprojectivize(tree, scratch);
    }

    fn plain(&self, label: Label) -> Label {
        Self::plain(self, label)
    }

    fn extend(&mut self, labels: &mut Symbols<Label>) {
        Self::extend(self, labels);
    }
}
