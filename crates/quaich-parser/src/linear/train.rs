//! Training the linear model: Crammer and Singer's support vector machine on the static oracle's states and on explored states, which
//! models of the other folds reach.

use std::sync::Arc;

use quaich_features::{FeatureModel, Program, Template, TokenValues};
use rayon::prelude::*;

use super::file::{self, NAME};
use super::model::{Linear, Table};
use super::prune::{Pruning, PruningTrials, fractions_to_try};
use super::states::{Collected, StateRecorder};
use super::weights::{FeatureWeights, LinearWeights};
use super::wide::MAX_CLASSES;
use crate::calibration::{Calibration, Evidence};
use crate::collect::{explore, follow};
use crate::decisions::Question;
use crate::decoder::ScorerDecoder;
use crate::error::{Error, Result, unless_stopped};
use crate::evaluation::{Evaluation, evaluate, first_tokens};
use crate::folds::FoldScheme;
use crate::learner::{Learned, Profile, TrainingInput};
use crate::observer::{Event, Observer, Unobserved};
use crate::task::Example;

/// A trained linear model, and by-products of training.
#[derive(Debug)]
pub(crate) struct TrainedLinear {
    pub(crate) model: Arc<Linear>,
    /// Held-out arcs: evidence, and whether the arc is correct.
    pub(crate) held_out_arcs: Vec<(Evidence, bool)>,
    /// The model that has not seen the first fold.
    pub(crate) without_first_fold: Option<Arc<Linear>>,
}

/// Trains a linear model alone.
pub(crate) fn learn(input: &TrainingInput<'_>, profile: Profile) -> Result<Learned> {
    let features = input.features(profile)?;
    let mut token_values = TokenValues::default();
    let trained = Setup::new(input, &features, &mut token_values)?.train(&input.examples())?;
    let is_calibrated = input.settings.held_out();
    let calibration = Calibration::fit(if is_calibrated { &trained.held_out_arcs } else { &[] });
    Ok(Learned::single(ScorerDecoder::boxed(trained.model, token_values), calibration))
}

/// The shared data of all training steps.
pub(crate) struct Setup<'a> {
    input: &'a TrainingInput<'a>,
    /// One per question.
    pub(super) templates: Vec<&'a [Template]>,
    pub(super) programs: Vec<Program>,
    n_classes: Vec<usize>,
    token_values: TokenValues,
}

/// The number of held-out tokens to evaluate on; more would only take longer.
const MAX_HELD_OUT_TOKENS: usize = 20_000;

/// The number of folds for exploration; `None` if there are too few sentences or exploration is off.
pub(crate) fn n_folds(input: &TrainingInput<'_>) -> Option<usize> {
    let folds = input.settings.group(NAME).size("folds");
    (folds > 1 && input.task().examples.len() >= 4 * folds).then_some(folds)
}

/// The number of training steps: one per epoch and question, and one per fold.
pub(crate) fn steps(input: &TrainingInput<'_>) -> usize {
    let learning = steps_of_learning(input);
    let exploring = n_folds(input).map_or(0, |folds| folds * (learning + 1));
    exploring + learning
}

fn steps_of_learning(input: &TrainingInput<'_>) -> usize {
    input.scheme().questions.list().len() * input.settings.group(NAME).size("epochs")
}

impl<'a> Setup<'a> {
    /// Compiles the templates; adds the values that they read to `token_values`.
    pub(crate) fn new(
        input: &'a TrainingInput<'a>,
        features: &'a FeatureModel,
        token_values: &mut TokenValues,
    ) -> Result<Self> {
        let questions = input.scheme().questions.list();
        if let Some(question) = questions.iter().find(|question| question.n_classes > MAX_CLASSES) {
            return Err(Error::Treebank(format!(
                "found {} classes for `{}`, expected at most {MAX_CLASSES}; the treebank has {} labels",
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

    /// Trains, or restores the checkpoint of the same run.
    pub(crate) fn train(&self, all: &[&Example<'_>]) -> Result<TrainedLinear> {
        let TrainingInput { checkpoint, observer, .. } = self.input;
        if let Some(trained) = checkpoint.load(NAME).and_then(|stored| file::restore(self, &stored)) {
            self.input.steps(steps(self.input));
            return Ok(trained);
        }
        let mut collected = self.follow(all)?;
        let (mut trials, mut held_out_arcs, mut without_first_fold) =
            (PruningTrials::default(), Vec::new(), None);
        let mut without_some_fold = None;
        if let Some(folds) = n_folds(self.input) {
            let steps = steps_of_learning(self.input) + 1;
            self.input.stage("exploring", folds * steps);
            let fold = |fold| {
                let result = self.fold(all, fold, folds)?;
                self.input.steps(1);
                Ok(result)
            };
            let parts: Vec<Result<Fold>> = (0..folds).into_par_iter().map(fold).collect();
            for (number, part) in parts.into_iter().enumerate() {
                let Some(fold) = unless_stopped(part)? else { continue };
                without_some_fold.get_or_insert_with(|| Arc::clone(&fold.held_out.model));
                if let Some(explored) = &fold.explored {
                    collected.append(explored);
                }
                trials.add(&fold.held_out.trials);
                held_out_arcs.extend(fold.held_out.arcs);
                // The first fold can be missing if training was stopped.
                if number == 0 {
                    without_first_fold = Some(fold.held_out.model);
                }
            }
        }
        // A model of a fold is complete. To make another one of a part of the epochs would take too long.
        let has_model = without_some_fold.is_some();
        let learned = observer.check().and_then(|()| {
            self.input.stage("learning", steps_of_learning(self.input));
            let weights = self.learn_from(&collected, !has_model)?;
            let until: &dyn Observer = if has_model { *observer } else { &Unobserved };
            self.pruned(&weights, &trials, (Pruning::of(self.input, NAME), until))
        });
        drop(collected);
        let model = match unless_stopped(learned)? {
            Some(model) => model,
            None => without_some_fold.ok_or(Error::Stopped)?,
        };
        if !self.input.dev.is_empty()
            && !observer.stop()
            && let Some(scores) = self.input.dev_scores(&self.parser(&model))
        {
            observer.event(&Event::Scored { model: "linear model", scores });
        }
        let trained = TrainedLinear { model, held_out_arcs, without_first_fold };
        // A run that was stopped early has a different result.
        if checkpoint.is_used() && !observer.stop() {
            checkpoint.save(NAME, &file::stored(&trained), *observer);
        }
        Ok(trained)
    }

    /// The questions that the model answers.
    pub(super) fn questions(&self) -> &'a [Question] {
        self.input.scheme().questions.list()
    }

    /// A parser with this model.
    fn parser(&self, model: &Arc<Linear>) -> crate::model::Model {
        let decoder = ScorerDecoder::boxed(Arc::clone(model), self.token_values.clone());
        self.input.model(None, decoder, Calibration::default())
    }

    fn evaluate(&self, model: &Arc<Linear>, examples: &[&Example<'_>]) -> Result<Evaluation> {
        let sentences = first_tokens(examples.iter().map(|example| example.sentence), MAX_HELD_OUT_TOKENS);
        evaluate(&self.parser(model), &sentences, self.input.observer)
    }

    fn follow(&self, examples: &[&Example<'_>]) -> Result<Collected> {
        let recorder = || StateRecorder::new(&self.programs, &self.n_classes);
        let observer = self.input.observer;
        self.gather(follow(self.input.context(), &self.token_values, examples, observer, recorder)?)
    }

    fn gather(&self, parts: Vec<StateRecorder<'_>>) -> Result<Collected> {
        let mut all = Collected::new(&self.programs, &self.n_classes);
        for part in parts {
            self.input.observer.check()?;
            all.append(&part.out);
        }
        Ok(all)
    }

    fn learn_from(&self, collected: &Collected, keeps_part: bool) -> Result<LinearWeights> {
        LinearWeights::learn(&self.programs, self.input, collected, keeps_part)
    }

    /// Trains on all folds except one, and evaluates and explores on that one.
    fn fold(&self, all: &[&Example<'_>], fold: usize, folds: usize) -> Result<Fold> {
        let observer = self.input.observer;
        let (others, own) = FoldScheme::Blocks.split(all, fold, folds);
        let states = self.follow(&others)?;
        let weights = self.learn_from(&states, false)?;
        drop(states);
        observer.check()?;
        let held_out = self.hold_out(&weights, &own)?;
        let context = self.input.context();
        let mut explored = None;
        if context.system.has_dynamic_oracle() {
            let recorder = || StateRecorder::new(&self.programs, &self.n_classes);
            let model = (&*held_out.model, None);
            let parts = explore(context, &self.token_values, model, &own, observer, recorder)?;
            explored = Some(self.gather(parts)?);
        }
        Ok(Fold { explored, held_out })
    }

    /// Evaluates the model of some weights, unpruned and pruned, on examples that it has not seen.
    pub(super) fn hold_out(&self, weights: &LinearWeights, own: &[&Example<'_>]) -> Result<HeldOut> {
        let whole = Self::tables(weights, &vec![1.0; weights.questions.len()], self.input.observer)?;
        let model = self.model(whole.clone());
        let evaluation = self.evaluate(&model, own)?;
        let mut trials = PruningTrials::new(evaluation.arcs.len(), evaluation.n_right());
        for (at, weighted) in weights.questions.iter().enumerate() {
            let mut right = [0; 5];
            for (right, keep) in right.iter_mut().zip(fractions_to_try(weighted.question.subject)) {
                self.input.observer.check()?;
                let mut tables = whole.clone();
                tables[at] = no_memory(weighted.table(keep))?;
                *right = self.evaluate(&self.model(tables), own)?.n_right();
            }
            trials.push(right);
        }
        let arcs = evaluation.arcs.iter().map(|arc| (arc.evidence, arc.right)).collect();
        Ok(HeldOut { model, arcs, trials })
    }

    /// The model pruned as far as the trials allow, unless the observer stops it.
    pub(super) fn pruned(
        &self,
        weights: &LinearWeights,
        trials: &PruningTrials,
        (pruning, until): (Pruning, &dyn Observer),
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
        Ok(self.model(Self::tables(weights, &keep, until)?))
    }

    /// The unpruned model as a parser.
    pub(super) fn whole(&self, weights: &LinearWeights) -> Result<crate::model::Model> {
        let tables = Self::tables(weights, &vec![1.0; weights.questions.len()], &Unobserved)?;
        Ok(self.parser(&self.model(tables)))
    }

    fn tables(weights: &LinearWeights, keep: &[f32], until: &dyn Observer) -> Result<Vec<Arc<Table>>> {
        let table = |(weighted, &keep): (&FeatureWeights, &f32)| {
            until.check()?;
            no_memory(weighted.table(keep))
        };
        weights.questions.iter().zip(keep).map(table).collect()
    }

    /// A model with these tables.
    pub(super) fn model(&self, tables: Vec<Arc<Table>>) -> Arc<Linear> {
        // All values of the templates are in the list already.
        let templates = self.templates.iter().copied().zip(tables);
        Arc::new(Linear::new(templates, &mut self.token_values.clone()))
    }
}

/// The results of one fold.
struct Fold {
    explored: Option<Collected>,
    held_out: HeldOut,
}

/// The evaluation of a model on held-out examples.
pub(super) struct HeldOut {
    pub(super) model: Arc<Linear>,
    pub(super) arcs: Vec<(Evidence, bool)>,
    pub(super) trials: PruningTrials,
}

/// Turns a failed allocation into an error.
pub(super) fn no_memory<T>(result: std::io::Result<T>) -> Result<T> {
    result.map_err(|source| Error::Io { file: "memory for tables".to_owned(), source })
}
