//! Training the linear model: the static oracle's states, and those that models of the other folds get
//! into, learned by Crammer and Singer's support vector machine.

use std::sync::Arc;

use quaich_features::{Program, Template, TokenValues};
use rayon::prelude::*;

use super::file;
use super::model::{Linear, Table};
use super::prune::{Trials, ladder};
use super::states::{Collected, StateRecorder};
use super::weights::LinearWeights;
use crate::calibration::{Calibration, Judged};
use crate::collect::{explore, follow};
use crate::decider::ModelDecider;
use crate::decisions::Question;
use crate::error::{Error, Result};
use crate::held_out::{judge, n_right, split};
use crate::learners::Learned;
use crate::observer::Event;
use crate::prepare::Example;
use crate::train::Training;

/// A linear model and what was learned on the way to it.
#[derive(Debug)]
pub(crate) struct TrainedLinear {
    pub(crate) model: Linear,
    /// What models made of folds that they had not seen.
    pub(crate) judged: Vec<Judged>,
    /// The model that has not seen the first fold.
    pub(crate) rehearsal: Option<Linear>,
}

/// Learns a linear model alone.
pub(crate) fn learn(training: &Training<'_>) -> Result<Learned> {
    let mut token_values = TokenValues::default();
    let trained = LinearTraining::new(training, &mut token_values).train(&training.examples())?;
    let calibration = Calibration::fit(&trained.judged);
    Ok(Learned::from_all(ModelDecider::boxed(trained.model, token_values), calibration))
}

/// What every step of the training needs.
pub(crate) struct LinearTraining<'a> {
    training: &'a Training<'a>,
    /// By question.
    pub(super) templates: Vec<&'a [Template]>,
    pub(super) programs: Vec<Program>,
    n_classes: Vec<usize>,
    token_values: TokenValues,
}

/// How many steps training a linear model takes: a pass of a question is one, and so is what is done with a fold.
pub(crate) fn steps(training: &Training<'_>) -> usize {
    let learning = steps_of_learning(training);
    let exploring = training.n_folds(&training.examples()).map_or(0, |folds| folds * (learning + 1));
    exploring + learning
}

fn steps_of_learning(training: &Training<'_>) -> usize {
    training.data.questions.list().len() * training.settings.passes
}

impl<'a> LinearTraining<'a> {
    /// Compiles the templates; `token_values` learns what they look at.
    pub(crate) fn new(training: &'a Training<'a>, token_values: &mut TokenValues) -> Self {
        let questions = training.data.questions.list();
        let templates: Vec<&[Template]> =
            questions.iter().map(|question| question.templates(&training.data.features)).collect();
        Self {
            training,
            programs: templates.iter().map(|templates| Program::compile(templates, token_values)).collect(),
            templates,
            n_classes: questions.iter().map(|question| question.n_classes).collect(),
            token_values: token_values.clone(),
        }
    }

    /// Trains, or takes up what was kept of the same training.
    pub(crate) fn train(&self, all: &[&Example<'_>]) -> Result<TrainedLinear> {
        let Training { checkpoint, observer, development, .. } = self.training;
        if let Some(trained) = checkpoint.load("linear").and_then(|kept| file::restore(self, &kept)) {
            self.training.steps(steps(self.training));
            return Ok(trained);
        }
        let mut collected = self.follow(all);
        let (mut trials, mut judged, mut rehearsal) = (Trials::default(), Vec::new(), None);
        if let Some(folds) = self.training.n_folds(all) {
            let steps = self.steps_of_learning() + 1;
            self.training.stage("exploring", folds * steps);
            let parts: Vec<Result<Option<Fold>>> = (0..folds)
                .into_par_iter()
                .map(|fold| {
                    if observer.stop() {
                        return Ok(None);
                    }
                    let result = self.fold(all, fold, folds).map(Some);
                    self.training.step();
                    result
                })
                .collect();
            for part in parts {
                if let Some(fold) = part? {
                    if let Some(explored) = &fold.explored {
                        collected.append(explored);
                    }
                    trials.add(&fold.trials);
                    judged.extend(fold.judged);
                    rehearsal.get_or_insert(fold.model);
                }
            }
        }
        self.training.stage("learning", self.steps_of_learning());
        let weights = self.learn_from(&collected);
        let model = self.pruned(&weights, &trials)?;
        let scores = development.score_model(&model, &self.token_values, self.training.way());
        if let Some(scores) = scores {
            observer.event(&Event::Scored { model: "linear model", scores });
        }
        let trained = TrainedLinear { model, judged, rehearsal };
        // One that was cut short is not what the same training would come to.
        if checkpoint.is_used() && !observer.stop() {
            checkpoint.save("linear", &file::keep(&trained))?;
        }
        Ok(trained)
    }

    /// What the model is to be asked.
    pub(super) fn questions(&self) -> &[Question] {
        self.training.data.questions.list()
    }

    fn steps_of_learning(&self) -> usize {
        steps_of_learning(self.training)
    }

    fn follow(&self, examples: &[&Example<'_>]) -> Collected {
        let recorder = || StateRecorder::new(&self.programs, &self.n_classes);
        self.gather(follow(self.training.way(), &self.token_values, examples, recorder))
    }

    fn gather(&self, parts: Vec<StateRecorder<'_>>) -> Collected {
        let mut all = Collected::new(&self.programs, &self.n_classes);
        for part in parts {
            all.append(&part.out);
        }
        all
    }

    fn learn_from(&self, collected: &Collected) -> LinearWeights {
        let go_on = || self.training.step();
        LinearWeights::learn(&self.programs, self.questions(), collected, self.training.settings, &go_on)
    }

    /// Trains on all folds but one and looks at what the model does with that one.
    fn fold(&self, all: &[&Example<'_>], fold: usize, folds: usize) -> Result<Fold> {
        let (others, mine) = split(all, fold, folds);
        let states = self.follow(&others);
        let weights = self.learn_from(&states);
        drop(states);
        let HeldOut { model, judged, trials } = self.hold_out(&weights, &mine)?;
        let way = self.training.way();
        let explored = way.system.has_dynamic_oracle().then(|| {
            let recorder = || StateRecorder::new(&self.programs, &self.n_classes);
            self.gather(explore(way, &self.token_values, &model, &mine, recorder))
        });
        Ok(Fold { explored, judged, trials, model })
    }

    /// The model of some weights, and what it does, whole and pruned, with examples it has not seen.
    pub(super) fn hold_out(&self, weights: &LinearWeights, mine: &[&Example<'_>]) -> Result<HeldOut> {
        let whole = Self::tables(weights, &vec![1.0; weights.questions.len()])?;
        let model = self.model(whole.clone());
        let (way, token_values) = (self.training.way(), &self.token_values);
        let judged = judge(&model, token_values, way, mine);
        let mut trials = Trials::new(judged.len(), n_right(&judged));
        for (at, weighted) in weights.questions.iter().enumerate() {
            let mut right = [0; 5];
            for (right, keep) in right.iter_mut().zip(ladder(weighted.question.subject)) {
                let mut tables = whole.clone();
                tables[at] = no_memory(weighted.table(keep))?;
                *right = n_right(&judge(&self.model(tables), token_values, way, mine));
            }
            trials.push(right);
        }
        Ok(HeldOut { model, judged, trials })
    }

    /// The model with as much of its features as trials show to be needed.
    pub(super) fn pruned(&self, weights: &LinearWeights, trials: &Trials) -> Result<Linear> {
        let keep = trials.keep(weights, self.training.settings);
        let questions: Vec<(String, usize, f32)> = weights
            .questions
            .iter()
            .zip(&keep)
            .map(|(weighted, &keep)| (weighted.question.name.clone(), weighted.n_features(), keep))
            .collect();
        let event = Event::Pruned { states: weights.n_states, questions: &questions };
        self.training.observer.event(&event);
        Ok(self.model(Self::tables(weights, &keep)?))
    }

    /// The model with all its features.
    pub(super) fn whole(&self, weights: &LinearWeights) -> Result<Linear> {
        Ok(self.model(Self::tables(weights, &vec![1.0; weights.questions.len()])?))
    }

    fn tables(weights: &LinearWeights, keep: &[f32]) -> Result<Vec<Arc<Table>>> {
        let tables = weights.questions.iter().zip(keep);
        tables.map(|(weighted, &keep)| no_memory(weighted.table(keep))).collect()
    }

    /// A model with these tables.
    pub(super) fn model(&self, tables: Vec<Arc<Table>>) -> Linear {
        // All that the templates look at is in the list already.
        Linear::new(self.templates.iter().copied().zip(tables), &mut self.token_values.clone())
    }
}

/// What one fold contributes.
struct Fold {
    explored: Option<Collected>,
    judged: Vec<Judged>,
    trials: Trials,
    /// The model that has not seen the fold.
    model: Linear,
}

/// What a model does with examples it has not seen.
pub(super) struct HeldOut {
    pub(super) model: Linear,
    pub(super) judged: Vec<Judged>,
    pub(super) trials: Trials,
}

/// Says what there was no memory for.
pub(super) fn no_memory<T>(result: std::io::Result<T>) -> Result<T> {
    result.map_err(|source| Error::Io { file: "memory for tables".to_owned(), source })
}
