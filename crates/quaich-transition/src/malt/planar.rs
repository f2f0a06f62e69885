//! `MaltParser`'s planar and two-planar systems, with their conditions on roots and connectedness. The two-planar
//! oracle assigns planes while it runs and uses them only for REDUCE and SWITCH.

use quaich_treebank::symbols::Label;
use quaich_treebank::tree::Node;

use super::{Connectedness, MaltSystemOptions};
use crate::configuration::Configuration;
use crate::gold::Gold;
use crate::systems::{Options, System};
use crate::transition::{Kind, KindSet, Transition};

/// `-a planar`. Transitions do what those of [`Planar`](crate::systems::Planar) do.
///
/// **LEFT-ARC**, **RIGHT-ARC**: *Permissible when* the dependent is a token without a head and (`acyclicity`) not
/// connected with the head. *Oracle picks it when* the arc is gold and not built.
///
/// **REDUCE**: *Permissible when* the top is not 0, has a head (`no_covered_roots`), and is connected with the
/// front or the node under it (`connectedness`). *Oracle picks it when* the front's leftmost dependent or head
/// is left of the top.
///
/// **SHIFT**: *Permissible when* the front is not the last token or is connected with the first (full
/// `connectedness`). *Oracle picks it when* nothing else applies. Forced on 0 with relaxed root handling.
#[derive(Clone, Debug)]
pub struct MaltPlanar {
    options: Options,
    malt: MaltSystemOptions,
}

impl MaltPlanar {
    /// Creates the system with these options.
    pub fn new(malt: MaltSystemOptions, root_label: Label) -> Self {
        Self { options: Options { root_label, ..Options::default() }, malt }
    }
}

fn arc(c: &Configuration, kind: Kind) -> Option<(Node, Node)> {
    match kind {
        Kind::LeftArc => Some((c.buffer(0), c.stack(0))),
        Kind::RightArc => Some((c.stack(0), c.buffer(0))),
        _ => None,
    }
}

fn permissible_arcs(malt: &MaltSystemOptions, c: &Configuration) -> KindSet {
    let (top, front) = (c.stack(0), c.buffer(0));
    if top.is_none() || front.is_none() || (malt.acyclicity && c.connected(top, front)) {
        return KindSet::EMPTY;
    }
    // Without `acyclicity`, MaltParser can build cycles; here the result must be a tree.
    let free = !c.connected(top, front);
    KindSet::EMPTY
        .with_if(Kind::LeftArc, free && !top.is_root() && !c.has_head(top))
        .with_if(Kind::RightArc, free && !c.has_head(front))
}

fn forced(malt: &MaltSystemOptions, c: &Configuration) -> Option<Transition> {
    (malt.relaxed_root && c.stack(0).is_root()).then_some(Transition::plain(Kind::Shift))
}

/// Returns the gold arc between a node and the front, unless it is built.
fn missing_arc(c: &Configuration, gold: &Gold, node: Node) -> Option<(Node, Transition)> {
    let front = c.buffer(0);
    if gold.has_arc(front, node) && !c.has_head(node) {
        Some((node, Transition::arc(Kind::LeftArc, gold.label(node))))
    } else if gold.has_arc(node, front) && !c.has_head(front) {
        Some((front, Transition::arc(Kind::RightArc, gold.label(front))))
    } else {
        None
    }
}

impl System for MaltPlanar {
    fn options(&self) -> &Options {
        &self.options
    }

    fn kinds(&self) -> KindSet {
        KindSet::of(&[Kind::Shift, Kind::Reduce, Kind::LeftArc, Kind::RightArc])
    }

    fn bound(&self, n_tokens: usize) -> usize {
        3 * n_tokens
    }

    fn start(&self, c: &mut Configuration, n_tokens: usize) {
        c.reset(n_tokens, self.options.root);
        c.track_components();
    }

    fn is_terminal(&self, c: &Configuration) -> bool {
        c.buffer_len() == 0
    }

    fn permissible(&self, c: &Configuration) -> KindSet {
        let (top, under, front) = (c.stack(0), c.stack(1), c.buffer(0));
        let reduces = top.is_some()
            && !top.is_root()
            && (!self.malt.no_covered_roots || c.has_head(top))
            && (self.malt.connectedness == Connectedness::None
                || c.connected(top, front)
                || (under.is_some() && c.connected(top, under)));
        let last = self.malt.connectedness == Connectedness::Full && front.index() == c.n_tokens();
        permissible_arcs(&self.malt, c)
            .with_if(Kind::Reduce, reduces)
            .with_if(Kind::Shift, !last || c.connected(front, Node(1)))
    }

    fn arc(&self, c: &Configuration, kind: Kind) -> Option<(Node, Node)> {
        arc(c, kind)
    }

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
                if let Some((head, dependent)) = arc(c, kind) {
                    c.attach(head, transition.label, dependent);
                }
            }
        }
        c.record(transition.kind);
    }

    fn forced(&self, c: &Configuration) -> Option<Transition> {
        forced(&self.malt, c)
    }

    fn fallback(&self, _c: &Configuration, _permissible: KindSet) -> Transition {
        Transition::plain(Kind::Shift)
    }

    fn trusts_oracle(&self) -> bool {
        true
    }

    fn oracle(&self, c: &Configuration, gold: &mut Gold) -> Option<Transition> {
        let (top, front) = (c.stack(0), c.buffer(0));
        if let Some((_, transition)) = missing_arc(c, gold, top) {
            return Some(transition);
        }
        let head = gold.head(front);
        let reduces = gold.leftmost(front).is_some_and(|child| child < top)
            || (head < top && (!head.is_root() || !self.malt.relaxed_root));
        Some(Transition::plain(if reduces { Kind::Reduce } else { Kind::Shift }))
    }
}

/// `-a 2planar`. Transitions do what those of [`TwoPlanar`](crate::systems::TwoPlanar) do, except for
///
/// **SWITCH** (`reduceonswitch`): *Permissible when* the inactive top is not 0 and (`no_covered_roots`) has a
/// head. *Does* exchange the stacks and pop the one that becomes active. *Oracle picks it when* the
/// inactive top or, in the inactive plane, a node left of it is linked with the front.
#[derive(Clone, Debug)]
pub struct MaltTwoPlanar {
    options: Options,
    malt: MaltSystemOptions,
}

impl MaltTwoPlanar {
    /// Creates the system with these options.
    pub fn new(malt: MaltSystemOptions, root_label: Label) -> Self {
        Self { options: Options { root_label, ..Options::default() }, malt }
    }

    /// Whether a gold arc of a plane joins the front with a node left of `top`.
    fn wants_below(&self, c: &Configuration, gold: &Gold, top: Node, plane: u8) -> bool {
        let front = c.buffer(0);
        let in_plane = |arc: Node| gold.planes.plane(arc, c.active_plane()) == Some(plane);
        let head = gold.head(front);
        if top.is_none() {
            return false;
        }
        (head < top && (!head.is_root() || !self.malt.relaxed_root) && in_plane(front))
            || gold.children(front).iter().take_while(|child| **child < top).any(|child| in_plane(*child))
    }
}

impl System for MaltTwoPlanar {
    fn options(&self) -> &Options {
        &self.options
    }

    fn kinds(&self) -> KindSet {
        KindSet::of(&[Kind::Shift, Kind::Reduce, Kind::Switch, Kind::LeftArc, Kind::RightArc])
    }

    fn bound(&self, n_tokens: usize) -> usize {
        8 * n_tokens + 2
    }

    fn start(&self, c: &mut Configuration, n_tokens: usize) {
        c.reset(n_tokens, self.options.root);
        c.root_on_second();
        c.track_components();
    }

    fn is_terminal(&self, c: &Configuration) -> bool {
        c.buffer_len() == 0
    }

    fn permissible(&self, c: &Configuration) -> KindSet {
        let (top, other) = (c.stack(0), c.second(0));
        let may_pop = |node: Node| {
            node.is_some() && !node.is_root() && (!self.malt.no_covered_roots || c.has_head(node))
        };
        let switches =
            if self.malt.reduce_on_switch { may_pop(other) } else { c.history(0) != Some(Kind::Switch) };
        permissible_arcs(&self.malt, c)
            .with(Kind::Shift)
            .with_if(Kind::Reduce, may_pop(top))
            .with_if(Kind::Switch, switches)
    }

    fn arc(&self, c: &Configuration, kind: Kind) -> Option<(Node, Node)> {
        arc(c, kind)
    }

    fn apply(&self, c: &mut Configuration, transition: Transition) {
        match transition.kind {
            Kind::Shift => {
                let front = c.advance();
                c.push(front);
                c.push_second(front);
            }
            Kind::Reduce => {
                c.pop();
            }
            Kind::Switch => {
                c.exchange_stacks();
                if self.malt.reduce_on_switch {
                    c.pop();
                }
            }
            kind => {
                if let Some((head, dependent)) = arc(c, kind) {
                    c.attach(head, transition.label, dependent);
                }
            }
        }
        c.record(transition.kind);
    }

    fn forced(&self, c: &Configuration) -> Option<Transition> {
        forced(&self.malt, c)
    }

    fn fallback(&self, _c: &Configuration, _permissible: KindSet) -> Transition {
        Transition::plain(Kind::Shift)
    }

    fn trusts_oracle(&self) -> bool {
        true
    }

    fn prepare(&self, gold: &mut Gold) {
        gold.compute_planes_like_malt();
    }

    fn oracle(&self, c: &Configuration, gold: &mut Gold) -> Option<Transition> {
        let (top, other) = (c.stack(0), c.second(0));
        let active = c.active_plane();
        if let Some((arc, transition)) = missing_arc(c, gold, top) {
            gold.planes.assign_like_malt(arc, active);
            return Some(transition);
        }
        let kind = if missing_arc(c, gold, other).is_some() {
            Kind::Switch
        } else if self.wants_below(c, gold, top, active) {
            Kind::Reduce
        } else if self.wants_below(c, gold, other, 1 - active) {
            Kind::Switch
        } else {
            Kind::Shift
        };
        Some(Transition::plain(kind))
    }
}
