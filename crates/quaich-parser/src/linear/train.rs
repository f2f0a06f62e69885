//! Training the linear model: the static oracle's states, and those that models of the other folds get
//! into, learned by Crammer and Singer's support vector machine.

use std::sync::Arc;

use quaich_features::{FeatureModel, Program, Template, TokenValues};
use rayon::prelude::*;

use super::file::{self, NAME};
use super::model::{Linear, Table};
use super::prune::{Pruning, Trials, ladder};
use super::states::{Collected, StateRecorder};
use super::weights::{Hyperparameters, LinearWeights};
use super::wide::MAX_CLASSES;
use crate::calibration::{Calibration, Evidence};
use crate::collect::{explore, follow};
use crate::decisions::Question;
use crate::decoder::ScorerDecoder;
use crate::error::{Error, Result};
use crate::evaluation::{Evaluation, evaluate, first_tokens};
use crate::folds::FoldScheme;
use crate::learner::{Learned, Profile, TrainingInput};
use crate::observer::Event;
use crate::task::Example;

/// A linear model and what was learned on the way to it.
#[derive(Debug)]
pub(crate) struct TrainedLinear {
    pub(crate) model: Arc<Linear>,
    /// What models made of folds that they had not seen.
    pub(crate) judged: Vec<(Evidence, bool)>,
    /// The model that has not seen the first fold.
    pub(crate) of_others: Option<Arc<Linear>>,
}

/// Learns a linear model alone.
pub(crate) fn learn(input: &TrainingInput<'_>, profile: Profile) -> Result<Learned> {
    let features = input.features(profile)?;
    let mut token_values = TokenValues::default();
    let trained = Setup::new(input, &features, &mut token_values)?.train(&input.examples())?;
    let is_calibrated = input.settings.held_out();
    let calibration = Calibration::fit(if is_calibrated { &trained.judged } else { &[] });
    Ok(Learned::single(ScorerDecoder::boxed(trained.model, token_values), calibration))
}

/// What every step of the training needs.
pub(crate) struct Setup<'a> {
    input: &'a TrainingInput<'a>,
    /// By question.
    pub(super) templates: Vec<&'a [Template]>,
    pub(super) programs: Vec<Program>,
    n_classes: Vec<usize>,
    token_values: TokenValues,
}

/// Held-out tokens that a model is judged by; more would only take longer.
const JUDGED: usize = 20_000;

/// The number of folds for exploration; none if there are too few sentences, or none are wanted.
pub(crate) fn n_folds(input: &TrainingInput<'_>) -> Option<usize> {
    let folds = input.settings.group(NAME).size("folds");
    (folds > 1 && input.task().examples.len() >= 4 * folds).then_some(folds)
}

/// How many steps training a linear model takes: an epoch of a question is one, and so is what is done with a fold.
pub(crate) fn steps(input: &TrainingInput<'_>) -> usize {
    let learning = steps_of_learning(input);
    let exploring = n_folds(input).map_or(0, |folds| folds * (learning + 1));
    exploring + learning
}

fn steps_of_learning(input: &TrainingInput<'_>) -> usize {
    input.scheme().questions.list().len() * input.settings.group(NAME).size("epochs")
}

impl<'a> Setup<'a> {
    /// Compiles the templates; `token_values` learns what they look at.
    pub(crate) fn new(
        input: &'a TrainingInput<'a>,
        features: &'a FeatureModel,
        token_values: &mut TokenValues,
    ) -> Result<Self> {
        let questions = input.scheme().questions.list();
        if let Some(question) = questions.iter().find(|question| question.n_classes > MAX_CLASSES) {
            return Err(Error::Treebank(format!(
                "found {} classes for `{}`, expected at most {MAX_CLASSES}: the treebank has {} labels",
                question.n_classes,
                question.name,
                input.scheme().n_labels
            )));
        }
        let templates: Vec<&[Template]> =
            questions.iter().map(|question| question.templates(features)).collect();
        Ok(Self {
            input,
            programs: templates.iter().map(|templates| Program::compile(templates, token_values)).collect(),
            templates,
            n_classes: questions.iter().map(|question| question.n_classes).collect(),
            token_values: token_values.clone(),
        })
    }

    /// Trains, or goes on with what was stored of the same training.
    pub(crate) fn train(&self, all: &[&Example<'_>]) -> Result<TrainedLinear> {
        let TrainingInput { checkpoint, observer, .. } = self.input;
        if let Some(trained) = checkpoint.load(NAME).and_then(|stored| file::restore(self, &stored)) {
            self.input.steps(steps(self.input));
            return Ok(trained);
        }
        let mut collected = self.follow(all);
        let (mut trials, mut judged, mut of_others) = (Trials::default(), Vec::new(), None);
        if let Some(folds) = n_folds(self.input).filter(|_| !observer.stop()) {
            let steps = steps_of_learning(self.input) + 1;
            self.input.stage("exploring", folds * steps);
            let fold = |fold| {
                if observer.stop() {
                    return Ok(None);
                }
                let result = self.fold(all, fold, folds).map(Some);
                self.input.steps(1);
                result
            };
            let parts: Vec<Result<Option<Fold>>> = (0..folds).into_par_iter().map(fold).collect();
            for (number, part) in parts.into_iter().enumerate() {
                let Some(fold) = part? else { continue };
                if let Some(explored) = &fold.explored {
                    collected.append(explored);
                }
                trials.add(&fold.held_out.trials);
                judged.extend(fold.held_out.judged);
                // Of an interrupted training the first fold can be missing.
                if number == 0 {
                    of_others = Some(fold.held_out.model);
                }
            }
        }
        self.input.stage("learning", steps_of_learning(self.input));
        let weights = self.learn_from(&collected);
        let model = self.pruned(&weights, &trials, Pruning::of(self.input, NAME))?;
        if !self.input.dev.is_empty()
            && let Some(scores) = self.input.dev_scores(&self.parser(&model))
        {
            observer.event(&Event::Scored { model: "linear model", scores });
        }
        let trained = TrainedLinear { model, judged, of_others };
        // One that was cut short is not what the same training would come to.
        if checkpoint.is_used() && !observer.stop() {
            checkpoint.save(NAME, &file::stored(&trained), *observer);
        }
        Ok(trained)
    }

    /// What the model is to be asked.
    pub(super) fn questions(&self) -> &'a [Question] {
        self.input.scheme().questions.list()
    }

    /// A parser that asks a model.
    fn parser(&self, model: &Arc<Linear>) -> crate::model::Model {
        let decoder = ScorerDecoder::boxed(Arc::clone(model), self.token_values.clone());
        self.input.model(None, decoder, Calibration::default())
    }

    fn evaluate(&self, model: &Arc<Linear>, examples: &[&Example<'_>]) -> Evaluation {
        let sentences = first_tokens(examples.iter().map(|example| example.sentence), JUDGED);
        evaluate(&self.parser(model), &sentences)
    }

    fn follow(&self, examples: &[&Example<'_>]) -> Collected {
        let recorder = || StateRecorder::new(&self.programs, &self.n_classes);
        self.gather(follow(self.input.context(), &self.token_values, examples, recorder))
    }

    fn gather(&self, parts: Vec<StateRecorder<'_>>) -> Collected {
        let mut all = Collected::new(&self.programs, &self.n_classes);
        for part in parts {
            all.append(&part.out);
        }
        all
    }

    fn learn_from(&self, collected: &Collected) -> LinearWeights {
        let go_on = || self.input.steps(1);
        let hyperparameters = Hyperparameters::of(self.input.settings);
        LinearWeights::learn(&self.programs, self.questions(), collected, hyperparameters, &go_on)
    }

    /// Trains on all folds but one and looks at what the model does with that one.
    fn fold(&self, all: &[&Example<'_>], fold: usize, folds: usize) -> Result<Fold> {
        let (others, own) = FoldScheme::Blocks.split(all, fold, folds);
        let states = self.follow(&others);
        let weights = self.learn_from(&states);
        drop(states);
        let held_out = self.hold_out(&weights, &own)?;
        let context = self.input.context();
        let explored = context.system.has_dynamic_oracle().then(|| {
            let recorder = || StateRecorder::new(&self.programs, &self.n_classes);
            let model = (&*held_out.model, None);
            self.gather(explore(context, &self.token_values, model, &own, recorder))
        });
        Ok(Fold { explored, held_out })
    }

    /// The model of some weights, and what it does, whole and pruned, with examples it has not seen.
    pub(super) fn hold_out(&self, weights: &LinearWeights, own: &[&Example<'_>]) -> Result<HeldOut> {
        let whole = Self::tables(weights, &vec![1.0; weights.questions.len()])?;
        let model = self.model(whole.clone());
        let evaluation = self.evaluate(&model, own);
        let mut trials = Trials::new(evaluation.arcs.len(), evaluation.n_right());
        for (at, weighted) in weights.questions.iter().enumerate() {
            let mut right = [0; 5];
            for (right, keep) in right.iter_mut().zip(ladder(weighted.question.subject)) {
                let mut tables = whole.clone();
                tables[at] = no_memory(weighted.table(keep))?;
                *right = self.evaluate(&self.model(tables), own).n_right();
            }
            trials.push(right);
        }
        let judged = evaluation.arcs.iter().map(|arc| (arc.evidence, arc.right)).collect();
        Ok(HeldOut { model, judged, trials })
    }

    /// The model with as much of its features as trials show to be needed.
    pub(super) fn pruned(
        &self,
        weights: &LinearWeights,
        trials: &Trials,
        pruning: Pruning,
    ) -> Result<Arc<Linear>> {
        let keep = trials.keep(weights, pruning);
        let questions: Vec<(String, usize, f32)> = weights
            .questions
            .iter()
            .zip(&keep)
            .map(|(weighted, &keep)| (weighted.question.name.clone(), weighted.n_features(), keep))
            .collect();
        let event = Event::Pruned { states: weights.n_states, questions: &questions };
        self.input.observer.event(&event);
        Ok(self.model(Self::tables(weights, &keep)?))
    }

    /// The model with all its features, as a parser.
    pub(super) fn whole(&self, weights: &LinearWeights) -> Result<crate::model::Model> {
        let tables = Self::tables(weights, &vec![1.0; weights.questions.len()])?;
        Ok(self.parser(&self.model(tables)))
    }

    fn tables(weights: &LinearWeights, keep: &[f32]) -> Result<Vec<Arc<Table>>> {
        let tables = weights.questions.iter().zip(keep);
        tables.map(|(weighted, &keep)| no_memory(weighted.table(keep))).collect()
    }

    /// A model with these tables.
    pub(super) fn model(&self, tables: Vec<Arc<Table>>) -> Arc<Linear> {
        // All that the templates look at is in the list already.
        let templates = self.templates.iter().copied().zip(tables);
        Arc::new(Linear::new(templates, &mut self.token_values.clone()))
    }
}

/// What one fold contributes.
struct Fold {
    explored: Option<Collected>,
    held_out: HeldOut,
}

/// What a model does with examples it has not seen.
pub(super) struct HeldOut {
    pub(super) model: Arc<Linear>,
    pub(super) judged: Vec<(Evidence, bool)>,
    pub(super) trials: Trials,
}

/// Says what there was no memory for.
pub(super) fn no_memory<T>(result: std::io::Result<T>) -> Result<T> {
    result.map_err(|source| Error::Io { file: "memory for tables".to_owned(), source })
}
