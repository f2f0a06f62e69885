//! Arc-eager (Nivre 2003, 2004): the buffer's front is linked with the top of the stack, and right
//! dependents are attached before their own right dependents.
//!
//! Class: projective trees. At most 2n transitions; exactly 2n with node 0 at the end. With node 0 at the end, the
//! parse continues until the stack is empty, so all remaining tokens are attached to 0 by LEFT-ARC.

use quaich_treebank::tree::Node;

use super::{Options, System};
use crate::configuration::{Configuration, RootPosition};
use crate::constraints::GivenArcs;
use crate::dynamic;
use crate::gold::Gold;
use crate::transition::{Kind, KindSet, Transition};

/// The arc-eager system.
///
/// **SHIFT**: σ, j|β → σ|j, β.
/// *Permissible when* j ≠ 0; for a single root, the last token only when nothing on the stack is
/// or may become a child of 0. *Does* push j. *Oracle picks it when* nothing else applies.
///
/// **REDUCE**: σ|i → σ.
/// *Permissible when* i has a head; for a single root, not when that head is 0. *Does* pop i.
/// *Oracle picks it when* some node below i on the stack is linked with j.
///
/// **LEFT-ARC(l)**: σ|i, j|β → σ, j|β.
/// *Permissible when* i ≠ 0 and i has no head. *Does* add (j, l, i) and pop i. *Oracle picks it
/// when* (j, l, i) is gold.
///
/// **RIGHT-ARC(l)**: σ|i, j|β → σ|i|j, β.
/// *Permissible when* j ≠ 0; for a single root, with the last token only when no second child of 0
/// would remain. *Does* add (i, l, j) and push j. *Oracle picks it when* (i, l, j) is gold.
#[derive(Clone, Debug, Default)]
pub struct ArcEager {
    options: Options,
}

impl ArcEager {
    /// Creates the system with these options.
    pub fn new(options: Options) -> Self {
        Self { options }
    }
}

impl System for ArcEager {
    fn options(&self) -> &Options {
        &self.options
    }

    fn kinds(&self) -> KindSet {
        KindSet::of(&[Kind::Shift, Kind::Reduce, Kind::LeftArc, Kind::RightArc])
    }

    fn bound(&self, n_tokens: usize) -> usize {
        2 * n_tokens
    }

    #[inline]
    fn is_terminal(&self, c: &Configuration) -> bool {
        let front = c.buffer(0);
        front.is_none() || (front.is_root() && c.stack_len() == 0)
    }

    #[inline]
    fn permissible(&self, c: &Configuration) -> KindSet {
        let (top, front) = (c.stack(0), c.buffer(0));
        if front.is_none() {
            return KindSet::EMPTY;
        }
        let single = self.options.single_root;
        let roots = c.n_roots_on_stack();
        let last = single && c.n_buffer_tokens() == 1;
        let takes_head = !front.is_root();
        let mut kinds = KindSet::EMPTY.with_if(Kind::Shift, takes_head && (!last || roots == 0));
        if top.is_some() {
            let head = c.head(top);
            kinds = kinds
                .with_if(Kind::Reduce, head.is_some() && !(single && head.is_root()))
                .with_if(Kind::LeftArc, head.is_none() && !top.is_root())
                .with_if(Kind::RightArc, takes_head && (!last || roots <= 1));
        }
        kinds
    }

    #[inline]
    fn arc(&self, c: &Configuration, kind: Kind) -> Option<(Node, Node)> {
        match kind {
            Kind::LeftArc => Some((c.buffer(0), c.stack(0))),
            Kind::RightArc => Some((c.stack(0), c.buffer(0))),
            _ => None,
        }
    }

    #[inline]
    fn apply(&self, c: &mut Configuration, transition: Transition) {
        let roots = c.n_roots_on_stack();
        match transition.kind {
            Kind::Reduce => {
                let top = c.pop();
                c.set_roots_on_stack(roots - u32::from(c.head(top).is_root()));
            }
            Kind::LeftArc => {
                let top = c.pop();
                c.attach(c.buffer(0), transition.label, top);
                c.set_roots_on_stack(roots - 1);
            }
            Kind::RightArc => {
                let (top, front) = (c.stack(0), c.advance());
                c.attach(top, transition.label, front);
                c.push(front);
                c.set_roots_on_stack(roots + u32::from(top.is_root()));
            }
            _ => {
                let front = c.advance();
                c.push(front);
                c.set_roots_on_stack(roots + 1);
            }
        }
        c.record(transition.kind);
    }

    fn prepare(&self, gold: &mut Gold) {
        if self.options.single_root {
            gold.compute_last_path();
        }
    }

    fn oracle(&self, c: &Configuration, gold: &mut Gold) -> Option<Transition> {
        let (top, front) = (c.stack(0), c.buffer(0));
        if gold.has_arc(front, top) {
            return Some(Transition::arc(Kind::LeftArc, gold.label(top)));
        }
        if gold.has_arc(top, front) {
            return Some(Transition::arc(Kind::RightArc, gold.label(front)));
        }
        let reduce =
            top.is_some() && c.has_head(top) && (front.is_root() || gold.has_link_left_of(c, front, top));
        Some(Transition::plain(if reduce { Kind::Reduce } else { Kind::Shift }))
    }

    fn has_dynamic_oracle(&self) -> bool {
        true
    }

    fn optimal(&self, c: &Configuration, gold: &mut Gold) -> KindSet {
        dynamic::arc_eager::optimal(self, c, gold)
    }

    fn consistent(&self, c: &Configuration, given: &mut GivenArcs) -> KindSet {
        dynamic::arc_eager::optimal(self, c, &mut given.gold)
    }
}

impl ArcEager {
    /// Whether 0 already has its child, when 0 is on the stack and cannot lose it.
    pub(crate) fn has_explicit_root(&self, c: &Configuration) -> bool {
        self.options.root == RootPosition::Stack && c.right_child(Node::ROOT, 0).is_some()
    }
}
