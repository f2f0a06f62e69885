//! The second pass (2007): when the parse is over, the tokens without a head are parsed once more as
//! if they were the whole sentence; what then is left is attached to 0.

use quaich_treebank::tree::Node;

use crate::configuration::Configuration;
use crate::systems::{System, Variant};
use crate::transition::{Kind, Transition};

/// A system that goes over the sentence a second time. Fits systems whose terminal configurations can
/// hold tokens without a head: arc-eager, arc-standard, the planar ones.
#[derive(Debug)]
pub struct SecondPass {
    system: Box<dyn System>,
}

impl SecondPass {
    /// The system with a second pass.
    pub fn new(system: Box<dyn System>) -> Self {
        Self { system }
    }
}

impl Variant for SecondPass {
    type Base = dyn System;

    fn base(&self) -> &dyn System {
        &*self.system
    }

    fn bound(&self, n_tokens: usize) -> usize {
        2 * self.system.bound(n_tokens)
    }

    fn apply(&self, c: &mut Configuration, transition: Transition) {
        self.system.apply(c, transition);
        if c.pass() == 0 && self.system.is_terminal(c) {
            let missing = (1..=c.n_tokens()).filter(|&token| !c.has_head(Node::from_index(token))).count();
            if missing > 1 {
                c.second_pass();
                if self.system.kinds().contains(Kind::Switch) {
                    c.root_on_second();
                }
            }
        }
    }
}
