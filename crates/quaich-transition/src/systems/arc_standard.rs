//! Arc-standard as in the papers (Nivre 2004; "Blended" 2007): the front of the buffer is linked with the top of the
//! stack, and a head returns to the buffer when it takes a right dependent, so every token is attached after all its
//! own dependents.
//!
//! Class: projective trees. At most 3n transitions.

use quaich_treebank::tree::Node;

use super::{Options, System};
use crate::configuration::{Configuration, RootPosition};
use crate::constraints::stack::Linked;
use crate::constraints::{GivenArcs, stack};
use crate::gold::Gold;
use crate::transition::{Kind, KindSet, Transition};

/// The arc-standard system.
///
/// **SHIFT**: σ, j|β → σ|j, β.
/// *Permissible when* j ≠ 0; for a single root not with the last token, unless it is the only node
/// left and 0 is not on the stack. *Does* push j. *Oracle picks it when* nothing else applies.
///
/// **LEFT-ARC(l)**: σ|i, j|β → σ, j|β.
/// *Permissible when* i ≠ 0; for a single root, from 0 only when i is alone on the stack. *Does* add
/// (j, l, i) and pop i. *Oracle picks it when* (j, l, i) is gold and i has all its dependents.
///
/// **RIGHT-ARC(l)**: σ|i, j|β → σ, i|β; node 0 stays on the stack.
/// *Permissible when* j ≠ 0; for a single root, from 0 only to the last token. *Does* add (i, l, j),
/// drop j and put i in its place. *Oracle picks it when* (i, l, j) is gold and j has all its dependents.
#[derive(Clone, Debug, Default)]
pub struct ArcStandard {
    options: Options,
}

impl ArcStandard {
    /// Creates the system with these options.
    pub fn new(options: Options) -> Self {
        Self { options }
    }
}

impl System for ArcStandard {
    fn options(&self) -> &Options {
        &self.options
    }

    fn kinds(&self) -> KindSet {
        KindSet::of(&[Kind::Shift, Kind::LeftArc, Kind::RightArc])
    }

    fn bound(&self, n_tokens: usize) -> usize {
        3 * n_tokens
    }

    #[inline]
    fn is_terminal(&self, c: &Configuration) -> bool {
        let front = c.buffer(0);
        front.is_none() || (front.is_root() && c.stack_len() == 0)
    }

    #[inline]
    fn permissible(&self, c: &Configuration) -> KindSet {
        let (top, front) = (c.stack(0), c.buffer(0));
        if front.is_none() {
            return KindSet::EMPTY;
        }
        let single = self.options.single_root;
        let last = c.n_buffer_tokens() == 1;
        let takes_head = !front.is_root();
        let mut kinds = KindSet::EMPTY.with_if(Kind::Shift, takes_head && !(single && last && top.is_some()));
        if top.is_some() {
            let second_root = single && front.is_root() && c.stack_len() > 1;
            kinds = kinds
                .with_if(Kind::LeftArc, !top.is_root() && !second_root)
                .with_if(Kind::RightArc, takes_head && !(single && top.is_root() && !last));
        }
        kinds
    }

    #[inline]
    fn arc(&self, c: &Configuration, kind: Kind) -> Option<(Node, Node)> {
        match kind {
            Kind::LeftArc => Some((c.buffer(0), c.stack(0))),
            Kind::RightArc => Some((c.stack(0), c.buffer(0))),
            _ => None,
        }
    }

    #[inline]
    fn apply(&self, c: &mut Configuration, transition: Transition) {
        match transition.kind {
            Kind::LeftArc => {
                let top = c.pop();
                c.attach(c.buffer(0), transition.label, top);
            }
            Kind::RightArc => {
                let (top, front) = (c.stack(0), c.buffer(0));
                c.attach(top, transition.label, front);
                if top.is_root() {
                    c.advance();
                } else {
                    c.pop();
                    c.replace_front(top);
                }
            }
            _ => {
                let front = c.advance();
                c.push(front);
            }
        }
        c.record(transition.kind);
    }

    fn consistent(&self, c: &Configuration, given: &mut GivenArcs) -> KindSet {
        stack::consistent(self, c, given, Linked::Front)
    }

    fn oracle(&self, c: &Configuration, gold: &mut Gold) -> Option<Transition> {
        let (top, front) = (c.stack(0), c.buffer(0));
        if gold.has_arc(front, top) && gold.is_complete(c, top) {
            return Some(Transition::arc(Kind::LeftArc, gold.label(top)));
        }
        if gold.has_arc(top, front) && gold.is_complete(c, front) {
            return Some(Transition::arc(Kind::RightArc, gold.label(front)));
        }
        (front != Node::ROOT || c.root() != RootPosition::End).then_some(Transition::plain(Kind::Shift))
    }
}
