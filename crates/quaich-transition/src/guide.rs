//! The parsing loop, and the guides that pick transitions in it: an oracle, a model, a random generator or a script.
//! All implement [`Guide`] and use the same [`run`]. Oracles are in [`oracle`](crate::oracle), observers in
//! [`watcher`](crate::watcher).

use quaich_treebank::symbols::Label;

use crate::configuration::Configuration;
use crate::systems::System;
use crate::transition::{Kind, KindSet, Transition};
use crate::watcher::Watcher;

/// Picks transitions.
pub trait Guide {
    /// Called before the first transition of a sentence.
    fn start(&mut self, _c: &Configuration) {}

    /// Returns the next transition, which must be of a permissible kind, otherwise the result may not be a tree. (The
    /// only exception is `MaltParser`'s training oracle, whose systems can handle its choices.)
    fn choose(&mut self, c: &Configuration, permissible: KindSet) -> Transition;
}

impl<G: Guide + ?Sized> Guide for &mut G {
    #[inline]
    fn start(&mut self, c: &Configuration) {
        (**self).start(c);
    }
    #[inline]
    fn choose(&mut self, c: &Configuration, permissible: KindSet) -> Transition {
        (**self).choose(c, permissible)
    }
}

/// Parses a sentence of `n_tokens` tokens: the configuration has a complete tree afterwards. Without a watcher, pass
/// `&mut ()`.
#[inline]
pub fn run<S: System + ?Sized, G: Guide + ?Sized, W: Watcher + ?Sized>(
    system: &S,
    guide: &mut G,
    watcher: &mut W,
    n_tokens: usize,
    c: &mut Configuration,
) {
    system.start(c, n_tokens);
    guide.start(c);
    watcher.start(c);
    while !system.is_terminal(c) {
        let forced = system.forced(c);
        let transition = forced.unwrap_or_else(|| {
            let permissible = system.permissible(c);
            let chosen = guide.choose(c, permissible);
            debug_assert!(
                permissible.contains(chosen.kind) || system.trusts_oracle(),
                "{chosen:?} is not among {permissible:?}"
            );
            watcher.chosen(c, permissible, chosen);
            chosen
        });
        watcher.made(c, transition, forced.is_some());
        system.apply(c, transition);
        debug_assert!(c.n_transitions() <= system.bound(n_tokens), "{system:?} exceeds its bound");
    }
    system.finish(c);
}

/// Replays recorded transitions. A transition that is not permissible, or missing at the end, is replaced by the
/// system's fallback.
#[derive(Clone, Debug)]
pub struct ReplayGuide<'a, S: ?Sized> {
    system: &'a S,
    transitions: std::slice::Iter<'a, Transition>,
}

impl<'a, S: System + ?Sized> ReplayGuide<'a, S> {
    /// Creates a guide that replays these transitions.
    pub fn new(system: &'a S, transitions: &'a [Transition]) -> Self {
        Self { system, transitions: transitions.iter() }
    }
}

impl<S: System + ?Sized> Guide for ReplayGuide<'_, S> {
    fn choose(&mut self, c: &Configuration, permissible: KindSet) -> Transition {
        match self.transitions.next() {
            Some(transition) if permissible.contains(transition.kind) => *transition,
            _ => self.system.fallback(c, permissible),
        }
    }
}

/// Picks random permissible transitions with its own small generator, so that the same seed gives the same tree
/// everywhere; for tests of robustness.
#[derive(Clone, Debug)]
pub struct RandomGuide {
    state: u64,
    n_labels: u32,
}

impl RandomGuide {
    /// Creates a guide that picks labels from 0 to `n_labels - 1`.
    pub fn new(seed: u64, n_labels: u32) -> Self {
        Self { state: seed, n_labels }
    }

    /// Returns a number below `limit` (splitmix64).
    pub fn below(&mut self, limit: u32) -> u32 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let high = ((z ^ (z >> 31)) >> 32).checked_rem(u64::from(limit)).unwrap_or(0);
        u32::try_from(high).unwrap_or(0)
    }
}

impl Guide for RandomGuide {
    fn choose(&mut self, _c: &Configuration, permissible: KindSet) -> Transition {
        let pick = self.below(u32::try_from(permissible.len()).unwrap_or(0)) as usize;
        let kind = permissible.iter().nth(pick).unwrap_or(Kind::Shift);
        let label = if kind.adds_arc() { Label(self.below(self.n_labels)) } else { Label::NONE };
        Transition { kind, label }
    }
}
