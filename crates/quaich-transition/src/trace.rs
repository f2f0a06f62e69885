//! Derivations step by step, as data: printed by `quaich trace`, and displayed step by step on a web page.
//!
//! A trace is made by the same loop as a parse; the tracer is a watcher. Steps are passed on as they are made
//! ([`follow`]), or collected ([`trace`]): a long sentence has many steps, each with its own configuration. Everything
//! except labels can be serialised directly; callers that know the names of labels write the rest.

use quaich_treebank::tree::{Arc, Node, Tree};
use serde::{Serialize, Serializer};

use crate::configuration::Configuration;
use crate::gold::Gold;
use crate::guide::{Guide, run};
use crate::modifiers::{mirror, mirrored};
use crate::systems::System;
use crate::transition::{Kind, KindSet, Transition};
use crate::watcher::{Step, Watcher};

/// Stacks and buffer at one step, each in the order in which it is written from left to right.
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
    /// The number of the active stack, in two-planar.
    pub active_plane: u8,
    /// The number of nodes omitted from stack, second and buffer: those farthest from the action.
    #[serde(skip_serializing_if = "is_whole")]
    pub left_out: [usize; 3],
}

/// The end of a derivation.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Ending {
    /// Arcs that no transition built: those of the final step; in undirected systems, all.
    pub finish: Vec<Arc>,
    /// The tree.
    pub tree: Tree,
}

/// A transition and its result.
#[derive(Clone, PartialEq, Debug)]
pub struct TraceStep {
    /// The transition.
    pub step: Step,
    /// The permissible kinds.
    pub permissible: KindSet,
    /// The kinds that the dynamic oracle allows, if there is one and a gold tree is known.
    pub optimal: Option<KindSet>,
    /// The score of each permissible kind, in their order; filled in by callers that trace a model.
    pub scores: Option<Vec<f32>>,
    /// The margin of the label over the next best; infinite if there is no other.
    pub label_margin: Option<f32>,
    /// The arc it adds, with its label in the tree. For an edge, `head` is just its left end.
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
    /// Arcs that no transition built: those of the final step; in undirected systems, all.
    pub finish: Vec<Arc>,
    /// The tree.
    pub tree: Tree,
}

impl Snapshot {
    /// Returns the configuration of a system, with up to `shown` nodes of each stack and of the buffer.
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

    /// Returns the start of the parse of a sentence.
    pub fn start<S: System + ?Sized>(
        system: &S,
        n_tokens: usize,
        c: &mut Configuration,
        shown: usize,
    ) -> Self {
        system.start(c, n_tokens);
        Self::of(system, c, shown)
    }

    /// Converts the snapshot of a reversed sentence to the original order; see [`mirror()`].
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
    /// Converts the step of a reversed sentence to the original order.
    pub fn mirror(&mut self, n_tokens: usize) {
        self.after.mirror(n_tokens);
        self.arc.iter_mut().for_each(|arc| mirror_arc(arc, n_tokens));
    }
}

impl Ending {
    /// Converts the ending of a reversed sentence to the original order.
    pub fn mirror(&mut self) {
        let n_tokens = self.tree.n_tokens();
        self.finish.iter_mut().for_each(|arc| mirror_arc(arc, n_tokens));
        self.tree = mirror(&self.tree);
    }
}

impl Trace {
    /// Converts the trace of a reversed sentence to the original order; see [`mirror()`].
    pub fn mirror(&mut self) {
        let n_tokens = self.tree.n_tokens();
        self.start.mirror(n_tokens);
        self.steps.iter_mut().for_each(|step| step.mirror(n_tokens));
        self.finish.iter_mut().for_each(|arc| mirror_arc(arc, n_tokens));
        self.tree = mirror(&self.tree);
    }
}

/// Follows a guide over a sentence and collects all steps. With a gold tree, dynamic oracles are queried.
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

/// Follows a guide over a sentence and passes on every step, with up to this many nodes of its stacks and buffer. With
/// a gold tree, dynamic oracles are queried.
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

/// Passes on every step as soon as its result is known.
struct Tracer<'a, S: ?Sized> {
    system: &'a S,
    gold: Option<Gold>,
    shown: usize,
    /// Whether a transition gave each node a head.
    built: Vec<bool>,
    /// The last step, without its result.
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

/// Serialises nodes as numbers.
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
