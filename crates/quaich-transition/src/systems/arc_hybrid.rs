//! Arc-hybrid (Kuhlmann, Gómez-Rodríguez and Satta 2011): LEFT-ARC of arc-eager, RIGHT-ARC of
//! stack-projective. Every token is attached when it leaves the stack, and a dynamic oracle is simple.
//!
//! Class: projective trees. Exactly 2n transitions wherever node 0 is; if it is nowhere, SHIFT with an empty buffer
//! pops the top of the stack, which becomes a child of 0.

use quaich_treebank::tree::Node;

use super::{Options, System};
use crate::configuration::{Configuration, RootPosition};
use crate::constraints::GivenArcs;
use crate::dynamic;
use crate::gold::Gold;
use crate::transition::{Kind, KindSet, Transition};

/// The arc-hybrid system.
///
/// **SHIFT**: σ, j|β → σ|j, β; with an empty buffer and node 0 nowhere, σ|i → σ.
/// *Permissible when* the front is a token, or (node 0 nowhere) the buffer is empty; for a single
/// root only the last token is dropped. *Does* push j, or leave i without a head. *Oracle picks it
/// when* nothing else applies.
///
/// **LEFT-ARC(l)**: σ|i, j|β → σ, j|β.
/// *Permissible when* i ≠ 0; for a single root, from 0 only when i is alone on the stack. *Does* add
/// (j, l, i) and pop i. *Oracle picks it when* (j, l, i) is gold and i has all its dependents.
///
/// **RIGHT-ARC(l)**: σ|i|j, β → σ|i, β.
/// *Permissible when* there are two nodes on the stack; for a single root, from 0 only when the
/// buffer is empty. *Does* add (i, l, j) and pop j. *Oracle picks it when* (i, l, j) is gold and j has
/// all its dependents.
#[derive(Clone, Debug, Default)]
pub struct ArcHybrid {
    options: Options,
}

impl ArcHybrid {
    /// Creates the system with these options.
    pub fn new(options: Options) -> Self {
        Self { options }
    }
}

impl System for ArcHybrid {
    fn options(&self) -> &Options {
        &self.options
    }

    fn kinds(&self) -> KindSet {
        KindSet::of(&[Kind::Shift, Kind::LeftArc, Kind::RightArc])
    }

    fn bound(&self, n_tokens: usize) -> usize {
        2 * n_tokens
    }

    #[inline]
    fn is_terminal(&self, c: &Configuration) -> bool {
        let front = c.buffer(0);
        (front.is_none() || front.is_root()) && c.stack_len() == usize::from(c.root() == RootPosition::Stack)
    }

    #[inline]
    fn permissible(&self, c: &Configuration) -> KindSet {
        let (top, under, front) = (c.stack(0), c.stack(1), c.buffer(0));
        let single = self.options.single_root;
        let alone = under.is_none() || under.is_root();
        let shifts = if front.is_none() {
            c.root() == RootPosition::None && top.is_some() && (!single || alone)
        } else {
            !front.is_root()
        };
        KindSet::EMPTY
            .with_if(Kind::Shift, shifts)
            .with_if(
                Kind::LeftArc,
                front.is_some() && top.is_some() && !top.is_root() && (!single || !front.is_root() || alone),
            )
            .with_if(Kind::RightArc, under.is_some() && (!single || !under.is_root() || front.is_none()))
    }

    #[inline]
    fn arc(&self, c: &Configuration, kind: Kind) -> Option<(Node, Node)> {
        match kind {
            Kind::LeftArc => Some((c.buffer(0), c.stack(0))),
            Kind::RightArc => Some((c.stack(1), c.stack(0))),
            _ => None,
        }
    }

    #[inline]
    fn apply(&self, c: &mut Configuration, transition: Transition) {
        match transition.kind {
            Kind::LeftArc => {
                let top = c.pop();
                c.attach(c.buffer(0), transition.label, top);
            }
            Kind::RightArc => {
                let top = c.pop();
                c.attach(c.stack(0), transition.label, top);
            }
            _ if c.buffer_len() == 0 => {
                c.pop();
            }
            _ => {
                let front = c.advance();
                c.push(front);
            }
        }
        c.record(transition.kind);
    }

    fn oracle(&self, c: &Configuration, gold: &mut Gold) -> Option<Transition> {
        let (top, under, front) = (c.stack(0), c.stack(1), c.buffer(0));
        if top.is_some() && !top.is_root() && gold.is_complete(c, top) {
            if gold.has_arc(front, top) {
                return Some(Transition::arc(Kind::LeftArc, gold.label(top)));
            }
            if gold.has_arc(under, top) {
                return Some(Transition::arc(Kind::RightArc, gold.label(top)));
            }
        }
        self.permissible(c).contains(Kind::Shift).then_some(Transition::plain(Kind::Shift))
    }

    fn has_dynamic_oracle(&self) -> bool {
        true
    }

    fn optimal(&self, c: &Configuration, gold: &mut Gold) -> KindSet {
        dynamic::arc_hybrid::optimal(self, c, gold)
    }

    fn consistent(&self, c: &Configuration, given: &mut GivenArcs) -> KindSet {
        dynamic::arc_hybrid::optimal(self, c, &mut given.gold)
    }
}
