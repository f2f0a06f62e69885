//! Given arcs in arc-hybrid with SWAP, by rules similar to those for the [stack systems](super::stack).

use super::{GivenArcs, local};
use crate::configuration::Configuration;
use crate::systems::ArcHybridSwap;
use crate::transition::{Kind, KindSet};

/// Returns the permissible kinds that keep the given arcs.
pub(crate) fn consistent(system: &ArcHybridSwap, c: &Configuration, given: &mut GivenArcs) -> KindSet {
    let mut kinds = local::consistent(system, c, given);
    let (top, front) = (c.stack(0), c.buffer(0));
    if front.is_none() || front.is_root() {
        if kinds.contains(Kind::Shift) {
            // It drops the top, which becomes a root.
            let head = given.gold.head(top);
            let is_free = (head.is_none() || head.is_root()) && given.is_complete(c, top);
            kinds = if is_free { kinds } else { kinds.without(Kind::Shift) };
        }
        return kinds;
    }
    if top.is_none() || given.is_built() {
        return kinds;
    }
    let are_tied = given.is_tied(c, top) && given.is_tied(c, front);
    let in_order = given.order(top) < given.order(front);
    if are_tied && in_order {
        kinds = kinds.without(Kind::Swap);
    }
    let is_complete = top.is_root() || given.is_complete(c, top);
    // The front leaves the stack to the node under it or to a later one. So its head on the stack must be the top; what
    // covers the head leaves first, unless it waits for a later node.
    let head = given.gold.built_head(front);
    let is_behind = head.is_some() && !c.has_head(head) && given.order(head) < given.order(front);
    let is_covered = is_behind && head != top && (is_complete || kinds.contains(Kind::Swap));
    let is_due = given.gold.has_arc(front, top) && is_complete;
    let others = kinds.without(Kind::Shift);
    if (is_due || is_covered) && !others.is_empty() { others } else { kinds }
}
