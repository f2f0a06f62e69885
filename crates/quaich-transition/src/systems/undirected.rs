//! Undirected systems (Gómez-Rodríguez and Fernández-González 2012): planar, two-planar and Covington with LEFT-ARC and
//! RIGHT-ARC merged into ARC. Directions are found after parsing, see [`reconstruction`](super::reconstruction).
//!
//! Classes and bounds are those of the directed systems. During parsing the configuration has edges: `left_child` and
//! `right_child` are linked nodes, and no token has a head.

use quaich_treebank::tree::Node;

use super::reconstruction::reconstruct;
use super::{Labelling, System, Variant};
use crate::configuration::Configuration;
use crate::gold::Gold;
use crate::transition::{Kind, KindSet, Transition};

/// A planar, two-planar or Covington system with edges instead of arcs: its transitions that add no arc, and
///
/// **ARC(l)**: adds {i, j}, then moves what LEFT-ARC moves.
/// *Permissible when* i and j are not connected; for a single root, to 0 only once. *Oracle picks it when* the directed
/// oracle picks LEFT-ARC or RIGHT-ARC. Unless reconstruction is naive, the label carries the direction: see
/// [`Labelling::Directed`].
#[derive(Clone, Debug, Default)]
pub struct Undirected<S> {
    directed: S,
}

impl<S: System> Undirected<S> {
    /// Creates the undirected version of a planar, two-planar or Covington system.
    pub fn new(directed: S) -> Self {
        Self { directed }
    }
}

impl<S: System> Variant for Undirected<S> {
    type Base = S;

    #[inline]
    fn base(&self) -> &S {
        &self.directed
    }

    fn kinds(&self) -> KindSet {
        self.directed.kinds().without(Kind::LeftArc).without(Kind::RightArc).with(Kind::Arc)
    }

    fn labelling(&self) -> Labelling {
        self.directed.options().reconstruction.labelling()
    }

    fn start(&self, c: &mut Configuration, n_tokens: usize) {
        self.directed.start(c, n_tokens);
        c.track_edges();
    }

    #[inline]
    fn permissible(&self, c: &Configuration) -> KindSet {
        // No token has a head, so connectedness is the only remaining condition of the directed system.
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
        reconstruct(c, *self.directed.options());
    }

    fn oracle(&self, c: &Configuration, gold: &mut Gold) -> Option<Transition> {
        let directed = self.directed.oracle(c, gold)?;
        let rightwards = match directed.kind {
            Kind::LeftArc => false,
            Kind::RightArc => true,
            _ => return Some(directed),
        };
        let label = Variant::labelling(self).of_arc(directed.label, rightwards);
        Some(Transition::arc(Kind::Arc, label))
    }
}
