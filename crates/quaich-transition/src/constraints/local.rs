//! The check of a single transition: an arc must not contradict a given one, its dependent must not leave before it has
//! its given dependents, and a node must not be left behind before the given arcs between the nodes at hand are built.

use quaich_treebank::tree::Node;

use super::GivenArcs;
use crate::configuration::Configuration;
use crate::systems::System;
use crate::transition::{Kind, KindSet};

/// Returns the permissible kinds that pass the check.
pub(crate) fn consistent<S: System + ?Sized>(
    system: &S,
    c: &Configuration,
    given: &mut GivenArcs,
) -> KindSet {
    checked(system, c, given, system.permissible(c))
}

/// Returns the kinds that add an arc and pass the check.
pub(super) fn arcs<S: System + ?Sized>(
    system: &S,
    c: &Configuration,
    given: &mut GivenArcs,
    permissible: KindSet,
) -> KindSet {
    let kinds = permissible.iter().filter(|kind| kind.adds_arc());
    checked(system, c, given, kinds.fold(KindSet::EMPTY, KindSet::with))
}

fn checked<S: System + ?Sized>(
    system: &S,
    c: &Configuration,
    given: &mut GivenArcs,
    kinds: KindSet,
) -> KindSet {
    kinds.iter().fold(KindSet::EMPTY, |kept, kind| {
        let keeps = match system.arc(c, kind) {
            Some((left, right)) if kind == Kind::Arc => keeps_edge(given, left, right),
            Some((head, dependent)) => {
                keeps_arc(system, given, head, dependent)
                    && (stays(system, c, kind) || given.is_complete(c, dependent))
            }
            None => {
                !c.tracks_components() && !system.kinds().contains(Kind::NoArc)
                    || leaves_nothing(c, given, kind)
            }
        };
        kept.with_if(kind, keeps)
    })
}

/// Whether a transition that adds no arc leaves no given arc behind, in systems that link the front of the buffer with
/// the nodes before it, one after the other.
fn leaves_nothing(c: &Configuration, given: &GivenArcs, kind: Kind) -> bool {
    let (top, front) = (c.stack(0), c.buffer(0));
    let gold = &given.gold;
    let is_missing = |head, dependent| gold.has_arc(head, dependent) && !gold.is_built(c, dependent);
    match kind {
        Kind::Shift => front.is_none() || !gold.has_link_left_of(c, front, front),
        Kind::NoArc => !is_missing(top, front) && !is_missing(front, top),
        Kind::Reduce => {
            let head = gold.built_head(top);
            let is_ahead = |node: Node| gold.position(node) >= gold.position(front);
            let last = gold.rightmost(top).filter(|child| is_ahead(*child) && !gold.is_built(c, *child));
            let is_linked = last.is_some() || (head.is_some() && is_ahead(head) && !gold.is_built(c, top));
            front.is_none() || !is_linked || gold.has_link_left_of(c, front, top)
        }
        _ => true,
    }
}

/// Whether an arc is given, or its dependent has no given head. A given root is the only one where there can be one.
fn keeps_arc<S: System + ?Sized>(system: &S, given: &GivenArcs, head: Node, dependent: Node) -> bool {
    let wanted = given.gold.head(dependent);
    if wanted.is_some() {
        return wanted == head;
    }
    !(head.is_root() && system.options().single_root && given.has_root())
}

/// Whether an edge is given, or one of its ends has no given head and can be its dependent.
fn keeps_edge(given: &GivenArcs, left: Node, right: Node) -> bool {
    let is_free = |node: Node| !node.is_root() && given.gold.head(node).is_none();
    given.gold.has_arc(left, right) || given.gold.has_arc(right, left) || is_free(left) || is_free(right)
}

/// Whether the dependent of an arc can get dependents afterwards.
fn stays<S: System + ?Sized>(system: &S, c: &Configuration, kind: Kind) -> bool {
    let kinds = system.kinds();
    c.tracks_components()
        || (kind == Kind::RightArc && (kinds.contains(Kind::Reduce) || kinds.contains(Kind::NoArc)))
}
