//! 2-planarity: whether the arcs fit in two planes such that no two arcs of a plane cross (Gómez-Rodríguez and Nivre,
//! 2010, §3), without enumerating all crossings.
//!
//! Arcs are swept by their left ends. A new arc crosses the open arcs that end before it does. All of these must be in
//! the other plane, hence all in the same one; since they are adjacent in the order of right ends, it is enough to tie
//! each to the next. Each tie is made only once: O(n log n) in total, however many crossings there are.

use super::planarity::RootArcs;
use super::position_set::PositionSet;
use super::skeleton::Skeleton;
use crate::tree::Node;

/// The arcs of a 2-planar tree in two planes. Arcs are identified by their dependents.
///
/// The arcs of one component of the crossings graph are tied together: their planes can only be exchanged. Components
/// are independent of each other.
#[derive(Clone, Default, Debug)]
pub struct TwoPlanes {
    /// Union-find: another arc of the same component, or the arc itself.
    tied_to: Vec<Node>,
    /// Whether the arc is in the opposite plane of the arc it is tied to.
    opposite: Vec<bool>,
    /// The arcs by right end.
    by_end: Vec<Node>,
    /// The start of the arcs with each right end in `by_end`.
    ends: Vec<u32>,
    /// The position of each arc in `by_end`.
    rank: Vec<u32>,
    /// Ranks of the arcs whose left ends have been passed.
    open: PositionSet,
    /// Ranks of open arcs that are not known to share a plane with the next open arc.
    loose: PositionSet,
}

impl TwoPlanes {
    /// Whether the tree is 2-planar; the planes are meaningful only if it is.
    pub(super) fn fill(&mut self, skeleton: &Skeleton, root_arcs: RootArcs) -> bool {
        let n = skeleton.n_tokens();
        self.tied_to.clear();
        self.tied_to.extend((0..=n).map(Node::from_index));
        self.opposite.clear();
        self.opposite.resize(n + 1, false);
        self.rank_by_end(skeleton);
        self.open.clear(n);
        self.loose.clear(n);
        (root_arcs.first_node()..=n)
            .map(Node::from_index)
            .all(|node| skeleton.arcs_to_the_right(node).all(|(end, arc)| self.open_arc(node, end, arc)))
    }

    /// Returns the component of an arc, identified by one of its arcs, and the plane (`false` or `true`) of the arc in
    /// it. Arcs without crossings are components of their own.
    pub fn plane(&self, mut arc: Node) -> (Node, bool) {
        let mut plane = false;
        while self.tied_to[arc.index()] != arc {
            plane ^= self.opposite[arc.index()];
            arc = self.tied_to[arc.index()];
        }
        (arc, plane)
    }

    /// Sorts the arcs by right end.
    fn rank_by_end(&mut self, skeleton: &Skeleton) {
        let n = skeleton.n_tokens();
        let right_end = |arc: Node| skeleton.head(arc).max(arc);
        self.ends.clear();
        self.ends.resize(n + 2, 0);
        for arc in skeleton.tokens() {
            self.ends[right_end(arc).index() + 1] += 1;
        }
        let mut sum = 0;
        for start in &mut self.ends {
            sum += *start;
            *start = sum;
        }
        self.by_end.clear();
        self.by_end.resize(n, Node::ROOT);
        self.rank.clear();
        self.rank.resize(n + 1, 0);
        for arc in skeleton.tokens() {
            let end = right_end(arc).index();
            let rank = self.ends[end];
            self.ends[end] += 1;
            self.by_end[rank as usize] = arc;
            self.rank[arc.index()] = rank;
        }
        // Each start has moved to the next entry.
        self.ends.copy_within(..=n, 1);
        self.ends[0] = 0;
    }

    /// Adds an open arc; returns `false` if two planes are not enough.
    fn open_arc(&mut self, start: Node, end: Node, arc: Node) -> bool {
        // Open arcs from the same left end are longer, so the arcs in this range cross the new one.
        let range = self.ends[start.index() + 1] as usize..self.ends[end.index()] as usize;
        if let Some(first) = self.open.at_or_after(range.start).filter(|rank| range.contains(rank)) {
            if !self.tie(arc, self.by_end[first], true) {
                return false;
            }
            let mut rank = first;
            while let Some(loose) = self.loose.at_or_after(rank) {
                let Some(next) = self.open.at_or_after(loose + 1).filter(|rank| range.contains(rank)) else {
                    break;
                };
                if !self.tie(self.by_end[loose], self.by_end[next], false) {
                    return false;
                }
                self.loose.remove(loose);
                rank = next;
            }
        }
        let rank = self.rank[arc.index()] as usize;
        self.open.insert(rank);
        self.loose.insert(rank);
        if let Some(before) = self.open.before(rank) {
            self.loose.insert(before);
        }
        true
    }

    /// Records that two arcs are in the same plane or in opposite ones; returns `false` on a contradiction.
    fn tie(&mut self, arc: Node, other: Node, opposite: bool) -> bool {
        let (root, plane) = self.find(arc);
        let (other_root, other_plane) = self.find(other);
        let opposite = plane ^ other_plane ^ opposite;
        if root == other_root {
            return !opposite;
        }
        self.tied_to[root.index()] = other_root;
        self.opposite[root.index()] = opposite;
        true
    }

    /// Like [`plane`](Self::plane), with path compression.
    fn find(&mut self, mut arc: Node) -> (Node, bool) {
        let mut plane = false;
        loop {
            let next = self.tied_to[arc.index()];
            if next == arc {
                return (arc, plane);
            }
            self.opposite[arc.index()] ^= self.opposite[next.index()];
            self.tied_to[arc.index()] = self.tied_to[next.index()];
            plane ^= self.opposite[arc.index()];
            arc = self.tied_to[arc.index()];
        }
    }
}
