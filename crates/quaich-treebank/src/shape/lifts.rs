//! Lifts: PROJECTIVIZE of pseudo-projective parsing (Nivre and Nilsson, 2005). While some arc is
//! non-projective, the shortest such arc is lifted: its dependent is attached to the head of its head.
//!
//! "Breaking ties from left to right" is read as: the arc whose dependent comes first.
//!
//! A lift takes a subtree from one node only, the old head; all above it dominate the subtree as before.
//! So extents (see [`extents`](super::extents)) only shrink, a non-projective arc stays so
//! until it is lifted, and after a lift only the arcs of the old head and the lifted arc
//! itself need another look. Nothing is computed anew.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::extents::Extents;
use super::skeleton::Skeleton;
use crate::tree::Node;

/// A projectivised tree and what it took. Starts as that of the tree without tokens.
#[derive(Clone, Default, Debug)]
pub struct Projectivized {
    heads: Vec<Node>,
    lifts: Vec<u32>,
    extents: Extents,
    /// The non-projective arcs as length and dependent, the shortest on top.
    nonprojective: BinaryHeap<Reverse<(u32, Node)>>,
    /// Current children as doubly linked lists.
    first_child: Vec<Node>,
    next: Vec<Node>,
    previous: Vec<Node>,
    /// The first and last token of each subtree of the input; subtrees only lose tokens.
    first_token: Vec<Node>,
    last_token: Vec<Node>,
    pending: Vec<Node>,
}

impl Projectivized {
    /// The heads of the projectivised tree by node, entry 0 being `Node::NONE`.
    pub fn heads(&self) -> &[Node] {
        &self.heads
    }

    /// How many times the arc into each node was lifted.
    pub fn lifts(&self) -> &[u32] {
        &self.lifts
    }

    pub(super) fn fill(&mut self, skeleton: &Skeleton) {
        let n_nodes = skeleton.n_tokens() + 1;
        self.heads.clear();
        self.heads.extend_from_slice(skeleton.heads());
        self.lifts.clear();
        self.lifts.resize(n_nodes, 0);
        self.extents.fill(skeleton);
        self.nonprojective.clear();
        for token in skeleton.tokens() {
            self.push_if_nonprojective(token);
        }
        if self.nonprojective.is_empty() {
            return;
        }
        self.link_children(skeleton);
        self.span_subtrees(skeleton);
        while let Some(Reverse((_, token))) = self.nonprojective.pop() {
            self.lift(token);
        }
    }

    fn lift(&mut self, token: Node) {
        let old = self.heads[token.index()];
        let new = self.heads[old.index()];
        self.unlink(token);
        self.heads[token.index()] = new;
        self.link(token);
        self.lifts[token.index()] += 1;
        self.push_if_nonprojective(token);
        self.shrink(old, token);
    }

    /// Takes the subtree of `lost`, no longer below `node`, out of the extent of `node`, and finds the arcs that
    /// this makes non-projective.
    fn shrink(&mut self, node: Node, lost: Node) {
        let (first, last) = (self.extents.first[node.index()], self.extents.last[node.index()]);
        let (mut new_first, mut new_last) = (first, last);
        self.pending.clear();
        self.pending.push(lost);
        while let Some(token) = self.pending.pop() {
            if (new_first..node).contains(&token) {
                new_first = Node(token.0 + 1);
            } else if token > node && token <= new_last {
                new_last = Node(token.0 - 1);
            }
            let mut child = self.first_child[token.index()];
            while child.is_some() {
                // Only a subtree that reaches into what is left of the extent matters.
                if new_first < new_last
                    && self.first_token[child.index()] <= new_last
                    && self.last_token[child.index()] >= new_first
                {
                    self.pending.push(child);
                }
                child = self.next[child.index()];
            }
        }
        (self.extents.first[node.index()], self.extents.last[node.index()]) = (new_first, new_last);
        for token in (first.0..new_first.0).chain(new_last.0 + 1..last.0 + 1).map(Node) {
            if self.heads[token.index()] == node {
                self.push_if_nonprojective(token);
            }
        }
    }

    fn push_if_nonprojective(&mut self, token: Node) {
        let head = self.heads[token.index()];
        if !self.extents.is_projective(head, token) {
            self.nonprojective.push(Reverse((head.0.abs_diff(token.0), token)));
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
