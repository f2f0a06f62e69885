//! Planar (Gómez-Rodríguez and Nivre 2010): arcs move nothing, so a node can be linked with any node on the stack as
//! long as no arcs cross.
//!
//! Class: trees without crossing arcs. With node 0 at either end these are the projective trees; with node 0 nowhere,
//! roots may be covered. At most 3n transitions (one more with node 0 at the end).

use quaich_treebank::tree::Node;

use super::{Options, System};
use crate::configuration::Configuration;
use crate::constraints::GivenArcs;
use crate::dynamic;
use crate::gold::Gold;
use crate::transition::{Kind, KindSet, Transition};

/// The planar system.
///
/// **SHIFT**: σ, j|β → σ|j, β.
/// *Permissible when* the buffer is not empty. *Does* push j. *Oracle picks it when* nothing else
/// applies.
///
/// **REDUCE**: σ|i → σ.
/// *Permissible when* i ≠ 0. *Does* pop i. *Oracle picks it when* a node left of i is linked with j by a
/// gold arc that is not built.
///
/// **LEFT-ARC(l)**: σ|i, j|β unchanged.
/// *Permissible when* i ≠ 0, i has no head, and i and j are not connected; for a single root, from 0
/// only once. *Does* add (j, l, i). *Oracle picks it when* (j, l, i) is gold and not built.
///
/// **RIGHT-ARC(l)**: σ|i, j|β unchanged.
/// *Permissible when* j ≠ 0, j has no head, and i and j are not connected; for a single root, from 0
/// only once. *Does* add (i, l, j). *Oracle picks it when* (i, l, j) is gold and not built.
#[derive(Clone, Debug, Default)]
pub struct Planar {
    options: Options,
}

impl Planar {
    /// Creates the system with these options.
    pub fn new(options: Options) -> Self {
        Self { options }
    }
}

/// Whether an arc preserves single heads, acyclicity and, if required, the single root.
#[inline]
pub(super) fn may_attach(options: Options, c: &Configuration, head: Node, dependent: Node) -> bool {
    let second_root = options.single_root && head.is_root() && c.valency(Node::ROOT) > 0;
    !dependent.is_root() && !c.has_head(dependent) && !second_root && !c.connected(head, dependent)
}

/// LEFT-ARC and RIGHT-ARC between the top of the stack (last of λ1) and the front.
#[inline]
pub(super) fn permissible_arcs(options: Options, c: &Configuration) -> KindSet {
    let (top, front) = (c.stack(0), c.buffer(0));
    if top.is_none() || front.is_none() {
        return KindSet::EMPTY;
    }
    KindSet::EMPTY
        .with_if(Kind::LeftArc, may_attach(options, c, front, top))
        .with_if(Kind::RightArc, may_attach(options, c, top, front))
}

/// Returns head and dependent of arcs between the top of the stack (last of λ1) and the front.
#[inline]
pub(super) fn front_arc(c: &Configuration, kind: Kind) -> Option<(Node, Node)> {
    match kind {
        Kind::LeftArc => Some((c.buffer(0), c.stack(0))),
        Kind::RightArc => Some((c.stack(0), c.buffer(0))),
        _ => None,
    }
}

/// Returns the gold arc between the top of the stack (last of λ1) and the front, unless it is built.
#[inline]
pub(super) fn oracle_arc(c: &Configuration, gold: &Gold) -> Option<Transition> {
    let (top, front) = (c.stack(0), c.buffer(0));
    if gold.has_arc(front, top) && !gold.is_built(c, top) {
        Some(Transition::arc(Kind::LeftArc, gold.label(top)))
    } else if gold.has_arc(top, front) && !gold.is_built(c, front) {
        Some(Transition::arc(Kind::RightArc, gold.label(front)))
    } else {
        None
    }
}

impl System for Planar {
    fn options(&self) -> &Options {
        &self.options
    }

    fn kinds(&self) -> KindSet {
        KindSet::of(&[Kind::Shift, Kind::Reduce, Kind::LeftArc, Kind::RightArc])
    }

    fn bound(&self, n_tokens: usize) -> usize {
        3 * n_tokens + 1
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
        let top = c.stack(0);
        permissible_arcs(self.options, c)
            .with_if(Kind::Shift, c.buffer_len() > 0)
            .with_if(Kind::Reduce, top.is_some() && !top.is_root())
    }

    #[inline]
    fn arc(&self, c: &Configuration, kind: Kind) -> Option<(Node, Node)> {
        front_arc(c, kind)
    }

    #[inline]
    fn apply(&self, c: &mut Configuration, transition: Transition) {
        match transition.kind {
            Kind::Shift => {
                let front = c.advance();
                c.push(front);
            }
            Kind::Reduce => {
                c.pop();
            }
            kind => {
                if let Some((head, dependent)) = front_arc(c, kind) {
                    c.attach(head, transition.label, dependent);
                }
            }
        }
        c.record(transition.kind);
    }

    fn oracle(&self, c: &Configuration, gold: &mut Gold) -> Option<Transition> {
        oracle_arc(c, gold).or_else(|| {
            let (top, front) = (c.stack(0), c.buffer(0));
            let reduce = top.is_some() && !top.is_root() && gold.has_link_left_of(c, front, top);
            Some(Transition::plain(if reduce { Kind::Reduce } else { Kind::Shift }))
        })
    }

    fn has_dynamic_oracle(&self) -> bool {
        true
    }

    fn optimal(&self, c: &Configuration, gold: &mut Gold) -> KindSet {
        dynamic::planar::optimal(self, c, gold)
    }

    fn consistent(&self, c: &Configuration, given: &mut GivenArcs) -> KindSet {
        dynamic::planar::optimal(self, c, &mut given.gold)
    }
}
