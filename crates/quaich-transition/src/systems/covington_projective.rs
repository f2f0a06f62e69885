//! Covington's algorithm restricted to projective trees (Covington 2001; Nivre 2008): nodes under an arc are removed,
//! and only nodes with a head are skipped.
//!
//! Class: projective trees. At most (n + 1)(n + 2) / 2 transitions.

use quaich_treebank::tree::Node;

use super::covington::shift_lists;
use super::planar::front_arc;
use super::{Options, System};
use crate::configuration::Configuration;
use crate::gold::Gold;
use crate::transition::{Kind, KindSet, Transition};

/// Covington's projective system. λ1 is the configuration's stack, λ2 its second stack.
///
/// **SHIFT**: λ1, λ2, j|β → λ1·λ2·j, [], β.
/// *Permissible when* the buffer is not empty. *Does* move on to the next node. *Oracle picks it when* no node of λ1 is
/// linked with j by a gold arc that is not built.
///
/// **NO-ARC**: λ1|i, λ2 → λ1, i|λ2.
/// *Permissible when* i has a head. *Does* skip i. *Oracle picks it when* nothing else applies.
///
/// **LEFT-ARC(l)**: λ1|i, λ2, j|β → λ1, [], j|β.
/// *Permissible when* i ≠ 0 and i has no head; for a single root, from 0 only once. *Does* add (j, l, i) and remove i
/// and λ2, which the arc covers. *Oracle picks it when* (j, l, i) is gold.
///
/// **RIGHT-ARC(l)**: λ1|i, λ2, j|β → λ1|i|j, [], β.
/// *Permissible when* j ≠ 0; for a single root, from 0 only once. *Does* add (i, l, j), remove λ2, which the arc
/// covers, and move on to the next node. *Oracle picks it when* (i, l, j) is gold.
#[derive(Clone, Debug, Default)]
pub struct CovingtonProjective {
    options: Options,
}

impl CovingtonProjective {
    /// Creates the system with these options.
    pub fn new(options: Options) -> Self {
        Self { options }
    }
}

impl System for CovingtonProjective {
    fn options(&self) -> &Options {
        &self.options
    }

    fn kinds(&self) -> KindSet {
        KindSet::of(&[Kind::Shift, Kind::NoArc, Kind::LeftArc, Kind::RightArc])
    }

    fn bound(&self, n_tokens: usize) -> usize {
        (n_tokens + 1) * (n_tokens + 2) / 2
    }

    #[inline]
    fn is_terminal(&self, c: &Configuration) -> bool {
        c.buffer_len() == 0
    }

    #[inline]
    fn permissible(&self, c: &Configuration) -> KindSet {
        let (last, front) = (c.stack(0), c.buffer(0));
        if front.is_none() {
            return KindSet::EMPTY;
        }
        let kinds = KindSet::EMPTY.with(Kind::Shift);
        if last.is_none() {
            return kinds;
        }
        let from_root = front.is_root() || last.is_root();
        let second_root = from_root && self.options.single_root && c.valency(Node::ROOT) > 0;
        kinds
            .with_if(Kind::NoArc, c.has_head(last))
            .with_if(Kind::LeftArc, !last.is_root() && !c.has_head(last) && !second_root)
            .with_if(Kind::RightArc, !front.is_root() && !second_root)
    }

    #[inline]
    fn arc(&self, c: &Configuration, kind: Kind) -> Option<(Node, Node)> {
        front_arc(c, kind)
    }

    #[inline]
    fn apply(&self, c: &mut Configuration, transition: Transition) {
        match transition.kind {
            Kind::NoArc => {
                let last = c.pop();
                c.push_second(last);
            }
            Kind::LeftArc => {
                let last = c.pop();
                c.attach(c.buffer(0), transition.label, last);
                c.clear_second();
            }
            Kind::RightArc => {
                c.attach(c.stack(0), transition.label, c.buffer(0));
                c.clear_second();
                shift_lists(c);
            }
            _ => shift_lists(c),
        }
        c.record(transition.kind);
    }

    fn oracle(&self, c: &Configuration, gold: &mut Gold) -> Option<Transition> {
        let (last, front) = (c.stack(0), c.buffer(0));
        if gold.has_arc(front, last) {
            return Some(Transition::arc(Kind::LeftArc, gold.label(last)));
        }
        if gold.has_arc(last, front) {
            return Some(Transition::arc(Kind::RightArc, gold.label(front)));
        }
        let wanted = last.is_some() && gold.has_link_left_of(c, front, last);
        Some(Transition::plain(if wanted { Kind::NoArc } else { Kind::Shift }))
    }
}
