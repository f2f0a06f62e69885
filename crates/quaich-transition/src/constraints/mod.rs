//! Constrained parsing: parses that contain given arcs. An annotator corrects one arc, and the rest of the tree follows.
//!
//! [`GivenArcs`] are a partial tree. A [`ConstrainedGuide`] removes transitions from the choice of another guide if no
//! tree with the given arcs could follow them; a parse without given arcs does not use it and costs nothing extra. In
//! the end, [`complete`] restores given arcs that were lost, which only happens in some systems, or if a system cannot
//! build the given arcs at all.
//!
//! | systems | given arcs that the system can build together are lost |
//! |---|---|
//! | arc-eager, arc-hybrid, covington, planar | never: the dynamic oracle knows |
//! | arc-standard, stack-projective, swap-eager, swap-lazy | in none of the tests, over all small trees and random larger ones |
//! | arc-hybrid-swap, attardi | rarely: rules about the nodes at hand decide |
//! | two-planar, covington-projective, undirected systems, `MaltParser`'s systems | sometimes: only the arc of a transition is checked, and what SHIFT and REDUCE leave behind |
//!
//! If node 0 is nowhere and has one child, Covington and planar do not know which token without a head that will be.

mod completion;
mod crossing;
pub(crate) mod hybrid_swap;
pub(crate) mod local;
mod sorter;
pub(crate) mod stack;

use quaich_treebank::tree::{Node, Tree};

pub use completion::complete;

use crate::configuration::{Configuration, RootPosition};
use crate::gold::Gold;
use crate::guide::Guide;
use crate::systems::System;
use crate::transition::{Kind, KindSet, Transition};
use sorter::Sorter;

/// The arcs that a parse must contain; reused from sentence to sentence.
#[derive(Clone, Debug, Default)]
pub struct GivenArcs {
    pub(crate) gold: Gold,
    /// The number of given arcs, those from node 0 only if it is on the stack.
    n_arcs: usize,
    /// Those of them that are not built.
    n_missing: usize,
    has_root: bool,
    /// Indexed by node: its place in an order of the tokens in which no given arcs cross.
    order: Vec<u32>,
    sorter: Sorter,
    is_sorted: bool,
}

impl GivenArcs {
    /// Reads a partial tree: a token without a head may get any. Heads must be nodes of the sentence and must not form a
    /// cycle.
    pub fn read<S: System + ?Sized>(&mut self, system: &S, tree: &Tree) {
        let root = system.options().root;
        let uncrossed = if crossing::can_cross(system) { None } else { crossing::uncrossed(tree, root) };
        let tree = uncrossed.as_ref().unwrap_or(tree);
        self.gold.read(tree, root);
        system.prepare(&mut self.gold);
        self.order.clear();
        if system.kinds().contains(Kind::Swap) {
            self.sorter.sort(tree, root, &mut self.order);
        } else {
            self.order.extend((0..=tree.n_tokens()).map(|node| self.gold.position(Node::from_index(node))));
        }
        self.is_sorted = self.order[1..].is_sorted();
        let counts = |head: Node| !head.is_root() || root == RootPosition::Stack;
        self.n_arcs = tree.arcs().filter(|arc| counts(arc.head)).count();
        self.has_root = tree.arcs().any(|arc| arc.head.is_root());
        self.rewind();
    }

    /// Resets the state for another run over the same arcs.
    pub fn rewind(&mut self) {
        self.gold.rewind();
        self.n_missing = self.n_arcs;
    }

    /// Whether all given arcs are built, apart from those from node 0 at the end.
    pub(crate) fn is_built(&self) -> bool {
        self.n_missing == 0
    }

    /// Whether a token is given as a root.
    pub(crate) fn has_root(&self) -> bool {
        self.has_root
    }

    /// Whether a token has all its given dependents.
    pub(crate) fn is_complete(&mut self, c: &Configuration, token: Node) -> bool {
        self.missing(c, token).is_none()
    }

    /// Returns the first given dependent of a token that has no head yet. Visits each of them once per run.
    pub(crate) fn missing(&mut self, c: &Configuration, token: Node) -> Option<Node> {
        let mut first = self.gold.cursors[token.index()];
        let children = self.gold.children(token);
        while children.get(first as usize).is_some_and(|child| c.has_head(*child)) {
            first += 1;
        }
        let missing = children.get(first as usize).copied();
        self.gold.cursors[token.index()] = first;
        missing
    }

    /// Whether a token without a head has a given head, or given dependents that are missing. Any other token can be
    /// attached to any node at any time.
    pub(crate) fn is_tied(&mut self, c: &Configuration, token: Node) -> bool {
        token.is_root() || self.gold.head(token).is_some() || !self.is_complete(c, token)
    }

    /// Returns the place of a node in an order in which no given arcs cross, if the system can build them together.
    pub(crate) fn order(&self, node: Node) -> u32 {
        self.order[node.index()]
    }

    /// Whether that order is the order of the sentence.
    pub(crate) fn is_sorted(&self) -> bool {
        self.is_sorted
    }

    /// Whether one node is in the given subtree of another, or is that node. Climbs from the first.
    pub(crate) fn dominates(&self, node: Node, other: Node) -> bool {
        let mut above = other;
        while above.is_some() && above != node {
            above = self.gold.head(above);
        }
        above == node
    }

    /// Returns the permissible kinds to choose from: those that lose no given arc, if there are any.
    fn allowed<S: System + ?Sized>(
        &mut self,
        system: &S,
        c: &Configuration,
        permissible: KindSet,
    ) -> KindSet {
        if permissible.len() == 1 {
            return permissible;
        }
        let consistent = system.consistent(c, self).intersection(permissible);
        if !consistent.is_empty() {
            return consistent;
        }
        let building = local::arcs(system, c, self, permissible);
        if building.is_empty() { permissible } else { building }
    }

    /// Returns a transition with the given label of its arc, and records the arc.
    fn labelled<S: System + ?Sized>(
        &mut self,
        system: &S,
        c: &Configuration,
        chosen: Transition,
    ) -> Transition {
        let Some((head, dependent)) = system.arc(c, chosen.kind) else { return chosen };
        let (dependent, rightwards) = if self.gold.has_arc(head, dependent) {
            (dependent, true)
        } else if chosen.kind == Kind::Arc && self.gold.has_arc(dependent, head) {
            (head, false)
        } else {
            return chosen;
        };
        if !self.gold.head(dependent).is_root() || c.root() == RootPosition::Stack {
            self.n_missing = self.n_missing.saturating_sub(1);
        }
        let labelling = system.labelling();
        let label = self.gold.label(dependent);
        let label = if label.is_none() { labelling.plain(chosen.label) } else { label };
        Transition::arc(chosen.kind, labelling.of_arc(label, rightwards))
    }
}

/// Restricts another guide to transitions that keep the given arcs, and gives these their labels.
#[derive(Debug)]
pub struct ConstrainedGuide<'a, G, S: ?Sized> {
    guide: G,
    system: &'a S,
    given: &'a mut GivenArcs,
}

impl<'a, G: Guide, S: System + ?Sized> ConstrainedGuide<'a, G, S> {
    /// Creates a guide for a sentence whose given arcs were [read](GivenArcs::read) with the same system.
    pub fn new(guide: G, system: &'a S, given: &'a mut GivenArcs) -> Self {
        Self { guide, system, given }
    }
}

impl<G: Guide, S: System + ?Sized> Guide for ConstrainedGuide<'_, G, S> {
    fn start(&mut self, c: &Configuration) {
        self.given.rewind();
        self.guide.start(c);
    }

    #[inline]
    fn choose(&mut self, c: &Configuration, permissible: KindSet) -> Transition {
        let allowed = self.given.allowed(self.system, c, permissible);
        let chosen = self.guide.choose(c, allowed);
        self.given.labelled(self.system, c, chosen)
    }
}
