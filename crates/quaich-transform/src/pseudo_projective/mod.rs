//! Pseudo-projective parsing (Nivre and Nilsson 2005): non-projective arcs are lifted until the tree is projective,
//! labels encode this, and a search in the parser's output moves the tokens back down.
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
//! Losses. The baseline undoes nothing. *Head* fails if another arc labelled h comes first in the search; a tree whose
//! labels all differ is restored exactly. *Head+path* fails only if another arc labelled h↓ comes first; a tree whose
//! path arcs all have different labels is restored exactly. *Path* fails if paths fork or one ends inside another. Both
//! of these restore a tree with one lifted arc exactly. Labels are always restored.
//!
//! Marks are parts of labels, so a tree with a missing label gets none: its arcs are lifted as in the baseline, and the
//! inverse leaves them in place. Marks on some of its arcs would be misleading, because a head without a label cannot
//! be named and a path over an arc without a label cannot be followed.
//!
//! MaltParser differs in some points ([`Practice::Malt`]): the lengths of arcs are measured before any lift; heads are
//! searched by their distance from the lifted token ([`Search::Malt`]); and covered roots can be handled first
//! ([`CoveredRoots`]).
//!
//! [`Projectivized`] determines which arcs are lifted and in which order; [`marks`] has the spelling of marks.

mod covered_roots;
mod decoder;
mod descent;
mod entry;
mod malt_descent;
mod malt_flags;
pub mod marks;

use quaich_treebank::shape::{IllFormed, Lifting, LiftingOrder, Projectivized, Shapes};
use quaich_treebank::symbols::{Label, Symbols};
use quaich_treebank::{Sentence, Tree};

pub use covered_roots::CoveredRoots;
pub(crate) use covered_roots::Covering;
pub use decoder::Decoder;
pub(crate) use descent::Descent;
pub(crate) use entry::{ENTRY, PROJECTIVIZE};
pub(crate) use malt_descent::MaltDescent;
use marks::{Marks, Notation};

use crate::scratch::Scratch;
use crate::transform::{Inverse, Transform};

/// The information in labels about lifts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    /// No lifts: for handling covered roots only.
    Unmarked,
    /// None.
    Baseline,
    /// Lifted arcs are marked with the label of their syntactic head.
    Head,
    /// Like `Head`, and arcs on the path to the syntactic head are marked.
    HeadPath,
    /// Lifted arcs and arcs on the path to the syntactic head are marked.
    Path,
}

impl Encoding {
    /// Whether lifted arcs name the label of their syntactic head.
    pub const fn names_head(self) -> bool {
        matches!(self, Self::Head | Self::HeadPath)
    }

    /// Whether arcs on the path to a syntactic head are marked.
    pub const fn marks_path(self) -> bool {
        matches!(self, Self::HeadPath | Self::Path)
    }

    /// Whether lifted arcs are marked.
    pub const fn marks_lifts(self) -> bool {
        self.names_head() || self.marks_path()
    }
}

/// The order of lifts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// The shortest.
    #[default]
    Shortest,
    /// The one whose dependent is deepest in the tree.
    Deepest,
}

/// The definition of arc length used in lifting.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Practice {
    /// As in the papers: the current length.
    #[default]
    Papers,
    /// As in MaltParser: the original length.
    Malt,
}

/// The search for syntactic heads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Search {
    /// As in the papers.
    #[default]
    Papers,
    /// As in MaltParser.
    Malt,
}

/// The transformation with its options.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PseudoProjective {
    /// The information in labels about lifts.
    pub encoding: Encoding,
    /// The order of lifts.
    pub order: Order,
    /// The handling of covered roots.
    pub covered_roots: CoveredRoots,
    /// The definition of arc length.
    pub practice: Practice,
    /// The spelling of marks.
    pub notation: Notation,
    /// The search for syntactic heads.
    pub search: Search,
}

impl PseudoProjective {
    /// Returns the transformation of the papers with this encoding.
    pub const fn new(encoding: Encoding) -> Self {
        Self {
            encoding,
            order: Order::Shortest,
            covered_roots: CoveredRoots::None,
            practice: Practice::Papers,
            notation: Notation::Arrows,
            search: Search::Papers,
        }
    }

    /// Whether labels can have marks.
    pub const fn has_marks(self) -> bool {
        self.encoding.marks_lifts() || self.covered_roots.are_moved()
    }

    /// Makes a tree projective and marks its labels, if none of them is missing. Linear if it is projective already. A
    /// tree that is not well-formed is rejected and not changed.
    pub fn projectivize(
        self,
        tree: &mut Tree,
        labels: &mut Symbols<Label>,
        scratch: &mut Scratch,
    ) -> Result<(), IllFormed> {
        let Scratch { shapes, covering, text, relabelled, .. } = scratch;
        shapes.read(tree)?;
        if shapes.is_projective() {
            covering.fill(shapes.skeleton(), CoveredRoots::None);
        } else {
            covering.fill(shapes.skeleton(), self.covered_roots);
        }
        if covering.covered.contains(&true) {
            shapes.read_heads(&covering.heads)?;
        }
        let lifted = self.lift(shapes, tree);
        let marking = self.has_marks() && tree.labels()[1..].iter().all(|label| !label.is_none());
        // A label names that of a head, which may be marked itself by now: `relabelled` has the new ones.
        relabelled.clear();
        relabelled.extend_from_slice(&tree.labels()[1..]);
        for token in tree.tokens().filter(|_| self.has_marks()) {
            let at = token.index();
            let covered = marking && covering.covered[at];
            let lifted = lifted.filter(|_| marking && !covered && self.encoding.marks_lifts());
            let lifted = lifted.filter(|lifted| !lifted.is_ignored()[at]);
            let is_lifted = lifted.is_some_and(|lifted| lifted.lifts()[at] > 0);
            let from = is_lifted && self.encoding.names_head();
            let marks = Marks {
                plain: tree.label(token),
                lifted: is_lifted,
                from: from.then(|| tree.label(covering.heads[at])),
                on_path: self.encoding.marks_path() && lifted.is_some_and(|lifted| lifted.left_behind()[at]),
                covered,
            };
            relabelled[at - 1] = marks.intern(self.notation, labels, text);
        }
        for (token, &label) in tree.tokens().zip(&*relabelled) {
            let heads = lifted.map_or(&covering.heads[..], Projectivized::heads);
            tree.set(token, heads[token.index()], label);
        }
        Ok(())
    }

    /// Lifts the arcs of the tree that `shapes` has read, if there is anything to lift.
    fn lift<'s>(self, shapes: &'s mut Shapes, tree: &Tree) -> Option<&'s Projectivized> {
        if self.encoding == Encoding::Unmarked || shapes.is_projective() {
            return None;
        }
        let order = match (self.order, self.practice) {
            (Order::Shortest, Practice::Papers) => LiftingOrder::Shortest,
            (Order::Shortest, Practice::Malt) => LiftingOrder::ShortestIn(tree.heads()),
            (Order::Deepest, _) => LiftingOrder::Deepest,
        };
        let ignore_covered_roots = self.covered_roots == CoveredRoots::Ignore;
        Some(shapes.projectivize_by(Lifting { order, ignore_covered_roots }))
    }
}

impl Transform for PseudoProjective {
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
        Box::new(Decoder::new(*self, labels))
    }

    fn constructions(
        &self,
        _sentence: &Sentence,
        tree: &Tree,
        _labels: &Symbols<Label>,
        scratch: &mut Scratch,
        kinds: &mut [Option<&'static str>],
    ) {
        let shapes = &mut scratch.shapes;
        if shapes.read(tree).is_err() || shapes.is_projective() {
            return;
        }
        for &arc in shapes.nonprojective_arcs() {
            kinds[arc.index()].get_or_insert("non-projective arcs");
        }
        let lifted = self.lift(shapes, tree);
        for token in tree.tokens() {
            if lifted.is_some_and(|lifted| lifted.lifts()[token.index()] > 0) {
                kinds[token.index()].get_or_insert("arcs lifted because of others");
            }
        }
    }
}

impl Inverse for Decoder {
    fn invert(&self, _sentence: &Sentence, tree: &mut Tree, scratch: &mut Scratch) {
        self.deprojectivize(tree, scratch);
    }

    fn unmarked(&self, label: Label) -> Label {
        Self::unmarked(self, label)
    }

    fn keeps(&self, label: Label) -> bool {
        !self.code(label).marked
    }

    fn keeps_heads(&self) -> bool {
        true
    }

    fn extend(&mut self, labels: &mut Symbols<Label>) {
        Self::extend(self, labels);
    }
}
