//! `MaltParser`'s Covington systems: two pointers into the list of nodes, which skip nodes that cannot be linked. Here
//! λ1 ends at the left pointer and the buffer starts at the right one.

use quaich_treebank::symbols::Label;
use quaich_treebank::tree::Node;

use super::MaltSystemOptions;
use crate::configuration::{Configuration, RootPosition};
use crate::gold::Gold;
use crate::systems::{Options, System};
use crate::transition::{Kind, KindSet, Transition};

/// `-a covnonproj` and `-a covproj`.
///
/// **SHIFT**: *Permissible when* `allow_shift` holds. *Does* move both pointers to the next node. *Oracle picks it
/// when* no node left of the left pointer is linked with the right one.
///
/// **NO-ARC**: *Permissible when* always. *Does* move the left pointer: to the next node that can be linked, or
/// (projective) to its head. *Oracle picks it when* nothing else applies.
///
/// **LEFT-ARC**, **RIGHT-ARC**: *Permissible when* the dependent is a token without a head. *Does* add the arc and move
/// the pointer like NO-ARC; projective RIGHT-ARC moves on to the next node. *Oracle picks it when* the arc is gold.
#[derive(Clone, Debug)]
pub struct MaltCovington {
    options: Options,
    allow_shift: bool,
    projective: bool,
}

impl MaltCovington {
    /// Creates the system with these options.
    pub fn new(malt: &MaltSystemOptions, projective: bool, root_label: Label) -> Self {
        let root = if malt.covington_allow_root { RootPosition::Stack } else { RootPosition::None };
        let options = Options { root, root_label, ..Options::default() };
        Self { options, allow_shift: malt.covington_allow_shift, projective }
    }

    /// Moves the right pointer to the next node, and the left pointer just before it.
    fn next_right(c: &mut Configuration) {
        while c.second_len() > 0 {
            let node = c.pop_second();
            c.push(node);
        }
        if c.buffer_len() > 0 {
            let front = c.advance();
            c.push(front);
        }
    }

    /// Moves the left pointer one to the left.
    fn step_left(c: &mut Configuration) {
        let last = c.pop();
        c.push_second(last);
    }

    /// Moves the left pointer to the first node from here for which `stops` holds, or else moves to the next right one.
    fn move_left_until(c: &mut Configuration, stops: impl Fn(&Configuration, Node, Node) -> bool) {
        while c.stack_len() > 0 && !stops(c, c.stack(0), c.buffer(0)) {
            Self::step_left(c);
        }
        if c.stack_len() == 0 {
            Self::next_right(c);
        }
    }

    fn move_projective(c: &mut Configuration, kind: Kind) {
        match kind {
            Kind::LeftArc => Self::move_left_until(c, |c, left, right| !c.connected(left, right)),
            Kind::NoArc => {
                let head = c.head(c.stack(0));
                if head.is_none() || (head.is_root() && c.root() == RootPosition::None) {
                    Self::next_right(c);
                } else {
                    while c.second_len() > 0 && c.stack(0) < head {
                        let node = c.pop_second();
                        c.push(node);
                    }
                    Self::move_left_until(c, |_, left, _| left <= head);
                }
            }
            _ => Self::next_right(c),
        }
    }
}

impl System for MaltCovington {
    fn options(&self) -> &Options {
        &self.options
    }

    fn kinds(&self) -> KindSet {
        KindSet::of(&[Kind::NoArc, Kind::LeftArc, Kind::RightArc]).with_if(Kind::Shift, self.allow_shift)
    }

    fn bound(&self, n_tokens: usize) -> usize {
        (n_tokens + 1) * (n_tokens + 2) / 2
    }

    fn start(&self, c: &mut Configuration, n_tokens: usize) {
        c.reset(n_tokens, self.options.root);
        c.track_components();
        if self.options.root == RootPosition::None {
            Self::next_right(c);
        }
    }

    fn is_terminal(&self, c: &Configuration) -> bool {
        c.buffer_len() == 0
    }

    fn permissible(&self, c: &Configuration) -> KindSet {
        let (left, right) = (c.stack(0), c.buffer(0));
        KindSet::EMPTY
            .with(Kind::NoArc)
            .with_if(Kind::Shift, self.allow_shift)
            .with_if(Kind::LeftArc, !left.is_root() && !c.has_head(left) && !c.connected(left, right))
            .with_if(Kind::RightArc, !c.has_head(right) && !c.connected(left, right))
    }

    fn arc(&self, c: &Configuration, kind: Kind) -> Option<(Node, Node)> {
        match kind {
            Kind::LeftArc => Some((c.buffer(0), c.stack(0))),
            Kind::RightArc => Some((c.stack(0), c.buffer(0))),
            _ => None,
        }
    }

    fn apply(&self, c: &mut Configuration, transition: Transition) {
        if let Some((head, dependent)) = self.arc(c, transition.kind) {
            c.attach(head, transition.label, dependent);
        }
        if transition.kind == Kind::Shift {
            Self::next_right(c);
        } else if self.projective {
            Self::move_projective(c, transition.kind);
        } else {
            Self::step_left(c);
            Self::move_left_until(c, |c, left, right| {
                let both_headed = c.has_head(left) && c.has_head(right);
                !both_headed && !c.connected(left, right)
            });
        }
        c.record(transition.kind);
    }

    fn fallback(&self, _c: &Configuration, _permissible: KindSet) -> Transition {
        Transition::plain(Kind::NoArc)
    }

    fn trusts_oracle(&self) -> bool {
        true
    }

    fn oracle(&self, c: &Configuration, gold: &mut Gold) -> Option<Transition> {
        let (left, right) = (c.stack(0), c.buffer(0));
        if gold.has_arc(right, left) {
            return Some(Transition::arc(Kind::LeftArc, gold.label(left)));
        }
        if gold.has_arc(left, right) {
            return Some(Transition::arc(Kind::RightArc, gold.label(right)));
        }
        let head = gold.built_head(right);
        let wanted = gold.leftmost(right).is_some_and(|child| child < left) || head < left;
        Some(Transition::plain(if self.allow_shift && !wanted { Kind::Shift } else { Kind::NoArc }))
    }
}
