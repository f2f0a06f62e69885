//! Planarity: whether arcs cross when drawn above the sentence, and which ones.
//!
//! Arcs are swept by their left ends. The arcs open at a point are on a stack with the innermost on top; a new arc
//! crosses exactly the open arcs that end before it does. These are the topmost ones, so finding them takes linear time
//! in their number.

use std::ops::ControlFlow;

use super::skeleton::Skeleton;
use crate::tree::Node;

/// Whether arcs from node 0 count.
///
/// The 2-planar paper (2010) counts only arcs between words. With node 0 at the left end and its arcs counted, planar
/// and projective are equivalent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RootArcs {
    /// Only arcs between words.
    Ignored,
    /// All arcs, including those from node 0.
    Counted,
}

impl RootArcs {
    /// Returns the first node that can be the left end of an arc.
    pub(super) const fn first_node(self) -> usize {
        match self {
            Self::Ignored => 1,
            Self::Counted => 0,
        }
    }
}

/// The sweep over arcs by their left ends.
#[derive(Clone, Default, Debug)]
pub(super) struct Sweep {
    /// Open arcs as right end and dependent, the one that ends first on top.
    open: Vec<(Node, Node)>,
}

impl Sweep {
    /// Calls `found` with the dependents of every two arcs that cross, the arc with the smaller left end first, until
    /// `found` breaks. Linear in the number of tokens and crossings found.
    pub(super) fn crossings(
        &mut self,
        skeleton: &Skeleton,
        root_arcs: RootArcs,
        mut found: impl FnMut(Node, Node) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.open.clear();
        for node in (root_arcs.first_node()..=skeleton.n_tokens()).map(Node::from_index) {
            while self.open.last().is_some_and(|&(end, _)| end <= node) {
                self.open.pop();
            }
            for (end, dependent) in skeleton.arcs_to_the_right(node) {
                let mut place = self.open.len();
                while place > 0 && self.open[place - 1].0 < end {
                    place -= 1;
                    found(self.open[place].1, dependent)?;
                }
                self.open.insert(place, (end, dependent));
            }
        }
        ControlFlow::Continue(())
    }

    /// Whether no two arcs cross. Linear.
    pub(super) fn is_planar(&mut self, skeleton: &Skeleton, root_arcs: RootArcs) -> bool {
        self.crossings(skeleton, root_arcs, |_, _| ControlFlow::Break(())).is_continue()
    }
}
