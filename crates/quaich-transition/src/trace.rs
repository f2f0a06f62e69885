//! Derivations step by step, as data: what `quaich trace` prints and a page can step through.
//!
//! A trace is made by the same loop as a parse; the tracer is a watcher. What is not about labels can be serialised as it
//! is; who knows the names of labels writes the rest.

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
    fn mirror(&mut self, n_tokens: usize) {
        for node in [&mut self.stack, &mut self.second, &mut self.buffer].into_iter().flatten() {
            *node = mirrored(*node, n_tokens);
        }
    }
}

impl Trace {
    /// Turns the trace of a reversed sentence into one of the sentence as it is read; see [`mirror()`].
    pub fn mirror(&mut self) {
        let n_tokens = self.tree.n_tokens();
        self.start.mirror(n_tokens);
        for step in &mut self.steps {
            step.after.mirror(n_tokens);
        }
        for arc in self.steps.iter_mut().filter_map(|step| step.arc.as_mut()).chain(&mut self.finish) {
            arc.head = mirrored(arc.head, n_tokens);
            arc.dependent = mirrored(arc.dependent, n_tokens);
        }
        self.tree = mirror(&self.tree);
    }
}

/// Follows a guide over a sentence. With a gold tree, dynamic oracles are asked at every step.
pub fn trace<S: System + ?Sized, G: Guide>(
    system: &S,
    mut guide: G,
    n_tokens: usize,
    gold: Option<&Tree>,
    c: &mut Configuration,
) -> Trace {
    let gold = gold.filter(|_| system.has_dynamic_oracle()).map(|tree| {
        let mut gold = Gold::new();
        gold.read(tree, system.options().root);
        system.prepare(&mut gold);
        gold
    });
    let mut tracer = Tracer { system, gold, moments: Vec::new() };
    run(system, &mut guide, &mut tracer, n_tokens, c);
    let mut moments = tracer.moments;
    let mut start = snapshot(system, c);
    let mut steps = Vec::with_capacity(moments.len());
    // Each moment was seen before its transition, so that what follows it is the next one's.
    while let Some(moment) = moments.pop() {
        let after = std::mem::replace(&mut start, moment.before);
        let Moment { step, permissible, optimal, arc, .. } = moment;
        steps.push(TraceStep { step, permissible, optimal, scores: None, label_margin: None, arc, after });
    }
    steps.reverse();
    let tree = c.tree();
    let built: Vec<Arc> = steps
        .iter()
        .filter(|step| step.step.transition.kind != Kind::Arc)
        .filter_map(|step| step.arc)
        .collect();
    let finish = tree.arcs().filter(|arc| !built.iter().any(|b| b.dependent == arc.dependent)).collect();
    Trace { start, steps, finish, tree }
}

fn snapshot<S: System + ?Sized>(system: &S, c: &Configuration) -> Snapshot {
    let mut second = c.second_nodes().to_vec();
    if system.kinds().contains(Kind::NoArc) {
        second.reverse();
    }
    Snapshot {
        stack: c.stack_nodes().to_vec(),
        second,
        buffer: c.buffer_nodes().to_vec(),
        active_plane: c.active_plane(),
    }
}

/// What is seen before a transition.
struct Moment {
    before: Snapshot,
    step: Step,
    permissible: KindSet,
    optimal: Option<KindSet>,
    arc: Option<Arc>,
}

/// Takes down every moment.
struct Tracer<'a, S: ?Sized> {
    system: &'a S,
    gold: Option<Gold>,
    moments: Vec<Moment>,
}

impl<S: System + ?Sized> Watcher for Tracer<'_, S> {
    fn made(&mut self, c: &Configuration, transition: Transition, forced: bool) {
        let system = self.system;
        let label = system.labelling().plain(transition.label);
        let arc = system.arc(c, transition.kind);
        self.moments.push(Moment {
            before: snapshot(system, c),
            step: Step { transition, forced },
            permissible: system.permissible(c),
            optimal: self.gold.as_mut().map(|gold| system.optimal(c, gold)),
            arc: arc.map(|(head, dependent)| Arc { head, label, dependent }),
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
