//! The dynamic oracle of arc-eager (Goldberg and Nivre 2012), extended to every root position and to single roots.
//!
//! Without the single-root condition, every reachable gold arc is lost or kept independently of the others. A token
//! without a head is on the stack if it is left of the front, since only tokens with a head are popped; the lowest
//! token of the stack is currently a child of 0 in any case.
//!
//! With the condition, two more things can be lost. One is the root itself, which must be the lowest token of the stack
//! or still be in the buffer. The other is an arc on the path from 0 to the last token: RIGHT-ARC with the last token
//! requires at most one root on the stack, so if the path leaves the stack at a node with two roots at or below it, one
//! arc of the rest of the path is lost in any case, and losing it by popping that node costs nothing.

use quaich_treebank::tree::Node;

use crate::configuration::{Configuration, RootPosition};
use crate::gold::Gold;
use crate::systems::{ArcEager, System};
use crate::transition::{Kind, KindSet};

/// Returns the kinds of transitions that lose nothing.
pub(crate) fn optimal(system: &ArcEager, c: &Configuration, gold: &mut Gold) -> KindSet {
    let permissible = system.permissible(c);
    let (top, front) = (c.stack(0), c.buffer(0));
    let single = system.options().single_root;
    let roots = c.n_roots_on_stack();
    let last = Node::from_index(c.n_tokens());
    let mut optimal = KindSet::EMPTY;
    let loses_root = |kind| single && loses_single_root(system, c, gold, kind);

    if permissible.contains(Kind::LeftArc) || permissible.contains(Kind::Reduce) {
        // Popping the top loses its dependents in the buffer.
        let mut children = gold.children(top).iter().rev().filter(|child| gold.has_arc(top, **child));
        let mut outermost = children.next();
        if single && roots >= 2 && outermost.is_some_and(|child| gold.leads_to_last(*child)) {
            outermost = children.next(); // an arc of the path is lost anyway
        }
        let keeps = outermost.is_none_or(|child| gold.position(*child) < gold.position(front));
        let head = gold.head(top);
        let loses_head = if head.is_none() || head == front {
            false
        } else if head.is_root() {
            !single
        } else {
            head > front && !front.is_root()
        };
        optimal = optimal
            .with_if(Kind::Reduce, keeps)
            .with_if(Kind::LeftArc, keeps && !loses_head && !loses_root(Kind::LeftArc));
    }
    if !front.is_root() && (permissible.contains(Kind::RightArc) || permissible.contains(Kind::Shift)) {
        let right_arc_loses_root = loses_root(Kind::RightArc);
        let shift_loses_root = loses_root(Kind::Shift);
        let head = gold.head(front);
        let head_on_stack = head.is_some() && !head.is_root() && head < front && is_on_stack(c, head);
        let keeps_dependents = !gold.has_headless_left_child(c, front);
        // Pushed above two roots, the front can no longer lead to the last token.
        let leads_to_last = single && front != last && gold.leads_to_last(front);
        let right_arc_loses_head = if head.is_none() || head == top {
            false
        } else if head.is_root() {
            !single
        } else {
            head > front || head_on_stack
        };
        let right_arc_loses_path = leads_to_last && roots >= 2 && head != top;
        let shift_loses_path = leads_to_last && roots >= 1;
        let right_arc_loses = right_arc_loses_head || right_arc_loses_root || right_arc_loses_path;
        let shift_loses = head_on_stack || shift_loses_root || shift_loses_path;
        optimal = optimal
            .with_if(Kind::RightArc, keeps_dependents && !right_arc_loses)
            .with_if(Kind::Shift, keeps_dependents && !shift_loses);
        if c.root() == RootPosition::Stack && top.is_root() && head.is_root() {
            optimal = optimal.without(Kind::Shift); // the finish would not know the label
        }
    }
    optimal.intersection(permissible)
}

/// Whether a gold root that could become the only child of 0 cannot do so after `kind`.
fn loses_single_root(system: &ArcEager, c: &Configuration, gold: &Gold, kind: Kind) -> bool {
    if system.has_explicit_root(c) {
        return false;
    }
    let (top, front) = (c.stack(0), c.buffer(0));
    let roots = c.n_roots_on_stack();
    let lowest = c.stack_nodes().iter().find(|node| !node.is_root());
    let lowest_is_root = lowest.is_some_and(|node| gold.head(*node).is_root());
    let root_from = |position: u32| gold.last_root().is_some_and(|root| root.0 >= position);
    let in_buffer = !front.is_root() && root_from(front.0);
    let after_front = !front.is_root() && root_from(front.0 + 1);
    let before = lowest_is_root || in_buffer;
    let after = match kind {
        Kind::LeftArc => (lowest_is_root && (roots > 1 || front.is_root())) || in_buffer,
        Kind::RightArc if top.is_root() => gold.head(front).is_root(),
        Kind::Shift if roots == 0 => gold.head(front).is_root() || after_front,
        Kind::RightArc | Kind::Shift => lowest_is_root || after_front,
        _ => before,
    };
    before && !after
}

/// Binary search: the stack is in sentence order.
fn is_on_stack(c: &Configuration, token: Node) -> bool {
    c.stack(0) == token || c.stack_nodes().binary_search(&token).is_ok()
}
