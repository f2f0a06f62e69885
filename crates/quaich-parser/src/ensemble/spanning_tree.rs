//! Maximum spanning trees: Chu and Liu (1965), Edmonds (1967), in the manner of Tarjan (1977).
//!
//! From some token the best arc into it is followed back, and that into its head, until the root is reached or a node
//! that leads there. Where the path meets itself the nodes of the cycle become one, and an arc into it is worth what
//! it is worth beyond the arc of the cycle that it replaces. In the end cycles are opened again, the last first.
//!
//! Arcs between the same two nodes are kept once, the better one, so that a list is never longer than there are nodes:
//! n nodes take O(n²) steps however many arcs there are, and few arcs take little memory however many nodes there are.

use quaich_treebank::Node;

/// What an arc is worth. Sums over a sentence are exact, so that ties are ties.
pub type Weight = i128;

/// How many tokens the root has below it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Roots {
    /// As many as the best tree has.
    #[default]
    Any,
    /// One, if any tree of the candidates has one; otherwise as few as any has.
    One,
}

/// Arcs that a tree may be made of.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    /// By dependent; entry 0 is empty.
    arcs: Vec<Vec<Arc>>,
}

/// An arc into a token, or into a cycle at that token.
#[derive(Clone, Copy, Debug)]
struct Arc {
    head: u32,
    dependent: u32,
    weight: Weight,
}

impl Candidates {
    /// No arcs yet, between the root and so many tokens.
    pub fn reset(&mut self, n_tokens: usize) {
        self.arcs.iter_mut().for_each(Vec::clear);
        self.arcs.resize_with(n_tokens + 1, Vec::new);
    }

    /// One more arc. Of two that are worth the same the one that was there first is taken, where it makes no difference to
    /// the rest of the tree.
    pub fn push(&mut self, dependent: Node, head: Node, weight: Weight) {
        if head != dependent {
            let arc = Arc { head: head.0, dependent: dependent.0, weight };
            self.arcs[dependent.index()].push(arc);
        }
    }

    fn n_nodes(&self) -> usize {
        self.arcs.len()
    }

    /// More than the best arcs into all tokens are worth together, where none is worth less than nothing.
    pub(super) fn highest(&self) -> Weight {
        self.arcs.iter().filter_map(|arcs| arcs.iter().map(|arc| arc.weight).max()).sum::<Weight>() + 1
    }

    /// More than two trees can differ by.
    pub(super) fn spread(&self) -> Weight {
        let of_token = |arcs: &Vec<Arc>| {
            let weights = || arcs.iter().map(|arc| arc.weight);
            weights().max().unwrap_or(0) - weights().min().unwrap_or(0)
        };
        self.arcs.iter().map(of_token).sum::<Weight>() + 1
    }
}

/// Finds spanning trees; reused from sentence to sentence.
#[derive(Debug, Default)]
pub struct SpanningTrees {
    /// By node or cycle: the arcs into it that have not been given up.
    arcs: Vec<Vec<Arc>>,
    /// By node or cycle: the best arc into it.
    best: Vec<Option<Arc>>,
    /// By node or cycle: the cycle that it became a part of.
    cycle: Vec<Option<usize>>,
    /// By node or cycle: the way to the largest cycle that it is in, shortened as it is walked.
    leader: Vec<usize>,
    place: Vec<Place>,
    path: Vec<usize>,
    /// By node or cycle: where an arc from there is in the list that is being made, if it is in this one.
    seen: Vec<(usize, usize)>,
}

/// How far a node or cycle has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Unvisited,
    OnPath,
    /// It is the root, or the root is reached from it.
    Done,
}

impl SpanningTrees {
    /// The heads by node of the tree that is worth most, entry 0 being none. False if no tree can be made of the
    /// candidates.
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
        // Each further root costs more than any choice of other arcs can bring (Stanojević and Cohen 2021).
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

    /// The largest cycle that a node is in; the node itself if it is in none.
    fn leader(&mut self, mut node: usize) -> usize {
        while self.leader[node] != node {
            self.leader[node] = self.leader[self.leader[node]];
            node = self.leader[node];
        }
        node
    }

    /// Follows best arcs back from a token until the root is reached. False if it cannot be.
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

    /// Makes one node of the end of the path, from `first` on.
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

    /// An arc into a cycle takes the place of the arc of the cycle into the same node, and so in all cycles within that the
    /// node is in: each is opened once, so this takes as many steps as there are nodes and cycles.
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

    /// The weight of the best tree, by looking at all.
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

    /// A cycle in a cycle in a cycle, as deep as there are tokens.
    #[test]
    fn cycles_in_cycles() {
        // More than could be opened one by one.
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
