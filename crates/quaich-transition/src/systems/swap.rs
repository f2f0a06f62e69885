//! Swap, `S_u` (Nivre 2009; Nivre, Kuhlmann and Hall 2009): stack-projective with a SWAP that moves the second node of
//! the stack back to the buffer, so the sentence is sorted into projective order during parsing.
//!
//! Class: all trees. Exactly 2n + 2k transitions where k are SWAP, at most n + n² (one more with node
//! 0 at the end).

use super::{Options, StackProjective, System, Variant};
use crate::configuration::Configuration;
use crate::constraints::stack::Linked;
use crate::constraints::{GivenArcs, stack};
use crate::gold::Gold;
use crate::transition::{Kind, KindSet, Transition};

/// When the oracle swaps two nodes that are in the wrong order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SwapRule {
    /// At once (2009a).
    Eager,
    /// Only after the top's maximal projective component is complete (2009b).
    Lazy,
}

/// The swap system: [`StackProjective`] and
///
/// **SWAP**: σ|i|j, β → σ|j, i|β.
/// *Permissible when* 0 < i < j. *Does* move i back to the buffer. *Oracle picks it when* no arc is due
/// and j precedes i in the projective order; the lazy rule also wants an empty buffer or one whose
/// front is in another maximal projective component than j.
#[derive(Clone, Debug)]
pub struct Swap {
    base: StackProjective,
    rule: SwapRule,
}

impl Swap {
    /// Creates the system with these options, with an oracle that swaps by `rule`.
    pub fn new(options: Options, rule: SwapRule) -> Self {
        Self { base: StackProjective::new(options), rule }
    }
}

impl Variant for Swap {
    type Base = StackProjective;

    #[inline]
    fn base(&self) -> &StackProjective {
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
        let (top, under) = (c.stack(0), c.stack(1));
        let swaps = under.is_some() && !under.is_root() && under < top;
        self.base.permissible(c).with_if(Kind::Swap, swaps)
    }

    #[inline]
    fn apply(&self, c: &mut Configuration, transition: Transition) {
        if transition.kind == Kind::Swap {
            let under = c.pop_under_top();
            c.unread(under);
            c.set_lookahead(c.lookahead() + 1);
            c.record(Kind::Swap);
        } else {
            if transition.kind == Kind::Shift {
                c.set_lookahead(c.lookahead().saturating_sub(1));
            }
            self.base.apply(c, transition);
        }
    }

    fn prepare(&self, gold: &mut Gold) {
        gold.compute_order();
        if self.rule == SwapRule::Lazy {
            gold.compute_components();
        }
    }

    fn consistent(&self, c: &Configuration, given: &mut GivenArcs) -> KindSet {
        stack::consistent(self, c, given, Linked::Stack)
    }

    fn oracle(&self, c: &Configuration, gold: &mut Gold) -> Option<Transition> {
        if let Some(arc) = StackProjective::oracle_arc(c, gold) {
            return Some(arc);
        }
        let (top, under, front) = (c.stack(0), c.stack(1), c.buffer(0));
        let due = under.is_some() && gold.order(top) < gold.order(under);
        let waits = self.rule == SwapRule::Lazy
            && due
            && front.is_some()
            && gold.component(top) == gold.component(front);
        if due && !waits { Some(Transition::plain(Kind::Swap)) } else { self.base.oracle_shift(c) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::tests::check;

    const HEARING: &[u32] = &[2, 3, 0, 3, 2, 7, 5, 4, 3];

    /// A hearing is scheduled on the issue today . (2009a)
    #[test]
    fn eager_worked_example() {
        check(
            &Swap::new(Options::default(), SwapRule::Eager),
            HEARING,
            "SH SH LA:1 SH SH SH SW SW SH SH SH SW SW SH SH SH SW SW LA:6 RA:7 RA:5 SH LA:2 SH SH RA:8 RA:4 SH RA:9 RA:3",
        );
    }

    /// A hearing is scheduled on the issue today . (2009b)
    #[test]
    fn lazy_worked_example() {
        check(
            &Swap::new(Options::default(), SwapRule::Lazy),
            HEARING,
            "SH SH LA:1 SH SH SH SH SH LA:6 RA:7 SW SW RA:5 SH LA:2 SH SH RA:8 RA:4 SH RA:9 RA:3",
        );
    }

    /// Who did you send the letter to ? (2009b)
    #[test]
    fn lazy_worked_example_of_a_question() {
        check(
            &Swap::new(Options::default(), SwapRule::Lazy),
            &[7, 0, 2, 2, 6, 4, 4, 2],
            "SH SH SH RA:3 SW SH SH SH SH LA:5 RA:6 SW SH SH LA:1 RA:7 RA:4 SH RA:8 RA:2",
        );
    }
}
