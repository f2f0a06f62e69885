//! Given arcs in arc-hybrid with SWAP: as in arc-hybrid where they do not cross, otherwise by rules similar to those for
//! the [stack systems](super::stack).

use super::{GivenArcs, local};
use crate::configuration::Configuration;
use crate::dynamic;
use crate::systems::{ArcHybridSwap, Variant};
use crate::transition::{Kind, KindSet};

/// Returns the permissible kinds that keep the given arcs.
pub(crate) fn consistent(system: &ArcHybridSwap, c: &Configuration, given: &mut GivenArcs) -> KindSet {
    let (top, under, front) = (c.stack(0), c.stack(1), c.buffer(0));
    let mut kinds = local::consistent(system, c, given);
    let are_tied = top.is_some() && front.is_some() && given.is_tied(c, top) && given.is_tied(c, front);
    if are_tied && given.order(top) < given.order(front) {
        kinds = kinds.without(Kind::Swap);
    }
    if given.is_sorted() {
        let swap = KindSet::of(&[Kind::Swap]).intersection(kinds);
        let optimal = dynamic::arc_hybrid::optimal(system.base(), c, &mut given.gold).intersection(kinds);
        return if optimal.is_empty() { kinds } else { optimal.union(swap) };
    }
    if front.is_none() {
        // SHIFT drops the top, which becomes a root.
        let head = if top.is_some() { given.gold.head(top) } else { top };
        let is_free = (head.is_none() || head.is_root()) && given.is_complete(c, top);
        return if is_free { kinds } else { kinds.without(Kind::Shift) };
    }
    if top.is_none() || front.is_root() || given.is_built() {
        return kinds;
    }
    // The front leaves the stack to the node under it or to a later one. So its head on the stack must be the top, and
    // its dependents must not be there.
    let is_complete = top.is_root() || given.is_complete(c, top);
    let head = given.gold.built_head(front);
    let is_behind = head.is_some() && !c.has_head(head) && given.order(head) < given.order(front);
    let is_covered = is_behind && head != top && (is_complete || kinds.contains(Kind::Swap));
    let is_due = is_complete && (given.gold.has_arc(front, top) || given.gold.has_arc(under, top));
    let is_unsorted = are_tied && kinds.contains(Kind::Swap);
    let others = kinds.without(Kind::Shift);
    if (is_due || is_covered || is_unsorted) && !others.is_empty() { others } else { kinds }
}
