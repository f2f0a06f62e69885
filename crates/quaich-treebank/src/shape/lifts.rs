//! Lifts: PROJECTIVIZE of pseudo-projective parsing (Nivre and Nilsson, 2005). While some arc is
//! non-projective, the shortest such arc is lifted: its dependent is attached to the head of its head.
//!
//! "Breaking ties from left to right" is interpreted as: the arc with the leftmost dependent first. [`Lifting`] has the
//! options of MaltParser: other orders, and covered roots that do not cause lifts.
//!
//! A lift removes a subtree from one node only, the old head; all nodes above it dominate the subtree as before. So
//! extents (see [`extents`](super::extents)) only shrink, except for covered roots that are reattached; a
//! non-projective arc stays non-projective until it is lifted; and after a lift only the arcs of the old head and the
//! lifted arc have to be checked again. For a head without projective arcs even that can wait until it has one.
//!
//! In order of length, an arc is lifted once all shorter ones have been, so the largest length so far acts as a clock.
//! If a token moves up along lasting arcs (see [`lasting`](super::lasting)) and no other arc is affected on the way, it
//! moves in one step; the time at which it would have arrived is stored, and it is not lifted from there before that
//! time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use super::extents::Extents;
use super::lasting::{Lasting, Passed};
use super::skeleton::Skeleton;
use crate::tree::Node;

/// The most nodes of a small subtree.
const SMALL: usize = 64;

/// The number of single lifts per token before lasting arcs are computed. Trees of treebanks need fewer.
const PATIENCE: usize = 16;

/// Options of lifting.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Lifting<'a> {
    /// The order in which non-projective arcs are lifted.
    pub order: LiftingOrder<'a>,
    /// Whether roots below an arc about to be lifted are attached to its head until the tree is projective, so that
    /// arcs are not lifted because of them. An arc that covers a root remains non-projective.
    pub ignore_covered_roots: bool,
}

/// The order in which non-projective arcs are lifted; in a tie, the arc with the leftmost dependent is first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LiftingOrder<'a> {
    /// The shortest, by its current length.
    #[default]
    Shortest,
    /// The shortest under these heads by node, whatever its current length.
    ShortestIn(&'a [Node]),
    /// The one whose dependent is currently deepest in the tree.
    Deepest,
}

/// A projectivised tree and its lifts. Starts with the tree without tokens.
#[derive(Clone, Default, Debug)]
pub struct Projectivized {
    heads: Vec<Node>,
    lifts: Vec<u32>,
    extents: Extents,
    /// The number of projective arcs from each node.
    n_projective: Vec<u32>,
    /// Whether the extent of a node whose arcs are all non-projective may have shrunk.
    outdated: Vec<bool>,
    /// The non-projective arcs as key and dependent, the smallest key on top.
    nonprojective: BinaryHeap<Reverse<(u32, Node)>>,
    /// The nodes from which some token was lifted.
    left_behind: Vec<bool>,
    /// Covered roots that are temporarily attached to other nodes.
    ignored: Vec<Node>,
    is_ignored: Vec<bool>,
    /// For each node, a node from which the search for the next root that may be covered starts; the node itself if it
    /// is one.
    next_root: Vec<Node>,
    /// Current children as doubly linked lists.
    first_child: Vec<Node>,
    next: Vec<Node>,
    previous: Vec<Node>,
    /// The first and last token of each subtree of the input; subtrees only lose tokens.
    first_token: Vec<Node>,
    last_token: Vec<Node>,
    pending: Vec<Node>,
    /// The number of single lifts.
    n_steps: usize,
    lasting: Lasting,
    /// The length of the last lifted arc, or the longest before it.
    now: u32,
    /// The time at which each node arrives at its current head.
    arrivals: Vec<u32>,
    /// Stamps of the climbs; each climb has larger ones than all before it.
    stamps: Vec<u64>,
    stamp: u64,
}

impl Projectivized {
    /// Returns the heads of the projectivised tree by node; entry 0 is `Node::NONE`.
    pub fn heads(&self) -> &[Node] {
        &self.heads
    }

    /// Returns how many times the arc into each node was lifted.
    pub fn lifts(&self) -> &[u32] {
        &self.lifts
    }

    /// Returns whether some token was lifted from each node, that is, whether it is on a path from a linear to a
    /// syntactic head.
    pub fn left_behind(&self) -> &[bool] {
        &self.left_behind
    }

    /// Returns whether each node is a covered root that was ignored.
    pub fn is_ignored(&self) -> &[bool] {
        &self.is_ignored
    }

    pub(super) fn fill(&mut self, skeleton: &Skeleton, lifting: Lifting<'_>) {
        self.fill_with_patience(skeleton, lifting, PATIENCE);
    }

    fn fill_with_patience(&mut self, skeleton: &Skeleton, lifting: Lifting<'_>, patience: usize) {
        let n_nodes = skeleton.n_tokens() + 1;
        self.heads.clear();
        self.heads.extend_from_slice(skeleton.heads());
        self.lifts.clear();
        self.lifts.resize(n_nodes, 0);
        self.left_behind.clear();
        self.left_behind.resize(n_nodes, false);
        self.ignored.clear();
        self.is_ignored.clear();
        self.is_ignored.resize(n_nodes, false);
        self.n_steps = 0;
        self.now = 0;
        self.lasting.clear();
        self.arrivals.clear();
        self.arrivals.resize(n_nodes, 0);
        self.find_nonprojective(skeleton, lifting.order);
        if lifting.ignore_covered_roots {
            self.list_roots(skeleton);
        }
        let goes_at_once = lifting.order == LiftingOrder::Shortest && !lifting.ignore_covered_roots;
        while let Some(token) = self.first_to_lift(lifting.order) {
            if self.n_steps == patience * n_nodes && goes_at_once {
                self.lasting.find(&self.heads);
            }
            self.n_steps += 1;
            if lifting.ignore_covered_roots && self.ignore_roots_below(token, lifting.order) {
                if self.is_projective(token) {
                    continue;
                }
                // The current arc stays on top, though others may precede it now.
                self.nonprojective.push(Reverse((0, token)));
            }
            self.lift(token, lifting.order);
        }
        for root in &self.ignored {
            self.heads[root.index()] = Node::ROOT;
        }
    }

    /// Recomputes everything that depends on the heads.
    fn find_nonprojective(&mut self, skeleton: &Skeleton, order: LiftingOrder<'_>) {
        let n_nodes = skeleton.n_tokens() + 1;
        self.extents.fill(skeleton);
        self.n_projective.clear();
        self.n_projective.resize(n_nodes, 0);
        self.outdated.clear();
        self.outdated.resize(n_nodes, false);
        self.nonprojective.clear();
        for token in skeleton.tokens() {
            if self.is_projective(token) {
                self.n_projective[self.heads[token.index()].index()] += 1;
            } else {
                self.push(token, order);
            }
        }
        if self.nonprojective.is_empty() {
            return;
        }
        self.stamps.clear();
        self.stamps.resize(n_nodes, 0);
        self.stamp = 0;
        self.link_children(skeleton);
        self.span_subtrees(skeleton);
    }

    /// Returns the next arc to lift.
    fn first_to_lift(&mut self, order: LiftingOrder<'_>) -> Option<Node> {
        loop {
            let &Reverse((key, token)) = self.nonprojective.peek()?;
            // Reattaching a root makes listed arcs projective, and some arcs are then listed twice.
            let may_be_outdated = !self.ignored.is_empty();
            if may_be_outdated && self.is_projective(token) {
                self.nonprojective.pop();
                continue;
            }
            // Apart from reattached roots, tokens only move towards the root, so the top entry is the deepest if its
            // key is up to date.
            let may_differ = may_be_outdated || order == LiftingOrder::Deepest;
            if !may_differ || key == self.key(token, order) {
                return Some(token);
            }
            let key = self.key(token, order);
            self.nonprojective.peek_mut()?.0.0 = key;
        }
    }

    /// Lists the roots that may be covered.
    fn list_roots(&mut self, skeleton: &Skeleton) {
        self.next_root.clear();
        // The search for a root ends after the last node.
        self.next_root.extend((0..=skeleton.n_tokens() + 1).map(Node::from_index));
        for token in skeleton.tokens().filter(|&token| !skeleton.head(token).is_root()) {
            self.next_root[token.index()] = Node(token.0 + 1);
        }
    }

    /// Returns the first root from a node on that has not been reattached, or the position after the last node.
    fn root_from(&mut self, node: Node) -> Node {
        let mut root = node;
        while self.next_root[root.index()] != root {
            root = self.next_root[root.index()];
        }
        let mut below = node;
        while below != root {
            below = std::mem::replace(&mut self.next_root[below.index()], root);
        }
        root
    }

    /// Attaches the roots between a token and its head, with their subtrees, to that head. Returns whether any were
    /// found.
    fn ignore_roots_below(&mut self, token: Node, order: LiftingOrder<'_>) -> bool {
        let head = self.heads[token.index()];
        let (first, last) = (head.min(token), head.max(token));
        let n_ignored = self.ignored.len();
        let mut root = self.root_from(Node(first.0 + 1));
        while root < last {
            if self.is_between(root, first, last) {
                self.next_root[root.index()] = Node(root.0 + 1);
                self.hang(root, head, order);
            }
            root = self.root_from(Node(root.0 + 1));
        }
        self.ignored.len() > n_ignored
    }

    /// Whether a node and its subtree lie between two other nodes.
    fn is_between(&mut self, node: Node, first: Node, last: Node) -> bool {
        self.pending.clear();
        self.pending.push(node);
        while let Some(token) = self.pending.pop() {
            if token <= first || token >= last {
                return false;
            }
            // Subtrees only lose tokens, or gain some between two of their own.
            if self.first_token[token.index()] > first && self.last_token[token.index()] < last {
                continue;
            }
            let mut child = self.first_child[token.index()];
            while child.is_some() {
                self.pending.push(child);
                child = self.next[child.index()];
            }
        }
        true
    }

    /// Attaches a root with its subtree to a node. Only extents of this node and of those above it can grow.
    fn hang(&mut self, root: Node, head: Node, order: LiftingOrder<'_>) {
        self.unlink(root);
        self.heads[root.index()] = head;
        self.link(root);
        self.n_projective[0] -= 1;
        self.ignored.push(root);
        self.is_ignored[root.index()] = true;
        let mut above = head;
        while !above.is_root() {
            if std::mem::take(&mut self.outdated[above.index()]) {
                let extent = self.up_to_subtree(above, Node::ROOT);
                (self.extents.first[above.index()], self.extents.last[above.index()]) = extent;
            }
            above = self.heads[above.index()];
        }
        // Higher nodes have higher stamps: the stamp that a token climbs to identifies all nodes that dominate it.
        let lowest = self.stamp + 1;
        let (mut above, mut stamp) = (head, lowest);
        self.stamps[root.index()] = lowest;
        while !above.is_root() {
            self.stamps[above.index()] = stamp;
            (above, stamp) = (self.heads[above.index()], stamp + 1);
        }
        self.stamps[above.index()] = stamp;
        self.stamp = stamp;
        let (mut above, mut stamp) = (head, lowest);
        while !above.is_root() {
            self.grow(above, stamp, lowest);
            (above, stamp) = (self.heads[above.index()], stamp + 1);
        }
        if !self.is_projective(root) {
            self.push(root, order);
        }
        if order == LiftingOrder::Deepest {
            self.push_below(root, order);
        }
    }

    /// Extends the extent of a node by adjacent tokens that climb to this stamp or a lower one, and finds the arcs that
    /// become projective.
    fn grow(&mut self, node: Node, stamp: u64, lowest: u64) {
        let (first, last) = (self.extents.first[node.index()], self.extents.last[node.index()]);
        let (mut new_first, mut new_last) = (first, last);
        while new_first.0 > 1 && self.climb(Node(new_first.0 - 1), lowest) <= stamp {
            new_first.0 -= 1;
        }
        while new_last.index() + 1 < self.heads.len() && self.climb(Node(new_last.0 + 1), lowest) <= stamp {
            new_last.0 += 1;
        }
        (self.extents.first[node.index()], self.extents.last[node.index()]) = (new_first, new_last);
        for token in (new_first.0..first.0).chain((last.0 + 1)..=new_last.0).map(Node) {
            self.n_projective[node.index()] += u32::from(self.heads[token.index()] == node);
        }
    }

    /// Lists the non-projective arcs below a node again: they are deeper than before.
    fn push_below(&mut self, node: Node, order: LiftingOrder<'_>) {
        let mut pending = vec![node];
        while let Some(token) = pending.pop() {
            let mut child = self.first_child[token.index()];
            while child.is_some() {
                if !self.is_projective(child) {
                    self.push(child, order);
                }
                pending.push(child);
                child = self.next[child.index()];
            }
        }
    }

    /// Lifts the arc on top of the queue.
    fn lift(&mut self, token: Node, order: LiftingOrder<'_>) {
        self.now = self.nonprojective.peek().map_or(self.now, |&Reverse((key, _))| key.max(self.now));
        let old = self.heads[token.index()];
        let Passed { end: new, n_nodes, reach } = self.way_up(token, self.heads[old.index()]);
        self.unlink(token);
        self.heads[token.index()] = new;
        self.link(token);
        self.lifts[token.index()] += 1 + n_nodes;
        self.arrivals[token.index()] = reach;
        self.left_behind[old.index()] = true;
        let projective = self.is_projective(token);
        let key = self.key(token, order);
        // Most arcs are lifted several times: changing the entry is faster than removing and adding it.
        if let Some(mut top) = self.nonprojective.peek_mut() {
            if projective {
                PeekMut::pop(top);
            } else {
                top.0.0 = key;
            }
        }
        self.n_projective[new.index()] += u32::from(projective);
        self.shrink(old, token, order);
    }

    /// Returns the path of a token that is lifted to a node. It passes all nodes from which it is lifted in turn, if no
    /// other arc is affected: their arcs are lasting, nothing below the token is lifted (so nothing is attached to its
    /// head meanwhile), and their extents contain no token of its subtree.
    fn way_up(&mut self, token: Node, node: Node) -> Passed {
        if !self.lasting.is_settled(token) {
            return Passed { end: node, n_nodes: 0, reach: 0 };
        }
        let (first, last) = (self.first_token[token.index()], self.last_token[token.index()]);
        let extents = &self.extents;
        let is_left = |node: Node| last < extents.first[node.index()] || extents.last[node.index()] < first;
        let passed = self.lasting.passed(token, node, is_left);
        let left_behind = &mut self.left_behind;
        self.lasting.pass(node, passed, |node| left_behind[node.index()] = true);
        passed
    }

    /// Removes the subtree of `lost`, which is no longer below `node`, from the extent of `node`, and finds the arcs
    /// that become non-projective.
    fn shrink(&mut self, node: Node, lost: Node, order: LiftingOrder<'_>) {
        let (first, last) = (self.extents.first[node.index()], self.extents.last[node.index()]);
        if first == last {
            return;
        }
        if self.n_projective[node.index()] == 0 {
            // No arc can become non-projective; whether the extent shrank matters if the node gets a projective arc
            // again.
            self.outdated[node.index()] = true;
            return;
        }
        // Visiting a small subtree is fast. A large one, in a tree that is far from projective, either has a token near
        // the node or spans the extent without any token in it: search from the node.
        let left = self.without_subtree(node, lost).unwrap_or_else(|| self.up_to_subtree(node, lost));
        let (new_first, new_last) = left;
        (self.extents.first[node.index()], self.extents.last[node.index()]) = left;
        for token in (first.0..new_first.0).chain((new_last.0 + 1)..=last.0).map(Node) {
            if self.heads[token.index()] == node {
                self.n_projective[node.index()] -= 1;
                self.push(token, order);
            }
        }
    }

    /// Returns the extent of `node` without the tokens of the subtree of `lost`, unless that subtree is large.
    fn without_subtree(&mut self, node: Node, lost: Node) -> Option<(Node, Node)> {
        let (mut first, mut last) = (self.extents.first[node.index()], self.extents.last[node.index()]);
        let mut limit = SMALL;
        self.pending.clear();
        self.pending.push(lost);
        while let Some(token) = self.pending.pop() {
            if (first..node).contains(&token) {
                first = Node(token.0 + 1);
            } else if token > node && token <= last {
                last = Node(token.0 - 1);
            }
            let mut child = self.first_child[token.index()];
            while child.is_some() {
                limit = limit.checked_sub(1)?;
                // Only a subtree that overlaps the remaining extent matters.
                if first < last
                    && self.first_token[child.index()] <= last
                    && self.last_token[child.index()] >= first
                {
                    self.pending.push(child);
                }
                child = self.next[child.index()];
            }
        }
        Some((first, last))
    }

    /// Returns the extent of `node` without the tokens that reach `lost` first, searching outwards from the node.
    fn up_to_subtree(&mut self, node: Node, lost: Node) -> (Node, Node) {
        let (first, last) = (self.extents.first[node.index()], self.extents.last[node.index()]);
        let (kept, gone) = (self.stamp + 1, self.stamp + 2);
        self.stamp = gone;
        self.stamps[node.index()] = kept;
        self.stamps[lost.index()] = gone;
        let new_last = (node.0 + 1..=last.0).map(Node).find(|&token| self.climb(token, kept) == gone);
        let new_first = (first.0..node.0).rev().map(Node).find(|&token| self.climb(token, kept) == gone);
        (new_first.map_or(first, |gone| Node(gone.0 + 1)), new_last.map_or(last, |gone| Node(gone.0 - 1)))
    }

    /// Returns the stamp of the nearest stamped node above a token, and copies it to all nodes on the path. All tokens
    /// of the extent were below the node before, so there is one.
    fn climb(&mut self, token: Node, oldest: u64) -> u64 {
        let mut above = token;
        while self.stamps[above.index()] < oldest {
            above = self.heads[above.index()];
        }
        let stamp = self.stamps[above.index()];
        let mut below = token;
        while below != above {
            self.stamps[below.index()] = stamp;
            below = self.heads[below.index()];
        }
        stamp
    }

    /// Whether the arc into a token is projective now.
    fn is_projective(&mut self, token: Node) -> bool {
        let head = self.heads[token.index()];
        if self.outdated[head.index()] && self.extents.is_projective(head, token) {
            // Every node reaches the root, so this returns the tokens that the head dominates now.
            let extent = self.up_to_subtree(head, Node::ROOT);
            (self.extents.first[head.index()], self.extents.last[head.index()]) = extent;
            self.outdated[head.index()] = false;
        }
        self.extents.is_projective(head, token)
    }

    fn push(&mut self, token: Node, order: LiftingOrder<'_>) {
        self.nonprojective.push(Reverse((self.key(token, order), token)));
    }

    /// The priority of the arc into a token: arcs with a smaller key are lifted first.
    fn key(&self, token: Node, order: LiftingOrder<'_>) -> u32 {
        match order {
            LiftingOrder::Shortest => {
                let length = self.heads[token.index()].0.abs_diff(token.0);
                let arrival = self.arrivals[token.index()];
                if arrival > self.now { length.max(arrival) } else { length }
            }
            LiftingOrder::ShortestIn(heads) => {
                heads.get(token.index()).map_or(u32::MAX, |head| head.0.abs_diff(token.0))
            }
            LiftingOrder::Deepest => {
                let mut key = u32::MAX;
                let mut node = token;
                while !node.is_root() {
                    node = self.heads[node.index()];
                    key -= 1;
                }
                key
            }
        }
    }

    fn link_children(&mut self, skeleton: &Skeleton) {
        for list in [&mut self.first_child, &mut self.next, &mut self.previous] {
            list.clear();
            list.resize(skeleton.n_tokens() + 1, Node::NONE);
        }
        for token in skeleton.tokens() {
            self.link(token);
        }
    }

    fn link(&mut self, token: Node) {
        let head = self.heads[token.index()];
        let next = self.first_child[head.index()];
        self.next[token.index()] = next;
        self.previous[token.index()] = Node::NONE;
        if next.is_some() {
            self.previous[next.index()] = token;
        }
        self.first_child[head.index()] = token;
    }

    fn unlink(&mut self, token: Node) {
        let (previous, next) = (self.previous[token.index()], self.next[token.index()]);
        if next.is_some() {
            self.previous[next.index()] = previous;
        }
        if previous.is_some() {
            self.next[previous.index()] = next;
        } else {
            self.first_child[self.heads[token.index()].index()] = next;
        }
    }

    fn span_subtrees(&mut self, skeleton: &Skeleton) {
        for list in [&mut self.first_token, &mut self.last_token] {
            list.clear();
            list.extend((0..=skeleton.n_tokens()).map(Node::from_index));
        }
        for &node in skeleton.preorder()[1..].iter().rev() {
            let head = skeleton.head(node).index();
            self.first_token[head] = self.first_token[head].min(self.first_token[node.index()]);
            self.last_token[head] = self.last_token[head].max(self.last_token[node.index()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Tree;

    fn skeleton(heads: &[u32]) -> Skeleton {
        let mut skeleton = Skeleton::default();
        skeleton.fill(&Tree::from_heads(heads)).unwrap();
        skeleton
    }

    /// A chain over the first half of the tokens; each of the others is attached to one of its nodes, in the same
    /// order.
    fn comb(n_tokens: u32) -> Skeleton {
        let half = n_tokens / 2;
        skeleton(&(0..half).chain(1..=half).collect::<Vec<u32>>())
    }

    #[test]
    fn combs_take_a_number_of_steps_in_proportion_to_their_length() {
        let n_steps = |n_tokens| {
            let mut lifted = Projectivized::default();
            lifted.fill(&comb(n_tokens), Lifting::default());
            // In the end all are attached to the first token, from a depth of up to half the sentence.
            let half = n_tokens / 2;
            assert!(lifted.heads()[half as usize + 1..].iter().all(|&head| head == Node(1)));
            assert_eq!(lifted.lifts()[n_tokens as usize], half - 1);
            lifted.n_steps
        };
        let (short, long) = (n_steps(1_000), n_steps(10_000));
        assert!(long < 11 * short, "{short} and {long} steps");
    }

    /// Trees of chains with many distant dependents, most of which have dependents themselves.
    fn trees() -> impl Iterator<Item = Vec<u32>> {
        let mut state = 1u32;
        let mut chance = move |n: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % n
        };
        (0..20_000).map(move |number| {
            let most = if number % 20 == 0 { 200 } else { 24 };
            let (n, chain, near) = (2 + chance(most), chance(most), 1 + chance(3));
            let mut heads: Vec<u32> = (1..=n)
                .map(|token| match token {
                    1 => 0,
                    token if token <= chain || chance(3) == 0 => token.saturating_sub(1 + chance(near)),
                    token => chance(token),
                })
                .collect();
            if chance(2) == 0 {
                heads = heads.iter().rev().map(|&head| if head == 0 { 0 } else { n + 1 - head }).collect();
            }
            heads
        })
    }

    #[test]
    fn going_up_at_once_changes_nothing() {
        let (mut at_once, mut one_by_one) = (Projectivized::default(), Projectivized::default());
        let (mut n_more, mut n_trees) = (0, 0);
        for heads in trees() {
            let skeleton = skeleton(&heads);
            one_by_one.fill_with_patience(&skeleton, Lifting::default(), usize::MAX >> 32);
            at_once.fill_with_patience(&skeleton, Lifting::default(), 0);
            assert_eq!(at_once.heads(), one_by_one.heads(), "{heads:?}");
            assert_eq!(at_once.lifts(), one_by_one.lifts(), "{heads:?}");
            assert_eq!(at_once.left_behind(), one_by_one.left_behind(), "{heads:?}");
            n_more += usize::from(at_once.n_steps < one_by_one.n_steps);
            n_trees += 1;
        }
        assert!(n_more * 10 > n_trees, "{n_more} of {n_trees} trees have long ways");
    }
}
