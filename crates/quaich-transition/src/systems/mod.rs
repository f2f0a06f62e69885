//! The transition systems, one per file, each with its static oracle; and the table of all systems.
//!
//! A system defines which transitions are permissible, what they do, and (its static oracle) which one leads to a gold
//! tree. It has options but no state: the state is in the [`Configuration`].

#[cfg(test)]
#[allow(unreachable_pub, reason = "to be copied, and public then")]
mod _template;
mod arc_eager;
mod arc_hybrid;
mod arc_hybrid_swap;
mod arc_standard;
mod attardi;
mod covington;
mod covington_projective;
mod dispatch;
mod labelling;
mod planar;
mod reconstruction;
mod stack_projective;
mod swap;
mod two_planar;
mod undirected;
mod variant;

use std::any::Any;
use std::fmt::Debug;

use quaich_treebank::symbols::Label;
use quaich_treebank::tree::Node;

pub use arc_eager::ArcEager;
pub use arc_hybrid::ArcHybrid;
pub use arc_hybrid_swap::ArcHybridSwap;
pub use arc_standard::ArcStandard;
pub use attardi::Attardi;
pub use covington::Covington;
pub use covington_projective::CovingtonProjective;
pub use dispatch::{Visitor, dispatch};
pub use labelling::{Labelling, mark, unmark};
pub use planar::Planar;
pub use reconstruction::Reconstruction;
pub use stack_projective::StackProjective;
pub use swap::{Swap, SwapRule};
pub use two_planar::TwoPlanar;
pub use undirected::Undirected;
pub use variant::Variant;

use crate::configuration::{Configuration, RootPosition};
use crate::constraints::{GivenArcs, local};
use crate::gold::Gold;
use crate::transition::{Kind, KindSet, Transition};

/// The options of all systems.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// The position of node 0.
    pub root: RootPosition,
    /// Whether 0 gets exactly one child.
    pub single_root: bool,
    /// The label of arcs that no transition built: those of the final step.
    pub root_label: Label,
    /// How undirected systems find the directions of arcs.
    pub reconstruction: Reconstruction,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            root: RootPosition::Stack,
            single_root: false,
            root_label: Label::NONE,
            reconstruction: Reconstruction::default(),
        }
    }
}

/// A transition system with its oracles. A system that changes little of another is a [`Variant`] of it. [`Any`] is a
/// supertrait so that [`dispatch`] can find the concrete type and loops can be compiled for it.
pub trait System: Any + Debug + Send + Sync {
    /// Returns its options.
    fn options(&self) -> &Options;

    /// Returns the kinds of transitions it uses.
    fn kinds(&self) -> KindSet;

    /// Returns the relation of its labels to those of trees.
    fn labelling(&self) -> Labelling {
        Labelling::Plain
    }

    /// Returns the most transitions that a sentence of `n_tokens` tokens can take.
    fn bound(&self, n_tokens: usize) -> usize;

    /// Sets up the initial configuration.
    fn start(&self, c: &mut Configuration, n_tokens: usize) {
        c.reset(n_tokens, self.options().root);
    }

    /// Whether the configuration is terminal.
    fn is_terminal(&self, c: &Configuration) -> bool;

    /// Returns the kinds whose preconditions hold; not empty unless the configuration is terminal.
    fn permissible(&self, c: &Configuration) -> KindSet;

    /// Returns head and dependent of the arc that a permissible kind would add. For undirected edges, the node nearer
    /// to the start comes first.
    fn arc(&self, c: &Configuration, kind: Kind) -> Option<(Node, Node)>;

    /// Applies a permissible transition.
    fn apply(&self, c: &mut Configuration, transition: Transition);

    /// Turns a terminal configuration into a tree.
    fn finish(&self, c: &mut Configuration) {
        let options = self.options();
        if options.single_root {
            c.attach_rest_to_single_root(options.root_label);
        } else {
            c.attach_rest_to_root(options.root_label);
        }
    }

    /// Returns a transition that is made without a choice.
    fn forced(&self, _c: &Configuration) -> Option<Transition> {
        None
    }

    /// Returns the transition made if an oracle or a script has no permissible one to offer.
    fn fallback(&self, _c: &Configuration, permissible: KindSet) -> Transition {
        let kind = permissible.first().expect("a configuration that is not terminal has a transition");
        let label = if kind.adds_arc() { self.options().root_label } else { Label::NONE };
        Transition { kind, label }
    }

    /// Whether the static oracle is followed even if its transition is not permissible, as in `MaltParser`'s training.
    fn trusts_oracle(&self) -> bool {
        false
    }

    /// Computes what the oracles need in addition to [`Gold::read`].
    fn prepare(&self, _gold: &mut Gold) {}

    /// The static oracle: returns the next transition on the path to the gold tree, `None` if there is none because the
    /// tree is outside the system's class.
    fn oracle(&self, c: &Configuration, gold: &mut Gold) -> Option<Transition>;

    /// Whether [`optimal`](Self::optimal) can be called.
    fn has_dynamic_oracle(&self) -> bool {
        false
    }

    /// The dynamic oracle: returns the permissible kinds after which as many gold heads are reachable as before. See
    /// [`dynamic`](crate::dynamic) for the properties of each system's oracle.
    fn optimal(&self, c: &Configuration, _gold: &mut Gold) -> KindSet {
        self.permissible(c)
    }

    /// Returns the permissible kinds that lose no given arc, as far as the system can tell: see
    /// [`constraints`](crate::constraints). It is called in every configuration of a run that has a choice.
    fn consistent(&self, c: &Configuration, given: &mut GivenArcs) -> KindSet {
        local::consistent(self, c, given)
    }
}

/// An entry of the table of systems.
#[derive(Debug)]
pub struct Entry {
    /// The name on the command line.
    pub name: &'static str,
    /// One line of help.
    pub help: &'static str,
    /// The trees it derives, as worded in the documentation.
    pub class: &'static str,
    /// Whether buffer transitions can be added.
    pub takes_buffer_arcs: bool,
    /// Whether a second pass can be added: only if tokens can remain without a head.
    pub takes_second_pass: bool,
    /// Whether it builds edges instead of arcs.
    pub is_undirected: bool,
    /// Creates the system.
    pub build: fn(Options) -> Box<dyn System>,
}

/// All systems, in the order of help.
pub static SYSTEMS: &[Entry] = &[
    Entry {
        name: "arc-eager",
        help: "attaches every word as early as possible, to its head or its dependents",
        class: "projective trees",
        takes_buffer_arcs: true,
        takes_second_pass: true,
        is_undirected: false,
        build: |options| Box::new(ArcEager::new(options)),
    },
    Entry {
        name: "arc-standard",
        help: "attaches a word after all its dependents; arcs between stack top and buffer front",
        class: "projective trees",
        takes_buffer_arcs: true,
        takes_second_pass: true,
        is_undirected: false,
        build: |options| Box::new(ArcStandard::new(options)),
    },
    Entry {
        name: "arc-hybrid",
        help: "left arcs as in arc-eager, right arcs as in stack-projective; the best base for exploration",
        class: "projective trees",
        takes_buffer_arcs: true,
        takes_second_pass: false,
        is_undirected: false,
        build: |options| Box::new(ArcHybrid::new(options)),
    },
    Entry {
        name: "arc-hybrid-swap",
        help: "arc-hybrid with word reordering",
        class: "all trees",
        takes_buffer_arcs: true,
        takes_second_pass: false,
        is_undirected: false,
        build: |options| Box::new(ArcHybridSwap::new(options)),
    },
    Entry {
        name: "stack-projective",
        help: "arc-standard with arcs between the two top nodes of the stack",
        class: "projective trees",
        takes_buffer_arcs: true,
        takes_second_pass: false,
        is_undirected: false,
        build: |options| Box::new(StackProjective::new(options)),
    },
    Entry {
        name: "swap-eager",
        help: "stack-projective with word reordering; the oracle swaps as early as possible",
        class: "all trees",
        takes_buffer_arcs: true,
        takes_second_pass: false,
        is_undirected: false,
        build: |options| Box::new(Swap::new(options, SwapRule::Eager)),
    },
    Entry {
        name: "swap-lazy",
        help: "stack-projective with word reordering; the oracle swaps whole projective components",
        class: "all trees",
        takes_buffer_arcs: true,
        takes_second_pass: false,
        is_undirected: false,
        build: |options| Box::new(Swap::new(options, SwapRule::Lazy)),
    },
    Entry {
        name: "planar",
        help: "builds arcs that do not cross",
        class: "planar trees",
        takes_buffer_arcs: true,
        takes_second_pass: true,
        is_undirected: false,
        build: |options| Box::new(Planar::new(options)),
    },
    Entry {
        name: "two-planar",
        help: "builds arcs in two planes; arcs of one plane do not cross; two stacks",
        class: "2-planar trees",
        takes_buffer_arcs: true,
        takes_second_pass: true,
        is_undirected: false,
        build: |options| Box::new(TwoPlanar::new(options)),
    },
    Entry {
        name: "covington",
        help: "compares every pair of words; quadratic",
        class: "all trees",
        takes_buffer_arcs: false,
        takes_second_pass: false,
        is_undirected: false,
        build: |options| Box::new(Covington::new(options)),
    },
    Entry {
        name: "covington-projective",
        help: "compares the pairs of words that projectivity allows",
        class: "projective trees",
        takes_buffer_arcs: false,
        takes_second_pass: false,
        is_undirected: false,
        build: |options| Box::new(CovingtonProjective::new(options)),
    },
    Entry {
        name: "undirected-planar",
        help: "planar with undirected edges; directions are found after parsing",
        class: "planar trees",
        takes_buffer_arcs: false,
        takes_second_pass: false,
        is_undirected: true,
        build: |options| Box::new(Undirected::new(Planar::new(options))),
    },
    Entry {
        name: "undirected-two-planar",
        help: "two-planar with undirected edges; directions are found after parsing",
        class: "2-planar trees",
        takes_buffer_arcs: false,
        takes_second_pass: false,
        is_undirected: true,
        build: |options| Box::new(Undirected::new(TwoPlanar::new(options))),
    },
    Entry {
        name: "undirected-covington",
        help: "covington with undirected edges; directions are found after parsing",
        class: "all trees",
        takes_buffer_arcs: false,
        takes_second_pass: false,
        is_undirected: true,
        build: |options| Box::new(Undirected::new(Covington::new(options))),
    },
    Entry {
        name: "attardi",
        help: "stack-projective with arcs over the second node of the stack",
        class: "projective trees and some others",
        takes_buffer_arcs: true,
        takes_second_pass: false,
        is_undirected: false,
        build: |options| Box::new(Attardi::new(options)),
    },
];

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::oracle::derive;
    use crate::watcher::Step;
    use quaich_treebank::tree::Tree;

    /// Checks the oracle's transitions for a tree in which token x has label x, as printed on the command line; forced
    /// ones in parentheses.
    pub(crate) fn check(system: &dyn System, heads: &[u32], expected: &str) {
        let mut tree = Tree::from_heads(heads);
        for token in tree.tokens() {
            tree.set(token, tree.head(token), Label(token.0));
        }
        let derivation = derive(system, &tree, &mut Gold::new(), &mut Configuration::new());
        let name = |step: &Step| {
            let Transition { kind, label } = step.transition;
            let text = if label.is_none() { kind.to_string() } else { format!("{kind}:{}", label.0) };
            if step.forced { format!("({text})") } else { text }
        };
        let found: Vec<String> = derivation.steps.iter().map(name).collect();
        assert_eq!(found.join(" "), expected);
    }
}
