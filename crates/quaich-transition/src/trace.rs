//! Derivations step by step, as data: what `quaich trace` prints and a page can step through.
//!
//! A trace is made by the same loop as a parse; the tracer is a watcher. Steps are given out as they are made
//! ([`follow`]), or kept ([`trace`]): a long sentence has many steps, each with a configuration of its own. What is not about
//! labels can be serialised as it is; who knows the names of labels writes the rest.

use quaich_treebank::tree::{Arc, Node, Tree};
use serde::{Serialize, Serializer};

use crate::configuration::Configuration;
use crate::gold::Gold;
use crate::guide::{Guide, run};
use crate::modifiers::{mirror, mirrored};
use crate::systems::System;
use crate::transition::{Kind, KindSet, Transition};
use crate::watcher::{Step, Watcher};

/// Stacks and buffer at one moment, each in the order in which it is written from left to right.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Snapshot {
    /// The stack (λ1, active stack), its top last.
    #[serde(serialize_with = "nodes")]
    pub stack: Vec<Node>,
    /// The inactive stack, its top last; or λ2, its left end first.
    #[serde(serialize_with = "nodes")]
    pub second: Vec<Node>,
    /// The buffer, its front first.
    #[serde(serialize_with = "nodes")]
    pub buffer: Vec<Node>,
    /// Which stack is active, in two-planar.
    pub active_plane: u8,
    /// How many nodes of stack, second and buffer are left out, which are those farthest from where things happen.
    #[serde(skip_serializing_if = "is_whole")]
    pub left_out: [usize; 3],
}

/// How a derivation ends.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Ending {
    /// Arcs that no transition built: those of the finish; in undirected systems, all.
    pub finish: Vec<Arc>,
    /// The tree.
    pub tree: Tree,
}

/// One transition and what it leads to.
#[derive(Clone, PartialEq, Debug)]
pub struct TraceStep {
    /// The transition.
    pub step: Step,
    /// What was permissible.
    pub permissible: KindSet,
    /// What the dynamic oracle allows, where there is one and a gold tree is known.
    pub optimal: Option<KindSet>,
    /// How good each permissible kind was found, in their order; for those to fill in who trace a model.
    pub scores: Option<Vec<f32>>,
    /// How far the label was ahead of the next best, likewise; infinite where there is no other.
    pub label_margin: Option<f32>,
    /// The arc it adds, with the label as it stands in the tree. For an edge, `head` is just its left end.
    pub arc: Option<Arc>,
    /// The configuration after it.
    pub after: Snapshot,
}

/// A whole derivation.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Trace {
    /// The initial configuration.
    pub start: Snapshot,
    /// The transitions.
    pub steps: Vec<TraceStep>,
    /// Arcs that no transition built: those of the finish; in undirected systems, all.
    pub finish: Vec<Arc>,
    /// The tree.
    pub tree: Tree,
}

impl Snapshot {
    /// The configuration of a system, as far as `shown` nodes of each stack and of the buffer.
    pub fn of<S: System + ?Sized>(system: &S, c: &Configuration, shown: usize) -> Self {
        let ending = |nodes: &[Node]| nodes[nodes.len().saturating_sub(shown)..].to_vec();
        let beginning = |nodes: &[Node]| nodes[..nodes.len().min(shown)].to_vec();
        let (stack, second, buffer) = (c.stack_nodes(), c.second_nodes(), c.buffer_nodes());
        let mut shown_second = ending(second);
        if system.kinds().contains(Kind::NoArc) {
            shown_second.reverse();
        }
        Self {
            stack: ending(stack),
            second: shown_second,
            buffer: beginning(buffer),
            active_plane: c.active_plane(),
            left_out: [stack, second, buffer].map(|nodes| nodes.len().saturating_sub(shown)),
        }
    }

    /// How the parse of a sentence starts.
    pub fn start<S: System + ?Sized>(
        system: &S,
        n_tokens: usize,
        c: &mut Configuration,
        shown: usize,
    ) -> Self {
        system.start(c, n_tokens);
        Self::of(system, c, shown)
    }

    /// Turns the snapshot of a reversed sentence into one of the sentence as it is read; see [`mirror()`].
    pub fn mirror(&mut self, n_tokens: usize) {
        for node in [&mut self.stack, &mut self.second, &mut self.buffer].into_iter().flatten() {
            *node = mirrored(*node, n_tokens);
        }
    }
}

fn is_whole(left_out: &[usize; 3]) -> bool {
    *left_out == [0; 3]
}

fn mirror_arc(arc: &mut Arc, n_tokens: usize) {
    arc.head = mirrored(arc.head, n_tokens);
    arc.dependent = mirrored(arc.dependent, n_tokens);
}

impl TraceStep {
    /// Turns the step of a reversed sentence into one of the sentence as it is read.
    pub fn mirror(&mut self, n_tokens: usize) {
        self.after.mirror(n_tokens);
        self.arc.iter_mut().for_each(|arc| mirror_arc(arc, n_tokens));
    }
}

impl Ending {
    /// Turns the ending of a reversed sentence into that of the sentence as it is read.
    pub fn mirror(&mut self) {
        let n_tokens = self.tree.n_tokens();
        self.finish.iter_mut().for_each(|arc| mirror_arc(arc, n_tokens));
        self.tree = mirror(&self.tree);
    }
}

impl Trace {
    /// Turns the trace of a reversed sentence into one of the sentence as it is read; see [`mirror()`].
    pub fn mirror(&mut self) {
        let n_tokens = self.tree.n_tokens();
        self.start.mirror(n_tokens);
        self.steps.iter_mut().for_each(|step| step.mirror(n_tokens));
        self.finish.iter_mut().for_each(|arc| mirror_arc(arc, n_tokens));
        self.tree = mirror(&self.tree);
    }
}

/// Follows a guide over a sentence and keeps every step. With a gold tree, dynamic oracles are asked.
pub fn trace<S: System + ?Sized, G: Guide>(
    system: &S,
    guide: G,
    n_tokens: usize,
    gold: Option<&Tree>,
    c: &mut Configuration,
) -> Trace {
    let start = Snapshot::start(system, n_tokens, c, usize::MAX);
    let mut steps = Vec::new();
    let Ending { finish, tree } =
        follow(system, guide, n_tokens, gold, c, usize::MAX, &mut |step| steps.push(step));
    Trace { start, steps, finish, tree }
}

/// Follows a guide over a sentence and gives out every step, with as many nodes of its stacks and buffer as are
/// to be shown. With a gold tree, dynamic oracles are asked.
pub fn follow<S: System + ?Sized, G: Guide>(
    system: &S,
    mut guide: G,
    n_tokens: usize,
    gold: Option<&Tree>,
    c: &mut Configuration,
    shown: usize,
    visit: &mut dyn FnMut(TraceStep),
) -> Ending {
    let gold = gold.filter(|_| system.has_dynamic_oracle()).map(|tree| {
        let mut gold = Gold::new();
        gold.read(tree, system.options().root);
        system.prepare(&mut gold);
        gold
    });
    let built = vec![false; n_tokens + 1];
    let mut tracer = Tracer { system, gold, shown, built, held: None, visit };
    run(system, &mut guide, &mut tracer, n_tokens, c);
    tracer.give_out(c);
    let (built, tree) = (tracer.built, c.tree());
    let finish = tree.arcs().filter(|arc| !built[arc.dependent.index()]).collect();
    Ending { finish, tree }
}

/// Gives out every step as soon as it is known what it led to.
struct Tracer<'a, S: ?Sized> {
    system: &'a S,
    gold: Option<Gold>,
    shown: usize,
    /// By node: whether a transition gave it a head.
    built: Vec<bool>,
    /// The last step, without what it led to.
    held: Option<TraceStep>,
    visit: &'a mut dyn FnMut(TraceStep),
}

impl<S: System + ?Sized> Tracer<'_, S> {
    fn give_out(&mut self, c: &Configuration) {
        if let Some(step) = self.held.take() {
            (self.visit)(TraceStep { after: Snapshot::of(self.system, c, self.shown), ..step });
        }
    }
}

impl<S: System + ?Sized> Watcher for Tracer<'_, S> {
    fn made(&mut self, c: &Configuration, transition: Transition, forced: bool) {
        self.give_out(c);
        let system = self.system;
        let label = system.labelling().plain(transition.label);
        let arc = system.arc(c, transition.kind).map(|(head, dependent)| Arc { head, label, dependent });
        if let Some(arc) = arc.filter(|_| transition.kind != Kind::Arc) {
            self.built[arc.dependent.index()] = true;
        }
        self.held = Some(TraceStep {
            step: Step { transition, forced },
            permissible: system.permissible(c),
            optimal: self.gold.as_mut().map(|gold| system.optimal(c, gold)),
            scores: None,
            label_margin: None,
            arc,
            after: Snapshot::default(),
        });
    }
}

/// Nodes as numbers.
fn nodes<S: Serializer>(nodes: &[Node], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(nodes.iter().map(|node| node.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::StaticOracle;
    use crate::systems::{ArcEager, Options};

    #[test]
    fn a_trace_shows_every_moment() {
        let tree = Tree::from_heads(&[2, 0]);
        let system = ArcEager::new(Options::default());
        let mut gold = Gold::new();
        let oracle = StaticOracle::new(&system, &tree, &mut gold);
        let trace = trace(&system, oracle, 2, Some(&tree), &mut Configuration::new());
        let shown: Vec<String> = trace
            .steps
            .iter()
            .map(|step| {
                format!("{} {:?} {:?}", step.step.transition.kind, step.after.stack, step.after.buffer)
            })
            .collect();
        assert_eq!(shown, ["SH [0, 1] [2]", "LA [0] [2]", "RA [0, 2] []"]);
        assert_eq!((trace.start.stack.len(), trace.start.buffer.len()), (1, 2));
        assert_eq!(trace.steps[2].optimal, Some(KindSet::of(&[Kind::RightArc])));
        assert_eq!((trace.finish.len(), trace.tree), (0, tree));
    }

    #[test]
    fn long_stacks_and_buffers_are_cut_where_nothing_happens() {
        let tree = Tree::from_heads(&[0, 1, 2, 3, 4, 5]);
        let system = ArcEager::new(Options::default());
        let (mut gold, mut c, mut shown) = (Gold::new(), Configuration::new(), Vec::new());
        let oracle = StaticOracle::new(&system, &tree, &mut gold);
        let ending = follow(&system, oracle, 6, None, &mut c, 2, &mut |step| shown.push(step.after));
        assert_eq!((ending.finish.len(), ending.tree), (0, tree));
        assert_eq!(
            (&shown[2].stack[..], &shown[2].buffer[..]),
            (&[2, 3].map(Node)[..], &[4, 5].map(Node)[..])
        );
        assert_eq!(shown[2].left_out, [2, 0, 1]);
        assert!(
            serde_json::to_string(&shown[2]).unwrap().ends_with(r#""active_plane":0,"left_out":[2,0,1]}"#)
        );
    }

    #[test]
    fn a_mirrored_trace_is_that_of_the_sentence() {
        let reversed = Tree::from_heads(&[0, 1, 2]);
        let system = ArcEager::new(Options::default());
        let mut gold = Gold::new();
        let oracle = StaticOracle::new(&system, &reversed, &mut gold);
        let mut trace = trace(&system, oracle, 3, None, &mut Configuration::new());
        trace.mirror();
        assert_eq!(trace.tree, Tree::from_heads(&[2, 3, 0]));
        assert_eq!(trace.start.buffer, [3, 2, 1].map(Node));
        let arcs: Vec<(u32, u32)> =
            trace.steps.iter().filter_map(|step| step.arc).map(|arc| (arc.head.0, arc.dependent.0)).collect();
        assert_eq!(arcs, [(0, 3), (3, 2), (2, 1)]);
        assert_eq!(
            serde_json::to_string(&trace.steps[0].after).unwrap(),
            r#"{"stack":[0,3],"second":[],"buffer":[2,1],"active_plane":0}"#
        );
        assert_eq!(serde_json::to_string(&trace.steps[0].permissible).unwrap(), r#"["SH","RA"]"#);
    }
}
