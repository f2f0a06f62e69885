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

/// Neighbours in a treebank are often of one text, and a model that has learned from the one does better on the other than it will
/// on any new text. So sentences go to folds in runs of so many. One sentence of english-ewt in fifty, held out one by one: 92.2 LAS there and 90.2 on
/// the development file, on which probabilities are wrong by 0.018; in runs of 25: 89.8, 90.1 and 0.013.
const RUN: usize = 25;
/// Every fold has so many runs, if there are sentences enough.
const RUNS: usize = 4;

/// All examples but those of a fold, and those of the fold.
pub(crate) fn split<'e, 't>(
    all: &[&'e Example<'t>],
    fold: usize,
    folds: usize,
) -> (Vec<&'e Example<'t>>, Vec<&'e Example<'t>>) {
    let fold_of = folds_in_runs(all.len(), folds);
    let part = |mine: bool| {
        let numbered = all.iter().enumerate().filter(|(i, _)| (fold_of(*i) == fold) == mine);
        numbered.map(|(_, example)| *example).collect()
    };
    (part(false), part(true))
}

/// The fold of each of so many sentences.
fn folds_in_runs(n: usize, folds: usize) -> impl Fn(usize) -> usize {
    let run = RUN.min(n / (RUNS * folds)).max(1);
    move |i| i / run % folds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_share_a_fold_and_every_fold_has_several_runs() {
        for (n, folds, run) in
            [(12_544, 50, 25), (910, 2, 25), (910, 4, 25), (160, 4, 10), (16, 4, 1), (9, 2, 1)]
        {
            let fold_of = folds_in_runs(n, folds);
            let all: Vec<usize> = (0..n).map(fold_of).collect();
            let runs: Vec<&[usize]> = all.chunk_by(|a, b| a == b).collect();
            assert!(
                runs[..runs.len() - 1].iter().all(|one| one.len() == run),
                "{n} sentences in {folds} folds"
            );
            for fold in 0..folds {
                assert!(runs.iter().filter(|one| one[0] == fold).count() >= RUNS, "fold {fold} of {folds}");
            }
        }
    }

    #[test]
    fn fewer_sentences_than_folds_are_no_trouble() {
        assert_eq!((0..3).map(folds_in_runs(3, 4)).collect::<Vec<_>>(), [0, 1, 2]);
    }
}
