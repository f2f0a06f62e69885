//! Deprojectivisation as MaltParser 1.9 does it.
//!
//! From the root down, a head is searched for every lifted token breadth-first below its linear head, with the
//! dependents of each node sorted by their distance from the token. Tokens for which none is found are tried once more
//! after all others of the same head.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use quaich_treebank::{Node, Tree};

use super::Encoding;
use super::decoder::{Code, Decoder};
use crate::children::Children;

/// The number of visits after which nothing is tried again.
const MANY: usize = 10_000;

/// The buffers of the search.
#[derive(Clone, Default, Debug)]
pub(crate) struct MaltDescent {
    /// The code of each node's label.
    codes: Vec<Code>,
    children: Children,
    /// The visits in progress, each below the one before.
    visits: Vec<Visit>,
    /// The children still to be visited, those of the last visit at the end.
    pending: Vec<Node>,
    /// The nodes of one search.
    queue: Vec<Node>,
    sorter: Sorter,
}

/// A visit of a node and its subtree.
#[derive(Clone, Copy, Debug)]
struct Visit {
    node: Node,
    /// The start of its children in `pending`.
    start: usize,
    /// How often its children may be tried again.
    again: u32,
    /// Whether the node itself is in place.
    placed: bool,
    /// Whether all children of this round are in place.
    children_placed: bool,
}

impl MaltDescent {
    /// Moves the lifted tokens of a tree. Labels are not changed.
    pub(super) fn run(&mut self, decoder: &Decoder, tree: &mut Tree) {
        self.codes.clear();
        self.codes.extend(tree.labels().iter().map(|&label| decoder.code(label)));
        self.children.fill(tree);
        self.visits.clear();
        self.pending.clear();
        let mut n_visits = 0;
        self.enter(Node::ROOT, decoder, tree, &mut n_visits);
        while let Some(&visit) = self.visits.last() {
            if self.pending.len() > visit.start {
                if let Some(child) = self.pending.pop() {
                    self.enter(child, decoder, tree, &mut n_visits);
                }
                continue;
            }
            if !visit.children_placed && visit.again > 0 {
                self.list_children(visit.node);
                if let Some(visit) = self.visits.last_mut() {
                    visit.again -= 1;
                    visit.children_placed = true;
                }
                continue;
            }
            self.visits.pop();
            if let Some(above) = self.visits.last_mut() {
                above.children_placed &= visit.placed && visit.children_placed;
            }
        }
    }

    fn enter(&mut self, node: Node, decoder: &Decoder, tree: &mut Tree, n_visits: &mut usize) {
        *n_visits += 1;
        let mut placed = true;
        if !node.is_root() && self.codes[node.index()].lifted {
            let head = tree.head(node);
            placed = match self.search(decoder.encoding(), head, node) {
                Some(target) => {
                    self.codes[node.index()].lifted = false;
                    self.children.unlink(node, head);
                    self.children.link(node, target);
                    tree.set(node, target, tree.label(node));
                    true
                }
                None => false,
            };
        }
        let again = u32::from(*n_visits < MANY);
        self.visits.push(Visit { node, start: self.pending.len(), again, placed, children_placed: true });
        self.list_children(node);
    }

    /// Appends the children of a node, the first to be visited last: those to its left from left to right, then those
    /// to its right from right to left.
    fn list_children(&mut self, node: Node) {
        let (children, pending) = (&self.children, &mut self.pending);
        pending.extend(children.of(node).filter(|&child| child > node));
        let n_right = pending.len();
        pending.extend(children.of(node).filter(|&child| child < node));
        pending[n_right..].reverse();
    }

    /// Returns the syntactic head of a lifted token below its linear head.
    fn search(&mut self, encoding: Encoding, head: Node, token: Node) -> Option<Node> {
        let Self { codes, children, queue, sorter, .. } = self;
        let from = codes[token.index()].from;
        let on_path = |node: Node| codes[node.index()].on_path;
        queue.clear();
        let mut at = 0;
        let mut node = head;
        let mut second = None;
        loop {
            let start = queue.len();
            queue.extend(children.of(node));
            sorter.sort_by_distance(&mut queue[start..], token);
            let may_enter = |child: Node| child != token && (!encoding.marks_path() || on_path(child));
            let mut kept = start;
            for place in start..queue.len() {
                if may_enter(queue[place]) {
                    queue.swap(kept, place);
                    kept += 1;
                }
            }
            queue.truncate(kept);
            let Some(&next) = queue.get(at) else { return second };
            node = next;
            at += 1;
            let has_label = || codes[node.index()].plain == from;
            let ends_path = || !children.of(node).any(on_path);
            match encoding {
                Encoding::Unmarked | Encoding::Baseline => return None,
                Encoding::Head if has_label() => return Some(node),
                Encoding::Path if ends_path() => return Some(node),
                Encoding::HeadPath if has_label() && ends_path() => return Some(node),
                Encoding::HeadPath if has_label() => second = second.or(Some(node)),
                Encoding::Head | Encoding::Path | Encoding::HeadPath => {}
            }
        }
    }
}

/// Selection sort by swapping, as in MaltParser: it determines which of two tokens at the same distance comes first.
#[derive(Clone, Default, Debug)]
struct Sorter {
    /// Distances with their positions, the smallest on top. Entries outdated by a swap stay until they come up.
    nearest: BinaryHeap<Reverse<(u32, usize)>>,
}

/// Up to this many elements, a linear search is faster than a heap.
const FEW: usize = 24;

impl Sorter {
    /// For every position in turn, finds the nearest element from there on, the first in a tie, and swaps it in.
    fn sort_by_distance(&mut self, nodes: &mut [Node], token: Node) {
        let distance = |node: Node| node.0.abs_diff(token.0);
        if nodes.len() <= FEW {
            for place in 0..nodes.len() {
                let mut nearest = place;
                for other in place + 1..nodes.len() {
                    if distance(nodes[other]) < distance(nodes[nearest]) {
                        nearest = other;
                    }
                }
                nodes.swap(place, nearest);
            }
            return;
        }
        self.nearest.clear();
        self.nearest.extend(nodes.iter().enumerate().map(|(place, &node)| Reverse((distance(node), place))));
        let mut place = 0;
        while let Some(Reverse((length, nearest))) = self.nearest.pop() {
            if nearest < place || distance(nodes[nearest]) != length {
                continue;
            }
            if nearest > place {
                nodes.swap(place, nearest);
                self.nearest.push(Reverse((distance(nodes[nearest]), nearest)));
            }
            place += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_are_sorted_as_few_are() {
        let by_selection = |nodes: &mut [Node], token: Node| {
            for place in 0..nodes.len() {
                let rest = nodes[place..].iter().enumerate();
                let (nearest, _) = rest.min_by_key(|(_, node)| node.0.abs_diff(token.0)).unwrap();
                nodes.swap(place, place + nearest);
            }
        };
        let mut state = 1u32;
        let mut chance = move |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        let mut sorter = Sorter::default();
        for n_nodes in (1..40).chain([100, 300]) {
            for _ in 0..20 {
                let density = 1 + chance(4);
                let nodes: Vec<Node> = (1..=n_nodes).filter(|_| chance(density) == 0).map(Node).collect();
                let token = Node(1 + chance(n_nodes));
                let (mut found, mut expected) = (nodes.clone(), nodes);
                sorter.sort_by_distance(&mut found, token);
                by_selection(&mut expected, token);
                assert_eq!(found, expected, "around {token}");
            }
        }
        // A linear search through these would take minutes.
        let mut many: Vec<Node> = (1..=400_000).map(Node).collect();
        sorter.sort_by_distance(&mut many, Node(200_000));
        assert!(many.is_sorted_by_key(|node| node.0.abs_diff(200_000)));
    }
}
