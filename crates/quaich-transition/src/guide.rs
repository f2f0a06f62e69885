//! The loop, and who picks the next transition in it: an oracle, a model, chance or a script.
//! Every one of them is a [`Guide`] and runs the same [`run`].

use quaich_treebank::symbols::Label;
use quaich_treebank::tree::{Node, Tree};

use crate::configuration::Configuration;
use crate::gold::Gold;
use crate::systems::System;
use crate::transition::{Kind, KindSet, Transition};

/// Picks transitions.
pub trait Guide {
    /// Called before the first transition of a sentence.
    fn start(&mut self, _c: &Configuration) {}

    /// The next transition. What is not in `permissible` is replaced by the system's fallback.
    fn choose(&mut self, c: &Configuration, permissible: KindSet) -> Transition;

    /// Whether choices are made even where they are not permissible.
    fn insists(&self) -> bool {
        false
    }

    /// Called before every transition that is made, chosen or forced.
    fn made(&mut self, _c: &Configuration, _transition: Transition, _forced: bool) {}
}

impl<G: Guide + ?Sized> Guide for &mut G {
    fn start(&mut self, c: &Configuration) {
        (**self).start(c);
    }
    fn choose(&mut self, c: &Configuration, permissible: KindSet) -> Transition {
        (**self).choose(c, permissible)
    }
    fn insists(&self) -> bool {
        (**self).insists()
    }
    fn made(&mut self, c: &Configuration, transition: Transition, forced: bool) {
        (**self).made(c, transition, forced);
    }
}

/// Parses a sentence of `n_tokens` tokens: the configuration holds a complete tree afterwards,
/// whatever the guide chose.
#[inline]
pub fn run<S: System + ?Sized, G: Guide + ?Sized>(
    system: &S,
    guide: &mut G,
    n_tokens: usize,
    c: &mut Configuration,
) {
    system.start(c, n_tokens);
    guide.start(c);
    while !system.is_terminal(c) {
        let forced = system.forced(c);
        let transition = forced.unwrap_or_else(|| {
            let permissible = system.permissible(c);
            let chosen = guide.choose(c, permissible);
            if permissible.contains(chosen.kind) || guide.insists() {
                chosen
            } else {
                system.fallback(c, permissible)
            }
        });
        guide.made(c, transition, forced.is_some());
        system.apply(c, transition);
        debug_assert!(c.n_transitions() <= system.bound(n_tokens), "{system:?} goes over its bound");
    }
    system.finish(c);
}

/// Follows a system's static oracle; where that has nothing to say, the system's fallback is made.
#[derive(Debug)]
pub struct StaticOracle<'a, S: ?Sized> {
    system: &'a S,
    gold: &'a mut Gold,
    /// Whether the oracle always had a permissible transition to offer.
    pub followed: bool,
}

impl<'a, S: System + ?Sized> StaticOracle<'a, S> {
    /// The oracle of `system` for a tree; `gold` is scratch space.
    pub fn new(system: &'a S, tree: &Tree, gold: &'a mut Gold) -> Self {
        gold.read(tree, system.options().root);
        system.prepare(gold);
        Self { system, gold, followed: true }
    }
}

impl<S: System + ?Sized> Guide for StaticOracle<'_, S> {
    fn start(&mut self, _c: &Configuration) {
        self.gold.rewind();
        self.followed = true;
    }

    fn choose(&mut self, c: &Configuration, permissible: KindSet) -> Transition {
        match self.system.oracle(c, self.gold) {
            Some(transition) if permissible.contains(transition.kind) || self.insists() => transition,
            _ => {
                self.followed = false;
                self.system.fallback(c, permissible)
            }
        }
    }

    fn insists(&self) -> bool {
        self.system.trusts_oracle()
    }
}

/// Follows a system's dynamic oracle: of the optimal kinds the first in the order of [`Kind`], arcs
/// before anything else.
#[derive(Debug)]
pub struct DynamicOracle<'a, S: ?Sized> {
    system: &'a S,
    gold: &'a mut Gold,
}

impl<'a, S: System + ?Sized> DynamicOracle<'a, S> {
    /// The dynamic oracle of `system` for a tree; `gold` is scratch space.
    pub fn new(system: &'a S, tree: &Tree, gold: &'a mut Gold) -> Self {
        gold.read(tree, system.options().root);
        system.prepare(gold);
        Self { system, gold }
    }
}

impl<S: System + ?Sized> Guide for DynamicOracle<'_, S> {
    fn start(&mut self, _c: &Configuration) {
        self.gold.rewind();
    }

    fn choose(&mut self, c: &Configuration, permissible: KindSet) -> Transition {
        let optimal = self.system.optimal(c, self.gold);
        let kind = optimal.iter().find(|kind| kind.adds_arc()).or(optimal.first()).or(permissible.first());
        let kind = kind.unwrap_or(Kind::Shift);
        let label = match self.system.arc(c, kind) {
            Some((_, dependent)) => self.gold.label(dependent),
            None => Label::NONE,
        };
        Transition { kind, label }
    }
}

/// Plays back recorded transitions; after the last one the system's fallback is made.
#[derive(Clone, Debug)]
pub struct Script<'a> {
    transitions: std::slice::Iter<'a, Transition>,
}

impl<'a> Script<'a> {
    /// Plays back these transitions.
    pub fn new(transitions: &'a [Transition]) -> Self {
        Self { transitions: transitions.iter() }
    }
}

impl Guide for Script<'_> {
    fn choose(&mut self, _c: &Configuration, permissible: KindSet) -> Transition {
        let fallback = Transition::plain(permissible.first().unwrap_or(Kind::Shift));
        self.transitions.next().copied().unwrap_or(fallback)
    }
}

/// Picks any permissible transition by a small generator of its own, so that the same seed gives
/// the same tree everywhere; for tests of robustness.
#[derive(Clone, Debug)]
pub struct Chance {
    state: u64,
    n_labels: u32,
}

impl Chance {
    /// Picks among labels 0 to `n_labels - 1`.
    pub fn new(seed: u64, n_labels: u32) -> Self {
        Self { state: seed, n_labels }
    }

    /// A number below `limit` (splitmix64).
    pub fn below(&mut self, limit: u32) -> u32 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let high = ((z ^ (z >> 31)) >> 32).checked_rem(u64::from(limit)).unwrap_or(0);
        u32::try_from(high).unwrap_or(0)
    }
}

impl Guide for Chance {
    fn choose(&mut self, _c: &Configuration, permissible: KindSet) -> Transition {
        let pick = self.below(u32::try_from(permissible.len()).unwrap_or(0)) as usize;
        let kind = permissible.iter().nth(pick).unwrap_or(Kind::Shift);
        let label = if kind.adds_arc() { Label(self.below(self.n_labels)) } else { Label::NONE };
        Transition { kind, label }
    }
}

/// One step of a derivation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// The transition made.
    pub transition: Transition,
    /// Whether it was forced, so that no guide was asked.
    pub forced: bool,
}

/// Wraps a guide and notes what is made.
#[derive(Clone, Debug)]
pub struct Recorder<G> {
    /// The guide that decides.
    pub guide: G,
    /// The transitions made since the sentence started.
    pub steps: Vec<Step>,
}

impl<G: Guide> Recorder<G> {
    /// Notes what `guide` does.
    pub fn new(guide: G) -> Self {
        Self { guide, steps: Vec::new() }
    }
}

impl<G: Guide> Guide for Recorder<G> {
    fn start(&mut self, c: &Configuration) {
        self.steps.clear();
        self.guide.start(c);
    }

    fn choose(&mut self, c: &Configuration, permissible: KindSet) -> Transition {
        self.guide.choose(c, permissible)
    }

    fn insists(&self) -> bool {
        self.guide.insists()
    }

    fn made(&mut self, c: &Configuration, transition: Transition, forced: bool) {
        self.steps.push(Step { transition, forced });
        self.guide.made(c, transition, forced);
    }
}

/// What the static oracle does with a tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Derivation {
    /// The transitions.
    pub steps: Vec<Step>,
    /// Whether they build the tree; if not, it is outside the system's class.
    pub exact: bool,
}

/// Runs the static oracle over a tree.
pub fn derive<S: System + ?Sized>(
    system: &S,
    tree: &Tree,
    gold: &mut Gold,
    c: &mut Configuration,
) -> Derivation {
    let mut recorder = Recorder::new(StaticOracle::new(system, tree, gold));
    run(system, &mut recorder, tree.n_tokens(), c);
    let guide = &recorder.guide;
    let same = |token: Node| tree.head(token) == c.head(token) || tree.head(token).is_none();
    // Heads that only the finish gave do not count as derived.
    let n_arcs = tree.tokens().filter(|&token| guide.gold.built_head(token).is_some()).count();
    let n_built = recorder.steps.iter().filter(|step| step.transition.kind.adds_arc()).count();
    let exact = guide.followed && n_built == n_arcs && tree.tokens().all(same);
    Derivation { steps: recorder.steps, exact }
}
