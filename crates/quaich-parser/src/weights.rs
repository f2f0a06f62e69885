//! Trained weights before they become tables: learned as floats, pruned by what they can change.

use std::sync::Arc;

use quaich_features::Program;
use quaich_learn::{Weights, crammer_singer};
use quaich_transition::transition::Kind;

use crate::collect::{Collected, Programs};
use crate::index::index;
use crate::label_table::LabelTable;
use crate::settings::Settings;
use crate::states::States;
use crate::transition_table::{Row, TransitionTable};

/// The largest array of weights that training makes, in numbers; rare features are left out until
/// the others fit.
const MAX_WEIGHTS: usize = 150_000_000;

/// The most rows a table for transitions has: what the caches of today's processors bear.
const MAX_TRANSITION_ROWS: usize = 500_000;
/// The most bytes that the rows of a table for labels take, for the same reason.
const MAX_LABEL_BYTES: usize = 8_000_000;

/// The weights of a linear model.
#[derive(Debug)]
pub(crate) struct LinearWeights {
    pub(crate) transition: Weighted,
    pub(crate) label: Weighted,
    pub(crate) n_labels: usize,
    pub(crate) n_label_templates: usize,
    pub(crate) kinds: Vec<Kind>,
    /// How many states they were learned from.
    pub(crate) n_states: usize,
}

/// Features by hash, with weights.
#[derive(Debug)]
pub(crate) struct Weighted {
    hashes: Vec<u64>,
    weights: Weights,
    /// How much each feature can change, in falling order: where pruning may cut.
    ranges: Vec<f32>,
}

impl LinearWeights {
    /// Learns from states. `go_on` is asked after every pass.
    pub(crate) fn learn(
        programs: &Programs,
        collected: &Collected,
        kinds: &[Kind],
        n_labels: usize,
        settings: &Settings,
        go_on: &(dyn Fn() -> bool + Sync),
    ) -> Self {
        let learner = |c: f32| crammer_singer::Settings { c, passes: settings.passes, seed: settings.seed };
        let (transition, label) = rayon::join(
            || {
                let n_classes = kinds.len().max(2);
                Weighted::learn(
                    &programs.transition,
                    &collected.transitions,
                    n_classes,
                    settings,
                    learner(settings.c),
                    go_on,
                )
            },
            || {
                let n_classes = n_labels.max(2);
                Weighted::learn(
                    &programs.label,
                    &collected.labels,
                    n_classes,
                    settings,
                    learner(settings.label_c),
                    go_on,
                )
            },
        );
        Self {
            transition,
            label,
            n_labels,
            n_label_templates: programs.label.n_templates(),
            kinds: kinds.to_vec(),
            n_states: collected.transitions.len() + collected.labels.len(),
        }
    }

    /// A table for transitions with the features that can change most: this part of them.
    pub(crate) fn transition_table(&self, keep: f32) -> std::io::Result<Arc<TransitionTable>> {
        Ok(Arc::new(TransitionTable::build(
            &self.transition.rows(keep, MAX_TRANSITION_ROWS),
            self.kinds.len().max(2),
        )?))
    }

    /// A table for labels with the features that can change most: this part of them.
    pub(crate) fn label_table(&self, keep: f32) -> std::io::Result<Arc<LabelTable>> {
        let rows = self.label.rows(keep, MAX_LABEL_BYTES / self.n_labels.max(1));
        Ok(Arc::new(LabelTable::build(&rows, self.n_labels.max(2), self.n_label_templates)?))
    }

    /// The number of features, for transitions and for labels.
    pub(crate) fn n_features(&self) -> (usize, usize) {
        (self.transition.ranges.len(), self.label.ranges.len())
    }
}

impl Weighted {
    fn learn(
        program: &Program,
        states: &States,
        n_classes: usize,
        settings: &Settings,
        learner: crammer_singer::Settings,
        go_on: &(dyn Fn() -> bool + Sync),
    ) -> Self {
        let mut min_count = settings.min_count;
        let mut indexed = index(program, states, n_classes, min_count);
        while indexed.hashes.len() * n_classes > MAX_WEIGHTS {
            min_count += 1;
            indexed = index(program, states, n_classes, min_count);
        }
        let weights = crammer_singer::train(&indexed.instances, &learner, |_| go_on());
        Self::new(indexed.hashes, weights)
    }

    /// The weights of these features, in their order.
    pub(crate) fn new(hashes: Vec<u64>, weights: Weights) -> Self {
        let mut ranges: Vec<f32> = (0u32..)
            .take(hashes.len())
            .map(|id| range(weights.row(id)))
            .filter(|&range| range > 0.0)
            .collect();
        ranges.sort_unstable_by(|a, b| b.total_cmp(a));
        Self { hashes, weights, ranges }
    }

    /// The rows that matter most, most first: this part of them, and no more than `most`.
    fn rows(&self, keep: f32, most: usize) -> Vec<Row<'_>> {
        #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let n = ((self.ranges.len() as f32 * keep).ceil() as usize).min(self.ranges.len()).min(most);
        let Some(&least) = n.checked_sub(1).and_then(|last| self.ranges.get(last)) else { return Vec::new() };
        let mut rows: Vec<Row<'_>> = (0u32..)
            .zip(&self.hashes)
            .map(|(id, &hash)| {
                let weights = self.weights.row(id);
                Row { hash, weights, range: range(weights) }
            })
            .filter(|row| row.range >= least)
            .collect();
        rows.sort_unstable_by(|a, b| b.range.total_cmp(&a.range).then(a.hash.cmp(&b.hash)));
        rows
    }
}

/// How far the weights of a feature are apart: what it can change.
fn range(weights: &[f32]) -> f32 {
    let (low, high) =
        weights.iter().fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), &w| (low.min(w), high.max(w)));
    high - low
}
