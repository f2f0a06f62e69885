//! Observers of the parsing loop: recorders, tracers, counters. A watcher changes nothing.

use crate::configuration::Configuration;
use crate::transition::{KindSet, Transition};

/// Observes every transition before it is made.
///
/// ```
/// use quaich_transition::configuration::Configuration;
/// use quaich_transition::guide::{RandomGuide, run};
/// use quaich_transition::systems::{ArcHybridSwap, Options};
/// use quaich_transition::transition::{Kind, Transition};
/// use quaich_transition::watcher::{Recorder, Watcher};
///
/// /// Counts SWAP.
/// #[derive(Default)]
/// struct Swaps(usize);
///
/// impl Watcher for Swaps {
///     fn made(&mut self, _c: &Configuration, transition: Transition, _forced: bool) {
///         self.0 += usize::from(transition.kind == Kind::Swap);
///     }
/// }
///
/// let system = ArcHybridSwap::new(Options::default());
/// let (mut swaps, mut recorder) = (Swaps::default(), Recorder::default());
/// run(&system, &mut RandomGuide::new(1, 5), &mut (&mut swaps, &mut recorder), 7, &mut Configuration::new());
/// assert_eq!(recorder.steps.len(), 2 * 7 + 2 * swaps.0);
/// ```
pub trait Watcher {
    /// Called before the first transition of a sentence.
    fn start(&mut self, _c: &Configuration) {}

    /// Called when the guide has chosen a transition; not for forced transitions.
    fn chosen(&mut self, _c: &Configuration, _permissible: KindSet, _transition: Transition) {}

    /// Called before every transition, chosen or forced.
    fn made(&mut self, _c: &Configuration, _transition: Transition, _forced: bool) {}
}

/// The watcher that does nothing.
impl Watcher for () {}

impl<W: Watcher + ?Sized> Watcher for &mut W {
    #[inline]
    fn start(&mut self, c: &Configuration) {
        (**self).start(c);
    }
    #[inline]
    fn chosen(&mut self, c: &Configuration, permissible: KindSet, transition: Transition) {
        (**self).chosen(c, permissible, transition);
    }
    #[inline]
    fn made(&mut self, c: &Configuration, transition: Transition, forced: bool) {
        (**self).made(c, transition, forced);
    }
}

/// Two watchers.
impl<A: Watcher, B: Watcher> Watcher for (A, B) {
    #[inline]
    fn start(&mut self, c: &Configuration) {
        self.0.start(c);
        self.1.start(c);
    }
    #[inline]
    fn chosen(&mut self, c: &Configuration, permissible: KindSet, transition: Transition) {
        self.0.chosen(c, permissible, transition);
        self.1.chosen(c, permissible, transition);
    }
    #[inline]
    fn made(&mut self, c: &Configuration, transition: Transition, forced: bool) {
        self.0.made(c, transition, forced);
        self.1.made(c, transition, forced);
    }
}

/// One step of a derivation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// The transition made.
    pub transition: Transition,
    /// Whether it was forced, so that no guide was called.
    pub forced: bool,
}

/// Records transitions.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    /// The transitions made since the sentence started.
    pub steps: Vec<Step>,
}

impl Watcher for Recorder {
    fn start(&mut self, _c: &Configuration) {
        self.steps.clear();
    }

    fn made(&mut self, _c: &Configuration, transition: Transition, forced: bool) {
        self.steps.push(Step { transition, forced });
    }
}
