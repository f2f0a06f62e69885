//! The transition systems, one a file, each with its static oracle; and the table of them all.
//!
//! A system says which transitions are permissible, what they do, and (its static oracle) which
//! one leads to a gold tree. It holds its options and no state: state is in the
//! [`Configuration`].

mod arc_eager;
mod arc_hybrid;

use std::any::Any;
use std::fmt::Debug;

use quaich_treebank::symbols::Label;
use quaich_treebank::tree::Node;

pub use arc_eager::ArcEager;
pub use arc_hybrid::ArcHybrid;

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
}

impl Default for Options {
    fn default() -> Self {
        Self { root: RootPosition::Stack, single_root: false, root_label: Label::NONE }
    }
}

/// A transition system with its oracles.
pub trait System: Debug + Send + Sync + 'static {
    /// The options it was made with.
    fn options(&self) -> &Options;

    /// The kinds of transitions it uses.
    fn kinds(&self) -> KindSet;

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

    /// The transition made when the guide's choice is not permissible.
    fn fallback(&self, _c: &Configuration, permissible: KindSet) -> Transition {
        let kind = permissible.first().expect("a configuration that is not terminal has a transition");
        let label = if kind.adds_arc() { self.options().root_label } else { Label::NONE };
        Transition { kind, label }
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

    /// For finding out the concrete type, so that loops can be compiled for it.
    fn as_any(&self) -> &dyn Any;
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
    /// Makes the system.
    pub build: fn(Options) -> Box<dyn System>,
}

/// Every system, in the order help shows them.
pub static SYSTEMS: &[Entry] = &[
    Entry {
        name: "arc-eager",
        help: "attaches every word as soon as its head or dependent is seen",
        class: "projective trees",
        build: |options| Box::new(ArcEager::new(options)),
    },
    Entry {
        name: "arc-hybrid",
        help: "left arcs as arc-eager, right arcs as stack-projective; the best base for exploration",
        class: "projective trees",
        build: |options| Box::new(ArcHybrid::new(options)),
    },
];
