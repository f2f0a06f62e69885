//! Sentences → states: following the static oracle, and exploring what a model does after its
//! first mistake.

use quaich_features::{Focus, Program, Scratch, Tokens};
use quaich_transition::configuration::Configuration;
use quaich_transition::gold::Gold;
use quaich_transition::guide::{Guide, StaticOracle, run};
use quaich_transition::systems::System;
use quaich_transition::transition::{Kind, KindSet, Transition};
use quaich_treebank::{Node, Sentence, Tree};
use rayon::prelude::*;

use crate::model::Model;
use crate::states::States;

/// Sentences a thread takes at a time. The parts are put together in order, so that the result
/// does not depend on the number of threads.
const CHUNK: usize = 100;

/// A sentence with the tree to be learned.
#[derive(Clone, Debug)]
pub struct Example {
    /// The words.
    pub sentence: Sentence,
    /// The tree, after all transformations.
    pub tree: Tree,
}

/// The two programs whose values states hold.
#[derive(Debug)]
pub struct Programs {
    /// For choosing a transition.
    pub transition: Program,
    /// For choosing a label.
    pub label: Program,
}

/// The states in which a transition or a label was chosen.
#[derive(Debug)]
pub struct Collected {
    /// Classes are places in the list of kinds.
    pub transitions: States,
    /// Classes are labels.
    pub labels: States,
}

impl Collected {
    fn new(programs: &Programs) -> Self {
        Self {
            transitions: States::new(programs.transition.n_values()),
            labels: States::new(programs.label.n_values()),
        }
    }

    /// Adds what another collection holds.
    pub fn append(&mut self, other: &Self) {
        self.transitions.append(&other.transitions);
        self.labels.append(&other.labels);
    }
}

/// Follows the static oracle through every example.
pub fn follow<S: System + ?Sized>(system: &S, programs: &Programs, examples: &[&Example]) -> Collected {
    let kinds: Vec<Kind> = system.kinds().iter().collect();
    in_chunks(programs, examples, |chunk, out| {
        let mut gold = Gold::new();
        let mut c = Configuration::new();
        let mut tokens = Tokens::default();
        let mut scratch = Scratch::default();
        for example in chunk {
            tokens.read(&example.sentence);
            let oracle = StaticOracle::new(system, &example.tree, &mut gold);
            let notes = Notes { programs, tokens: &tokens, kinds: &kinds, scratch: &mut scratch, out };
            run(system, &mut Follower { oracle, system, notes }, example.tree.n_tokens(), &mut c);
        }
    })
}

/// Lets a model parse every example and collects what it should have done after its first mistake,
/// as the dynamic oracle sees it.
pub fn explore<S: System + ?Sized, M: Model>(
    system: &S,
    model: &M,
    programs: &Programs,
    examples: &[&Example],
) -> Collected {
    let kinds: Vec<Kind> = system.kinds().iter().collect();
    in_chunks(programs, examples, |chunk, out| {
        let mut gold = Gold::new();
        let mut c = Configuration::new();
        let mut tokens = Tokens::default();
        let mut scratch = Scratch::default();
        let mut model_scratch = M::Scratch::default();
        for example in chunk {
            tokens.read(&example.sentence);
            gold.read(&example.tree, system.options().root);
            system.prepare(&mut gold);
            let notes = Notes { programs, tokens: &tokens, kinds: &kinds, scratch: &mut scratch, out };
            let mut guide = Explorer {
                model,
                model_scratch: &mut model_scratch,
                system,
                gold: &mut gold,
                strayed: false,
                notes,
            };
            run(system, &mut guide, example.tree.n_tokens(), &mut c);
        }
    })
}

fn in_chunks(
    programs: &Programs,
    examples: &[&Example],
    work: impl Fn(&[&Example], &mut Collected) + Sync,
) -> Collected {
    let parts: Vec<Collected> = examples
        .par_chunks(CHUNK)
        .map(|chunk| {
            let mut out = Collected::new(programs);
            work(chunk, &mut out);
            out
        })
        .collect();
    let mut all = Collected::new(programs);
    for part in parts {
        all.append(&part);
    }
    all
}

/// Where states are noted.
struct Notes<'a> {
    programs: &'a Programs,
    tokens: &'a Tokens,
    kinds: &'a [Kind],
    scratch: &'a mut Scratch,
    out: &'a mut Collected,
}

impl Notes<'_> {
    fn transition(&mut self, c: &Configuration, right: Kind) {
        let class = self.kinds.iter().position(|&kind| kind == right).expect("a kind of the system");
        let class = u32::try_from(class).expect("at most sixteen kinds");
        self.programs.transition.values(c, self.tokens, Focus::NONE, self.scratch);
        self.out.transitions.push(self.scratch.values(), class);
    }

    fn label(&mut self, c: &Configuration, head: Node, dependent: Node, right: u32) {
        self.programs.label.values(c, self.tokens, Focus { head, dependent }, self.scratch);
        self.out.labels.push(self.scratch.values(), right);
    }
}

/// Follows the oracle and notes everything.
struct Follower<'a, S: ?Sized> {
    oracle: StaticOracle<'a, S>,
    system: &'a S,
    notes: Notes<'a>,
}

impl<S: System + ?Sized> Guide for Follower<'_, S> {
    fn start(&mut self, c: &Configuration) {
        self.oracle.start(c);
    }

    fn choose(&mut self, c: &Configuration, permissible: KindSet) -> Transition {
        let transition = self.oracle.choose(c, permissible);
        if permissible.len() > 1 {
            self.notes.transition(c, transition.kind);
        }
        if let Some((head, dependent)) = self.system.arc(c, transition.kind)
            && !transition.label.is_none()
        {
            self.notes.label(c, head, dependent, transition.label.0);
        }
        transition
    }
}

/// Follows a model and notes what would have been right once it has gone astray.
struct Explorer<'a, M: Model, S: ?Sized> {
    model: &'a M,
    model_scratch: &'a mut M::Scratch,
    system: &'a S,
    gold: &'a mut Gold,
    strayed: bool,
    notes: Notes<'a>,
}

impl<M: Model, S: System + ?Sized> Guide for Explorer<'_, M, S> {
    fn start(&mut self, _c: &Configuration) {
        self.gold.rewind();
        self.model.start(self.notes.tokens, self.model_scratch);
    }

    fn choose(&mut self, c: &Configuration, permissible: KindSet) -> Transition {
        let mut kind = permissible.first().unwrap_or(Kind::Shift);
        if permissible.len() > 1 {
            kind = self.model.kind(c, self.notes.tokens, permissible, self.model_scratch).best;
            let optimal = self.system.optimal(c, self.gold);
            // Of several optimal transitions the model's own is the easiest to learn.
            let right = if optimal.contains(kind) || optimal.is_empty() {
                kind
            } else {
                optimal.iter().find(|kind| kind.adds_arc()).or(optimal.first()).unwrap_or(kind)
            };
            if self.strayed {
                self.notes.transition(c, right);
            }
            self.strayed |= right != kind;
        }
        let Some((head, dependent)) = self.system.arc(c, kind) else { return Transition::plain(kind) };
        let label = self.model.label(c, self.notes.tokens, head, dependent, self.model_scratch).best;
        let right = self.gold.label(dependent);
        if self.gold.head(dependent) == head && !right.is_none() {
            if self.strayed {
                self.notes.label(c, head, dependent, right.0);
            }
            self.strayed |= label != right;
        }
        Transition::arc(kind, label)
    }
}
