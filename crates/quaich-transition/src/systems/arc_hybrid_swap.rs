//! Arc-hybrid with SWAP (de Lhoneux, Stymne and Nivre 2017): the top of the stack can go back to the
//! buffer, behind the front.
//!
//! Class: all trees. Exactly 2n + 2k transitions where k are SWAP, at most n + n².

use super::{ArcHybrid, Options, System, Variant};
use crate::configuration::Configuration;
use crate::constraints::{GivenArcs, hybrid_swap};
use crate::dynamic;
use crate::gold::Gold;
use crate::transition::{Kind, KindSet, Transition};

/// The arc-hybrid system with SWAP: [`ArcHybrid`] and
///
/// **SWAP**: σ|i, j|β → σ, j|i|β.
/// *Permissible when* 0 < i < j. *Does* move i back to the buffer, behind j. *Oracle picks it when* no
/// arc is due and j precedes i in the projective order.
#[derive(Clone, Debug, Default)]
pub struct ArcHybridSwap {
    base: ArcHybrid,
}

impl ArcHybridSwap {
    /// Creates the system with these options.
    pub fn new(options: Options) -> Self {
        Self { base: ArcHybrid::new(options) }
    }
}

impl Variant for ArcHybridSwap {
    type Base = ArcHybrid;

    #[inline]
    fn base(&self) -> &ArcHybrid {
        &self.base
    }

    fn kinds(&self) -> KindSet {
        self.base.kinds().with(Kind::Swap)
    }

    fn bound(&self, n_tokens: usize) -> usize {
        self.base.bound(n_tokens) + n_tokens * n_tokens.saturating_sub(1)
    }

    #[inline]
    fn permissible(&self, c: &Configuration) -> KindSet {
        let (top, front) = (c.stack(0), c.buffer(0));
        let swaps = front.is_some() && top.is_some() && !top.is_root() && top < front;
        self.base.permissible(c).with_if(Kind::Swap, swaps)
    }

    #[inline]
    fn apply(&self, c: &mut Configuration, transition: Transition) {
        if transition.kind == Kind::Swap {
            let (top, front) = (c.pop(), c.advance());
            c.unread(top);
            c.unread(front);
            c.record(Kind::Swap);
        } else {
            self.base.apply(c, transition);
        }
    }

    fn prepare(&self, gold: &mut Gold) {
        gold.compute_order();
    }

    fn oracle(&self, c: &Configuration, gold: &mut Gold) -> Option<Transition> {
        let due = self.base.oracle(c, gold);
        if due.is_some_and(|transition| transition.kind != Kind::Shift) {
            return due;
        }
        let (top, front) = (c.stack(0), c.buffer(0));
        let swaps = top.is_some() && front.is_some() && gold.order(front) < gold.order(top);
        if swaps { Some(Transition::plain(Kind::Swap)) } else { due }
    }

    fn has_dynamic_oracle(&self) -> bool {
        true
    }

    fn optimal(&self, c: &Configuration, gold: &mut Gold) -> KindSet {
        dynamic::arc_hybrid_swap::optimal(self, c, gold)
    }

    fn consistent(&self, c: &Configuration, given: &mut GivenArcs) -> KindSet {
        hybrid_swap::consistent(self, c, given)
    }
}
