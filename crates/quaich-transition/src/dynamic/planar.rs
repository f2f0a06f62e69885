//! The dynamic oracle of the planar system: as Covington's, with the stack and the buffer deciding what is in
//! reach. Exact for planar gold trees, where gold arcs never stand in each other's way; for others the loss
//! it counts is a lower bound.

use quaich_treebank::tree::Node;

use super::targets::Targets;
use crate::configuration::{Configuration, RootPosition};
use crate::gold::Gold;
use crate::systems::{Planar, System};
use crate::transition::{Kind, KindSet};

/// The kinds that lose nothing.
pub(crate) fn optimal(system: &Planar, c: &Configuration, gold: &mut Gold) -> KindSet {
    let permissible = system.permissible(c);
    let (top, front) = (c.stack(0), c.buffer(0));
    let first = next_left_child_in_reach(c, gold, front);
    let gold = &*gold;
    let front_position = gold.position(front);
    let targets = Targets {
        c,
        gold,
        in_reach: |left: Node, right: Node| {
            gold.position(right) >= front_position
                && (gold.position(left) >= front_position || is_on_stack(c, left))
        },
        single_root: system.options().single_root,
    };
    let mut optimal = KindSet::EMPTY;
    if permissible.contains(Kind::Shift) {
        let head = gold.built_head(front);
        let own = (head.is_some() && gold.position(head) < front_position).then_some(front);
        let children = gold.children(front)[first..].iter().copied();
        let left =
            children.take_while(|child| child.0 < front_position).filter(|child| gold.has_arc(front, *child));
        optimal = optimal.with_if(Kind::Shift, targets.cost_of_parting(own.into_iter().chain(left)) == 0);
    }
    if permissible.contains(Kind::Reduce) {
        let head = gold.built_head(top);
        let own = (head.is_some() && gold.position(head) >= front_position).then_some(top);
        let right = gold.children(top).iter().rev().copied().take_while(|child| child.0 >= front_position);
        optimal = optimal.with_if(Kind::Reduce, targets.cost_of_parting(own.into_iter().chain(right)) == 0);
    }
    optimal
        .with_if(
            Kind::LeftArc,
            permissible.contains(Kind::LeftArc) && targets.cost_of_arc(front, top, false) <= 0,
        )
        .with_if(
            Kind::RightArc,
            permissible.contains(Kind::RightArc) && targets.cost_of_arc(top, front, false) <= 0,
        )
}

/// The stack is in the order of the sentence.
fn is_on_stack(c: &Configuration, node: Node) -> bool {
    if node.is_root() {
        return c.root() == RootPosition::Stack;
    }
    c.stack(0) == node || c.stack_nodes().binary_search(&node).is_ok()
}

/// How many of a node's children can be passed over for good: those with a head or off the stack.
fn next_left_child_in_reach(c: &Configuration, gold: &mut Gold, node: Node) -> usize {
    let mut first = gold.cursors[node.index()];
    while let Some(child) = gold.children(node).get(first as usize)
        && gold.position(*child) < gold.position(node)
        && (c.has_head(*child) || !is_on_stack(c, *child))
    {
        first += 1;
    }
    gold.cursors[node.index()] = first;
    first as usize
}
