//! Trained weights before they are quantised to tables: floats, pruned by importance.

use std::sync::Arc;

use quaich_features::{Program, Sets};
use quaich_learn::{Weights, crammer_singer};
use rayon::prelude::*;

use super::index::index;
use super::model::Table;
use super::narrow::Narrow;
use super::states::{Collected, States};
use super::wide::Wide;
use crate::decisions::{Question, Subject};
use crate::error::{Error, Result};
use crate::learner::TrainingInput;

/// The maximum number of rows of a narrow table, limited by processor caches.
const MAX_NARROW_ROWS: usize = 500_000;
/// The maximum size of the rows of a wide table in bytes, for the same reason; larger only if there are so many classes that this would
/// leave too little for each.
const MAX_WIDE_BYTES: usize = 8_000_000;
const BYTES_PER_CLASS: usize = 16_000;

/// The hyperparameters of training.
#[derive(Clone, Copy, Debug)]
struct Hyperparameters {
    /// The cost parameters C of transitions and labels.
    c: f32,
    label_c: f32,
    epochs: usize,
    min_count: u32,
    seed: u64,
}

impl Hyperparameters {
    /// Reads the settings.
    fn of(input: &TrainingInput<'_>) -> Self {
        let values = input.settings.group(super::NAME);
        Self {
            c: values.float("c"),
            label_c: values.float("label-c"),
            epochs: values.size("epochs"),
            min_count: u32::try_from(values.count("min-count")).unwrap_or(u32::MAX),
            seed: input.settings.seed(),
        }
    }
}

/// The weights of a linear model.
#[derive(Debug)]
pub(crate) struct LinearWeights {
    /// One per question.
    pub(crate) questions: Vec<FeatureWeights>,
    /// The number of training states.
    pub(crate) n_states: usize,
}

/// Features by hash, with weights for the classes of a question.
#[derive(Debug)]
pub(crate) struct FeatureWeights {
    pub(crate) question: Question,
    /// The maximum number of features per state, if known.
    n_added: usize,
    hashes: Vec<u64>,
    weights: Weights,
    /// The range of each feature's weights, in decreasing order: the importance for pruning.
    ranges: Vec<f32>,
}

/// The weights of one feature.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FeatureRow<'a> {
    /// The feature's hash.
    pub(crate) hash: u64,
    /// Its weights.
    pub(crate) weights: quaich_learn::Row<'a>,
    /// The minimum and maximum weight.
    pub(crate) extremes: (f32, f32),
}

impl FeatureRow<'_> {
    /// Writes one weight per class.
    pub(crate) fn write(&self, out: &mut [f32]) {
        out.fill(0.0);
        for (class, weight) in self.weights.pairs() {
            out[class as usize] = weight;
        }
    }

    /// The maximum effect of the feature on a decision.
    pub(crate) fn range(&self) -> f32 {
        self.extremes.1 - self.extremes.0
    }
}

impl LinearWeights {
    /// Trains on states. Fails only if the observer stops it: before the end of the first epoch, or, if a part is not worth keeping, at any
    /// time.
    pub(crate) fn learn(
        programs: &[Program],
        input: &TrainingInput<'_>,
        collected: &Collected,
        keeps_part: bool,
    ) -> Result<Self> {
        let questions = input.scheme().questions.list();
        let work: Vec<_> = programs.iter().zip(questions).zip(&collected.questions).collect();
        let learn = |((program, question), states): ((&Program, &Question), &States)| {
            FeatureWeights::learn(program, question, (states, &collected.sets), input, keeps_part)
        };
        let questions = work.into_par_iter().map(learn).collect::<Result<_>>()?;
        Ok(Self { questions, n_states: collected.n_states() })
    }
}

impl FeatureWeights {
    fn learn(
        program: &Program,
        question: &Question,
        (states, sets): (&States, &Sets),
        input: &TrainingInput<'_>,
        keeps_part: bool,
    ) -> Result<Self> {
        let hyperparameters = Hyperparameters::of(input);
        let indexed = index(program, states, sets, hyperparameters.min_count, input.observer)?;
        let c = if question.subject == Subject::Label { hyperparameters.label_c } else { hyperparameters.c };
        let learner = crammer_singer::CrammerSingerParameters {
            c,
            epochs: hyperparameters.epochs,
            seed: hyperparameters.seed,
        };
        let (go_on, stops) = (|| input.steps(1), || input.observer.stop());
        let weights = crammer_singer::train(&indexed.instances, &learner, &go_on, &stops);
        drop(indexed.instances);
        if !keeps_part {
            input.observer.check()?;
        }
        Ok(Self::new(question, program, indexed.hashes, weights.ok_or(Error::Stopped)?))
    }

    /// The weights of these features, in order.
    pub(crate) fn new(question: &Question, program: &Program, hashes: Vec<u64>, weights: Weights) -> Self {
        // With sets, a state can have more features than templates; the sums saturate then.
        let n_added = program.max_hashes().unwrap_or(2 * program.n_templates());
        let mut new = Self { question: question.clone(), n_added, hashes, weights, ranges: Vec::new() };
        new.ranges = new.rows().map(|row| row.range()).filter(|&range| range > 0.0).collect();
        new.ranges.sort_unstable_by(|a, b| b.total_cmp(a));
        new
    }

    /// The number of features that have an effect.
    pub(crate) fn n_features(&self) -> usize {
        self.ranges.len()
    }

    fn rows(&self) -> impl Iterator<Item = FeatureRow<'_>> {
        (0u32..).zip(&self.hashes).map(|(id, &hash)| {
            let weights = self.weights.row(id);
            FeatureRow { hash, weights, extremes: weights.extremes() }
        })
    }

    /// A table of the most important features: this fraction of them.
    pub(crate) fn table(&self, keep: f32) -> std::io::Result<Arc<Table>> {
        let n_classes = self.question.n_classes;
        #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let n = ((self.ranges.len() as f32 * keep).ceil() as usize).min(self.ranges.len());
        let mut rows: Vec<FeatureRow<'_>> = match n.checked_sub(1).and_then(|last| self.ranges.get(last)) {
            Some(&least) => self.rows().filter(|row| row.range() >= least).collect(),
            None => Vec::new(),
        };
        rows.sort_unstable_by(|a, b| b.range().total_cmp(&a.range()).then(a.hash.cmp(&b.hash)));
        Ok(Arc::new(if self.question.subject == Subject::Kind {
            rows.truncate(MAX_NARROW_ROWS);
            Table::Narrow(Narrow::build(&rows, n_classes.max(2))?)
        } else {
            Wide::cut(&mut rows, n_classes, MAX_WIDE_BYTES.max(n_classes * BYTES_PER_CLASS));
            Table::Wide(Wide::build(&rows, n_classes, self.n_added)?)
        }))
    }
}
