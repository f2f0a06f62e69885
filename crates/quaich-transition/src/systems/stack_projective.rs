//! Stack-projective, `S_p` (Nivre 2009): arc-standard with arcs between the two top nodes of the stack.
//!
//! Class: projective trees. Exactly 2n transitions; 2n + 1 with node 0 at the end, which has to be shifted. If 0 is
//! nowhere, SHIFT with an empty buffer pops the top of the stack, which becomes a child of 0.

use quaich_treebank::tree::Node;

use super::{Options, System};
use crate::configuration::{Configuration, RootPosition};
use crate::constraints::stack::Linked;
use crate::constraints::{GivenArcs, stack};
use crate::gold::Gold;
use crate::transition::{Kind, KindSet, Transition};

/// The stack-projective system.
///
/// **SHIFT**: σ, j|β → σ|j, β; with an empty buffer and node 0 nowhere, σ|i → σ.
/// *Permissible when* the buffer is not empty, or 0 is nowhere; for a single root 0 is shifted onto,
/// and a root dropped from, a stack of one token only. *Does* push j, or leave i without a head.
/// *Oracle picks it when* nothing else applies.
///
/// **LEFT-ARC(l)**: σ|i|j → σ|j.
/// *Permissible when* i ≠ 0. *Does* add (j, l, i) and drop i. *Oracle picks it when* (j, l, i) is
/// gold and i has all its dependents.
///
/// **RIGHT-ARC(l)**: σ|i|j → σ|i.
/// *Permissible when* j ≠ 0; for a single root, from 0 only when the buffer is empty. *Does* add
/// (i, l, j) and drop j. *Oracle picks it when* (i, l, j) is gold and j has all its dependents.
#[derive(Clone, Debug, Default)]
pub struct StackProjective {
    options: Options,
}

impl StackProjective {
    /// Creates the system with these options.
    pub fn new(options: Options) -> Self {
        Self { options }
    }

    /// Returns the oracle's LEFT-ARC or RIGHT-ARC, if one applies.
    pub(super) fn oracle_arc(c: &Configuration, gold: &Gold) -> Option<Transition> {
        let (top, under) = (c.stack(0), c.stack(1));
        if gold.has_arc(top, under) && gold.is_complete(c, under) {
            Some(Transition::arc(Kind::LeftArc, gold.label(under)))
        } else if gold.has_arc(under, top) && gold.is_complete(c, top) {
            Some(Transition::arc(Kind::RightArc, gold.label(top)))
        } else {
            None
        }
    }

    /// Returns the oracle's SHIFT, if it is permissible.
    pub(super) fn oracle_shift(&self, c: &Configuration) -> Option<Transition> {
        self.permissible(c).contains(Kind::Shift).then_some(Transition::plain(Kind::Shift))
    }
}

impl System for StackProjective {
    fn options(&self) -> &Options {
        &self.options
    }

    fn kinds(&self) -> KindSet {
        KindSet::of(&[Kind::Shift, Kind::LeftArc, Kind::RightArc])
    }

    fn bound(&self, n_tokens: usize) -> usize {
        2 * n_tokens + usize::from(self.options.root == RootPosition::End)
    }

    #[inline]
    fn is_terminal(&self, c: &Configuration) -> bool {
        let (top, front) = (c.stack(0), c.buffer(0));
        (front.is_none() || front.is_root()) && (top.is_none() || (top.is_root() && c.stack_len() == 1))
    }

    #[inline]
    fn permissible(&self, c: &Configuration) -> KindSet {
        let (top, under, front) = (c.stack(0), c.stack(1), c.buffer(0));
        let single = self.options.single_root;
        let shifts = if front.is_none() {
            c.root() == RootPosition::None && top.is_some() && !(single && under.is_some())
        } else {
            !(single && front.is_root() && under.is_some())
        };
        KindSet::EMPTY
            .with_if(Kind::Shift, shifts)
            .with_if(Kind::LeftArc, under.is_some() && !under.is_root())
            .with_if(
                Kind::RightArc,
                under.is_some() && !top.is_root() && !(single && under.is_root() && front.is_some()),
            )
    }

    #[inline]
    fn arc(&self, c: &Configuration, kind: Kind) -> Option<(Node, Node)> {
        match kind {
            Kind::LeftArc => Some((c.stack(0), c.stack(1))),
            Kind::RightArc => Some((c.stack(1), c.stack(0))),
            _ => None,
        }
    }

    #[inline]
    fn apply(&self, c: &mut Configuration, transition: Transition) {
        match transition.kind {
            Kind::LeftArc => {
                let under = c.pop_under_top();
                c.attach(c.stack(0), transition.label, under);
            }
            Kind::RightArc => {
                let top = c.pop();
                c.attach(c.stack(0), transition.label, top);
            }
            _ if c.buffer_len() == 0 => {
                c.pop();
            }
            _ => {
                let front = c.advance();
                c.push(front);
            }
        }
        c.record(transition.kind);
    }

    fn consistent(&self, c: &Configuration, given: &mut GivenArcs) -> KindSet {
        stack::consistent(self, c, given, Linked::Stack)
    }

    fn oracle(&self, c: &Configuration, gold: &mut Gold) -> Option<Transition> {
        Self::oracle_arc(c, gold).or_else(|| self.oracle_shift(c))
    }
}
