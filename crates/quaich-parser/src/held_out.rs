//! What models do with sentences they have not learned from.

use quaich_features::TokenValues;
use quaich_transition::configuration::Configuration;

use crate::calibration::Judged;
use crate::decider::{DeciderWorker, ModelWorker, Watch, Way};
use crate::model::Model;
use crate::prepare::Example;

/// Held-out tokens that a model is judged by; more would only take longer.
const JUDGED: usize = 20_000;

/// Parses examples until enough tokens have been judged.
pub(crate) fn judge<M: Model>(
    model: &M,
    token_values: &TokenValues,
    way: Way<'_>,
    examples: &[&Example<'_>],
) -> Vec<Judged> {
    let mut worker = ModelWorker::new(model, token_values, way);
    let (mut judged, mut evidence, mut c) = (Vec::new(), Vec::new(), Configuration::new());
    for example in examples {
        if judged.len() > JUDGED {
            break;
        }
        worker.parse(example.sentence, &mut c, Watch::Evidence(&mut evidence));
        judged.extend(example.tree.tokens().map(|token| Judged {
            evidence: evidence[token.index()],
            right: c.head(token) == example.tree.head(token) && c.label(token) == example.tree.label(token),
        }));
    }
    judged
}

/// How many arcs are right.
pub(crate) fn n_right(judged: &[Judged]) -> usize {
    judged.iter().filter(|arc| arc.right).count()
}

/// All examples but those of a fold, and those of the fold.
pub(crate) fn split<'e, 't>(
    all: &[&'e Example<'t>],
    fold: usize,
    folds: usize,
) -> (Vec<&'e Example<'t>>, Vec<&'e Example<'t>>) {
    let part = |mine: bool| {
        let numbered = all.iter().enumerate().filter(|(i, _)| (i % folds == fold) == mine);
        numbered.map(|(_, example)| *example).collect()
    };
    (part(false), part(true))
}
