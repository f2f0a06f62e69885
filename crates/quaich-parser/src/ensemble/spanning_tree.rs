//! Maximum spanning trees with the algorithm of Chu and Liu (1965) and Edmonds (1967), in Tarjan's version (1977).
//!
//! From each token, the best incoming arc is followed to its head, and so on, until the root or a node that leads to it is reached. If
//! the path closes a cycle, the cycle is contracted to one node, and each arc into it gets its weight minus that of the arc that it
//! replaces. In the end, cycles are expanded in reverse order.
//!
//! Of several arcs between the same two nodes, only the best is kept, so that no list is longer than the number of nodes: n nodes take
//! O(n²) steps for any number of arcs, and few arcs take little memory for any number of nodes.

use quaich_treebank::Node;

/// The weight of an arc. Sums over a sentence are exact, so that ties are detected.
pub type Weight = i128;

/// The number of children of the root.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Roots {
    /// Any number.
    #[default]
    Any,
    /// One, if the candidates allow it; otherwise as few as possible.
    One,
}

/// Candidate arcs for a spanning tree.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    /// Indexed by dependent; entry 0 is empty.
    arcs: Vec<Vec<Arc>>,
}

/// An arc into a token, or into a contracted cycle at that token.
#[derive(Clone, Copy, Debug)]
struct Arc {
    head: u32,
    dependent: u32,
    weight: Weight,
}

impl Candidates {
    /// Removes all arcs, and sets the number of tokens.
    pub fn reset(&mut self, n_tokens: usize) {
        self.arcs.iter_mut().for_each(Vec::clear);
        self.arcs.resize_with(n_tokens + 1, Vec::new);
    }

    /// Adds an arc. Of two arcs with the same weight the first is preferred, if the rest of the tree is unaffected.
    pub fn push(&mut self, dependent: Node, head: Node, weight: Weight) {
        if head != dependent {
            let arc = Arc { head: head.0, dependent: dependent.0, weight };
            self.arcs[dependent.index()].push(arc);
        }
    }

    fn n_nodes(&self) -> usize {
        self.arcs.len()
    }

    /// An upper bound on the weight of any tree, if no weight is negative.
    pub(super) fn highest(&self) -> Weight {
        self.arcs.iter().filter_map(|arcs| arcs.iter().map(|arc| arc.weight).max()).sum::<Weight>() + 1
    }

    /// An upper bound on the difference between two trees.
    pub(super) fn spread(&self) -> Weight {
        let of_token = |arcs: &Vec<Arc>| {
            let weights = || arcs.iter().map(|arc| arc.weight);
            weights().max().unwrap_or(0) - weights().min().unwrap_or(0)
        };
        self.arcs.iter().map(of_token).sum::<Weight>() + 1
    }
}

/// Finds spanning trees; reused for several sentences.
#[derive(Debug, Default)]
pub struct SpanningTrees {
    /// Indexed by node or cycle: its remaining incoming arcs.
    arcs: Vec<Vec<Arc>>,
    /// Indexed by node or cycle: its best incoming arc.
    best: Vec<Option<Arc>>,
    /// Indexed by node or cycle: the cycle that contains it.
    cycle: Vec<Option<usize>>,
    /// Indexed by node or cycle: union-find links to the outermost cycle, with path compression.
    leader: Vec<usize>,
    place: Vec<Place>,
    path: Vec<usize>,
    /// Indexed by node or cycle: the position of its arc in the list of the cycle that is being contracted.
    seen: Vec<(usize, usize)>,
}

/// The state of a node or cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Unvisited,
    OnPath,
    /// The root, or a node from which the root is reached.
    Done,
}

impl SpanningTrees {
    /// Finds the heads of the maximum spanning tree, indexed by node; entry 0 is none. Returns false if the candidates allow no tree.
    pub fn find(&mut self, candidates: &Candidates, roots: Roots, heads: &mut Vec<Node>) -> bool {
        self.start(candidates, roots);
        let n_nodes = candidates.n_nodes();
        for token in 1..n_nodes {
            if !self.reach_root(token) {
                return false;
            }
        }
        self.open_cycles(n_nodes);
        heads.clear();
        heads.resize(n_nodes, Node::NONE);
        for (head, best) in heads.iter_mut().zip(&self.best).skip(1) {
            *head = best.map_or(Node::NONE, |arc| Node(arc.head));
        }
        true
    }

    fn start(&mut self, candidates: &Candidates, roots: Roots) {
        let n_nodes = candidates.n_nodes();
        // The penalty for each root exceeds any gain from other arcs (Stanojević and Cohen 2021).
        let price = if roots == Roots::One { candidates.spread() } else { 0 };
        self.arcs.truncate(n_nodes);
        self.arcs.resize_with(n_nodes, Vec::new);
        for (arcs, candidates) in self.arcs.iter_mut().zip(&candidates.arcs) {
            let of_root = |arc: &Arc| if arc.head == 0 { price } else { 0 };
            arcs.clear();
            arcs.extend(candidates.iter().map(|arc| Arc { weight: arc.weight - of_root(arc), ..*arc }));
        }
        self.best.clear();
        self.best.resize(n_nodes, None);
        self.cycle.clear();
        self.cycle.resize(n_nodes, None);
        self.leader.clear();
        self.leader.extend(0..n_nodes);
        self.place.clear();
        self.place.resize(n_nodes, Place::Unvisited);
        if let Some(root) = self.place.first_mut() {
            *root = Place::Done;
        }
        self.seen.clear();
        self.seen.resize(n_nodes, (usize::MAX, 0));
    }

    /// The outermost cycle that contains a node; the node itself if there is none.
    fn leader(&mut self, mut node: usize) -> usize {
        while self.leader[node] != node {
            self.leader[node] = self.leader[self.leader[node]];
            node = self.leader[node];
        }
        node
    }

    /// Follows best arcs from a token to the root. Returns false if the root cannot be reached.
    fn reach_root(&mut self, token: usize) -> bool {
        let mut node = self.leader(token);
        self.path.clear();
        while self.place[node] != Place::Done {
            self.place[node] = Place::OnPath;
            self.path.push(node);
            let Some(best) = self.best_arc(node) else { return false };
            self.best[node] = Some(best);
            node = self.leader(best.head as usize);
            if self.place[node] == Place::OnPath {
                node = self.close_cycle(node);
            }
        }
        for &node in &self.path {
            self.place[node] = Place::Done;
        }
        true
    }

    fn best_arc(&self, node: usize) -> Option<Arc> {
        let mut best: Option<Arc> = None;
        for &arc in &self.arcs[node] {
            if best.is_none_or(|best| arc.weight > best.weight) {
                best = Some(arc);
            }
        }
        best
    }

    /// Contracts the end of the path, from `first`, to one node.
    fn close_cycle(&mut self, first: usize) -> usize {
        let cycle = self.leader.len();
        let start = self.path.iter().rposition(|&node| node == first).unwrap_or(0);
        let members = self.path.split_off(start);
        self.leader.push(cycle);
        for &member in &members {
            self.leader[member] = cycle;
            self.cycle[member] = Some(cycle);
        }
        self.best.push(None);
        self.cycle.push(None);
        self.place.push(Place::Unvisited);
        self.seen.push((usize::MAX, 0));
        let mut into: Vec<Arc> = Vec::new();
        for member in members {
            let replaced = self.best[member].map_or(0, |best| best.weight);
            for arc in std::mem::take(&mut self.arcs[member]) {
                let from = self.leader(arc.head as usize);
                if from == cycle {
                    continue;
                }
                let arc = Arc { weight: arc.weight - replaced, ..arc };
                match self.seen[from] {
                    (list, at) if list == cycle => {
                        if arc.weight > into[at].weight {
                            into[at] = arc;
                        }
                    }
                    _ => {
                        self.seen[from] = (cycle, into.len());
                        into.push(arc);
                    }
                }
            }
        }
        self.arcs.push(into);
        cycle
    }

    /// Expands cycles: the arc into a cycle replaces the arc of the cycle into the same node, in all nested cycles that contain the node.
    /// Each cycle is expanded once, so the number of steps is linear in the number of nodes and cycles.
    fn open_cycles(&mut self, n_nodes: usize) {
        let mut is_open = vec![false; self.best.len()];
        for outermost in (n_nodes..self.best.len()).rev() {
            if is_open[outermost] {
                continue;
            }
            let Some(best) = self.best[outermost] else { continue };
            let mut node = best.dependent as usize;
            while node != outermost {
                self.best[node] = Some(best);
                let Some(cycle) = self.cycle[node] else { break };
                is_open[cycle] = true;
                node = cycle;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use quaich_testkit::trees::for_each_tree;
    use quaich_treebank::Tree;

    use super::*;

    fn best(n_tokens: usize, arcs: &[(u32, u32, Weight)], roots: Roots) -> Option<Vec<u32>> {
        let mut candidates = Candidates::default();
        candidates.reset(n_tokens);
        for &(dependent, head, weight) in arcs {
            candidates.push(Node(dependent), Node(head), weight);
        }
        let mut heads = Vec::new();
        let found = SpanningTrees::default().find(&candidates, roots, &mut heads);
        found.then(|| heads[1..].iter().map(|head| head.0).collect())
    }

    fn weight_of(heads: &[u32], arcs: &[(u32, u32, Weight)]) -> Option<Weight> {
        let of = |(dependent, head): (u32, &u32)| {
            arcs.iter().filter(|arc| (arc.0, arc.1) == (dependent, *head)).map(|arc| arc.2).max()
        };
        (1..).zip(heads).map(of).sum()
    }

    fn n_roots(heads: &[u32]) -> usize {
        heads.iter().filter(|head| **head == 0).count()
    }

    /// The weight of the best tree, by brute force.
    fn by_force(n_tokens: usize, arcs: &[(u32, u32, Weight)], most_roots: usize) -> Option<Weight> {
        let mut highest = None;
        for_each_tree(u32::try_from(n_tokens).unwrap(), |tree| {
            let heads: Vec<u32> = tree.heads()[1..].iter().map(|head| head.0).collect();
            if n_roots(&heads) <= most_roots {
                highest = highest.max(weight_of(&heads, arcs));
            }
        });
        highest
    }

    /// The example of `McDonald` et al. (2005): "John saw Mary".
    #[test]
    fn john_saw_mary() {
        let arcs = [
            (1, 0, 9),
            (2, 0, 10),
            (3, 0, 9),
            (1, 2, 30),
            (3, 2, 30),
            (2, 1, 20),
            (3, 1, 3),
            (1, 3, 11),
            (2, 3, 0),
        ];
        assert_eq!(best(3, &arcs, Roots::Any), Some(vec![2, 0, 2]));
    }

    #[test]
    fn what_cannot_be_reached_has_no_tree() {
        assert_eq!(best(2, &[(1, 0, 1)], Roots::Any), None);
        assert_eq!(best(3, &[(1, 0, 1), (2, 3, 1), (3, 2, 1)], Roots::Any), None);
        assert_eq!(best(0, &[], Roots::One), Some(vec![]));
        // A token is never its own head.
        assert_eq!(best(1, &[(1, 1, 5), (1, 0, -5)], Roots::Any), Some(vec![0]));
    }

    #[test]
    fn one_root_where_there_can_be_one() {
        let arcs = [(1, 0, 9), (2, 0, 9), (1, 2, 1), (2, 1, 2)];
        assert_eq!(best(2, &arcs, Roots::Any), Some(vec![0, 0]));
        assert_eq!(best(2, &arcs, Roots::One), Some(vec![0, 1]));
        assert_eq!(best(2, &arcs[..2], Roots::One), Some(vec![0, 0]));
    }

    /// Nested cycles, as deep as there are tokens.
    #[test]
    fn cycles_in_cycles() {
        // Too many for a quadratic algorithm.
        let n: u32 = 200_000;
        let mut arcs: Vec<(u32, u32, Weight)> = (1..n).map(|node| (node, node + 1, 10)).collect();
        arcs.extend((2..=n).map(|node| (node, node - 1, 10 + Weight::from(node))));
        arcs.push((1, 0, 1));
        let heads = best(n as usize, &arcs, Roots::Any).unwrap();
        assert!(heads.iter().zip(0..).all(|(head, expected)| *head == expected));
    }

    fn some_arcs() -> impl Strategy<Value = (usize, Vec<(u32, u32, Weight)>)> {
        (1_u32..6).prop_flat_map(|n| {
            let arc = (1..=n, 0..=n, -3_i64..6)
                .prop_map(|(dependent, head, weight)| (dependent, head, weight.into()));
            (Just(n as usize), proptest::collection::vec(arc, 0..30))
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn no_tree_is_worth_more((n_tokens, arcs) in some_arcs()) {
            let found = best(n_tokens, &arcs, Roots::Any);
            let weight = found.as_ref().and_then(|heads| weight_of(heads, &arcs));
            prop_assert_eq!(weight, by_force(n_tokens, &arcs, n_tokens));
            if let Some(heads) = found {
                prop_assert!(Tree::from_heads(&heads).is_well_formed());
            }
        }

        #[test]
        fn no_tree_of_as_few_roots_is_worth_more((n_tokens, arcs) in some_arcs()) {
            let found = best(n_tokens, &arcs, Roots::One);
            let fewest = (1..=n_tokens).find(|&most| by_force(n_tokens, &arcs, most).is_some());
            prop_assert_eq!(found.as_ref().map(|heads| n_roots(heads)), fewest);
            let weight = found.as_ref().and_then(|heads| weight_of(heads, &arcs));
            prop_assert_eq!(weight, fewest.and_then(|most| by_force(n_tokens, &arcs, most)));
        }
    }
}
