//! The second pass (2007): after the parse, the tokens without a head are parsed again as if they were the whole
//! sentence; tokens still without a head are attached to 0.

use quaich_treebank::tree::Node;

use crate::configuration::Configuration;
use crate::constraints::GivenArcs;
use crate::systems::{System, Variant};
use crate::transition::{Kind, KindSet, Transition};

/// A system with a second pass over the sentence, for systems whose terminal configurations can have tokens without a
/// head: arc-eager, arc-standard and the planar ones.
#[derive(Debug)]
pub struct SecondPass {
    system: Box<dyn System>,
}

impl SecondPass {
    /// Creates the system with a second pass.
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

    fn consistent(&self, c: &Configuration, given: &mut GivenArcs) -> KindSet {
        self.system.consistent(c, given)
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
