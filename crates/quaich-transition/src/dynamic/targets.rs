//! What Covington's and the planar dynamic oracle share (Gómez-Rodríguez and Fernández-González 2015).
//!
//! Give every token a *target*: the head it has, else its gold head if that arc can still be built as far
//! as positions go. Following targets from node to node, each has at most one, so the cycles are disjoint.
//! The loss of a configuration is the number of tokens whose target is not their gold head, plus one for
//! every cycle, since one more of its arcs must go. A transition is optimal iff it leaves that number alone.

use quaich_treebank::tree::Node;

use crate::configuration::{Configuration, RootPosition};
use crate::gold::Gold;

/// A configuration and a gold tree, with the system's notion of what positions allow.
pub(super) struct Targets<'a, P> {
    pub(super) c: &'a Configuration,
    pub(super) gold: &'a Gold,
    /// Whether positions allow an arc between two nodes, the second further right.
    pub(super) in_reach: P,
    pub(super) single_root: bool,
}

impl<P: Fn(Node, Node) -> bool> Targets<'_, P> {
    /// Whether the gold arc into a token without a head can still be built, cycles apart.
    pub(super) fn is_reachable(&self, dependent: Node) -> bool {
        let head = self.gold.head(dependent);
        if head.is_none() || dependent.is_root() || self.c.has_head(dependent) {
            return false;
        }
        if head.is_root() {
            if self.c.root() == RootPosition::None {
                return true; // by the finish
            }
            if self.single_root && self.c.valency(Node::ROOT) > 0 {
                return false;
            }
        }
        let headwards = self.gold.position(head) < self.gold.position(dependent);
        if headwards { (self.in_reach)(head, dependent) } else { (self.in_reach)(dependent, head) }
    }

    fn target(&self, node: Node) -> Node {
        if node.is_root() {
            Node::NONE
        } else if self.c.has_head(node) {
            self.c.head(node)
        } else if self.is_reachable(node) {
            self.gold.head(node)
        } else {
            Node::NONE
        }
    }

    /// Whether targets lead from `from` to `to`, not going on from `cut`.
    fn leads(&self, from: Node, to: Node, cut: Node) -> bool {
        let mut node = from;
        // A walk that is longer than the sentence has run into a cycle without `to`.
        for _ in 0..=self.c.n_tokens() {
            if node == to {
                return true;
            }
            if node == cut || node.is_none() {
                return false;
            }
            node = self.target(node);
        }
        false
    }

    /// Whether a token is on a cycle.
    fn is_on_cycle(&self, token: Node) -> bool {
        self.leads(self.target(token), token, Node::NONE)
    }

    /// What attaching `dependent` to `head` adds to the loss. `parts` says whether the two can no longer be
    /// linked otherwise afterwards.
    pub(super) fn cost_of_arc(&self, head: Node, dependent: Node, parts: bool) -> i32 {
        let (gold, c) = (self.gold, self.c);
        if gold.has_arc(head, dependent) {
            return 0;
        }
        let loses = i32::from(self.is_reachable(dependent));
        let reverse = gold.has_arc(dependent, head) && self.is_reachable(head);
        let loses_reverse = i32::from(parts && reverse);
        let before = i32::from(self.is_on_cycle(dependent));
        let cut = if parts && reverse { head } else { Node::NONE };
        let after = i32::from(head == dependent || self.leads_on(head, dependent, cut));
        // The only child of 0 must be the gold one as long as that can be had.
        let takes_root = head.is_root()
            && self.single_root
            && c.root() != RootPosition::None
            && gold.last_root().is_some_and(|root| root != dependent && self.is_reachable(root));
        loses + loses_reverse + after - before + i32::from(takes_root)
    }

    /// As [`leads`](Self::leads), where the target of `cut` itself does not count.
    fn leads_on(&self, from: Node, to: Node, cut: Node) -> bool {
        if from == cut { false } else { self.leads(from, to, cut) }
    }

    /// What parting a node from others adds to the loss: `lost` are the tokens whose gold arcs, all of which
    /// touch the node, go. All cycles among them run through that node, so there is at most one.
    pub(super) fn cost_of_parting(&self, lost: impl Iterator<Item = Node>) -> usize {
        let mut lost = lost.filter(|dependent| self.is_reachable(*dependent));
        match (lost.next(), lost.next()) {
            (None, _) => 0,
            (Some(only), None) => usize::from(!self.is_on_cycle(only)),
            _ => 1,
        }
    }
}
