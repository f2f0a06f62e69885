//! The dynamic oracle of the planar system: like Covington's, with stack and buffer determining which arcs are
//! reachable. Exact for planar gold trees, where gold arcs never block each other; for others its loss is a lower
//! bound.

use quaich_treebank::tree::Node;

use crate::configuration::{Configuration, RootPosition};
use crate::gold::Gold;
use crate::systems::{Planar, System};
use crate::transition::{Kind, KindSet};

/// Returns the kinds of transitions that lose nothing.
pub(crate) fn optimal(system: &Planar, c: &Configuration, gold: &mut Gold) -> KindSet {
    let permissible = system.permissible(c);
    let (top, front) = (c.stack(0), c.buffer(0));
    let mut targets = gold.targets.take().unwrap_or_default();
    targets.follow(c, gold, system.options().single_root, |left, right| in_reach(c, left, right));
    let optimal = KindSet::EMPTY
        .with_if(Kind::Shift, targets.may_close_left(front))
        .with_if(Kind::Reduce, permissible.contains(Kind::Reduce) && targets.may_close_right(top))
        .with_if(Kind::LeftArc, permissible.contains(Kind::LeftArc) && targets.may_attach(gold, front, top))
        .with_if(
            Kind::RightArc,
            permissible.contains(Kind::RightArc) && targets.may_attach(gold, top, front),
        );
    gold.targets = Some(targets);
    optimal
}

/// A buffer node can still be linked with the other buffer nodes and those on the stack.
fn in_reach(c: &Configuration, left: Node, right: Node) -> bool {
    let front = c.position(c.buffer(0));
    c.position(right) >= front && (c.position(left) >= front || is_on_stack(c, left))
}

/// Binary search: the stack is in sentence order.
fn is_on_stack(c: &Configuration, node: Node) -> bool {
    if node.is_root() {
        return c.root() == RootPosition::Stack;
    }
    c.stack_nodes().binary_search(&node).is_ok()
}
