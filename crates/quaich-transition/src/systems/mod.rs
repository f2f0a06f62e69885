//! The transition systems, one a file, each with its static oracle; and the table of them all.
//!
//! A system says which transitions are permissible, what they do, and (its static oracle) which
//! one leads to a gold tree. It holds its options and no state: state is in the
//! [`Configuration`].

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
use crate::gold::Gold;
use crate::transition::{Kind, KindSet, Transition};

/// What every system can be told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Where node 0 is.
    pub root: RootPosition,
    /// Whether 0 gets exactly one child.
    pub single_root: bool,
    /// The label of arcs that no transition built: those of the finish.
    pub root_label: Label,
    /// How undirected systems find directions.
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

/// A transition system with its oracles. One that changes little of another is a [`Variant`] of it. That it is
/// [`Any`] lets [`dispatch`] find out which it is, so that loops can be compiled for it.
pub trait System: Any + Debug + Send + Sync {
    /// The options it was made with.
    fn options(&self) -> &Options;

    /// The kinds of transitions it uses.
    fn kinds(&self) -> KindSet;

    /// What its labels say beyond those of trees.
    fn labelling(&self) -> Labelling {
        Labelling::Plain
    }

    /// The most transitions a sentence of `n_tokens` tokens can take.
    fn bound(&self, n_tokens: usize) -> usize;

    /// Sets up the initial configuration.
    fn start(&self, c: &mut Configuration, n_tokens: usize) {
        c.reset(n_tokens, self.options().root);
    }

    /// Whether the configuration is terminal.
    fn is_terminal(&self, c: &Configuration) -> bool;

    /// The kinds whose preconditions hold; never empty unless the configuration is terminal.
    fn permissible(&self, c: &Configuration) -> KindSet;

    /// Head and dependent of the arc that a permissible kind would add. For undirected edges the
    /// node nearer the start comes first.
    fn arc(&self, c: &Configuration, kind: Kind) -> Option<(Node, Node)>;

    /// Makes a permissible transition.
    fn apply(&self, c: &mut Configuration, transition: Transition);

    /// Makes a tree of a terminal configuration.
    fn finish(&self, c: &mut Configuration) {
        let options = self.options();
        if options.single_root {
            c.attach_rest_to_single_root(options.root_label);
        } else {
            c.attach_rest_to_root(options.root_label);
        }
    }

    /// A transition made without asking anybody.
    fn forced(&self, _c: &Configuration) -> Option<Transition> {
        None
    }

    /// The transition made where an oracle or a script has no permissible one to offer.
    fn fallback(&self, _c: &Configuration, permissible: KindSet) -> Transition {
        let kind = permissible.first().expect("a configuration that is not terminal has a transition");
        let label = if kind.adds_arc() { self.options().root_label } else { Label::NONE };
        Transition { kind, label }
    }

    /// Whether what the static oracle says is made even where it is not permissible, as `MaltParser`
    /// trains.
    fn trusts_oracle(&self) -> bool {
        false
    }

    /// Works out what the oracles need beyond [`Gold::read`].
    fn prepare(&self, _gold: &mut Gold) {}

    /// The static oracle: the next transition on the way to the gold tree, `None` where it has none
    /// to offer because the tree is outside the system's class.
    fn oracle(&self, c: &Configuration, gold: &mut Gold) -> Option<Transition>;

    /// Whether [`optimal`](Self::optimal) may be called.
    fn has_dynamic_oracle(&self) -> bool {
        false
    }

    /// The dynamic oracle: the permissible kinds after which as many gold heads can still be
    /// reached as before. See [`dynamic`](crate::dynamic) for what each system promises.
    fn optimal(&self, c: &Configuration, _gold: &mut Gold) -> KindSet {
        self.permissible(c)
    }
}

/// A row of the table of systems.
#[derive(Debug)]
pub struct Entry {
    /// The name on the command line.
    pub name: &'static str,
    /// One line of help.
    pub help: &'static str,
    /// Which trees it derives, in the words of the documentation.
    pub class: &'static str,
    /// Whether buffer transitions can be added.
    pub takes_buffer_arcs: bool,
    /// Whether a second pass can be added: only where tokens can be left without a head.
    pub takes_second_pass: bool,
    /// Whether it builds edges instead of arcs.
    pub is_undirected: bool,
    /// Makes the system.
    pub build: fn(Options) -> Box<dyn System>,
}

/// Every system, in the order help shows them.
pub static SYSTEMS: &[Entry] = &[
    Entry {
        name: "arc-eager",
        help: "attaches every word as soon as its head or dependent is seen",
        class: "projective trees",
        takes_buffer_arcs: true,
        takes_second_pass: true,
        is_undirected: false,
        build: |options| Box::new(ArcEager::new(options)),
    },
    Entry {
        name: "arc-standard",
        help: "attaches a word when it has all its dependents; stack top and buffer front",
        class: "projective trees",
        takes_buffer_arcs: true,
        takes_second_pass: true,
        is_undirected: false,
        build: |options| Box::new(ArcStandard::new(options)),
    },
    Entry {
        name: "arc-hybrid",
        help: "left arcs as arc-eager, right arcs as stack-projective; the best base for exploration",
        class: "projective trees",
        takes_buffer_arcs: true,
        takes_second_pass: false,
        is_undirected: false,
        build: |options| Box::new(ArcHybrid::new(options)),
    },
    Entry {
        name: "arc-hybrid-swap",
        help: "arc-hybrid that can reorder words",
        class: "all trees",
        takes_buffer_arcs: true,
        takes_second_pass: false,
        is_undirected: false,
        build: |options| Box::new(ArcHybridSwap::new(options)),
    },
    Entry {
        name: "stack-projective",
        help: "arc-standard on the two top nodes of the stack",
        class: "projective trees",
        takes_buffer_arcs: true,
        takes_second_pass: false,
        is_undirected: false,
        build: |options| Box::new(StackProjective::new(options)),
    },
    Entry {
        name: "swap-eager",
        help: "stack-projective that can reorder words; the oracle swaps as soon as it can",
        class: "all trees",
        takes_buffer_arcs: true,
        takes_second_pass: false,
        is_undirected: false,
        build: |options| Box::new(Swap::new(options, SwapRule::Eager)),
    },
    Entry {
        name: "swap-lazy",
        help: "stack-projective that can reorder words; the oracle swaps whole projective parts",
        class: "all trees",
        takes_buffer_arcs: true,
        takes_second_pass: false,
        is_undirected: false,
        build: |options| Box::new(Swap::new(options, SwapRule::Lazy)),
    },
    Entry {
        name: "planar",
        help: "arcs that do not cross",
        class: "planar trees",
        takes_buffer_arcs: true,
        takes_second_pass: true,
        is_undirected: false,
        build: |options| Box::new(Planar::new(options)),
    },
    Entry {
        name: "two-planar",
        help: "arcs in two planes, within which they do not cross; two stacks",
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
        help: "compares pairs of words as far as projectivity allows",
        class: "projective trees",
        takes_buffer_arcs: false,
        takes_second_pass: false,
        is_undirected: false,
        build: |options| Box::new(CovingtonProjective::new(options)),
    },
    Entry {
        name: "undirected-planar",
        help: "planar with edges; directions are found afterwards",
        class: "planar trees",
        takes_buffer_arcs: false,
        takes_second_pass: false,
        is_undirected: true,
        build: |options| Box::new(Undirected::new(Planar::new(options))),
    },
    Entry {
        name: "undirected-two-planar",
        help: "two-planar with edges; directions are found afterwards",
        class: "2-planar trees",
        takes_buffer_arcs: false,
        takes_second_pass: false,
        is_undirected: true,
        build: |options| Box::new(Undirected::new(TwoPlanar::new(options))),
    },
    Entry {
        name: "undirected-covington",
        help: "covington with edges; directions are found afterwards",
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

    /// The oracle's transitions for a tree in which token x has label x, as the command line prints
    /// them; forced ones in parentheses.
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
