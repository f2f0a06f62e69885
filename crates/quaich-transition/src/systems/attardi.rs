//! Attardi's system (Attardi 2006, as in an early `MaltParser`): stack-projective with arcs over the second node of the
//! stack.
//!
//! Class: the projective trees and those non-projective ones whose arcs never have to reach farther. At most 3n + 1
//! transitions. SHIFT with an empty buffer pops the top, which becomes a child of 0.

use quaich_treebank::tree::Node;

use super::{Options, StackProjective, System, Variant};
use crate::configuration::{Configuration, RootPosition};
use crate::constraints::stack::Linked;
use crate::constraints::{GivenArcs, stack};
use crate::gold::Gold;
use crate::transition::{Kind, KindSet, Transition};

/// Attardi's system: [`StackProjective`] and
///
/// **SHIFT**, with an empty buffer: σ|i → σ.
/// *Permissible when* i ≠ 0 and several roots are allowed, or i is the last node. *Does* leave i without
/// a head. *Oracle picks it when* 0 is nowhere and i's gold head is 0.
///
/// **LEFT-ARC-2(l)**: σ|i|k|j → σ|k|j.
/// *Permissible when* i ≠ 0. *Does* add (j, l, i) and drop i. *Oracle picks it when* (j, l, i) is gold,
/// i has all its dependents, and no shorter arc is due.
///
/// **RIGHT-ARC-2(l)**: σ|i|k|j, β → σ|i, k|β.
/// *Permissible when* j ≠ 0; for a single root, i ≠ 0. *Does* add (i, l, j), drop j, and put k back on the
/// buffer. *Oracle picks it when* (i, l, j) is gold, j has all its dependents, and no other arc is due.
#[derive(Clone, Debug, Default)]
pub struct Attardi {
    base: StackProjective,
}

impl Attardi {
    /// Creates the system with these options.
    pub fn new(options: Options) -> Self {
        Self { base: StackProjective::new(options) }
    }
}

impl Variant for Attardi {
    type Base = StackProjective;

    #[inline]
    fn base(&self) -> &StackProjective {
        &self.base
    }

    fn kinds(&self) -> KindSet {
        self.base.kinds().with(Kind::LeftArc2).with(Kind::RightArc2)
    }

    /// n nodes popped, n + 1 shifted, and one more SHIFT per RIGHT-ARC-2.
    fn bound(&self, n_tokens: usize) -> usize {
        3 * n_tokens + 1
    }

    #[inline]
    fn permissible(&self, c: &Configuration) -> KindSet {
        let (top, third) = (c.stack(0), c.stack(2));
        let single = self.base.options().single_root;
        let drops = c.buffer_len() == 0 && top.is_some() && !top.is_root() && !single;
        self.base
            .permissible(c)
            .with_if(Kind::Shift, drops)
            .with_if(Kind::LeftArc2, third.is_some() && !third.is_root())
            .with_if(Kind::RightArc2, third.is_some() && !top.is_root() && !(single && third.is_root()))
    }

    #[inline]
    fn arc(&self, c: &Configuration, kind: Kind) -> Option<(Node, Node)> {
        match kind {
            Kind::LeftArc2 => Some((c.stack(0), c.stack(2))),
            Kind::RightArc2 => Some((c.stack(2), c.stack(0))),
            _ => self.base.arc(c, kind),
        }
    }

    #[inline]
    fn apply(&self, c: &mut Configuration, transition: Transition) {
        match transition.kind {
            Kind::LeftArc2 => {
                let (top, under, third) = (c.pop(), c.pop(), c.pop());
                c.push(under);
                c.push(top);
                c.attach(top, transition.label, third);
                c.record(Kind::LeftArc2);
            }
            Kind::RightArc2 => {
                let (top, under) = (c.pop(), c.pop());
                c.attach(c.stack(0), transition.label, top);
                c.unread(under);
                c.record(Kind::RightArc2);
            }
            _ => self.base.apply(c, transition),
        }
    }

    fn consistent(&self, c: &Configuration, given: &mut GivenArcs) -> KindSet {
        stack::consistent(self, c, given, Linked::Stack)
    }

    fn oracle(&self, c: &Configuration, gold: &mut Gold) -> Option<Transition> {
        let (top, third) = (c.stack(0), c.stack(2));
        if let Some(arc) = StackProjective::oracle_arc(c, gold) {
            return Some(arc);
        }
        if gold.has_arc(top, third) && gold.is_complete(c, third) {
            return Some(Transition::arc(Kind::LeftArc2, gold.label(third)));
        }
        if gold.has_arc(third, top) && gold.is_complete(c, top) {
            return Some(Transition::arc(Kind::RightArc2, gold.label(top)));
        }
        if c.buffer_len() == 0 && c.root() != RootPosition::None {
            return None;
        }
        self.base.oracle_shift(c)
    }
}
