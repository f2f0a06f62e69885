//! The crossing arcs of a gold tree, and their distribution over two planes (Gómez-Rodríguez and Nivre 2010).
//!
//! An arc is identified by its dependent. The *crossings graph* has one node per arc and one edge per crossing pair;
//! the tree is 2-planar iff that graph has no odd cycle. Planes are assigned while the oracle runs: the first arc of a
//! component gets the active plane, and the rest of the component follows. If a component has odd cycles, as few arcs
//! as possible are given up first; and if there are too many crossings to store, the longest arcs.

use quaich_treebank::tree::Node;

use super::Gold;
use crate::configuration::RootPosition;

/// The plane of an arc without a plane yet.
const ANY: u8 = 2;
/// The plane of an arc that was given up.
const GIVEN_UP: u8 = 3;
/// The most arcs of a component that an exact search gives up before the greedy choice: the search branches on every
/// arc of an odd cycle at each step.
const EXACT_UP_TO: usize = 4;
/// Components with more arcs are not searched; no treebank has any.
const SEARCHED_UP_TO: usize = 2000;
/// The most crossings stored per node, on average, and in total. Only random trees have more, up to the number of pairs
/// of arcs.
const CROSSINGS_PER_NODE: usize = 32;
const FEW_CROSSINGS: usize = 1 << 18;

/// The crossings graph of a tree and the planes of its arcs.
#[derive(Clone, Debug, Default)]
pub struct Planes {
    /// Arcs crossing arc x: `crossing[starts[x]..starts[x + 1]]`.
    starts: Vec<u32>,
    crossing: Vec<Node>,
    /// For each arc 0, 1, `ANY` or `GIVEN_UP`; empty if nothing was computed.
    plane: Vec<u8>,
    given_up: Vec<Node>,
    todo: Vec<Node>,
}

impl Planes {
    pub(super) fn clear(&mut self) {
        self.starts.clear();
        self.crossing.clear();
        self.plane.clear();
        self.given_up.clear();
    }

    /// Resets all planes assigned during a run.
    pub(super) fn rewind(&mut self) {
        self.plane.fill(ANY);
        for &arc in &self.given_up {
            self.plane[arc.index()] = GIVEN_UP;
        }
    }

    /// Returns the arcs that cross an arc.
    pub fn crossing(&self, arc: Node) -> &[Node] {
        &self.crossing[self.starts[arc.index()] as usize..self.starts[arc.index() + 1] as usize]
    }

    /// Returns the arcs given up so that the others fit into two planes.
    pub fn given_up(&self) -> &[Node] {
        &self.given_up
    }

    /// Whether an arc was given up.
    #[inline]
    pub fn is_given_up(&self, arc: Node) -> bool {
        self.plane[arc.index()] == GIVEN_UP
    }

    /// Returns the plane of an arc, `active` as long as it is free; `None` if it was given up.
    #[inline]
    pub fn plane(&self, arc: Node, active: u8) -> Option<u8> {
        match self.plane[arc.index()] {
            ANY => Some(active),
            GIVEN_UP => None,
            plane => Some(plane),
        }
    }

    /// Assigns a plane to a free arc and its whole component.
    pub fn assign(&mut self, arc: Node, plane: u8) {
        if self.plane[arc.index()] != ANY {
            return;
        }
        self.plane[arc.index()] = plane;
        self.todo.push(arc);
        while let Some(arc) = self.todo.pop() {
            let other = 1 - self.plane[arc.index()];
            for place in self.starts[arc.index()]..self.starts[arc.index() + 1] {
                let neighbour = self.crossing[place as usize];
                if self.plane[neighbour.index()] == ANY {
                    self.plane[neighbour.index()] = other;
                    self.todo.push(neighbour);
                }
            }
        }
    }

    /// Assigns a plane to an arc as in `MaltParser`: arcs crossing it get the other plane in turn, and an arc found in
    /// the same plane is marked as fitting nowhere.
    pub(crate) fn assign_like_malt(&mut self, arc: Node, plane: u8) {
        self.plane[arc.index()] = plane;
        let mut path = vec![(self.starts[arc.index()], arc, plane)];
        while let Some((place, arc, plane)) = path.last_mut() {
            if *place == self.starts[arc.index() + 1] {
                path.pop();
                continue;
            }
            let neighbour = self.crossing[*place as usize];
            let plane = *plane;
            *place += 1;
            if self.plane[neighbour.index()] == ANY {
                self.plane[neighbour.index()] = 1 - plane;
                path.push((self.starts[neighbour.index()], neighbour, 1 - plane));
            } else if self.plane[neighbour.index()] == plane {
                self.plane[neighbour.index()] = GIVEN_UP;
            }
        }
    }

    /// Returns an odd cycle among the arcs reachable from `start` that are not `dropped`. The colours of visited arcs
    /// are left in `colour`.
    fn odd_cycle(
        &mut self,
        start: Node,
        colour: &mut [u8],
        parent: &mut [Node],
        dropped: &[Node],
    ) -> Option<Vec<Node>> {
        colour[start.index()] = 0;
        parent[start.index()] = Node::NONE;
        self.todo.clear();
        self.todo.push(start);
        let mut at = 0;
        while at < self.todo.len() {
            let arc = self.todo[at];
            at += 1;
            for place in self.starts[arc.index()]..self.starts[arc.index() + 1] {
                let neighbour = self.crossing[place as usize];
                if dropped.contains(&neighbour) {
                    continue;
                }
                if colour[neighbour.index()] == ANY {
                    colour[neighbour.index()] = 1 - colour[arc.index()];
                    parent[neighbour.index()] = arc;
                    self.todo.push(neighbour);
                } else if colour[neighbour.index()] == colour[arc.index()] {
                    self.todo.clear();
                    return Some(cycle(parent, arc, neighbour));
                }
            }
        }
        self.todo.clear();
        None
    }

    /// Finds the fewest arcs of a component whose removal leaves no odd cycle: at most `allowed` in addition to
    /// `dropped`. One arc of every odd cycle must be removed, so the search branches on those.
    fn search(
        &mut self,
        component: &[Node],
        dropped: &mut Vec<Node>,
        allowed: usize,
        scratch: &mut Scratch,
    ) -> bool {
        scratch.fresh(component);
        let mut found = None;
        for &start in component {
            if scratch.colour[start.index()] == ANY && !dropped.contains(&start) {
                found = self.odd_cycle(start, &mut scratch.colour, &mut scratch.parent, dropped);
                if found.is_some() {
                    break;
                }
            }
        }
        let Some(mut cycle) = found else { return true };
        if allowed == 0 {
            return false;
        }
        cycle.sort_unstable();
        for arc in cycle {
            dropped.push(arc);
            if self.search(component, dropped, allowed - 1, scratch) {
                return true;
            }
            dropped.pop();
        }
        false
    }
}

/// Marks for graph traversals, by arc.
struct Scratch {
    colour: Vec<u8>,
    parent: Vec<Node>,
}

impl Scratch {
    fn fresh(&mut self, component: &[Node]) {
        for arc in component {
            self.colour[arc.index()] = ANY;
        }
    }
}

/// Returns the cycle closed by the edge between two arcs of a breadth-first tree.
fn cycle(parent: &[Node], a: Node, b: Node) -> Vec<Node> {
    let climb = |mut node: Node| {
        let mut path = Vec::new();
        while node.is_some() {
            path.push(node);
            node = parent[node.index()];
        }
        path
    };
    let (mut a, mut b) = (climb(a), climb(b));
    while a.len() > 1 && b.len() > 1 && a[a.len() - 2] == b[b.len() - 2] {
        a.pop();
        b.pop();
    }
    b.pop(); // the common ancestor once
    a.extend(b);
    a
}

impl Gold {
    /// Computes the crossings and the arcs to give up. Linear in the sentence length and the number of crossings.
    pub fn compute_planes(&mut self) {
        let (mut pairs, longest) = self.kept_crossings();
        pairs.sort_unstable();
        self.fill_crossing(&pairs);
        self.give_up_longer(longest);
        self.give_up_odd_cycles();
    }

    /// The same without giving up arcs, with neighbours in the order in which `MaltParser` finds them: by pairs of
    /// arcs, the one with the lower head first.
    pub(crate) fn compute_planes_like_malt(&mut self) {
        let (mut pairs, longest) = self.kept_crossings();
        for (a, b) in &mut pairs {
            if self.heads[b.index()] < self.heads[a.index()] {
                std::mem::swap(a, b);
            }
        }
        pairs.sort_unstable();
        self.fill_crossing(&pairs);
        self.give_up_longer(longest);
    }

    /// Returns the crossings of arcs up to a length, and that length: the sentence length, unless there are too many
    /// crossings.
    fn kept_crossings(&self) -> (Vec<(Node, Node)>, u32) {
        let n_nodes = self.heads.len();
        let limit = FEW_CROSSINGS + CROSSINGS_PER_NODE * n_nodes;
        let mut longest = u32::try_from(n_nodes).unwrap_or(u32::MAX);
        loop {
            match self.crossing_pairs(longest, limit) {
                Some(pairs) => return (pairs, longest),
                None => longest /= 2,
            }
        }
    }

    /// Returns the length of an arc, identified by its dependent.
    fn length(&self, arc: Node) -> u32 {
        self.position(arc).abs_diff(self.position(self.built_head(arc)))
    }

    fn give_up_longer(&mut self, longest: u32) {
        let arcs = (1..self.heads.len()).map(Node::from_index);
        let longer: Vec<Node> =
            arcs.filter(|&arc| self.built_head(arc).is_some() && self.length(arc) > longest).collect();
        self.planes.given_up.extend(longer);
        self.planes.rewind();
    }

    fn fill_crossing(&mut self, pairs: &[(Node, Node)]) {
        let n_nodes = self.heads.len();
        let planes = &mut self.planes;
        planes.clear();
        planes.plane.resize(n_nodes, ANY);
        planes.starts.resize(n_nodes + 2, 0);
        // Counting sort of both directions.
        for &(a, b) in pairs {
            planes.starts[a.index() + 2] += 1;
            planes.starts[b.index() + 2] += 1;
        }
        for index in 2..planes.starts.len() {
            planes.starts[index] += planes.starts[index - 1];
        }
        planes.crossing.resize(2 * pairs.len(), Node::NONE);
        for (a, b) in pairs.iter().copied().flat_map(|(a, b)| [(a, b), (b, a)]) {
            let slot = &mut planes.starts[a.index() + 1];
            planes.crossing[*slot as usize] = b;
            *slot += 1;
        }
    }

    fn give_up_odd_cycles(&mut self) {
        let n_nodes = self.heads.len();
        let planes = &mut self.planes;
        if planes.crossing.is_empty() {
            return;
        }
        let mut scratch = Scratch { colour: vec![ANY; n_nodes], parent: vec![Node::NONE; n_nodes] };
        let mut in_component = vec![false; n_nodes];
        for arc in (1..n_nodes).map(Node::from_index) {
            if in_component[arc.index()] || planes.crossing(arc).is_empty() {
                continue;
            }
            let mut component = vec![arc];
            in_component[arc.index()] = true;
            let mut at = 0;
            while at < component.len() {
                for &neighbour in planes.crossing(component[at]) {
                    if !std::mem::replace(&mut in_component[neighbour.index()], true) {
                        component.push(neighbour);
                    }
                }
                at += 1;
            }
            if planes.odd_cycle(arc, &mut scratch.colour, &mut scratch.parent, &[]).is_none() {
                continue;
            }
            let mut dropped = Vec::new();
            if component.len() > SEARCHED_UP_TO {
                dropped = in_passing(planes, &component, &mut scratch);
            } else if !(1..=EXACT_UP_TO).any(|k| planes.search(&component, &mut dropped, k, &mut scratch)) {
                dropped = greedy(planes, &component, &mut scratch);
            }
            planes.given_up.extend(dropped);
        }
        planes.rewind();
    }

    /// Returns every pair of crossing arcs that are no longer than `longest`, each once; `None` if there are more than
    /// `limit`. Arcs that are open at a position are in a list in the order of their left ends; when one closes, those
    /// after it in the list cross it.
    ///
    /// ```text
    ///   a ┌───────┐          open: a b      closing a: b crosses it
    ///   b     ┌───────┐
    /// ```
    pub(crate) fn crossing_pairs(&self, longest: u32, limit: usize) -> Option<Vec<(Node, Node)>> {
        let n_nodes = self.heads.len();
        let end = if self.root == RootPosition::End { n_nodes } else { n_nodes - 1 };
        let node_at =
            |position: usize| if position == n_nodes { Node::ROOT } else { Node::from_index(position) };
        let first = usize::from(self.root != RootPosition::Stack);
        let mut list = OpenArcs::new(n_nodes);
        let mut pairs = Vec::new();
        let (mut closing, mut opening) = (Vec::new(), Vec::new());
        for position in first..=end {
            let node = node_at(position);
            closing.clear();
            opening.clear();
            let here = self.position(node);
            let arcs = self.children(node).iter().copied().filter(|child| self.head(*child) == node);
            for (other, arc) in arcs
                .map(|child| (child, child))
                .chain(Some((self.built_head(node), node)).filter(|x| x.0.is_some()))
            {
                let other = self.position(other);
                if other.abs_diff(here) > longest {
                    continue;
                }
                if other < here { closing.push((other, arc)) } else { opening.push((other, arc)) }
            }
            // Innermost first, so that arcs with a common end are never in the list together.
            closing.sort_unstable_by(|a, b| b.cmp(a));
            for &(_, arc) in &closing {
                let within = list.each_after(arc, |other| {
                    pairs.push((arc.min(other), arc.max(other)));
                    pairs.len() <= limit
                });
                if !within {
                    return None;
                }
                list.remove(arc);
            }
            opening.sort_unstable_by(|a, b| b.cmp(a));
            for &(_, arc) in &opening {
                list.append(arc);
            }
        }
        Some(pairs)
    }
}

/// Gives up arcs in one traversal of a large component: of two crossing arcs that would share a plane, the one with
/// more crossings.
fn in_passing(planes: &mut Planes, component: &[Node], scratch: &mut Scratch) -> Vec<Node> {
    scratch.fresh(component);
    let mut dropped = Vec::new();
    let mut todo = std::mem::take(&mut planes.todo);
    for &start in component {
        if scratch.colour[start.index()] != ANY {
            continue;
        }
        scratch.colour[start.index()] = 0;
        todo.push(start);
        while let Some(arc) = todo.pop() {
            for &neighbour in planes.crossing(arc) {
                let (own, other) = (scratch.colour[arc.index()], scratch.colour[neighbour.index()]);
                if own == GIVEN_UP {
                    break;
                }
                if other == ANY {
                    scratch.colour[neighbour.index()] = 1 - own;
                    todo.push(neighbour);
                } else if other == own {
                    let n_crossings = |arc: Node| planes.crossing(arc).len();
                    let busier = if n_crossings(neighbour) > n_crossings(arc) { neighbour } else { arc };
                    scratch.colour[busier.index()] = GIVEN_UP;
                    dropped.push(busier);
                }
            }
        }
    }
    planes.todo = todo;
    dropped
}

/// Gives up the arc with the most crossings on an odd cycle until there is none left.
fn greedy(planes: &mut Planes, component: &[Node], scratch: &mut Scratch) -> Vec<Node> {
    let mut dropped: Vec<Node> = Vec::new();
    loop {
        scratch.fresh(component);
        let mut found = None;
        for &start in component {
            if scratch.colour[start.index()] == ANY && !dropped.contains(&start) {
                found = planes.odd_cycle(start, &mut scratch.colour, &mut scratch.parent, &dropped);
                if found.is_some() {
                    break;
                }
            }
        }
        let Some(cycle) = found else { return dropped };
        let busiest =
            cycle.into_iter().max_by_key(|arc| (planes.crossing(*arc).len(), std::cmp::Reverse(*arc)));
        dropped.extend(busiest);
    }
}

/// A doubly linked list of arcs in arrays; node 0 is both ends, because no arc has that id.
struct OpenArcs {
    next: Vec<Node>,
    previous: Vec<Node>,
}

impl OpenArcs {
    fn new(n_nodes: usize) -> Self {
        Self { next: vec![Node::ROOT; n_nodes], previous: vec![Node::ROOT; n_nodes] }
    }

    fn append(&mut self, arc: Node) {
        let last = self.previous[0];
        self.next[last.index()] = arc;
        self.previous[arc.index()] = last;
        self.next[arc.index()] = Node::ROOT;
        self.previous[0] = arc;
    }

    fn remove(&mut self, arc: Node) {
        let (previous, next) = (self.previous[arc.index()], self.next[arc.index()]);
        self.next[previous.index()] = next;
        self.previous[next.index()] = previous;
    }

    /// Visits the arcs after one until `visit` returns false; returns whether it reached the end.
    fn each_after(&self, arc: Node, mut visit: impl FnMut(Node) -> bool) -> bool {
        let mut other = self.next[arc.index()];
        while !other.is_root() {
            if !visit(other) {
                return false;
            }
            other = self.next[other.index()];
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quaich_treebank::tree::Tree;

    fn pairs(heads: &[u32], root: RootPosition) -> Vec<(u32, u32)> {
        let mut gold = Gold::new();
        gold.read(&Tree::from_heads(heads), root);
        let mut pairs: Vec<_> =
            gold.crossing_pairs(u32::MAX, usize::MAX).unwrap().into_iter().map(|(a, b)| (a.0, b.0)).collect();
        pairs.sort_unstable();
        pairs
    }

    #[test]
    fn crossings_are_found() {
        // 2 → 5 crosses 4 → 8 and 3 → 9, and 0 → 3 where 0 stands first.
        assert_eq!(pairs(&[2, 3, 0, 3, 2, 7, 5, 4, 3], RootPosition::None), [(5, 8), (5, 9)]);
        assert_eq!(pairs(&[2, 3, 0, 3, 2, 7, 5, 4, 3], RootPosition::Stack), [(3, 5), (5, 8), (5, 9)]);
        assert_eq!(pairs(&[2, 0, 2], RootPosition::Stack), []);
        assert_eq!(pairs(&[3, 4, 0, 0], RootPosition::End), [(1, 2), (2, 3)]);
    }

    #[test]
    fn as_few_arcs_as_possible_are_given_up() {
        // Three arcs that cross each other: 1 – 4, 2 – 5, 3 – 6.
        let mut gold = Gold::new();
        gold.read(&Tree::from_heads(&[4, 5, 6, 0, 0, 0]), RootPosition::None);
        gold.compute_planes();
        assert_eq!(gold.planes.given_up().len(), 1);
    }

    #[test]
    fn crossings_beyond_number_are_not_kept() {
        // All of the first half below the second half, each arc crossing all others: 250,000,000 pairs.
        let n = 16_000;
        let heads: Vec<u32> = (1..=2 * n).map(|token| if token <= n { token + n } else { 0 }).collect();
        let mut gold = Gold::new();
        gold.read(&Tree::from_heads(&heads), RootPosition::None);
        gold.compute_planes();
        assert!(gold.planes.crossing.len() < 10_000_000);
        assert_eq!(gold.planes.given_up().len(), 16_000);
    }

    #[test]
    fn large_components_fit_into_two_planes_afterwards() {
        // Arcs of 2 to 4 steps that cross their neighbours, all in one component.
        let n = 9000u32;
        let heads: Vec<u32> =
            (1..=n).map(|token| if token + 4 > n { 0 } else { token + 2 + token % 3 }).collect();
        let mut gold = Gold::new();
        gold.read(&Tree::from_heads(&heads), RootPosition::None);
        gold.compute_planes();
        let given_up = gold.planes.given_up().to_vec();
        assert!(given_up.len() > 100 && given_up.len() < 6000, "{}", given_up.len());
        for arc in (1..=n).map(Node) {
            gold.planes.assign(arc, 0);
        }
        for arc in (1..=n).map(Node).filter(|&arc| !gold.planes.is_given_up(arc)) {
            let plane = gold.planes.plane(arc, 0);
            let shares = |other: &&Node| gold.planes.plane(**other, 0) == plane;
            assert_eq!(gold.planes.crossing(arc).iter().find(shares), None, "{arc:?}");
        }
    }
}
