//! The common part of Covington's and the planar dynamic oracle (Gómez-Rodríguez and Fernández-González 2015).
//!
//! The *target* of a token is its head, or else its gold head if that arc is *open*, that is, can still be built as far
//! as positions allow. Every node has at most one target, so cycles of targets are disjoint. The loss of a
//! configuration is the number of tokens whose target is not their gold head, plus one per cycle, since one more of its
//! arcs must be lost. A transition is optimal iff it does not change this number.
//!
//! Targets are not computed anew for each configuration but updated. In a run, a token's target changes at most twice,
//! from its gold head to none and from there to another head, so all changes together are linear in the sentence
//! length. The losses of a transition are counted at its nodes; the [`Forest`] is queried only for closing or breaking
//! cycles, and only after something was lost.

use quaich_treebank::tree::Node;

use super::forest::Forest;
use crate::configuration::{Configuration, RootPosition};
use crate::gold::Gold;
use crate::transition::Kind;

/// The targets of all tokens in a configuration of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Targets {
    /// The configuration; `None` before the first of a run.
    seen: Option<Seen>,
    single_root: bool,
    /// Whether the gold arc into a token is open.
    open: Vec<bool>,
    /// The open arcs between a node and those to its left.
    left: Vec<Arcs>,
    /// The open arcs between a node and those to its right.
    right: Vec<Arcs>,
    forest: Forest,
}

#[derive(Clone, Copy, Debug)]
struct Seen {
    n_transitions: usize,
    top: Node,
    front: Node,
}

/// A set of arcs: their number, and the exclusive or of their dependents, which is the dependent if there is one arc.
#[derive(Clone, Copy, Debug, Default)]
struct Arcs {
    n: u32,
    dependents: u32,
}

impl Arcs {
    fn add(&mut self, dependent: Node) {
        self.n += 1;
        self.dependents ^= dependent.0;
    }

    fn remove(&mut self, dependent: Node) {
        self.n -= 1;
        self.dependents ^= dependent.0;
    }
}

impl Targets {
    /// Resets the run.
    pub(crate) fn rewind(&mut self) {
        self.seen = None;
    }

    /// Moves on to a configuration. `in_reach` tells whether positions allow an arc between two nodes, the second
    /// farther right; it is called only if the transitions since the last configuration are unknown.
    pub(super) fn follow(
        &mut self,
        c: &Configuration,
        gold: &Gold,
        single_root: bool,
        in_reach: impl Fn(Node, Node) -> bool,
    ) {
        let now = c.n_transitions();
        match (self.seen, c.history(0), c.history(1)) {
            (Some(seen), ..) if now == seen.n_transitions => return,
            (Some(seen), Some(kind), _) if now == seen.n_transitions + 1 => {
                self.step(gold, kind, seen.top, seen.front);
            }
            // The oracle is not queried without a choice: between two queries there is at most this SHIFT.
            (Some(seen), Some(Kind::Shift), Some(kind)) if now == seen.n_transitions + 2 => {
                self.step(gold, kind, seen.top, seen.front);
                self.close_left(gold, c.stack(0));
            }
            _ => self.read(c, gold, single_root, in_reach),
        }
        self.seen = Some(Seen { n_transitions: now, top: c.stack(0), front: c.buffer(0) });
    }

    /// Whether a transition loses nothing that attaches `dependent` to `head`, and otherwise may separate them.
    pub(super) fn may_attach(&mut self, gold: &Gold, head: Node, dependent: Node) -> bool {
        if gold.has_arc(head, dependent) {
            return true;
        }
        // The dependent's own arc is lost, unless one arc of its cycle had to be lost anyway.
        if self.open[dependent.index()] && !self.forest.is_on_cycle(dependent) {
            return false;
        }
        let loses_reverse = gold.has_arc(dependent, head) && self.open[head.index()];
        // The only child of 0 must be the gold one as long as that is possible.
        let takes_root = head.is_root()
            && self.single_root
            && gold.root() != RootPosition::None
            && gold.last_root().is_some_and(|root| root != dependent && self.open[root.index()]);
        // All nodes connected with the dependent lead to it, since it has no target or is on a cycle. So this closes a
        // cycle, or keeps one that it was to break.
        !loses_reverse && !takes_root && !self.forest.joins(head, dependent)
    }

    /// Whether the arc between two nodes, if it is gold, can be lost at no cost.
    pub(super) fn may_part(&mut self, gold: &Gold, a: Node, b: Node) -> bool {
        let dependent = gold_dependent(gold, a, b);
        dependent.is_none() || !self.open[dependent.index()] || self.forest.is_on_cycle(dependent)
    }

    /// Whether all arcs between a node and those to its left can be lost at no cost.
    pub(super) fn may_close_left(&mut self, node: Node) -> bool {
        self.may_lose(self.left[node.index()])
    }

    /// Whether all arcs between a node and those to its right can be lost at no cost.
    pub(super) fn may_close_right(&mut self, node: Node) -> bool {
        self.may_lose(self.right[node.index()])
    }

    /// The arcs share a node, and all cycles through them do too; so at most one can be lost.
    fn may_lose(&mut self, arcs: Arcs) -> bool {
        arcs.n == 0 || (arcs.n == 1 && self.forest.is_on_cycle(Node(arcs.dependents)))
    }

    /// Computes the targets in a configuration by their definition.
    fn read(
        &mut self,
        c: &Configuration,
        gold: &Gold,
        single_root: bool,
        in_reach: impl Fn(Node, Node) -> bool,
    ) {
        self.single_root = single_root;
        let is_open = |dependent: Node| {
            let head = gold.head(dependent);
            if head.is_none() || c.has_head(dependent) {
                return false;
            }
            if head.is_root() && c.root() == RootPosition::None {
                return true; // by the finish
            }
            let second_root = head.is_root() && single_root && c.valency(Node::ROOT) > 0;
            let (left, right) = ends(gold, head, dependent);
            !second_root && in_reach(left, right)
        };
        let n_nodes = c.n_tokens() + 1;
        let nodes = || (0..n_nodes).map(Node::from_index);
        self.open.clear();
        self.open.extend(nodes().map(|node| !node.is_root() && is_open(node)));
        for arcs in [&mut self.left, &mut self.right] {
            arcs.clear();
            arcs.resize(n_nodes, Arcs::default());
        }
        for dependent in nodes().filter(|node| self.open[node.index()]) {
            let head = gold.built_head(dependent);
            if head.is_some() {
                let (left, right) = ends(gold, head, dependent);
                self.right[left.index()].add(dependent);
                self.left[right.index()].add(dependent);
            }
        }
        let open = &self.open;
        self.forest
            .plant(nodes().map(|node| if open[node.index()] { gold.head(node) } else { c.head(node) }));
    }

    /// Applies the changes of a transition of the two systems.
    fn step(&mut self, gold: &Gold, kind: Kind, top: Node, front: Node) {
        match kind {
            Kind::Shift => return self.close_left(gold, front),
            Kind::Reduce => return self.close_right(gold, top),
            Kind::LeftArc => self.attach(gold, front, top),
            Kind::RightArc => self.attach(gold, top, front),
            _ => {}
        }
        // Covington's system moves past this pair; planar cannot link connected nodes.
        let dependent = gold_dependent(gold, top, front);
        if dependent.is_some() {
            self.close(gold, dependent);
        }
    }

    fn attach(&mut self, gold: &Gold, head: Node, dependent: Node) {
        if gold.has_arc(head, dependent) {
            self.uncount(gold, dependent); // its target stays
        } else {
            self.close(gold, dependent);
            self.forest.point(dependent, head);
        }
        if head.is_root() && self.single_root && gold.root() != RootPosition::None {
            for &root in gold.children(Node::ROOT) {
                self.close(gold, root);
            }
        }
    }

    /// Closes the arcs between a node and those to its left.
    fn close_left(&mut self, gold: &Gold, node: Node) {
        if self.left[node.index()].n == 0 {
            return;
        }
        let limit = gold.position(node);
        let head = gold.built_head(node);
        if head.is_some() && gold.position(head) < limit {
            self.close(gold, node);
        }
        for &child in gold.children(node).iter().take_while(|child| child.0 < limit) {
            self.close(gold, child);
        }
    }

    /// Closes the arcs between a node and those to its right.
    fn close_right(&mut self, gold: &Gold, node: Node) {
        if self.right[node.index()].n == 0 {
            return;
        }
        let limit = gold.position(node);
        let head = gold.built_head(node);
        if head.is_some() && gold.position(head) > limit {
            self.close(gold, node);
        }
        for &child in gold.children(node).iter().rev().take_while(|child| child.0 > limit) {
            self.close(gold, child);
        }
    }

    /// Removes a token's gold head if it is only its target.
    fn close(&mut self, gold: &Gold, dependent: Node) {
        if self.uncount(gold, dependent) {
            self.forest.cut(dependent);
        }
    }

    /// Records that a token's gold arc is not open; returns whether it was.
    fn uncount(&mut self, gold: &Gold, dependent: Node) -> bool {
        let was_open = std::mem::replace(&mut self.open[dependent.index()], false);
        let head = gold.built_head(dependent);
        if was_open && head.is_some() {
            let (left, right) = ends(gold, head, dependent);
            self.right[left.index()].remove(dependent);
            self.left[right.index()].remove(dependent);
        }
        was_open
    }
}

/// Returns the dependent of the gold arc between two nodes, if there is one.
fn gold_dependent(gold: &Gold, a: Node, b: Node) -> Node {
    if gold.has_arc(a, b) {
        b
    } else if gold.has_arc(b, a) {
        a
    } else {
        Node::NONE
    }
}

/// Returns two nodes in sentence order.
fn ends(gold: &Gold, a: Node, b: Node) -> (Node, Node) {
    if gold.position(a) < gold.position(b) { (a, b) } else { (b, a) }
}
