//! Oracles: the correct transitions of a configuration, given a gold tree, and guides that follow them.
//!
//! A static oracle knows one correct transition, and only on the path to the gold tree; a dynamic oracle knows all that
//! lose nothing, in any configuration. If an oracle has no permissible transition, the system's fallback is made,
//! except that systems which trust their oracle do what it says.

use quaich_treebank::symbols::Label;
use quaich_treebank::tree::{Node, Tree};

use crate::configuration::Configuration;
use crate::gold::Gold;
use crate::guide::{Guide, run};
use crate::systems::System;
use crate::transition::{Kind, KindSet, Transition};
use crate::watcher::{Recorder, Step, Watcher};

/// The correct transitions of a configuration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CorrectTransitions {
    /// Their kinds: one from a static oracle, one or several from a dynamic one.
    pub kinds: KindSet,
    /// The transition to follow, with its label.
    pub preferred: Transition,
    /// Whether they are from an oracle. If it has none to offer because the tree is outside the system's class, the
    /// system's fallback is used, from which nothing should be learned.
    pub known: bool,
}

impl CorrectTransitions {
    fn only(transition: Transition, known: bool) -> Self {
        Self { kinds: KindSet::of(&[transition.kind]), preferred: transition, known }
    }

    /// Queries the static oracle.
    fn by_static_oracle<S: System + ?Sized>(
        system: &S,
        c: &Configuration,
        gold: &mut Gold,
        permissible: KindSet,
    ) -> Self {
        match system.oracle(c, gold) {
            Some(transition) if permissible.contains(transition.kind) || system.trusts_oracle() => {
                Self::only(transition, true)
            }
            _ => Self::only(system.fallback(c, permissible), false),
        }
    }

    /// Queries the dynamic oracle. Of several kinds the first in the order of [`Kind`] is preferred, arcs before
    /// anything else.
    fn by_dynamic_oracle<S: System + ?Sized>(
        system: &S,
        c: &Configuration,
        gold: &mut Gold,
        permissible: KindSet,
    ) -> Self {
        let kinds = system.optimal(c, gold);
        match kinds.iter().find(|kind| kind.adds_arc()).or(kinds.first()) {
            Some(kind) => Self { kinds, preferred: with_gold_label(system, c, gold, kind), known: true },
            None => Self::only(system.fallback(c, permissible), false),
        }
    }
}

/// Returns a transition of this kind with the gold label of its arc; without a label if the arc is not gold.
fn with_gold_label<S: System + ?Sized>(system: &S, c: &Configuration, gold: &Gold, kind: Kind) -> Transition {
    let Some((head, dependent)) = system.arc(c, kind) else { return Transition::plain(kind) };
    // An edge can be an arc in either direction.
    let (dependent, rightwards) = if gold.has_arc(head, dependent) {
        (dependent, true)
    } else if kind == Kind::Arc && gold.has_arc(dependent, head) {
        (head, false)
    } else {
        return Transition::arc(kind, Label::NONE);
    };
    Transition::arc(kind, system.labelling().of_arc(gold.label(dependent), rightwards))
}

/// Returns the correct transitions, sentence after sentence; for recorders and learners, in any configuration.
///
/// ```
/// use quaich_transition::configuration::Configuration;
/// use quaich_transition::guide::{RandomGuide, run};
/// use quaich_transition::oracle::Oracle;
/// use quaich_transition::systems::{ArcHybrid, Options};
/// use quaich_transition::transition::{KindSet, Transition};
/// use quaich_transition::watcher::Watcher;
/// use quaich_treebank::tree::Tree;
///
/// /// Records the correct transitions wherever a guide had a choice.
/// struct Explorer<'a> {
///     system: &'a ArcHybrid,
///     oracle: Oracle,
///     right: Vec<Vec<Transition>>,
/// }
///
/// impl Watcher for Explorer<'_> {
///     fn chosen(&mut self, c: &Configuration, permissible: KindSet, _transition: Transition) {
///         if permissible.len() > 1 {
///             let kinds = self.oracle.correct(self.system, c, permissible).kinds;
///             let right = kinds.iter().map(|kind| self.oracle.transition(self.system, c, kind));
///             self.right.push(right.collect());
///         }
///     }
/// }
///
/// let system = ArcHybrid::new(Options::default());
/// let mut explorer = Explorer { system: &system, oracle: Oracle::new(), right: Vec::new() };
/// explorer.oracle.read(&system, &Tree::from_heads(&[2, 0, 2]));
/// run(&system, &mut RandomGuide::new(1, 5), &mut explorer, 3, &mut Configuration::new());
/// assert!(explorer.right.iter().all(|right| !right.is_empty()));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Oracle {
    gold: Gold,
    static_only: bool,
}

impl Oracle {
    /// Creates an oracle that is dynamic for systems that have one, static for the others.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a static oracle for any system.
    pub fn static_only() -> Self {
        Self { static_only: true, ..Self::default() }
    }

    /// Reads the tree of the next sentence.
    pub fn read<S: System + ?Sized>(&mut self, system: &S, tree: &Tree) {
        self.gold.read(tree, system.options().root);
        system.prepare(&mut self.gold);
    }

    /// Resets the state for another run over the same tree.
    pub fn rewind(&mut self) {
        self.gold.rewind();
    }

    /// Returns the correct transitions of a configuration. Static oracles must be queried at every choice in turn.
    pub fn correct<S: System + ?Sized>(
        &mut self,
        system: &S,
        c: &Configuration,
        permissible: KindSet,
    ) -> CorrectTransitions {
        if self.static_only || !system.has_dynamic_oracle() {
            CorrectTransitions::by_static_oracle(system, c, &mut self.gold, permissible)
        } else {
            CorrectTransitions::by_dynamic_oracle(system, c, &mut self.gold, permissible)
        }
    }

    /// Returns a transition of this kind with the correct label of its arc; without a label if the arc is not gold,
    /// where all labels are equally wrong.
    pub fn transition<S: System + ?Sized>(&self, system: &S, c: &Configuration, kind: Kind) -> Transition {
        with_gold_label(system, c, &self.gold, kind)
    }

    /// Returns the gold tree.
    pub fn gold(&self) -> &Gold {
        &self.gold
    }
}

/// Follows a system's static oracle.
#[derive(Debug)]
pub struct StaticOracle<'a, S: ?Sized> {
    system: &'a S,
    gold: &'a mut Gold,
    /// Whether the oracle always had a transition to offer.
    pub followed: bool,
}

impl<'a, S: System + ?Sized> StaticOracle<'a, S> {
    /// Creates the oracle of `system` for a tree; `gold` is a buffer.
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
        let right = CorrectTransitions::by_static_oracle(self.system, c, self.gold, permissible);
        self.followed &= right.known;
        right.preferred
    }
}

/// Follows a system's dynamic oracle.
#[derive(Debug)]
pub struct DynamicOracle<'a, S: ?Sized> {
    system: &'a S,
    gold: &'a mut Gold,
}

impl<'a, S: System + ?Sized> DynamicOracle<'a, S> {
    /// Creates the dynamic oracle of `system` for a tree; `gold` is a buffer.
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
        CorrectTransitions::by_dynamic_oracle(self.system, c, self.gold, permissible).preferred
    }
}

/// The derivation of a tree by the static oracle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Derivation {
    /// The transitions.
    pub steps: Vec<Step>,
    /// Whether it builds the tree; if not, the tree is outside the system's class.
    pub exact: bool,
}

/// Runs the static oracle over a tree.
pub fn derive<S: System + ?Sized>(
    system: &S,
    tree: &Tree,
    gold: &mut Gold,
    c: &mut Configuration,
) -> Derivation {
    let mut recorder = Recorder::default();
    let exact = derives(system, tree, gold, c, &mut recorder);
    Derivation { steps: recorder.steps, exact }
}

/// Runs the static oracle over a tree with a watcher; returns whether it builds the tree. SWAP can need a quadratic
/// number of transitions to sort a random tree, which not every caller wants to store.
pub fn derives<S: System + ?Sized, W: Watcher>(
    system: &S,
    tree: &Tree,
    gold: &mut Gold,
    c: &mut Configuration,
    watcher: &mut W,
) -> bool {
    let mut oracle = StaticOracle::new(system, tree, gold);
    let mut built = Built(0);
    run(system, &mut oracle, &mut (&mut built, watcher), tree.n_tokens(), c);
    let same = |token: Node| tree.head(token) == c.head(token) || tree.head(token).is_none();
    // Heads assigned only by the final step do not count as derived.
    let n_arcs = tree.tokens().filter(|&token| oracle.gold.built_head(token).is_some()).count();
    oracle.followed && built.0 == n_arcs && tree.tokens().all(same)
}

/// Counts arcs.
struct Built(usize);

impl Watcher for Built {
    #[inline]
    fn made(&mut self, _c: &Configuration, transition: Transition, _forced: bool) {
        self.0 += usize::from(transition.kind.adds_arc());
    }
}
