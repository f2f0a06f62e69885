//! A dynamic oracle for arc-hybrid with SWAP, similar to the static-dynamic oracle of de Lhoneux, Stymne and Nivre
//! (2017).
//!
//! An arc is dead once its dependent has another head or its head has left stack and buffer; the number of dead arcs is
//! a lower bound of the loss. Arc transitions that kill no arc are optimal as soon as the popped node has no dependents
//! to wait for. If there is no such transition, SWAP and SHIFT kill nothing either, and the projective order decides
//! between them as in the static oracle.

use quaich_treebank::tree::Node;

use crate::configuration::Configuration;
use crate::gold::Gold;
use crate::systems::{ArcHybridSwap, System};
use crate::transition::{Kind, KindSet};

/// Returns the kinds of transitions to follow.
pub(crate) fn optimal(system: &ArcHybridSwap, c: &Configuration, gold: &mut Gold) -> KindSet {
    let permissible = system.permissible(c);
    let (top, front) = (c.stack(0), c.buffer(0));
    let mut arcs = KindSet::EMPTY;
    let mut kills = [usize::MAX; 2];
    for (place, kind) in [Kind::LeftArc, Kind::RightArc].into_iter().enumerate() {
        if permissible.contains(kind) {
            kills[place] = n_killed(system, c, gold, kind);
            arcs = arcs.with_if(kind, kills[place] == 0);
        }
    }
    if !arcs.is_empty() {
        return arcs;
    }
    let out_of_order = top.is_some() && front.is_some() && gold.order(front) < gold.order(top);
    if out_of_order && permissible.contains(Kind::Swap) {
        return KindSet::EMPTY.with(Kind::Swap);
    }
    if permissible.contains(Kind::Shift) {
        return KindSet::EMPTY.with(Kind::Shift);
    }
    // Only arcs and possibly a pointless SWAP are left: choose the arcs that kill the fewest.
    let least = kills.into_iter().min().unwrap_or(0);
    let kinds =
        KindSet::EMPTY.with_if(Kind::LeftArc, kills[0] == least).with_if(Kind::RightArc, kills[1] == least);
    kinds.intersection(permissible)
}

/// Returns the number of arcs that die when the top is popped: those to its children without a head, and its own unless
/// it is the one that is built.
fn n_killed(system: &ArcHybridSwap, c: &Configuration, gold: &mut Gold, kind: Kind) -> usize {
    let Some((new_head, top)) = system.arc(c, kind) else { return 0 };
    let head = gold.head(top);
    let alive = head.is_some() && (head.is_root() || !c.has_head(head));
    usize::from(alive && head != new_head) + usize::from(has_headless_child(c, gold, top))
}

/// Whether a child of a node has no head yet. Visits each child once per run.
fn has_headless_child(c: &Configuration, gold: &mut Gold, node: Node) -> bool {
    let mut first = gold.cursors[node.index()];
    while gold.children(node).get(first as usize).is_some_and(|child| c.has_head(*child)) {
        first += 1;
    }
    gold.cursors[node.index()] = first;
    (first as usize) < gold.children(node).len()
}
