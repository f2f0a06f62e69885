//! Training classifiers: the static oracle's states as named values, learned by whatever learner was asked for.

use quaich_features::{
    Alphabet, FrozenAlphabet, SymbolicProgram, SymbolicScratch, SymbolicTokens, TokenValues, Value,
};
use quaich_learn::{
    Arrays, Classifier, Instances, Parameters, Pass, Positions, Right, Targets, Trainable, Verdict,
};

use super::model::{Answer, Classifiers, offsets};
use super::split::{self, Parts, Split};
use crate::calibration::Calibration;
use crate::collect::{Recorder, follow_in_turn};
use crate::decider::ModelDecider;
use crate::decisions::Question;
use crate::error::{Error, Result};
use crate::held_out::{judge, split as split_examples};
use crate::learners::Learned;
use crate::model::{Reading, State};
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
    let mut recorder = SymbolicRecorder {
        questions: questions.iter().map(|question| Recorded::new(training, question)).collect(),
        scratch: SymbolicScratch::default(),
    };
    follow_in_turn(training.way(), &TokenValues::default(), examples, &mut recorder);
    let recorded: Vec<(Recorded, Parts)> = recorder
        .questions
        .into_iter()
        .map(|recorded| {
            let parts = recorded.parts(&training.settings.split);
            (recorded, parts)
        })
        .collect();
    // A step a question: how many passes it takes is the learner's affair, and how many parts there are is not known before.
    training.stage(stage, recorded.len());
    let answers = (0..)
        .zip(recorded)
        .map(|(question, (recorded, parts))| {
            let answer = recorded.learn(parts, |part, instances| {
                let name = format!("{stage}-{question}-{part}");
                let watch = Watch { training, name };
                quaich_learn::learn(trainable, instances, &watch)
            });
            training.step();
            answer
        })
        .collect();
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

/// The states of one question.
struct Recorded {
    program: SymbolicProgram,
    alphabet: Alphabet,
    tokens: SymbolicTokens,
    /// Positions with values, state after state.
    values: Vec<(u16, u32)>,
    ends: Vec<usize>,
    targets: Targets,
    split: Option<RecordedSplit>,
}

/// The values to split by.
struct RecordedSplit {
    program: SymbolicProgram,
    alphabet: Alphabet,
    tokens: SymbolicTokens,
    values: Vec<Option<u32>>,
}

impl Recorded {
    fn new(training: &Training<'_>, question: &Question) -> Self {
        let program = SymbolicProgram::compile(question.templates(&training.data.features));
        let split = |value: &Value| {
            let program = split::program(value);
            RecordedSplit {
                alphabet: program.alphabet(),
                program,
                tokens: SymbolicTokens::default(),
                values: Vec::new(),
            }
        };
        Self {
            alphabet: program.alphabet(),
            program,
            tokens: SymbolicTokens::default(),
            values: Vec::new(),
            ends: Vec::new(),
            targets: Targets::new(question.n_classes),
            split: match &training.settings.split {
                SplitChoice::None => None,
                SplitChoice::By { value, .. } => Some(split(value)),
            },
        }
    }

    fn parts(&self, choice: &SplitChoice) -> Parts {
        match (&self.split, choice) {
            (Some(split), SplitChoice::By { at_least, .. }) => {
                Parts::of(split.values.iter().copied(), *at_least)
            }
            _ => Parts::whole(),
        }
    }

    /// A classifier for each part.
    fn learn(self, parts: Parts, mut learn: impl FnMut(usize, &Instances) -> Box<dyn Classifier>) -> Answer {
        let alphabet: FrozenAlphabet = self.alphabet.freeze();
        let offsets = offsets(&self.program, &alphabet);
        let positions = Positions::new(offsets.clone());
        let mut row = Vec::new();
        let classifiers = (0..parts.len()).map(|part| {
            let mut instances = Instances::new(positions.clone(), self.targets.n_classes());
            for state in 0..self.targets.len() {
                let value = self.split.as_ref().and_then(|split| split.values[state]);
                if parts.part(value) == part {
                    let start = if state == 0 { 0 } else { self.ends[state - 1] };
                    let values = &self.values[start..self.ends[state]];
                    row.clear();
                    row.extend(
                        values.iter().map(|&(position, value)| offsets[usize::from(position)] + value),
                    );
                    instances.push(&row, self.targets.right(state), self.targets.weight(state));
                }
            }
            learn(part, &instances)
        });
        let classifiers = classifiers.collect();
        let split = self.split.map(|split| Split {
            program: split.program,
            alphabet: split.alphabet.freeze(),
            parts,
        });
        Answer { program: self.program, alphabet, offsets, split, classifiers }
    }
}

/// Takes down states with their values by name.
struct SymbolicRecorder {
    questions: Vec<Recorded>,
    scratch: SymbolicScratch,
}

impl Recorder for SymbolicRecorder {
    fn read(&mut self, Reading { sentence, order, .. }: Reading<'_>) {
        for recorded in &mut self.questions {
            recorded.tokens.read(sentence, &recorded.program, order, &mut recorded.alphabet);
            if let Some(split) = &mut recorded.split {
                split.tokens.read(sentence, &split.program, order, &mut split.alphabet);
            }
        }
    }

    fn record(&mut self, question: usize, State { c, focus, .. }: State<'_>, right: &[u32]) {
        let recorded = &mut self.questions[question];
        recorded.program.run(c, &recorded.tokens, focus, &mut recorded.alphabet, &mut self.scratch);
        recorded.values.extend_from_slice(&self.scratch.values);
        recorded.ends.push(recorded.values.len());
        // The static oracle knows one way.
        recorded.targets.push(Right::Class(right[0]), 1.0);
        if let Some(split) = &mut recorded.split {
            split.program.run(c, &split.tokens, focus, &mut split.alphabet, &mut self.scratch);
            split.values.push(self.scratch.values.first().map(|&(_, value)| value));
        }
    }
}
