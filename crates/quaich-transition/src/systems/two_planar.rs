//! Two-planar (Gómez-Rodríguez and Nivre 2010): planar with two stacks, one for each of two planes
//! within which arcs do not cross.
//!
//! Class: 2-planar trees. Linear, since SWITCH never follows SWITCH. The oracle distributes the arcs over the planes
//! while it runs, see [`gold`](crate::gold); for a tree that is not 2-planar it builds all but the fewest arcs.

use quaich_treebank::tree::Node;

use super::planar::{front_arc, permissible_arcs};
use super::{Options, System};
use crate::configuration::Configuration;
use crate::gold::Gold;
use crate::transition::{Kind, KindSet, Transition};

/// The two-planar system: LEFT-ARC and RIGHT-ARC as in [`Planar`](super::Planar), on the active stack,
/// and
///
/// **SHIFT**: σ, σ', j|β → σ|j, σ'|j, β.
/// *Permissible when* the buffer is not empty. *Does* push j on both stacks. *Oracle picks it when*
/// nothing else applies.
///
/// **REDUCE**: σ|i → σ on the active stack.
/// *Permissible when* i ≠ 0. *Does* pop i. *Oracle picks it when* some x < i is linked with j by an arc of
/// the active plane that is not built, and no y with x < y ≤ i by one of the other plane.
///
/// **SWITCH**: exchanges the stacks.
/// *Permissible when* the last transition was no SWITCH. *Does* make the other stack the active one.
/// *Oracle picks it when* neither an arc nor REDUCE is due and some x < j is linked with j by an arc of
/// the other plane that is not built.
#[derive(Clone, Debug, Default)]
pub struct TwoPlanar {
    options: Options,
}

impl TwoPlanar {
    /// Creates the system with these options.
    pub fn new(options: Options) -> Self {
        Self { options }
    }
}

impl System for TwoPlanar {
    fn options(&self) -> &Options {
        &self.options
    }

    fn kinds(&self) -> KindSet {
        KindSet::of(&[Kind::Shift, Kind::Reduce, Kind::Switch, Kind::LeftArc, Kind::RightArc])
    }

    /// n arcs, n + 1 SHIFT, 2n REDUCE, and a SWITCH before each of them and at the end.
    fn bound(&self, n_tokens: usize) -> usize {
        8 * n_tokens + 3
    }

    fn start(&self, c: &mut Configuration, n_tokens: usize) {
        c.reset(n_tokens, self.options.root);
        c.root_on_second();
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
            .with_if(Kind::Switch, c.history(0) != Some(Kind::Switch))
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
                c.push_second(front);
            }
            Kind::Reduce => {
                c.pop();
            }
            Kind::Switch => c.exchange_stacks(),
            kind => {
                if let Some((head, dependent)) = front_arc(c, kind) {
                    c.attach(head, transition.label, dependent);
                }
            }
        }
        c.record(transition.kind);
    }

    fn prepare(&self, gold: &mut Gold) {
        gold.compute_planes();
    }

    /// Visits the front's links to the left from the nearest on; the nearest unbuilt one decides except in very rare
    /// cases, and built ones near the front are skipped permanently.
    fn oracle(&self, c: &Configuration, gold: &mut Gold) -> Option<Transition> {
        let (top, front) = (c.stack(0), c.buffer(0));
        let active = c.active_plane();
        let position = |node: Node| if node.is_some() { i64::from(gold.position(node)) } else { -1 };
        let (top_position, front_position) = (position(top), position(front));
        let head = gold.built_head(front);
        let mut pending_head =
            (head.is_some() && position(head) < front_position && !gold.is_built(c, front))
                .then_some((head, front));
        let children = gold.children(front);
        let n_left = children.partition_point(|child| position(*child) < front_position);
        let mut skipped = gold.cursors[front.index()] as usize;
        let is_pending = |arc: Node| gold.has_arc(front, arc) && !gold.is_built(c, arc);
        while skipped < n_left && !is_pending(children[n_left - 1 - skipped]) {
            skipped += 1;
        }
        let mut nearest =
            children[..n_left - skipped].iter().rev().copied().filter(|arc| is_pending(*arc)).peekable();
        let mut chosen = None;
        let mut switch = false;
        loop {
            // The nearest pending link and its arc.
            let child = nearest.peek().copied();
            let (other, arc) = match (pending_head, child) {
                (Some(link), child) if child.is_none_or(|child| position(child) < position(link.0)) => {
                    pending_head = None;
                    link
                }
                (_, Some(child)) => {
                    nearest.next();
                    (child, child)
                }
                _ => break,
            };
            match gold.planes.plane(arc, active) {
                None => {}
                Some(plane) if plane == active => {
                    if other == top {
                        let kind = if arc == front { Kind::RightArc } else { Kind::LeftArc };
                        chosen = Some((arc, Transition::arc(kind, gold.label(arc))));
                        break;
                    }
                    if position(other) < top_position {
                        chosen = Some((arc, Transition::plain(Kind::Reduce)));
                        break;
                    }
                }
                Some(_) => {
                    switch = true;
                    if position(other) <= top_position {
                        break;
                    }
                }
            }
        }
        drop(nearest);
        gold.cursors[front.index()] = u32::try_from(skipped).unwrap_or(u32::MAX);
        if let Some((arc, transition)) = chosen {
            gold.planes.assign(arc, active);
            return Some(transition);
        }
        Some(Transition::plain(if switch { Kind::Switch } else { Kind::Shift }))
    }
}
