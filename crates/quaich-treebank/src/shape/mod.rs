//! Properties of trees: projectivity, planarity, m-planarity, gap degree, nestedness, projective order, lifts, arc
//! lengths and directions.
//!
//! ```
//! use quaich_treebank::shape::{PlaneCount, RootArcs, Shapes};
//! use quaich_treebank::tree::{Node, Tree};
//!
//! // A hearing is scheduled on the issue today .
//! let tree = Tree::from_heads(&[2, 3, 0, 3, 2, 7, 5, 4, 3]);
//! let mut shapes = Shapes::default();
//! shapes.read(&tree)?;
//! assert!(!shapes.is_projective());
//! assert_eq!(shapes.nonprojective_arcs(), [Node(5), Node(8)]);
//! assert_eq!(shapes.plane_count(RootArcs::Ignored), PlaneCount::Exactly(2));
//! assert_eq!(shapes.gap_degree(), 1);
//! assert!(!shapes.is_well_nested()); // "hearing … on the issue" and "scheduled … today" interleave
//! # Ok::<(), quaich_treebank::shape::IllFormed>(())
//! ```
//!
//! All measures are defined only for well-formed trees, with any number of roots, so a tree is read first, and reading
//! rejects anything else. All are near-linear in the number of tokens, except the number of planes of trees that are
//! not 2-planar. Nothing is recursive, so deep trees are safe, and nothing allocates once the buffers have grown to the
//! longest sentence.
//!
//! Changing trees for parsing is the task of `quaich-transform`, which uses [`Projectivized`].

pub mod arcs;
mod extents;
mod gaps;
mod lasting;
mod lifts;
mod multiplanarity;
mod nestedness;
mod order;
mod planarity;
mod position_set;
mod skeleton;
mod two_planarity;

use std::ops::ControlFlow;

pub use lifts::{Lifting, LiftingOrder, Projectivized};
pub use multiplanarity::PlaneCount;
pub use order::nodes_in_order;
pub use planarity::RootArcs;
pub use skeleton::{IllFormed, Skeleton};
pub use two_planarity::TwoPlanes;

use crate::tree::{Node, Tree};

/// All measures of the tree read last, with their buffers. Starts with the tree without tokens.
///
/// Arcs are identified by their dependents.
#[derive(Clone, Default, Debug)]
pub struct Shapes {
    skeleton: Skeleton,
    sweep: planarity::Sweep,
    extents: extents::Extents,
    nonprojective: Vec<Node>,
    two_planes: TwoPlanes,
    multiplanarity: multiplanarity::Multiplanarity,
    gaps: gaps::Gaps,
    nestedness: nestedness::Nestedness,
    order: order::ProjectiveOrder,
    projectivized: Projectivized,
}

impl Shapes {
    /// Reads a tree. After an error, the tree is the one without tokens.
    pub fn read(&mut self, tree: &Tree) -> Result<(), IllFormed> {
        self.skeleton.fill(tree)
    }

    /// Like [`read`](Self::read), from the heads by node; entry 0 is ignored.
    pub fn read_heads(&mut self, heads: &[Node]) -> Result<(), IllFormed> {
        self.skeleton.fill_heads(heads)
    }

    /// Returns the tree read last.
    pub fn skeleton(&self) -> &Skeleton {
        &self.skeleton
    }

    /// Whether every head dominates all tokens between it and its dependents. Linear.
    pub fn is_projective(&mut self) -> bool {
        self.sweep.is_planar(&self.skeleton, RootArcs::Counted)
    }

    /// Returns the arcs over some token that their head does not dominate, in the order of their dependents. Arcs from
    /// node 0 are never non-projective. O(n log n), linear if there are none.
    pub fn nonprojective_arcs(&mut self) -> &[Node] {
        self.nonprojective.clear();
        if !self.is_projective() {
            self.extents.fill(&self.skeleton);
            let Self { skeleton, extents, nonprojective, .. } = self;
            let arcs = skeleton.tokens().filter(|&arc| !extents.is_projective(skeleton.head(arc), arc));
            nonprojective.extend(arcs);
        }
        &self.nonprojective
    }

    /// Whether no two arcs cross. Linear.
    pub fn is_planar(&mut self, root_arcs: RootArcs) -> bool {
        self.sweep.is_planar(&self.skeleton, root_arcs)
    }

    /// Calls `found` with every two arcs that cross, the one with the smaller left end first, until `found` breaks.
    /// Linear in the number of tokens and crossings found.
    pub fn crossings(
        &mut self,
        root_arcs: RootArcs,
        found: impl FnMut(Node, Node) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.sweep.crossings(&self.skeleton, root_arcs, found)
    }

    /// Returns the arcs in two planes if the tree is 2-planar. O(n log n), however many arcs cross.
    pub fn two_planes(&mut self, root_arcs: RootArcs) -> Option<&TwoPlanes> {
        self.two_planes.fill(&self.skeleton, root_arcs).then_some(&self.two_planes)
    }

    /// Returns the smallest m for which the tree is m-planar. Exact, unless a tree that is not 2-planar has too many
    /// crossings to search for m.
    pub fn plane_count(&mut self, root_arcs: RootArcs) -> PlaneCount {
        self.multiplanarity.plane_count(&self.skeleton, root_arcs, &mut self.sweep, &mut self.two_planes)
    }

    /// Returns the number of gaps in the projection of each node, indexed by node. Near-linear.
    pub fn gap_degrees(&mut self) -> &[u32] {
        self.gaps.fill(&self.skeleton)
    }

    /// Returns the gap degree of the tree: the maximum over its nodes.
    pub fn gap_degree(&mut self) -> u32 {
        self.gap_degrees().iter().copied().max().unwrap_or(0)
    }

    /// Whether no two disjoint subtrees interleave. O(n log² n).
    pub fn is_well_nested(&mut self) -> bool {
        self.nestedness.is_well_nested(&self.skeleton)
    }

    /// Returns the position of each node in the projective order, indexed by node; node 0 is first. Linear.
    /// [`nodes_in_order`] returns the nodes themselves.
    pub fn projective_order(&mut self) -> &[u32] {
        self.order.fill(&self.skeleton)
    }

    /// Returns the tree made projective by lifting arcs, the shortest non-projective one first.
    pub fn projectivize(&mut self) -> &Projectivized {
        self.projectivize_by(Lifting::default())
    }

    /// Returns the tree made projective by lifting arcs with these options.
    pub fn projectivize_by(&mut self, lifting: Lifting<'_>) -> &Projectivized {
        self.projectivized.fill(&self.skeleton, lifting);
        &self.projectivized
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the properties of a tree, in one line.
    fn check(heads: &[u32], expected: &str) {
        let mut shapes = Shapes::default();
        shapes.read(&Tree::from_heads(heads)).unwrap();
        let nonprojective: Vec<u32> = shapes.nonprojective_arcs().iter().map(|arc| arc.0).collect();
        let planes = match shapes.plane_count(RootArcs::Ignored) {
            PlaneCount::Exactly(count) => count.to_string(),
            PlaneCount::Undecided { at_least } => format!("{at_least} or more"),
        };
        let gap_degree = shapes.gap_degree();
        let nested = if shapes.is_well_nested() { "well" } else { "ill" };
        let order: Vec<u32> = nodes_in_order(shapes.projective_order())[1..].iter().map(|n| n.0).collect();
        let lifted = shapes.projectivize();
        let lifted: Vec<u32> = lifted.heads()[1..].iter().map(|head| head.0).collect();
        let found = format!(
            "arcs {nonprojective:?}, planes {planes}, gaps {gap_degree}, {nested} nested, order {order:?}, lifted {lifted:?}"
        );
        assert_eq!(found, expected);
    }

    #[test]
    fn a_projective_tree_is_everything() {
        check(&[2, 0, 2], "arcs [], planes 1, gaps 0, well nested, order [1, 2, 3], lifted [2, 0, 2]");
        check(&[], "arcs [], planes 1, gaps 0, well nested, order [], lifted []");
    }

    /// `A hearing is scheduled on the issue today .` (Nivre, 2009, Figure 1).
    #[test]
    fn a_hearing_is_scheduled() {
        check(
            &[2, 3, 0, 3, 2, 7, 5, 4, 3],
            "arcs [5, 8], planes 2, gaps 1, ill nested, order [1, 2, 5, 6, 7, 3, 4, 8, 9], \
             lifted [2, 3, 0, 3, 3, 7, 5, 3, 3]",
        );
    }

    /// `Who did you send the letter to ?`
    #[test]
    fn who_did_you_send_the_letter_to() {
        check(
            &[7, 0, 2, 2, 6, 4, 4, 2],
            "arcs [1], planes 2, gaps 1, well nested, order [2, 3, 4, 5, 6, 1, 7, 8], \
             lifted [2, 0, 2, 2, 6, 4, 4, 2]",
        );
    }

    /// A root under an arc: planar, since node 0 has no arcs here, but not projective.
    #[test]
    fn a_covered_root() {
        check(&[0, 0, 1], "arcs [3], planes 1, gaps 1, well nested, order [1, 3, 2], lifted [0, 0, 0]");
    }

    /// Token 3 is attached to token 6, outside the arc from 1 to 5, but token 1 dominates it nevertheless.
    #[test]
    fn an_arc_over_a_token_with_its_head_outside_can_be_projective() {
        check(
            &[0, 1, 6, 1, 1, 1],
            "arcs [3], planes 2, gaps 1, well nested, order [1, 2, 4, 5, 3, 6], lifted [0, 1, 1, 1, 1, 1]",
        );
    }

    #[test]
    fn interleaved_subtrees() {
        check(
            &[0, 1, 1, 2, 3],
            "arcs [4, 5], planes 2, gaps 1, ill nested, order [1, 2, 4, 3, 5], lifted [0, 1, 1, 1, 1]",
        );
    }

    /// Arcs 2–6, 3–7, 4–8, 5–9 all cross each other.
    #[test]
    fn four_arcs_that_all_cross_need_four_planes() {
        check(
            &[0, 1, 1, 1, 1, 2, 3, 4, 5],
            "arcs [6, 7, 8, 9], planes 4, gaps 1, ill nested, order [1, 2, 6, 3, 7, 4, 8, 5, 9], \
             lifted [0, 1, 1, 1, 1, 1, 1, 1, 1]",
        );
    }
}
