//! The dynamic oracle of arc-hybrid (Goldberg and Nivre 2013, §4.2), extended to every root position and to single
//! roots.
//!
//! A token on the stack can get only the node under it or a buffer node as its head, and only dependents from the
//! buffer. A token is on the stack exactly if it is left of the front and has no head.

use quaich_treebank::tree::Node;

use crate::configuration::{Configuration, RootPosition};
use crate::gold::Gold;
use crate::systems::{ArcHybrid, System};
use crate::transition::{Kind, KindSet};

/// Returns the kinds of transitions that lose nothing.
pub(crate) fn optimal(system: &ArcHybrid, c: &Configuration, gold: &mut Gold) -> KindSet {
    let permissible = system.permissible(c);
    let (top, under, front) = (c.stack(0), c.stack(1), c.buffer(0));
    let single = system.options().single_root;
    let no_token_on_stack = top.is_none() || top.is_root();
    let mut optimal = KindSet::EMPTY;

    if permissible.contains(Kind::LeftArc) || permissible.contains(Kind::RightArc) {
        // Both pop the top, which loses its dependents in the buffer and every head except the new one.
        let loses_dependents = front.is_some()
            && gold.rightmost(top).is_some_and(|child| gold.position(child) >= gold.position(front));
        let head = gold.head(top);
        let reachable = head.is_some() && {
            let in_buffer = front.is_some() && gold.position(head) >= gold.position(front);
            let alone = under.is_none() || under.is_root();
            if head.is_root() && c.root() != RootPosition::Stack {
                !single || alone
            } else {
                head == under || in_buffer
            }
        };
        let keeps = |new_head: Node| !loses_dependents && (!reachable || head == new_head);
        optimal = optimal.with_if(Kind::LeftArc, keeps(front)).with_if(Kind::RightArc, keeps(under));
    }
    if permissible.contains(Kind::Shift) {
        let loses = if front.is_none() {
            // The top is popped and becomes a child of 0.
            gold.has_arc(under, top)
        } else {
            let head = gold.head(front);
            let loses_head = if head.is_none() {
                false
            } else if head.is_root() {
                match c.root() {
                    RootPosition::Stack => !no_token_on_stack,
                    RootPosition::End | RootPosition::None => single && !no_token_on_stack,
                }
            } else {
                head < front && head != top && !c.has_head(head)
            };
            loses_head || gold.has_headless_left_child(c, front)
        };
        optimal = optimal.with_if(Kind::Shift, !loses);
    }
    optimal.intersection(permissible)
}
