//! Covington's non-projective algorithm as a transition system (Covington 2001; Nivre 2007, 2008):
//! the front of the buffer is compared with every node before it, from right to left.
//!
//! Class: all trees. At most (n + 1)(n + 2) / 2 transitions.

use quaich_treebank::tree::Node;

use super::planar::{front_arc, oracle_arc, permissible_arcs};
use super::{Options, System};
use crate::configuration::Configuration;
use crate::constraints::GivenArcs;
use crate::dynamic;
use crate::gold::Gold;
use crate::transition::{Kind, KindSet, Transition};

/// Covington's non-projective system. λ1 is the configuration's stack, λ2 its second stack.
///
/// **SHIFT**: λ1, λ2, j|β → λ1·λ2·j, [], β.
/// *Permissible when* the buffer is not empty. *Does* move on to the next node. *Oracle picks it when* no node of λ1 is
/// linked with j by a gold arc that is not built.
///
/// **NO-ARC**: λ1|i, λ2 → λ1, i|λ2.
/// *Permissible when* λ1 is not empty. *Does* skip i. *Oracle picks it when* nothing else applies.
///
/// **LEFT-ARC(l)**: like NO-ARC, and adds (j, l, i). *Permissible when* i ≠ 0, i has no head, and i and j are not
/// connected; for a single root, from 0 only once. *Oracle picks it when* (j, l, i) is gold.
///
/// **RIGHT-ARC(l)**: like NO-ARC, and adds (i, l, j). *Permissible when* j ≠ 0, j has no head, and i and j are not
/// connected; for a single root, from 0 only once. *Oracle picks it when* (i, l, j) is gold.
#[derive(Clone, Debug, Default)]
pub struct Covington {
    options: Options,
}

impl Covington {
    /// Creates the system with these options.
    pub fn new(options: Options) -> Self {
        Self { options }
    }
}

/// λ1, λ2, j|β → λ1·λ2·j, [], β. Each node of λ2 was moved there by one transition.
#[inline]
pub(crate) fn shift_lists(c: &mut Configuration) {
    while c.second_len() > 0 {
        let node = c.pop_second();
        c.push(node);
    }
    let front = c.advance();
    c.push(front);
}

impl System for Covington {
    fn options(&self) -> &Options {
        &self.options
    }

    fn kinds(&self) -> KindSet {
        KindSet::of(&[Kind::Shift, Kind::NoArc, Kind::LeftArc, Kind::RightArc])
    }

    fn bound(&self, n_tokens: usize) -> usize {
        (n_tokens + 1) * (n_tokens + 2) / 2
    }

    fn start(&self, c: &mut Configuration, n_tokens: usize) {
        c.reset(n_tokens, self.options.root);
        c.track_components();
    }

    #[inline]
    fn is_terminal(&self, c: &Configuration) -> bool {
        c.buffer_len() == 0
    }

    #[inline]
    fn permissible(&self, c: &Configuration) -> KindSet {
        permissible_arcs(self.options, c)
            .with_if(Kind::Shift, c.buffer_len() > 0)
            .with_if(Kind::NoArc, c.stack_len() > 0)
    }

    #[inline]
    fn arc(&self, c: &Configuration, kind: Kind) -> Option<(Node, Node)> {
        front_arc(c, kind)
    }

    #[inline]
    fn apply(&self, c: &mut Configuration, transition: Transition) {
        if transition.kind == Kind::Shift {
            shift_lists(c);
        } else {
            if let Some((head, dependent)) = front_arc(c, transition.kind) {
                c.attach(head, transition.label, dependent);
            }
            let last = c.pop();
            c.push_second(last);
        }
        c.record(transition.kind);
    }

    fn oracle(&self, c: &Configuration, gold: &mut Gold) -> Option<Transition> {
        oracle_arc(c, gold).or_else(|| {
            let (last, front) = (c.stack(0), c.buffer(0));
            let wanted = last.is_some() && gold.has_link_left_of(c, front, last);
            Some(Transition::plain(if wanted { Kind::NoArc } else { Kind::Shift }))
        })
    }

    fn has_dynamic_oracle(&self) -> bool {
        true
    }

    fn optimal(&self, c: &Configuration, gold: &mut Gold) -> KindSet {
        dynamic::covington::optimal(self, c, gold)
    }

    fn consistent(&self, c: &Configuration, given: &mut GivenArcs) -> KindSet {
        dynamic::covington::optimal(self, c, &mut given.gold)
    }
}
