//! Given arcs in the stack systems: arc-standard, stack-projective, swap and Attardi's.
//!
//! A token is *tied* if it waits for given arcs; every other token can be attached to its neighbour at any time, so only
//! tied tokens can block each other. Three rules keep them apart:
//!
//! * Arcs: see [`local`].
//! * SWAP of two tied tokens only if that is their order in the projective order of the given tree. So tokens that are
//!   in the wrong order can still be swapped.
//! * SHIFT not over a token whose given arcs must be built before those of the next one.

use quaich_treebank::tree::Node;

use super::{GivenArcs, local};
use crate::configuration::{Configuration, RootPosition};
use crate::systems::System;
use crate::transition::{Kind, KindSet};

/// The most tokens at the top of the stack that are searched for a tied one, so that a step takes constant time.
const DEPTH: usize = 64;

/// Where the two nodes are that arcs link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Linked {
    /// Both on the stack.
    Stack,
    /// The top of the stack and the front of the buffer.
    Front,
}

/// Returns the permissible kinds that keep the given arcs.
pub(crate) fn consistent<S: System + ?Sized>(
    system: &S,
    c: &Configuration,
    given: &mut GivenArcs,
    linked: Linked,
) -> KindSet {
    let mut kinds = local::consistent(system, c, given);
    if kinds.contains(Kind::Swap) {
        let (top, under) = (c.stack(0), c.stack(1));
        let are_tied = given.is_tied(c, top) && given.is_tied(c, under);
        if are_tied && given.order(top) > given.order(under) {
            kinds = kinds.without(Kind::Swap);
        }
    }
    let others = kinds.without(Kind::Shift);
    if kinds.contains(Kind::Shift) && !others.is_empty() && !may_shift(c, given, linked) {
        kinds = others;
    }
    kinds
}

fn may_shift(c: &Configuration, given: &mut GivenArcs, linked: Linked) -> bool {
    let next = c.buffer(usize::from(linked == Linked::Front));
    if next.is_root() {
        return given.is_built();
    }
    if next.is_some() {
        return given.is_built() || may_cover(c, given, linked, next);
    }
    match linked {
        Linked::Front => given.is_built(),
        // SHIFT drops the top, which becomes a root.
        Linked::Stack => {
            let (top, head) = (c.stack(0), given.gold.head(c.stack(0)));
            (head.is_none() || head.is_root()) && given.is_complete(c, top)
        }
    }
}

/// Whether a node may be put on top of the last tied one.
fn may_cover(c: &Configuration, given: &mut GivenArcs, linked: Linked, next: Node) -> bool {
    let from_top = |place: usize| match linked {
        Linked::Stack => c.stack(place),
        Linked::Front if place == 0 => c.buffer(0),
        Linked::Front => c.stack(place - 1),
    };
    if !given.is_tied(c, next) {
        return true;
    }
    let mut tied = (0..DEPTH).map(from_top).take_while(|node| node.is_some() && !node.is_root());
    let Some(top) = tied.find(|&node| given.is_tied(c, node)) else { return true };
    let bottom = if c.root() == RootPosition::Stack { Node::ROOT } else { Node::NONE };
    let under = tied.find(|&node| given.is_tied(c, node)).unwrap_or(bottom);
    if given.order(next) < given.order(top) {
        return true; // it is swapped below the top
    }
    if !given.is_sorted() {
        // Later nodes may have to come between those on the stack, so these are put in order and linked at once.
        let links_right = given.gold.has_arc(under, top) && given.is_complete(c, top);
        let links_left = given.gold.has_arc(top, under) && given.is_complete(c, under);
        let in_order = under.is_none() || given.order(under) < given.order(top);
        if !in_order || links_right || links_left {
            return false;
        }
    }
    if given.order(next) < given.order(top) {
        return true; // it is swapped below the top
    }
    if under.is_some() && given.order(top) < given.order(under) && given.order(under) < given.order(next) {
        return false; // the top must be swapped first
    }
    // Where the top waits for a node that belongs before the next one, the next one is swapped back.
    let awaited = given.missing(c, top).unwrap_or(given.gold.built_head(top));
    if awaited.is_some() && (given.order(top)..given.order(next)).contains(&given.order(awaited)) {
        return true;
    }
    // What is between the next node, or one that it leads to on the right, and given dependents or a given head on the
    // stack must leave first.
    let mut node = next;
    loop {
        if !node.is_root() && given.dominates(node, top) {
            break;
        }
        if node.is_root() || (given.gold.head(node).is_root() && c.root() == RootPosition::None) {
            // Node 0 at the end, or a root if 0 is nowhere: it stays, and so does what is under it.
            return given.gold.head(top).is_root() && given.is_complete(c, top);
        }
        let (head, order) = (given.gold.built_head(node), given.order(node));
        if given.missing(c, node).is_some_and(|child| given.order(child) < given.order(top)) {
            return false;
        }
        if head.is_none() || head == top {
            break;
        }
        if given.order(head) < order {
            if head.is_root() || (0..DEPTH).any(|place| from_top(place) == head) {
                return false;
            }
            break;
        }
        node = head;
    }
    // A token whose head is to the right must get its dependents on the stack first.
    let mut node = top;
    let mut is_waiting = given.gold.has_arc(top, under);
    loop {
        let head = given.gold.built_head(node);
        if given.dominates(node, next) || head.is_none() {
            return true;
        }
        if given.order(head) > given.order(node) {
            return !is_waiting;
        }
        if head.is_root() {
            return true;
        }
        (node, is_waiting) = (head, true);
    }
}
