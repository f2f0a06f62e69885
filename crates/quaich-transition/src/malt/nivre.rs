//! `MaltParser`'s Nivre systems: arc-eager with `allow_root`, `allow_reduce` and `enforce_tree`, and arc-standard with
//! `allow_root`. Node 0 is on the stack with any `allow_root`; if arcs from it are not built, SHIFT is forced while it
//! is on top.

use quaich_treebank::symbols::Label;
use quaich_treebank::tree::Node;

use super::{MaltSystemOptions, is_right_complete};
use crate::configuration::Configuration;
use crate::gold::Gold;
use crate::systems::{ArcStandard, Options, System, Variant};
use crate::transition::{Kind, KindSet, Transition};

/// `-a nivreeager`.
///
/// **SHIFT**: *Permissible when* the buffer has not been empty before. *Does* push the front. *Oracle
/// picks it when* nothing else applies, or the top may not be reduced. Forced on 0 without `allow_root`.
///
/// **REDUCE**: *Permissible when* the top is not 0 and has a head or `allow_reduce` holds. *Does* pop.
/// *Oracle picks it when* the front's leftmost dependent or its head is left of the top.
///
/// **LEFT-ARC**, **RIGHT-ARC**: *Permissible when*, *Does*: as in [`ArcEager`](crate::systems::ArcEager). *Oracle picks
/// it when* the arc is gold.
///
/// **UNSHIFT** (`enforce_tree`): *Permissible when* never chosen, only forced: the buffer is empty and the
/// top has no head. *Does* move the top to the buffer. *Oracle picks it when* never.
#[derive(Clone, Debug)]
pub struct MaltArcEager {
    options: Options,
    allow_root: bool,
    allow_reduce: bool,
    enforce_tree: bool,
}

impl MaltArcEager {
    /// Creates the system with these options.
    pub fn new(malt: &MaltSystemOptions, root_label: Label) -> Self {
        let MaltSystemOptions { allow_root, allow_reduce, enforce_tree, .. } = *malt;
        Self { options: Options { root_label, ..Options::default() }, allow_root, allow_reduce, enforce_tree }
    }
}

impl System for MaltArcEager {
    fn options(&self) -> &Options {
        &self.options
    }

    fn kinds(&self) -> KindSet {
        KindSet::of(&[Kind::Shift, Kind::Reduce, Kind::LeftArc, Kind::RightArc])
            .with_if(Kind::Unshift, self.enforce_tree)
    }

    /// With `enforce_tree` every token can come back once, and is then shifted or popped.
    fn bound(&self, n_tokens: usize) -> usize {
        if self.enforce_tree { 5 * n_tokens } else { 2 * n_tokens }
    }

    fn is_terminal(&self, c: &Configuration) -> bool {
        c.buffer_len() == 0 && (!self.enforce_tree || c.stack_len() == 1)
    }

    fn permissible(&self, c: &Configuration) -> KindSet {
        let (top, front) = (c.stack(0), c.buffer(0));
        if front.is_none() {
            return KindSet::EMPTY.with_if(Kind::Reduce, c.stack_len() > 1);
        }
        let token = top.is_some() && !top.is_root();
        let has_head = token && c.has_head(top);
        KindSet::EMPTY
            .with_if(Kind::Shift, !c.has_ended())
            .with_if(Kind::Reduce, token && (has_head || self.allow_reduce))
            .with_if(Kind::LeftArc, token && !has_head)
            .with_if(Kind::RightArc, top.is_some())
    }

    fn arc(&self, c: &Configuration, kind: Kind) -> Option<(Node, Node)> {
        match kind {
            Kind::LeftArc => Some((c.buffer(0), c.stack(0))),
            Kind::RightArc => Some((c.stack(0), c.buffer(0))),
            _ => None,
        }
    }

    fn apply(&self, c: &mut Configuration, transition: Transition) {
        match transition.kind {
            Kind::Reduce => {
                c.pop();
            }
            Kind::LeftArc => {
                let top = c.pop();
                c.attach(c.buffer(0), transition.label, top);
            }
            Kind::RightArc => {
                let (top, front) = (c.stack(0), c.advance());
                c.attach(top, transition.label, front);
                c.push(front);
            }
            Kind::Unshift => {
                let top = c.pop();
                c.unread(top);
            }
            _ => {
                let front = c.advance();
                c.push(front);
            }
        }
        c.record(transition.kind);
        if self.enforce_tree && c.buffer_len() == 0 {
            c.set_ended();
        }
    }

    fn forced(&self, c: &Configuration) -> Option<Transition> {
        let top = c.stack(0);
        if self.enforce_tree && c.buffer_len() == 0 {
            let kind = if c.has_head(top) { Kind::Reduce } else { Kind::Unshift };
            return Some(Transition::plain(kind));
        }
        (!self.allow_root && top.is_root() && !c.has_ended()).then_some(Transition::plain(Kind::Shift))
    }

    fn trusts_oracle(&self) -> bool {
        true
    }

    fn oracle(&self, c: &Configuration, gold: &mut Gold) -> Option<Transition> {
        let (top, front) = (c.stack(0), c.buffer(0));
        if gold.has_arc(front, top) {
            return Some(Transition::arc(Kind::LeftArc, gold.label(top)));
        }
        if gold.has_arc(top, front) {
            return Some(Transition::arc(Kind::RightArc, gold.label(front)));
        }
        let head = gold.head(front);
        let reduces = (self.allow_reduce || c.has_head(top))
            && (gold.leftmost(front).is_some_and(|child| child < top)
                || (head < top && (!head.is_root() || self.allow_root)));
        if !reduces && c.has_ended() {
            // A token that came back is not sent back again, otherwise this would not terminate.
            return None;
        }
        Some(Transition::plain(if reduces { Kind::Reduce } else { Kind::Shift }))
    }
}

/// `-a nivrestandard`: [`ArcStandard`] with
///
/// **RIGHT-ARC**: *Permissible when* `allow_root` holds or the top is not 0. *Oracle picks it when* the arc
/// is gold and the front has its outermost dependent on the right.
///
/// **LEFT-ARC**: *Oracle picks it when* the arc is gold.
#[derive(Clone, Debug)]
pub struct MaltArcStandard {
    base: ArcStandard,
    allow_root: bool,
}

impl MaltArcStandard {
    /// Creates the system with these options.
    pub fn new(malt: &MaltSystemOptions, root_label: Label) -> Self {
        let options = Options { root_label, ..Options::default() };
        Self { base: ArcStandard::new(options), allow_root: malt.allow_root }
    }
}

impl Variant for MaltArcStandard {
    type Base = ArcStandard;

    #[inline]
    fn base(&self) -> &ArcStandard {
        &self.base
    }

    fn permissible(&self, c: &Configuration) -> KindSet {
        let kinds = self.base.permissible(c);
        if self.allow_root || !c.stack(0).is_root() { kinds } else { kinds.without(Kind::RightArc) }
    }

    fn forced(&self, c: &Configuration) -> Option<Transition> {
        (!self.allow_root && c.stack(0).is_root()).then_some(Transition::plain(Kind::Shift))
    }

    fn trusts_oracle(&self) -> bool {
        true
    }

    fn oracle(&self, c: &Configuration, gold: &mut Gold) -> Option<Transition> {
        let (top, front) = (c.stack(0), c.buffer(0));
        if gold.has_arc(front, top) {
            return Some(Transition::arc(Kind::LeftArc, gold.label(top)));
        }
        if gold.has_arc(top, front) && is_right_complete(c, gold, front) {
            return Some(Transition::arc(Kind::RightArc, gold.label(front)));
        }
        Some(Transition::plain(Kind::Shift))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::derive;
    use quaich_treebank::tree::Tree;

    #[test]
    fn derivations_end_whatever_is_allowed() {
        for flags in ["-nr false -nt true", "-nt true", "-ne true -nt true", "-nr false -ne true -nt true"] {
            let malt = MaltSystemOptions::parse(&format!("-a nivreeager {flags}")).unwrap();
            let system = malt.build(Label::NONE);
            for heads in [&[2, 3, 0, 3, 2, 7, 5, 4, 3][..], &[0, 0, 0], &[3, 4, 0, 0], &[0, 4, 1, 0, 2]] {
                let tree = Tree::from_heads(heads);
                let steps = derive(&*system, &tree, &mut Gold::new(), &mut Configuration::new()).steps;
                assert!(steps.len() <= system.bound(heads.len()), "{flags} {heads:?}");
            }
        }
    }
}
