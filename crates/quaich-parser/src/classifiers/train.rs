//! Training classifiers on the static oracle's states, with any instance-based learner.

use std::sync::Arc;

use quaich_features::{FeatureModel, SymbolicProgram, Template, TokenValues};
use quaich_learn::{
    Arrays, Assignments, Classifier, Epoch, Instances, Learner, Next, Positions, Right, Supervisor, Trainable,
};

use super::model::Classifiers;
use super::split::Parts;
use super::states::{States, SymbolicRecorder};
use crate::calibration::Calibration;
use crate::collect::follow_in_turn;
use crate::decoder::ScorerDecoder;
use crate::error::{Error, Result};
use crate::folds::FoldScheme;
use crate::learner::{Learned, Profile, TrainingInput};
use crate::task::Example;

/// One fold of this many is held out.
const FOLDS: usize = 2;

/// The number of steps: one per question.
pub(crate) fn steps(input: &TrainingInput<'_>) -> usize {
    input.scheme().questions.list().len() * if input.holds_out() { 2 } else { 1 }
}

/// Trains classifiers.
pub(crate) fn learn(
    input: &TrainingInput<'_>,
    learner: &'static dyn Learner,
    profile: Profile,
) -> Result<Learned> {
    let mut given = Assignments::default();
    if learner.settings().iter().any(|setting| setting.name == "seed") {
        given.set("seed", &input.settings.seed().to_string());
    }
    for (name, text) in input.settings.assignments(learner.name()).iter() {
        given.set(name, text);
    }
    let wrong =
        |error: quaich_learn::SettingError| Error::Setting(error.in_group(learner.name()).to_string());
    let trainable = learner.check(&given).map_err(wrong)?;
    let features = input.features(profile)?;
    let questions = input.scheme().questions.list().iter();
    let programs = questions.map(|question| SymbolicProgram::compile(question.templates(&features)));
    let n_positions = programs.map(|program| program.n_positions()).max().unwrap_or(0);
    trainable.fits(n_positions).map_err(wrong)?;
    let all = input.examples();
    let mut calibration = Calibration::fit(&[]);
    let decoder = |model: Classifiers| ScorerDecoder::boxed(Arc::new(model), TokenValues::default());
    if input.holds_out() {
        let (others, own) = FoldScheme::Blocks.split(&all, 0, FOLDS);
        let model = train(input, &*trainable, &features, &others, "held-out")?;
        calibration = input.calibrate(&input.model(None, decoder(model), calibration), &own);
    }
    let model = train(input, &*trainable, &features, &all, "learning")?;
    Ok(Learned::single(decoder(model), calibration))
}

fn train(
    input: &TrainingInput<'_>,
    trainable: &dyn Trainable,
    features: &FeatureModel,
    examples: &[&Example<'_>],
    stage: &'static str,
) -> Result<Classifiers> {
    let questions = input.scheme().questions.list();
    let (split, at_least) = match input.settings.split() {
        None => (None, 0),
        Some(split) => (Some(Template { values: vec![split.value] }), split.at_least),
    };
    let templates = questions.iter().map(|question| question.templates(features));
    let mut states: Vec<States> = templates.map(|templates| States::new(templates, split.as_ref())).collect();
    let mut recorder = SymbolicRecorder::new(&mut states, |_, states, instance| states.kept.push(instance));
    for example in examples {
        input.observer.check()?;
        follow_in_turn(input.context(), &TokenValues::default(), &[example], None, &mut recorder);
    }
    // One step per question: the number of epochs depends on the learner, and the number of parts is not known in advance.
    input.stage(stage, states.len());
    let mut by_question = Vec::new();
    for (at, (states, question)) in states.into_iter().zip(questions).enumerate() {
        let parts = match split {
            None => Parts::whole(),
            Some(_) => Parts::of(states.kept.iter().map(|instance| instance.part), at_least),
        };
        let (mut entry, kept) = states.freeze(parts.clone());
        let positions = Positions::new(entry.offsets.clone());
        let mut row = Vec::new();
        for part in 0..parts.len() {
            let mut instances = Instances::new(positions.clone(), question.n_classes);
            for instance in kept.iter().filter(|instance| parts.part(instance.part) == part) {
                entry.number(instance.values, &mut row);
                instances.push(&row, Right::Class(instance.class), 1.0);
            }
            let mut supervisor = PartSupervisor { input, name: format!("{stage}-{at}-{part}") };
            let classifier = quaich_learn::learn(trainable, &instances, &mut supervisor);
            entry.classifiers.push(classifier.ok_or(Error::Stopped)?);
        }
        input.steps(1);
        by_question.push(entry);
    }
    Ok(Classifiers { learner: trainable.learner(), by_question })
}

/// Supervises the training of one part.
struct PartSupervisor<'a> {
    input: &'a TrainingInput<'a>,
    name: String,
}

impl Supervisor<Box<dyn Classifier>> for PartSupervisor<'_> {
    fn epoch(&mut self, _epoch: &Epoch<'_, Box<dyn Classifier>>) -> Next {
        Next { score: None, stop: self.input.observer.stop() }
    }

    fn stops(&self) -> bool {
        self.input.observer.stop()
    }

    fn stored(&self) -> Option<Arrays> {
        self.input.checkpoint.load(&self.name)
    }

    fn stores(&self) -> bool {
        self.input.checkpoint.is_used()
    }

    fn store(&mut self, state: &Arrays) {
        self.input.checkpoint.save(&self.name, state, self.input.observer);
    }
}
