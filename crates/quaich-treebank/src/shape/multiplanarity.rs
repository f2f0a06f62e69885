//! m-planarity: the smallest number of planes in which no two arcs of a plane cross, that is, the chromatic number of
//! the crossings graph (Gómez-Rodríguez and Nivre, 2010, §3).
//!
//! One and two planes are decided by fast sweeps. For more the problem is NP-complete, so the search is exact but has a
//! budget. Arcs with fewer crossings than there are planes can always be placed last and are removed first, which
//! leaves almost nothing of the trees found in treebanks.

use std::ops::ControlFlow;

use super::planarity::{RootArcs, Sweep};
use super::skeleton::Skeleton;
use super::two_planarity::TwoPlanes;
use crate::tree::Node;

/// The smallest m for which a tree is m-planar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlaneCount {
    /// The tree is m-planar for this m and for none below; a tree without crossings has 1.
    Exactly(u32),
    /// The search exceeded its budget. The tree needs at least this many planes.
    Undecided {
        /// A lower bound on the number of planes.
        at_least: u32,
    },
}

impl PlaneCount {
    /// Whether the tree is m-planar, if that is known.
    pub const fn is_m_planar(self, m: u32) -> Option<bool> {
        match self {
            Self::Exactly(count) => Some(count <= m),
            Self::Undecided { at_least } if at_least > m => Some(false),
            Self::Undecided { .. } => None,
        }
    }
}

/// The most crossings for an exact search; with more, the result is a bound.
const MAX_CROSSINGS: usize = 1 << 20;
/// The most arcs that the exact search visits before it stops: about a tenth of a second.
const MAX_STEPS: u64 = 30_000_000;
/// The most pairs of an arc and a plane for which the exact search keeps counts.
const MAX_CELLS: usize = 1 << 24;
/// The most arcs visited to find the largest set of arcs that all cross each other.
const MAX_CLIQUE_STEPS: usize = 4_000_000;

/// The search for the number of planes.
#[derive(Clone, Default, Debug)]
pub(super) struct Multiplanarity {
    crossings: Vec<(Node, Node)>,
    graph: CrossingsGraph,
    colouring: Colouring,
    tails: Vec<Node>,
}

impl Multiplanarity {
    pub(super) fn plane_count(
        &mut self,
        skeleton: &Skeleton,
        root_arcs: RootArcs,
        sweep: &mut Sweep,
        two_planes: &mut TwoPlanes,
    ) -> PlaneCount {
        if sweep.is_planar(skeleton, root_arcs) {
            return PlaneCount::Exactly(1);
        }
        if two_planes.fill(skeleton, root_arcs) {
            return PlaneCount::Exactly(2);
        }
        let mut at_least = self.largest_clique(skeleton, root_arcs).max(3);
        self.crossings.clear();
        let all = sweep.crossings(skeleton, root_arcs, |arc, other| {
            self.crossings.push((arc, other));
            if self.crossings.len() > MAX_CROSSINGS {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        if all.is_break() {
            return PlaneCount::Undecided { at_least };
        }
        self.graph.fill(skeleton.n_tokens(), &self.crossings);
        let mut steps = MAX_STEPS;
        loop {
            match self.colouring.fits(&self.graph, at_least, &mut steps) {
                Some(true) => return PlaneCount::Exactly(at_least),
                Some(false) => at_least += 1,
                None => return PlaneCount::Undecided { at_least },
            }
        }
    }

    /// Returns the size of a large set of arcs that all cross each other; of the largest, unless the sentence is very
    /// long.
    ///
    /// Arcs that all cross each other begin one after the other, end in the same order, and all span one gap between
    /// two tokens.
    fn largest_clique(&mut self, skeleton: &Skeleton, root_arcs: RootArcs) -> u32 {
        let n = skeleton.n_tokens();
        let gaps = if n.saturating_mul(n) <= MAX_CLIQUE_STEPS {
            0..n
        } else {
            let gap = widest_gap(skeleton, root_arcs);
            gap..gap + 1
        };
        gaps.map(|gap| self.clique_over(skeleton, root_arcs, gap)).max().unwrap_or(0)
    }

    /// Returns the size of the largest set of arcs over the gap after the node `gap` that all cross each other: the
    /// longest increasing sequence of right ends in the order of left ends.
    fn clique_over(&mut self, skeleton: &Skeleton, root_arcs: RootArcs, gap: usize) -> u32 {
        self.tails.clear();
        for start in (root_arcs.first_node()..=gap).map(Node::from_index) {
            // Longest first, so that two arcs from one left end are never both chosen.
            for (end, _) in skeleton.arcs_to_the_right(start).take_while(|(end, _)| end.index() > gap) {
                let place = self.tails.partition_point(|&tail| tail < end);
                if place == self.tails.len() {
                    self.tails.push(end);
                } else {
                    self.tails[place] = end;
                }
            }
        }
        Node::from_index(self.tails.len()).0
    }
}

/// Returns the node after which the most arcs are open.
fn widest_gap(skeleton: &Skeleton, root_arcs: RootArcs) -> usize {
    let mut change = vec![0i64; skeleton.n_tokens() + 1];
    for start in (root_arcs.first_node()..=skeleton.n_tokens()).map(Node::from_index) {
        for (end, _) in skeleton.arcs_to_the_right(start) {
            change[start.index()] += 1;
            change[end.index()] -= 1;
        }
    }
    let mut over = 0;
    let widths = change.iter().map(|change| {
        over += change;
        over
    });
    // The first maximum.
    widths.enumerate().max_by_key(|&(gap, width)| (width, std::cmp::Reverse(gap))).map_or(0, |(gap, _)| gap)
}

/// The crossings graph: one node per arc, named by its dependent, and one edge per crossing.
#[derive(Clone, Default, Debug)]
struct CrossingsGraph {
    starts: Vec<usize>,
    neighbours: Vec<Node>,
}

impl CrossingsGraph {
    fn fill(&mut self, n_tokens: usize, crossings: &[(Node, Node)]) {
        self.starts.clear();
        self.starts.resize(n_tokens + 2, 0);
        for &(arc, other) in crossings {
            self.starts[arc.index() + 1] += 1;
            self.starts[other.index() + 1] += 1;
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        self.neighbours.clear();
        self.neighbours.resize(sum, Node::ROOT);
        for &(arc, other) in crossings {
            for (from, to) in [(arc, other), (other, arc)] {
                let place = &mut self.starts[from.index()];
                self.neighbours[*place] = to;
                *place += 1;
            }
        }
        self.starts.copy_within(..=n_tokens, 1);
        self.starts[0] = 0;
    }

    fn neighbours(&self, arc: Node) -> &[Node] {
        &self.neighbours[self.starts[arc.index()]..self.starts[arc.index() + 1]]
    }

    fn arcs(&self) -> impl Iterator<Item = Node> + use<> {
        (1..self.starts.len() - 1).map(Node::from_index)
    }
}

/// No plane yet.
const UNPLACED: u32 = u32::MAX;

/// The exact search for a colouring with a given number of planes.
#[derive(Clone, Default, Debug)]
struct Colouring {
    /// The number of crossings with arcs that have not been removed.
    degree: Vec<u32>,
    removed: Vec<bool>,
    /// The arcs of one component.
    component: Vec<Node>,
    seen: Vec<bool>,
    plane: Vec<u32>,
    /// For every arc and plane, the number of neighbours in that plane.
    taken: Vec<u32>,
    /// For every arc, the number of planes taken by neighbours.
    saturation: Vec<u32>,
    /// The arcs placed so far, each with the number of planes in use before it.
    placed: Vec<(Node, u32)>,
    pending: Vec<Node>,
}

impl Colouring {
    /// Whether `n_planes` planes are enough; `None` if the budget was used up first.
    fn fits(&mut self, graph: &CrossingsGraph, n_planes: u32, steps: &mut u64) -> Option<bool> {
        self.remove_easy(graph, n_planes);
        let n_nodes = self.removed.len();
        if graph.arcs().all(|arc| self.removed[arc.index()]) {
            return Some(true);
        }
        if n_nodes.saturating_mul(n_planes as usize) > MAX_CELLS {
            return None;
        }
        self.seen.clear();
        self.seen.extend_from_slice(&self.removed);
        self.plane.clear();
        self.plane.resize(n_nodes, UNPLACED);
        self.taken.clear();
        self.taken.resize(n_nodes * n_planes as usize, 0);
        self.saturation.clear();
        self.saturation.resize(n_nodes, 0);
        let mut all_known = true;
        for arc in graph.arcs() {
            if self.seen[arc.index()] {
                continue;
            }
            self.collect_component(graph, arc);
            match self.component_fits(graph, n_planes, steps) {
                Some(true) => {}
                Some(false) => return Some(false),
                None => all_known = false,
            }
        }
        all_known.then_some(true)
    }

    /// Repeatedly removes arcs that cross fewer than `n_planes` others: whatever the planes of the others, one remains
    /// for them.
    fn remove_easy(&mut self, graph: &CrossingsGraph, n_planes: u32) {
        self.degree.clear();
        self.degree.push(0);
        self.degree.extend(graph.arcs().map(|arc| Node::from_index(graph.neighbours(arc).len()).0));
        self.removed.clear();
        self.removed.resize(self.degree.len(), false);
        self.pending.clear();
        for arc in graph.arcs() {
            if self.degree[arc.index()] < n_planes {
                self.removed[arc.index()] = true;
                self.pending.push(arc);
            }
        }
        while let Some(arc) = self.pending.pop() {
            for &other in graph.neighbours(arc) {
                self.degree[other.index()] -= 1;
                if self.degree[other.index()] < n_planes && !self.removed[other.index()] {
                    self.removed[other.index()] = true;
                    self.pending.push(other);
                }
            }
        }
    }

    fn collect_component(&mut self, graph: &CrossingsGraph, first: Node) {
        self.component.clear();
        self.seen[first.index()] = true;
        self.component.push(first);
        let mut next = 0;
        while let Some(&arc) = self.component.get(next) {
            next += 1;
            for &other in graph.neighbours(arc) {
                if !self.seen[other.index()] {
                    self.seen[other.index()] = true;
                    self.component.push(other);
                }
            }
        }
    }

    /// Backtracking over the arc with the fewest planes left (Brélaz's DSATUR), without recursion.
    fn component_fits(&mut self, graph: &CrossingsGraph, n_planes: u32, steps: &mut u64) -> Option<bool> {
        self.placed.clear();
        // The plane to try first for the next arc, and the number of planes in use.
        let (mut used, mut backtracking) = (0, false);
        loop {
            let (arc, first) = if backtracking {
                // Undo the last arc and try the planes after its own.
                let Some((arc, used_before)) = self.placed.pop() else { return Some(false) };
                let plane = self.plane[arc.index()];
                self.unplace(graph, n_planes, arc);
                used = used_before;
                (arc, plane + 1)
            } else {
                let Some(arc) = self.most_constrained() else { return Some(true) };
                (arc, 0)
            };
            let cost = self.component.len() + graph.neighbours(arc).len();
            match steps.checked_sub(cost as u64) {
                Some(left) => *steps = left,
                None => return None,
            }
            // Unused planes are equivalent, so only the first is tried.
            let planes = first..n_planes.min(used + 1);
            let row = arc.index() * n_planes as usize;
            match planes.into_iter().find(|&plane| self.taken[row + plane as usize] == 0) {
                Some(plane) => {
                    self.placed.push((arc, used));
                    used = used.max(plane + 1);
                    self.place(graph, n_planes, arc, plane);
                    backtracking = false;
                }
                None => backtracking = true,
            }
        }
    }

    /// Returns the unplaced arc with the fewest planes left; in a tie, the one with the most crossings.
    fn most_constrained(&self) -> Option<Node> {
        self.component.iter().copied().filter(|arc| self.plane[arc.index()] == UNPLACED).max_by_key(|arc| {
            (self.saturation[arc.index()], self.degree[arc.index()], std::cmp::Reverse(*arc))
        })
    }

    fn place(&mut self, graph: &CrossingsGraph, n_planes: u32, arc: Node, plane: u32) {
        self.plane[arc.index()] = plane;
        for &other in graph.neighbours(arc) {
            let taken = &mut self.taken[other.index() * n_planes as usize + plane as usize];
            *taken += 1;
            self.saturation[other.index()] += u32::from(*taken == 1);
        }
    }

    fn unplace(&mut self, graph: &CrossingsGraph, n_planes: u32, arc: Node) {
        let plane = self.plane[arc.index()];
        self.plane[arc.index()] = UNPLACED;
        for &other in graph.neighbours(arc) {
            let taken = &mut self.taken[other.index() * n_planes as usize + plane as usize];
            *taken -= 1;
            self.saturation[other.index()] -= u32::from(*taken == 0);
        }
    }
}
