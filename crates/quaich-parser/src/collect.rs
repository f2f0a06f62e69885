//! Sentences → states: following the static oracle, and exploring what a model does after its
//! first mistake.

use quaich_features::{Focus, Program, Scratch, Tokens};
use quaich_transition::configuration::Configuration;
use quaich_transition::gold::Gold;
use quaich_transition::guide::{Guide, run};
use quaich_transition::oracle::StaticOracle;
use quaich_transition::systems::System;
use quaich_transition::transition::{Kind, KindSet, Transition};
use quaich_treebank::{Label, Node, Sentence, Tree};
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

/// Takes down the states in which a transition or a label was to be chosen. What a learner wants
/// to know of a state is its own affair.
pub trait Recorder {
    /// Looks at a sentence before its states come.
    fn read(&mut self, tokens: &Tokens);
    /// In this state a transition of this kind was right.
    fn transition(&mut self, c: &Configuration, tokens: &Tokens, right: Kind);
    /// For this arc, about to be made in this state, this label was right.
    fn label(&mut self, c: &Configuration, tokens: &Tokens, arc: (Node, Node), right: Label);
}

/// Follows the static oracle through every example; gives the recorders of all parts in order.
pub fn follow<S: System + ?Sized, R: Recorder + Send>(
    system: &S,
    examples: &[&Example],
    recorder: impl Fn() -> R + Sync,
) -> Vec<R> {
    in_chunks(examples, |chunk| {
        let mut recorder = recorder();
        let (mut gold, mut c, mut tokens) = (Gold::new(), Configuration::new(), Tokens::default());
        for example in chunk {
            tokens.read(&example.sentence);
            recorder.read(&tokens);
            let oracle = StaticOracle::new(system, &example.tree, &mut gold);
            let mut guide = Follower { oracle, system, tokens: &tokens, recorder: &mut recorder };
            run(system, &mut guide, &mut (), example.tree.n_tokens(), &mut c);
        }
        recorder
    })
}

/// Lets a model parse every example and takes down what it should have done after its first
/// mistake, as the dynamic oracle sees it.
pub fn explore<S: System + ?Sized, M: Model, R: Recorder + Send>(
    system: &S,
    model: &M,
    examples: &[&Example],
    recorder: impl Fn() -> R + Sync,
) -> Vec<R> {
    in_chunks(examples, |chunk| {
        let mut recorder = recorder();
        let (mut gold, mut c, mut tokens) = (Gold::new(), Configuration::new(), Tokens::default());
        let mut scratch = M::Scratch::default();
        for example in chunk {
            tokens.read(&example.sentence);
            recorder.read(&tokens);
            gold.read(&example.tree, system.options().root);
            system.prepare(&mut gold);
            let mut guide = Explorer {
                model,
                scratch: &mut scratch,
                system,
                gold: &mut gold,
                strayed: false,
                tokens: &tokens,
                recorder: &mut recorder,
            };
            run(system, &mut guide, &mut (), example.tree.n_tokens(), &mut c);
        }
        recorder
    })
}

fn in_chunks<R: Send>(examples: &[&Example], work: impl Fn(&[&Example]) -> R + Sync) -> Vec<R> {
    examples.par_chunks(CHUNK).map(&work).collect()
}

/// Follows the oracle and takes down everything.
struct Follower<'a, S: ?Sized, R> {
    oracle: StaticOracle<'a, S>,
    system: &'a S,
    tokens: &'a Tokens,
    recorder: &'a mut R,
}

impl<S: System + ?Sized, R: Recorder> Guide for Follower<'_, S, R> {
    fn start(&mut self, c: &Configuration) {
        self.oracle.start(c);
    }

    fn choose(&mut self, c: &Configuration, permissible: KindSet) -> Transition {
        let transition = self.oracle.choose(c, permissible);
        if permissible.len() > 1 {
            self.recorder.transition(c, self.tokens, transition.kind);
        }
        if let Some(arc) = self.system.arc(c, transition.kind)
            && !transition.label.is_none()
        {
            self.recorder.label(c, self.tokens, arc, transition.label);
        }
        transition
    }
}

/// Follows a model and takes down what would have been right once it has gone astray.
struct Explorer<'a, M: Model, S: ?Sized, R> {
    model: &'a M,
    scratch: &'a mut M::Scratch,
    system: &'a S,
    gold: &'a mut Gold,
    strayed: bool,
    tokens: &'a Tokens,
    recorder: &'a mut R,
}

impl<M: Model, S: System + ?Sized, R: Recorder> Guide for Explorer<'_, M, S, R> {
    fn start(&mut self, _c: &Configuration) {
        self.gold.rewind();
        self.model.start(self.tokens, self.scratch);
    }

    fn choose(&mut self, c: &Configuration, permissible: KindSet) -> Transition {
        let mut kind = permissible.first().unwrap_or(Kind::Shift);
        if permissible.len() > 1 {
            kind = self.model.kind(c, self.tokens, permissible, self.scratch).best;
            let optimal = self.system.optimal(c, self.gold);
            // Of several optimal transitions the model's own is the easiest to learn.
            let right = if optimal.contains(kind) || optimal.is_empty() {
                kind
            } else {
                optimal.iter().find(|kind| kind.adds_arc()).or(optimal.first()).unwrap_or(kind)
            };
            if self.strayed {
                self.recorder.transition(c, self.tokens, right);
            }
            self.strayed |= right != kind;
        }
        let Some((head, dependent)) = self.system.arc(c, kind) else { return Transition::plain(kind) };
        let label = self.model.label(c, self.tokens, head, dependent, self.scratch).best;
        let right = self.gold.label(dependent);
        if self.gold.head(dependent) == head && !right.is_none() {
            if self.strayed {
                self.recorder.label(c, self.tokens, (head, dependent), right);
            }
            self.strayed |= label != right;
        }
        Transition::arc(kind, label)
    }
}

/// The two programs whose values the states of the linear model hold.
#[derive(Debug)]
pub struct Programs {
    /// For choosing a transition.
    pub transition: Program,
    /// For choosing a label.
    pub label: Program,
}

/// The states in which a transition or a label was chosen, as the linear model sees them.
#[derive(Debug)]
pub struct Collected {
    /// Classes are places in the list of kinds.
    pub transitions: States,
    /// Classes are labels.
    pub labels: States,
}

impl Collected {
    /// What recorders took down, in their order.
    pub fn gather(programs: &Programs, parts: Vec<StateRecorder<'_>>) -> Self {
        let mut all = Self::new(programs);
        for part in parts {
            all.append(&part.out);
        }
        all
    }

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

/// Takes down states for the linear model.
#[derive(Debug)]
pub struct StateRecorder<'a> {
    programs: &'a Programs,
    kinds: &'a [Kind],
    scratch: Scratch,
    out: Collected,
}

impl<'a> StateRecorder<'a> {
    /// Classes of transitions are places in `kinds`.
    pub fn new(programs: &'a Programs, kinds: &'a [Kind]) -> Self {
        Self { programs, kinds, scratch: Scratch::default(), out: Collected::new(programs) }
    }
}

impl Recorder for StateRecorder<'_> {
    fn read(&mut self, _tokens: &Tokens) {}

    fn transition(&mut self, c: &Configuration, tokens: &Tokens, right: Kind) {
        self.programs.transition.values(c, tokens, Focus::NONE, &mut self.scratch);
        self.out.transitions.push(self.scratch.values(), class_of(self.kinds, right));
    }

    fn label(&mut self, c: &Configuration, tokens: &Tokens, (head, dependent): (Node, Node), right: Label) {
        self.programs.label.values(c, tokens, Focus { head, dependent }, &mut self.scratch);
        self.out.labels.push(self.scratch.values(), right.0);
    }
}

/// The place of a kind in a system's list.
///
/// # Panics
/// When it is not there: systems only make transitions of their kinds.
pub(crate) fn class_of(kinds: &[Kind], kind: Kind) -> u32 {
    let class = kinds.iter().position(|&held| held == kind).expect("a kind of the system");
    u32::try_from(class).expect("at most sixteen kinds")
}
