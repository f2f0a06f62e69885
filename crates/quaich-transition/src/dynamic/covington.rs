//! The dynamic oracle of Covington's non-projective system (Gómez-Rodríguez and Fernández-González 2015),
//! exact for all trees.

use quaich_treebank::tree::Node;

use super::targets::Targets;
use crate::configuration::Configuration;
use crate::gold::Gold;
use crate::systems::{Covington, System};
use crate::transition::{Kind, KindSet};

/// The kinds that lose nothing.
pub(crate) fn optimal(system: &Covington, c: &Configuration, gold: &mut Gold) -> KindSet {
    let permissible = system.permissible(c);
    let (last, front) = (c.stack(0), c.buffer(0));
    let first = next_headless_left_child(c, gold, front);
    let gold = &*gold;
    let front_position = gold.position(front);
    let last_position = if last.is_some() { Some(gold.position(last)) } else { None };
    let targets = Targets {
        c,
        gold,
        in_reach: |left: Node, right: Node| {
            let right = gold.position(right);
            right > front_position
                || (right == front_position && last_position.is_some_and(|last| gold.position(left) <= last))
        },
        single_root: system.options().single_root,
    };
    let linked = if gold.has_arc(front, last) {
        Some(last)
    } else if gold.has_arc(last, front) {
        Some(front)
    } else {
        None
    };
    let left_children = gold.children(front)[first..].iter().copied();
    let in_list = left_children.take_while(|child| last_position.is_some_and(|last| child.0 <= last));
    // The front's own arc first: it is lost if its head is in λ1.
    let head = gold.built_head(front);
    let own = (head.is_some() && gold.position(head) < front_position).then_some(front);
    KindSet::EMPTY
        .with_if(Kind::NoArc, last.is_some() && targets.cost_of_parting(linked.into_iter()) == 0)
        .with_if(
            Kind::Shift,
            targets
                .cost_of_parting(own.into_iter().chain(in_list.filter(|child| gold.has_arc(front, *child))))
                == 0,
        )
        .with_if(
            Kind::LeftArc,
            permissible.contains(Kind::LeftArc) && targets.cost_of_arc(front, last, true) <= 0,
        )
        .with_if(
            Kind::RightArc,
            permissible.contains(Kind::RightArc) && targets.cost_of_arc(last, front, true) <= 0,
        )
        .intersection(permissible)
}

/// How many of a node's children can be passed over for good because they have a head.
fn next_headless_left_child(c: &Configuration, gold: &mut Gold, node: Node) -> usize {
    gold.has_headless_left_child(c, node);
    gold.cursors[node.index()] as usize
}
