//! Training classifiers: the static oracle's states as named values, learned by whatever learner was asked for.

use quaich_features::{SymbolicProgram, Template, TokenValues};
use quaich_learn::{Arrays, Instances, Parameters, Pass, Positions, Right, Trainable, Verdict};

use super::model::Classifiers;
use super::split::Parts;
use super::states::{States, SymbolicRecorder};
use crate::calibration::Calibration;
use crate::collect::follow_in_turn;
use crate::decider::ModelDecider;
use crate::error::{Error, Result};
use crate::held_out::{judge, split as split_examples};
use crate::learners::Learned;
use crate::prepare::Example;
use crate::settings::SplitChoice;
use crate::train::Training;

/// How many steps learning classifiers takes: a question is one.
pub(crate) fn steps(training: &Training<'_>) -> usize {
    let rounds = if training.n_folds(&training.examples()).is_some() { 2 } else { 1 };
    rounds * training.data.questions.list().len()
}

/// Learns classifiers.
pub(crate) fn learn(training: &Training<'_>) -> Result<Learned> {
    let settings = training.settings;
    let name = settings.learner.as_str();
    let learner = quaich_learn::learner(name).ok_or_else(|| {
        Error::Setting(format!("`{name}` is two models in one, which cannot be split by a feature"))
    })?;
    let mut parameters = Parameters::default();
    if learner.parameters().iter().any(|parameter| parameter.name == "seed") {
        parameters.set("seed", &settings.seed.to_string());
    }
    for (parameter, value) in settings.parameters_of(name) {
        parameters.set(parameter, value);
    }
    let trainable = learner.check(&parameters).map_err(|error| Error::Setting(error.to_string()))?;
    let programs = training.data.questions.list().iter();
    let programs =
        programs.map(|question| SymbolicProgram::compile(question.templates(&training.data.features)));
    let n_positions = programs.map(|program| program.n_positions()).max().unwrap_or(0);
    trainable.fits(n_positions).map_err(|error| Error::Setting(error.to_string()))?;
    let all = training.examples();
    let mut judged = Vec::new();
    let no_values = TokenValues::default();
    if let Some(folds) = training.n_folds(&all) {
        let (others, mine) = split_examples(&all, 0, folds);
        let model = train(training, &*trainable, &others, "rehearsal");
        judged = judge(&model, &no_values, training.way(), &mine);
    }
    let model = train(training, &*trainable, &all, "learning");
    let calibration = Calibration::fit(&judged);
    Ok(Learned::from_all(ModelDecider::boxed(model, no_values), calibration))
}

fn train(
    training: &Training<'_>,
    trainable: &dyn Trainable,
    examples: &[&Example<'_>],
    stage: &'static str,
) -> Classifiers {
    let questions = training.data.questions.list();
    let (split, at_least) = match &training.settings.split {
        SplitChoice::None => (None, 0),
        SplitChoice::By { value, at_least } => (Some(Template { values: vec![value.clone()] }), *at_least),
    };
    let templates = questions.iter().map(|question| question.templates(&training.data.features));
    let mut states: Vec<States> = templates.map(|templates| States::new(templates, split.as_ref())).collect();
    let mut recorder = SymbolicRecorder::new(&mut states, |_, states, instance| states.kept.push(instance));
    follow_in_turn(training.way(), &TokenValues::default(), examples, None, &mut recorder);
    // A step a question: how many passes it takes is the learner's affair, and how many parts there are is not known before.
    training.stage(stage, states.len());
    let mut answers = Vec::new();
    for (at, (states, question)) in states.into_iter().zip(questions).enumerate() {
        let parts = match split {
            None => Parts::whole(),
            Some(_) => Parts::of(states.kept.iter().map(|instance| instance.part), at_least),
        };
        let (mut answer, kept) = states.freeze(parts.clone());
        let positions = Positions::new(answer.offsets.clone());
        let mut row = Vec::new();
        for part in 0..parts.len() {
            let mut instances = Instances::new(positions.clone(), question.n_classes);
            for instance in kept.iter().filter(|instance| parts.part(instance.part) == part) {
                answer.number(instance.values, &mut row);
                instances.push(&row, Right::Class(instance.class), 1.0);
            }
            let watch = Watch { training, name: format!("{stage}-{at}-{part}") };
            answer.classifiers.push(quaich_learn::learn(trainable, &instances, &watch));
        }
        training.step();
        answers.push(answer);
    }
    Classifiers { learner: trainable.learner(), answers }
}

/// Passes on what a training says to a learner.
struct Watch<'a> {
    training: &'a Training<'a>,
    name: String,
}

impl quaich_learn::Watch for Watch<'_> {
    fn pass(&self, _pass: &Pass<'_>) -> Verdict {
        let stop = self.training.observer.stop();
        Verdict { score: None, stop, keep: self.training.checkpoint.is_used() }
    }

    fn kept(&self) -> Option<Arrays> {
        self.training.checkpoint.load(&self.name)
    }

    fn keep(&self, arrays: &Arrays) {
        // A training that cannot be kept goes on all the same.
        let _ = self.training.checkpoint.save(&self.name, arrays);
    }
}
