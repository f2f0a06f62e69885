//! The derivation of a sentence as JSON.

use std::cell::RefCell;

use quaich::named_trace::{NamedTrace, Names};
use quaich::transition::trace::TraceStep;
use quaich::{Sentence, Worker};

/// Returns what `quaich trace --json` prints for a sentence.
pub(crate) fn json(worker: &mut Worker, sentence: &Sentence) -> serde_json::Result<String> {
    let parser = worker.model_for(sentence).clone();
    let spec = &parser.plan().system;
    let start = worker.trace_start(sentence, usize::MAX);
    let steps = |visit: &mut dyn FnMut(TraceStep)| worker.trace_steps(sentence, usize::MAX, visit);
    let trace = NamedTrace {
        number: 1,
        sentence,
        names: Names {
            labels: &|label| parser.labels().text(label),
            system: parser.system(),
            malt: spec.is_malt(),
        },
        system: spec.to_string(),
        transform: Some(parser.plan().transform.as_str()),
        derived: None,
        start,
        steps: RefCell::new(Some(Box::new(steps))),
    };
    serde_json::to_string(&trace)
}
