//! The dynamic oracle of Covington's non-projective system (Gómez-Rodríguez and Fernández-González 2015),
//! exact for all trees.

use quaich_treebank::tree::Node;

use crate::configuration::Configuration;
use crate::gold::Gold;
use crate::systems::{Covington, System};
use crate::transition::{Kind, KindSet};

/// Returns the kinds of transitions that lose nothing.
pub(crate) fn optimal(system: &Covington, c: &Configuration, gold: &mut Gold) -> KindSet {
    let permissible = system.permissible(c);
    let (last, front) = (c.stack(0), c.buffer(0));
    let mut targets = gold.targets.take().unwrap_or_default();
    targets.follow(c, gold, system.options().single_root, |left, right| in_reach(c, left, right));
    let optimal = KindSet::EMPTY
        .with_if(Kind::Shift, targets.may_close_left(front))
        .with_if(Kind::NoArc, targets.may_part(gold, last, front))
        .with_if(Kind::LeftArc, permissible.contains(Kind::LeftArc) && targets.may_attach(gold, front, last))
        .with_if(
            Kind::RightArc,
            permissible.contains(Kind::RightArc) && targets.may_attach(gold, last, front),
        );
    gold.targets = Some(targets);
    optimal.intersection(permissible)
}

/// A buffer node can still be linked with all others; the front only with the rest of λ1.
fn in_reach(c: &Configuration, left: Node, right: Node) -> bool {
    let (last, front) = (c.stack(0), c.buffer(0));
    let right = c.position(right);
    let front = c.position(front);
    right > front || (right == front && last.is_some() && c.position(left) <= c.position(last))
}
