//! NAME (author and year): the main idea in one sentence.
//!
//! Class: the trees it derives. The bound on transitions.
//!
//! To add a system, copy this file, add its `mod` line and its `SYSTEMS` entry in `systems/mod.rs`, add its class to
//! `tests/conformance.rs`, and add a worked example. Names, help, errors that list the known systems, conformance tests
//! and benchmarks follow from the table. A system that changes little of another is a `Variant` of it and implements
//! only the changes: see `swap.rs`. This file is compiled only for tests.

use quaich_treebank::tree::Node;

use super::{Options, System};
use crate::configuration::Configuration;
use crate::gold::Gold;
use crate::transition::{Kind, KindSet, Transition};

/// The NAME system.
///
/// **SHIFT**: σ, j|β → σ|j, β.
/// *Permissible when* … *Does* … *Oracle picks it when* …
#[derive(Clone, Debug, Default)]
pub struct Template {
    options: Options,
}

impl Template {
    /// Creates the system with these options.
    pub fn new(options: Options) -> Self {
        Self { options }
    }
}

impl System for Template {
    fn options(&self) -> &Options {
        &self.options
    }

    fn kinds(&self) -> KindSet {
        KindSet::of(&[Kind::Shift, Kind::LeftArc, Kind::RightArc])
    }

    // The loop asserts this in debug builds, and tests check it with random guides.
    fn bound(&self, n_tokens: usize) -> usize {
        2 * n_tokens
    }

    // `start` puts node 0 where the options say; override it to track components or add a second stack.

    #[inline]
    fn is_terminal(&self, c: &Configuration) -> bool {
        c.buffer_len() == 0
    }

    // Not empty unless terminal. All conditions that make the result a tree belong here.
    #[inline]
    fn permissible(&self, c: &Configuration) -> KindSet {
        KindSet::EMPTY.with_if(Kind::Shift, c.buffer_len() > 0)
    }

    #[inline]
    fn arc(&self, c: &Configuration, kind: Kind) -> Option<(Node, Node)> {
        match kind {
            Kind::LeftArc => Some((c.buffer(0), c.stack(0))),
            Kind::RightArc => Some((c.stack(0), c.buffer(0))),
            _ => None,
        }
    }

    // Ends with `c.record(kind)`.
    #[inline]
    fn apply(&self, c: &mut Configuration, transition: Transition) {
        let front = c.advance();
        c.push(front);
        c.record(transition.kind);
    }

    // `prepare` precomputes in `gold` what the oracle needs beyond heads and children. No scans here.
    fn oracle(&self, _c: &Configuration, _gold: &mut Gold) -> Option<Transition> {
        Some(Transition::plain(Kind::Shift))
    }
}

#[cfg(test)]
mod tests {
    use quaich_treebank::tree::Tree;

    use super::*;
    use crate::guide::{RandomGuide, run};
    use crate::oracle::derive;

    // A worked example; `tests/conformance.rs` checks what holds for all systems of the table.
    #[test]
    fn trees_are_built_within_the_bound() {
        let system = Template::new(Options::default());
        let (mut gold, mut c) = (Gold::new(), Configuration::new());
        let derivation = derive(&system, &Tree::from_heads(&[0, 0, 0]), &mut gold, &mut c);
        assert!(derivation.steps.len() <= system.bound(3));
        assert_eq!(c.tree().heads(), Tree::from_heads(&[0, 0, 0]).heads());
        for n_tokens in 1..10 {
            run(&system, &mut RandomGuide::new(1, 5), &mut (), n_tokens, &mut c);
            assert!(c.tree().is_well_formed());
        }
    }
}
