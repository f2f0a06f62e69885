//! What Covington's and the planar dynamic oracle share (Gómez-Rodríguez and Fernández-González 2015).
//!
//! Give every token a *target*: the head it has, else its gold head if that arc is *open*, that is, can still be
//! built as far as positions go. Following targets from node to node, each has at most one, so the cycles are
//! disjoint. The loss of a configuration is the number of tokens whose target is not their gold head, plus one for
//! every cycle, since one more of its arcs must go. A transition is optimal iff it leaves that number alone.
//!
//! Targets are not looked for in every configuration anew but kept from one to the next. In a run a token's target
//! changes at most twice, from its gold head to none and from there to another head, so that all changes together
//! are linear in the sentence. What a transition loses is counted at the nodes, and only whether it closes or breaks
//! a cycle is asked of the [`Forest`], and only where something was lost before.

use quaich_treebank::tree::Node;

use super::forest::Forest;
use crate::configuration::{Configuration, RootPosition};
use crate::gold::Gold;
use crate::transition::Kind;

/// The targets of all tokens in one configuration of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Targets {
    /// The configuration; `None` before the first of a run.
    seen: Option<Seen>,
    single_root: bool,
    /// Whether the gold arc into a token is open.
    open: Vec<bool>,
    /// The open arcs between a node and those left of it.
    left: Vec<Arcs>,
    /// The open arcs between a node and those right of it.
    right: Vec<Arcs>,
    forest: Forest,
}

#[derive(Clone, Copy, Debug)]
struct Seen {
    n_transitions: usize,
    top: Node,
    front: Node,
}

/// Some arcs: their number, and the exclusive or of their dependents, which is the dependent where there is one arc.
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
    /// Forgets the run.
    pub(crate) fn rewind(&mut self) {
        self.seen = None;
    }

    /// Goes on to a configuration. `in_reach` says whether positions allow an arc between two nodes, the second
    /// further right; it is asked only where the way to this configuration is not known.
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
            // Nobody asks where there is no choice: between two questions there is at most this SHIFT.
            (Some(seen), Some(Kind::Shift), Some(kind)) if now == seen.n_transitions + 2 => {
                self.step(gold, kind, seen.top, seen.front);
                self.close_left(gold, c.stack(0));
            }
            _ => self.read(c, gold, single_root, in_reach),
        }
        self.seen = Some(Seen { n_transitions: now, top: c.stack(0), front: c.buffer(0) });
    }

    /// Whether a transition that attaches `dependent` to `head`, and may part them otherwise, loses nothing.
    pub(super) fn may_attach(&mut self, gold: &Gold, head: Node, dependent: Node) -> bool {
        if gold.has_arc(head, dependent) {
            return true;
        }
        // The dependent's own arc is lost, unless one of its cycle had to go anyway.
        if self.open[dependent.index()] && !self.forest.is_on_cycle(dependent) {
            return false;
        }
        let loses_reverse = gold.has_arc(dependent, head) && self.open[head.index()];
        // The only child of 0 must be the gold one as long as that can be had.
        let takes_root = head.is_root()
            && self.single_root
            && gold.root() != RootPosition::None
            && gold.last_root().is_some_and(|root| root != dependent && self.open[root.index()]);
        // All that hangs together with the dependent leads to it, since it has no target or is on a cycle. So
        // this closes a cycle, or leaves one that it was to break.
        !loses_reverse && !takes_root && !self.forest.joins(head, dependent)
    }

    /// Whether the arc between two nodes, if it is gold, may go.
    pub(super) fn may_part(&mut self, gold: &Gold, a: Node, b: Node) -> bool {
        let dependent = gold_dependent(gold, a, b);
        dependent.is_none() || !self.open[dependent.index()] || self.forest.is_on_cycle(dependent)
    }

    /// Whether all arcs between a node and those left of it may go.
    pub(super) fn may_close_left(&mut self, node: Node) -> bool {
        self.may_lose(self.left[node.index()])
    }

    /// Whether all arcs between a node and those right of it may go.
    pub(super) fn may_close_right(&mut self, node: Node) -> bool {
        self.may_lose(self.right[node.index()])
    }

    /// The arcs have a node in common, and with it all cycles on which they are; so that is at most one.
    fn may_lose(&mut self, arcs: Arcs) -> bool {
        arcs.n == 0 || (arcs.n == 1 && self.forest.is_on_cycle(Node(arcs.dependents)))
    }

    /// Works out the targets in a configuration by their definition.
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

    /// What a transition of the two systems changes.
    fn step(&mut self, gold: &Gold, kind: Kind, top: Node, front: Node) {
        match kind {
            Kind::Shift => return self.close_left(gold, front),
            Kind::Reduce => return self.close_right(gold, top),
            Kind::LeftArc => self.attach(gold, front, top),
            Kind::RightArc => self.attach(gold, top, front),
            _ => {}
        }
        // Covington's system goes on from this pair, planar cannot link what is connected.
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

    /// Closes the arcs between a node and those left of it.
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

    /// Closes the arcs between a node and those right of it.
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

    /// Takes a token's gold head from it if it is its target but no more.
    fn close(&mut self, gold: &Gold, dependent: Node) {
        if self.uncount(gold, dependent) {
            self.forest.cut(dependent);
        }
    }

    /// Notes that a token's gold arc is not open; says whether it was.
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

/// The dependent of the gold arc between two nodes, if there is one.
fn gold_dependent(gold: &Gold, a: Node, b: Node) -> Node {
    if gold.has_arc(a, b) {
        b
    } else if gold.has_arc(b, a) {
        a
    } else {
        Node::NONE
    }
}

/// Two nodes in the order of the sentence.
fn ends(gold: &Gold, a: Node, b: Node) -> (Node, Node) {
    if gold.position(a) < gold.position(b) { (a, b) } else { (b, a) }
}
