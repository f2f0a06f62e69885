//! The derivations of a model, for breakdowns that need them.

use std::collections::BTreeMap;

use quaich::eval::TokenMatch;
use quaich::eval::derivation::{Attached, Derivation};
use quaich::treebank::{Label, Node, Sentence};
use quaich::{Model, Worker};

/// Parses sentences and records their derivations.
pub(super) struct Deriver<'p> {
    parser: &'p Model,
    worker: Worker,
    /// The transition that built the arc or edge between two nodes, the smaller first.
    built: BTreeMap<(Node, Node), &'static str>,
    derivation: Derivation,
}

/// The name for arcs that no transition built.
const FINISH: &str = "finish";

impl<'p> Deriver<'p> {
    pub(super) fn new(parser: &'p Model) -> Self {
        Self { parser, worker: parser.worker(), built: BTreeMap::new(), derivation: Derivation::default() }
    }

    /// Parses a sentence of the gold standard.
    pub(super) fn derive(&mut self, gold: &Sentence) -> &Derivation {
        let Self { parser, worker, built, derivation } = self;
        built.clear();
        derivation.n_transitions = 0;
        let ending = worker.trace_steps(gold, 0, &mut |step| {
            derivation.n_transitions += 1;
            if let Some(arc) = step.arc {
                built.insert(between(arc.head, arc.dependent), step.step.transition.kind.name());
            }
        });
        let text = |label: Label| if label.is_none() { "_" } else { parser.labels().text(label) };
        derivation.attached.clear();
        for token in gold.tokens() {
            // With a tree transformation, the arc that was built can differ from the arc in the output.
            let head = ending.derivation.tree.head(token);
            let transition = built.get(&between(head, token)).copied().unwrap_or(FINISH);
            let token_match = TokenMatch {
                head: ending.tree.head(token) == gold.heads()[token.index()],
                label: text(ending.tree.label(token)) == gold.label(token),
            };
            derivation.attached.push(Attached { token, transition, token_match });
        }
        derivation
    }
}

fn between(one: Node, other: Node) -> (Node, Node) {
    (one.min(other), one.max(other))
}
