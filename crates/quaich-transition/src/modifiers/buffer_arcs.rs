//! Buffer transitions (Fernández-González and Gómez-Rodríguez 2012): arcs to and between the first two nodes of the
//! buffer, as options of any stack-based system.
//!
//! ```text
//!   LBA   σ, i|j|β → σ, j|β     + (j, l, i)      LNBA  σ|i, j|k|β → σ, j|k|β   + (k, l, i)
//!   RBA   σ, i|j|β → σ, i|β     + (i, l, j)      RNBA  σ|i, j|k|β → σ|i, j|β   + (i, l, k)
//! ```

use quaich_treebank::tree::Node;

use crate::configuration::Configuration;
use crate::constraints::{GivenArcs, local};
use crate::gold::Gold;
use crate::systems::{System, Variant};
use crate::transition::{Kind, KindSet, Transition};

/// The arcs for which the oracle uses LBA and RBA.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LengthPolicy {
    /// Arcs between adjacent tokens.
    #[default]
    LengthOne,
    /// Arcs of any length.
    Any,
}

/// A system with buffer transitions.
///
/// **LEFT-BUFFER-ARC(l)**, **RIGHT-BUFFER-ARC(l)**, **LEFT-NONPROJ-BUFFER-ARC(l)**,
/// **RIGHT-NONPROJ-BUFFER-ARC(l)**: see above.
/// *Permissible when* the dependent is a token without a head and, if the system tracks components, not connected with
/// the head; for a single root, the head is not 0. *Does* add the arc and remove the dependent. *Oracle picks it when*
/// the arc is gold and nothing else is lost: the dependent of a left arc has all its dependents, that of a right arc
/// has none. LBA and RBA also depend on the [`LengthPolicy`].
#[derive(Debug)]
pub struct BufferArcs {
    system: Box<dyn System>,
    added: KindSet,
    policy: LengthPolicy,
}

const LEFT: [Kind; 2] = [Kind::LeftBufferArc, Kind::LeftNonprojBufferArc];

impl BufferArcs {
    /// Creates the system with the buffer transitions in `added`.
    pub fn new(system: Box<dyn System>, added: KindSet, policy: LengthPolicy) -> Self {
        Self { system, added, policy }
    }

    /// Iterates over the added buffer transitions, in the order in which the oracle tries them.
    fn added(&self) -> impl Iterator<Item = Kind> {
        self.added.iter()
    }

    fn is_permissible(&self, c: &Configuration, kind: Kind) -> bool {
        let Some((head, dependent)) = arc(c, kind) else { return false };
        let connected = c.tracks_components() && c.connected(head, dependent);
        let second_root = self.system.options().single_root && head.is_root();
        !dependent.is_root() && !c.has_head(dependent) && !connected && !second_root
    }
}

/// Returns the arc that a buffer transition adds, if its nodes exist.
#[inline]
fn arc(c: &Configuration, kind: Kind) -> Option<(Node, Node)> {
    let (top, front, next) = (c.stack(0), c.buffer(0), c.buffer(1));
    let (head, dependent) = match kind {
        Kind::LeftBufferArc => (next, front),
        Kind::RightBufferArc => (front, next),
        Kind::LeftNonprojBufferArc => (next, top),
        Kind::RightNonprojBufferArc => (top, next),
        _ => return None,
    };
    (head.is_some() && dependent.is_some()).then_some((head, dependent))
}

impl Variant for BufferArcs {
    type Base = dyn System;

    fn base(&self) -> &dyn System {
        &*self.system
    }

    fn kinds(&self) -> KindSet {
        self.system.kinds().union(self.added)
    }

    fn permissible(&self, c: &Configuration) -> KindSet {
        let kinds = self.system.permissible(c);
        self.added().fold(kinds, |kinds, kind| kinds.with_if(kind, self.is_permissible(c, kind)))
    }

    fn arc(&self, c: &Configuration, kind: Kind) -> Option<(Node, Node)> {
        arc(c, kind).or_else(|| self.system.arc(c, kind))
    }

    fn apply(&self, c: &mut Configuration, transition: Transition) {
        let Some((head, dependent)) = arc(c, transition.kind) else {
            self.system.apply(c, transition);
            return;
        };
        c.attach(head, transition.label, dependent);
        match transition.kind {
            Kind::LeftBufferArc => {
                c.advance();
            }
            Kind::LeftNonprojBufferArc => {
                c.pop();
                // Arc-eager counts the roots on its stack; in other systems the count stays 0.
                c.set_roots_on_stack(c.n_roots_on_stack().saturating_sub(1));
            }
            _ => {
                c.take_second_of_buffer();
            }
        }
        c.record(transition.kind);
    }

    fn consistent(&self, c: &Configuration, given: &mut GivenArcs) -> KindSet {
        let own = local::consistent(self, c, given).intersection(self.added);
        self.system.consistent(c, given).union(own)
    }

    fn fallback(&self, c: &Configuration, permissible: KindSet) -> Transition {
        let own = permissible.intersection(self.system.permissible(c));
        self.system.fallback(c, own)
    }

    fn oracle(&self, c: &Configuration, gold: &mut Gold) -> Option<Transition> {
        for kind in self.added() {
            let Some((head, dependent)) = arc(c, kind) else { continue };
            if !gold.has_arc(head, dependent) || !self.is_permissible(c, kind) {
                continue;
            }
            let length = gold.position(head).abs_diff(gold.position(dependent));
            let in_buffer = matches!(kind, Kind::LeftBufferArc | Kind::RightBufferArc);
            let short_enough = !in_buffer || self.policy == LengthPolicy::Any || length == 1;
            let loses_nothing = if LEFT.contains(&kind) {
                gold.is_complete(c, dependent)
            } else {
                gold.n_children(dependent) == 0
            };
            if short_enough && loses_nothing {
                return Some(Transition::arc(kind, gold.label(dependent)));
            }
        }
        self.system.oracle(c, gold)
    }
}
