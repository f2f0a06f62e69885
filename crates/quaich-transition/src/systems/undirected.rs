//! Undirected systems (Gómez-Rodríguez and Fernández-González 2012): planar, two-planar and Covington
//! with LEFT-ARC and RIGHT-ARC merged into ARC. Directions are found afterwards, see
//! [`reconstruction`](super::reconstruction).
//!
//! Classes and bounds are those of the directed systems. While such a system runs, the configuration
//! holds edges; `left_child` and `right_child` then mean linked nodes, and nobody has a head.

use std::any::Any;

use quaich_treebank::symbols::Label;
use quaich_treebank::tree::Node;

use super::reconstruction::{Reconstruction, reconstruct};
use super::{Options, System};
use crate::configuration::Configuration;
use crate::gold::Gold;
use crate::transition::{Kind, KindSet, Transition};

/// A system of the planar family or Covington's, with edges instead of arcs: its transitions that
/// add nothing, and
///
/// **ARC(l)**: adds {i, j}, then moves what LEFT-ARC moves.
/// *Permissible when* i and j are not connected; for a single root, to 0 only once. *Does* what it says.
/// *Oracle picks it when* the directed oracle picks LEFT-ARC or RIGHT-ARC. Unless reconstruction is
/// naive, the label carries the direction: see [`mark`].
#[derive(Clone, Debug, Default)]
pub struct Undirected<S> {
    directed: S,
}

impl<S: System> Undirected<S> {
    /// The undirected version of a planar, two-planar or Covington system.
    pub fn new(directed: S) -> Self {
        Self { directed }
    }

    fn reconstruction(&self) -> Reconstruction {
        self.directed.options().reconstruction
    }
}

/// The label for an edge whose arc has `label` and goes to the right (`X_r`) or to the left (`X_l`).
pub fn mark(label: Label, rightwards: bool) -> Label {
    if label.is_none() {
        UNLABELLED[usize::from(rightwards)]
    } else {
        Label(label.0 << 1 | u32::from(rightwards))
    }
}

/// A marked label without its mark, and whether the mark says rightwards.
pub fn unmark(label: Label) -> (Label, bool) {
    if label.is_none() || UNLABELLED.contains(&label) {
        (Label::NONE, label != UNLABELLED[0])
    } else {
        (Label(label.0 >> 1), label.0 & 1 == 1)
    }
}

/// The marks of arcs without a label, leftwards and rightwards: out of the way of all others.
const UNLABELLED: [Label; 2] = [Label(u32::MAX - 2), Label(u32::MAX - 1)];

impl<S: System> System for Undirected<S> {
    fn options(&self) -> &Options {
        self.directed.options()
    }

    fn kinds(&self) -> KindSet {
        self.directed.kinds().without(Kind::LeftArc).without(Kind::RightArc).with(Kind::Arc)
    }

    fn bound(&self, n_tokens: usize) -> usize {
        self.directed.bound(n_tokens)
    }

    fn start(&self, c: &mut Configuration, n_tokens: usize) {
        self.directed.start(c, n_tokens);
        c.track_edges();
    }

    #[inline]
    fn is_terminal(&self, c: &Configuration) -> bool {
        self.directed.is_terminal(c)
    }

    #[inline]
    fn permissible(&self, c: &Configuration) -> KindSet {
        // Nobody has a head, so what is left of the directed conditions is connectedness.
        let kinds = self.directed.permissible(c);
        let arc = kinds.contains(Kind::LeftArc) || kinds.contains(Kind::RightArc);
        kinds.without(Kind::LeftArc).without(Kind::RightArc).with_if(Kind::Arc, arc)
    }

    #[inline]
    fn arc(&self, c: &Configuration, kind: Kind) -> Option<(Node, Node)> {
        if kind == Kind::Arc { self.directed.arc(c, Kind::RightArc) } else { None }
    }

    fn apply(&self, c: &mut Configuration, transition: Transition) {
        if transition.kind != Kind::Arc {
            self.directed.apply(c, transition);
            return;
        }
        c.connect(c.stack(0), transition.label, c.buffer(0));
        if self.directed.kinds().contains(Kind::NoArc) {
            let last = c.pop();
            c.push_second(last);
        }
        c.record(Kind::Arc);
    }

    fn finish(&self, c: &mut Configuration) {
        reconstruct(c, *self.options());
    }

    fn plain_label(&self, label: Label) -> Label {
        if self.reconstruction() == Reconstruction::Naive { label } else { unmark(label).0 }
    }

    fn n_class_labels(&self, n_labels: u32) -> u32 {
        if self.reconstruction() == Reconstruction::Naive { n_labels } else { 2 * n_labels }
    }

    fn prepare(&self, gold: &mut Gold) {
        self.directed.prepare(gold);
    }

    fn oracle(&self, c: &Configuration, gold: &mut Gold) -> Option<Transition> {
        let directed = self.directed.oracle(c, gold)?;
        let rightwards = match directed.kind {
            Kind::LeftArc => false,
            Kind::RightArc => true,
            _ => return Some(directed),
        };
        let label = match self.reconstruction() {
            Reconstruction::Naive => directed.label,
            _ => mark(directed.label, rightwards),
        };
        Some(Transition::arc(Kind::Arc, label))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_go_both_ways() {
        for label in [Label(0), Label(1), Label(5000), Label::NONE] {
            for rightwards in [false, true] {
                assert_eq!(unmark(mark(label, rightwards)), (label, rightwards));
            }
        }
    }
}
