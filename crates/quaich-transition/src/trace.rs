//! Derivations step by step, as data: what `quaich trace` prints and a page can step through.
//!
//! A trace is made by the same loop as a parse; the tracer is a watcher.

use quaich_treebank::tree::{Arc, Node, Tree};

use crate::configuration::Configuration;
use crate::gold::Gold;
use crate::guide::{Guide, run};
use crate::systems::System;
use crate::transition::{Kind, KindSet, Transition};
use crate::watcher::{Step, Watcher};

/// Stacks and buffer at one moment, each in the order in which it is written from left to right.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Snapshot {
    /// The stack (λ1, active stack), its top last.
    pub stack: Vec<Node>,
    /// The inactive stack, its top last; or λ2, its left end first.
    pub second: Vec<Node>,
    /// The buffer, its front first.
    pub buffer: Vec<Node>,
    /// Which stack is active, in two-planar.
    pub active_plane: u8,
}

/// One transition and what it leads to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceStep {
    /// The transition.
    pub step: Step,
    /// What was permissible.
    pub permissible: KindSet,
    /// What the dynamic oracle allows, where there is one and a gold tree is known.
    pub optimal: Option<KindSet>,
    /// The arc it adds, with the label as it stands in the tree. For an edge, `head` is just its left end.
    pub arc: Option<Arc>,
    /// The configuration after it.
    pub after: Snapshot,
}

/// A whole derivation.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
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
        steps.push(TraceStep { step, permissible, optimal, arc, after });
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
}
