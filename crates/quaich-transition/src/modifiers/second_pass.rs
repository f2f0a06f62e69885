//! The second pass (2007): when the parse is over, the tokens without a head are parsed once more as
//! if they were the whole sentence; what then is left is attached to 0.

use std::any::Any;

use quaich_treebank::symbols::Label;
use quaich_treebank::tree::Node;

use crate::configuration::Configuration;
use crate::gold::Gold;
use crate::systems::{Options, System};
use crate::transition::{Kind, KindSet, Transition};

/// A system that goes over the sentence a second time. Fits systems whose terminal configurations can
/// hold tokens without a head: arc-eager, arc-standard, the planar ones.
#[derive(Clone, Debug)]
pub struct SecondPass<S> {
    system: S,
}

impl<S: System> SecondPass<S> {
    /// The system with a second pass.
    pub fn new(system: S) -> Self {
        Self { system }
    }
}

impl<S: System> System for SecondPass<S> {
    fn options(&self) -> &Options {
        self.system.options()
    }

    fn kinds(&self) -> KindSet {
        self.system.kinds()
    }

    fn bound(&self, n_tokens: usize) -> usize {
        2 * self.system.bound(n_tokens)
    }

    fn start(&self, c: &mut Configuration, n_tokens: usize) {
        self.system.start(c, n_tokens);
    }

    fn is_terminal(&self, c: &Configuration) -> bool {
        self.system.is_terminal(c)
    }

    fn permissible(&self, c: &Configuration) -> KindSet {
        self.system.permissible(c)
    }

    fn arc(&self, c: &Configuration, kind: Kind) -> Option<(Node, Node)> {
        self.system.arc(c, kind)
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

    fn finish(&self, c: &mut Configuration) {
        self.system.finish(c);
    }

    fn forced(&self, c: &Configuration) -> Option<Transition> {
        self.system.forced(c)
    }

    fn fallback(&self, c: &Configuration, permissible: KindSet) -> Transition {
        self.system.fallback(c, permissible)
    }

    fn trusts_oracle(&self) -> bool {
        self.system.trusts_oracle()
    }

    fn plain_label(&self, label: Label) -> Label {
        self.system.plain_label(label)
    }

    fn n_class_labels(&self, n_labels: u32) -> u32 {
        self.system.n_class_labels(n_labels)
    }

    fn prepare(&self, gold: &mut Gold) {
        self.system.prepare(gold);
    }

    fn oracle(&self, c: &Configuration, gold: &mut Gold) -> Option<Transition> {
        self.system.oracle(c, gold)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
