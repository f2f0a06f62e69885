//! Training: a treebank → a parser.
//!
//! ```text
//!   sentences ─▶ prepare: labels, plan, transformation, questions
//!                   └─▶ learner: states ─▶ model, judged on held-out folds ─▶ decider ─▶ parser
//! ```

use quaich_features::{FeatureModel, hash};
use quaich_treebank::Sentence;

use crate::blend::{BlendTrainer, Recipe};
use crate::checkpoint::Checkpoint;
use crate::decider::Way;
use crate::development::Development;
use crate::distillation::HeadShares;
use crate::error::{Error, Result};
use crate::learners::{self, Learned};
use crate::member::Member;
use crate::model_file::{Description, FORMAT_VERSION};
use crate::observer::{Event, Observer};
use crate::parser::Parser;
use crate::prepare::{Example, Prepared};
use crate::recurrent;
use crate::settings::Settings;

/// Trains a parser with these settings on these sentences and nothing else; see [`Trainer`] for the rest.
pub fn train(sentences: &[Sentence], settings: &Settings, observer: &dyn Observer) -> Result<Parser> {
    Trainer::new(settings).train(sentences, observer)
}

/// A training to be: settings, and what may be given besides.
#[derive(Clone, Debug)]
pub struct Trainer<'t> {
    settings: &'t Settings,
    dev: &'t [Sentence],
    opinions: &'t [HeadShares],
    features: Option<FeatureModel>,
    notes: Vec<(String, String)>,
    checkpoint: Checkpoint,
}

impl<'t> Trainer<'t> {
    /// A training with these settings.
    pub fn new(settings: &'t Settings) -> Self {
        Self {
            settings,
            dev: &[],
            opinions: &[],
            features: None,
            notes: Vec::new(),
            checkpoint: Checkpoint::default(),
        }
    }

    /// Sentences to score on; never learned from.
    #[must_use]
    pub fn dev(self, dev: &'t [Sentence]) -> Self {
        Self { dev, ..self }
    }

    /// What a teacher thinks of the sentences to learn from, for learners that can learn from it; by sentence, without an entry for those after the
    /// last that it has seen.
    #[must_use]
    pub fn opinions(self, opinions: &'t [HeadShares]) -> Self {
        Self { opinions, ..self }
    }

    /// Templates in place of the default ones.
    #[must_use]
    pub fn features(self, features: FeatureModel) -> Self {
        Self { features: Some(features), ..self }
    }

    /// Something to be noted in the model: date, licence, anything.
    #[must_use]
    pub fn note(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.notes.push((name.into(), text.into()));
        self
    }

    /// Where the training keeps what it has done, to be taken up again after an interruption.
    #[must_use]
    pub fn checkpoint(self, checkpoint: Checkpoint) -> Self {
        Self { checkpoint, ..self }
    }

    /// Trains.
    pub fn train(self, sentences: &[Sentence], observer: &dyn Observer) -> Result<Parser> {
        if self.settings.blend {
            return self.train_blend(sentences, observer);
        }
        let data = self.prepare(sentences, observer)?;
        let training = self.training(&data, sentences, observer);
        let learned = learners::learn(&training)?;
        let interrupted = observer.stop();
        let dev = training.development.score(&*learned.decider, training.way(), &learned.calibration);
        if let Some(scores) = dev {
            observer.event(&Event::Scored { model: "", scores });
        }
        drop(training);
        let description = self.describe(&data, &learned, sentences);
        let description = Description { interrupted, dev, ..description };
        Ok(Parser::new(description, Member::new(data, learned.decider, learned.calibration), None))
    }

    /// Trains the usual blend; teachers' opinions count for nothing there.
    fn train_blend(self, sentences: &[Sentence], observer: &dyn Observer) -> Result<Parser> {
        self.settings.check()?;
        if self.settings.system.given().is_some() || self.features.is_some() {
            let message = "the parsers of a blend have systems and features of their own: found others, expected none; \
                           `blend train --parsers` takes any";
            return Err(Error::Setting(message.to_owned()));
        }
        let recipe = Recipe::usual(self.settings)?;
        let mut trainer = BlendTrainer::new(&recipe).dev(self.dev).checkpoint(self.checkpoint);
        for (name, text) in self.notes {
            trainer = trainer.note(name, text);
        }
        let mut parser = trainer.train(sentences, observer)?;
        parser.description.settings = self.settings.clone();
        Ok(parser)
    }

    fn prepare<'s>(&self, sentences: &'s [Sentence], observer: &dyn Observer) -> Result<Prepared<'s>>
    where
        't: 's,
    {
        let settings = self.settings;
        settings.check()?;
        let features = self.features.clone().unwrap_or_else(|| learners::usual_features(settings));
        let bounded = learners::keeps_states(settings.learner.as_str());
        Prepared::new(sentences, self.opinions, features, settings, bounded, observer)
    }

    fn training<'a>(
        &'a self,
        data: &'a Prepared<'a>,
        sentences: &[Sentence],
        observer: &'a dyn Observer,
    ) -> Training<'a> {
        let (fingerprint, dev_fingerprint) = (fingerprint(sentences), fingerprint(self.dev));
        let settings = self.settings;
        Training {
            settings,
            observer,
            development: Development::new(self.dev, &data.labels, data.inverse.as_deref()),
            checkpoint: self.checkpoint.of(&format!(
                "{fingerprint:x} {dev_fingerprint:x} {:?} {} {}",
                data.features,
                settings.to_toml(),
                self.opinions.len()
            )),
            data,
        }
    }

    fn describe(&self, data: &Prepared<'_>, learned: &Learned, sentences: &[Sentence]) -> Description {
        Description {
            format_version: FORMAT_VERSION,
            trained_by: format!("quaich {}", env!("CARGO_PKG_VERSION")),
            settings: self.settings.clone(),
            sentences: data.examples.len() - learned.set_aside.sentences,
            tokens: data.n_tokens() - learned.set_aside.tokens,
            fingerprint: format!("{:016x}", fingerprint(sentences)),
            interrupted: false,
            dev: None,
            notes: self.notes.clone(),
        }
    }
}

/// Trains parsers that share recurrent networks, each told of by an observer of its own. Their settings differ in systems and what goes
/// with them only; how the networks are trained and where that is kept is what the first says.
pub(crate) fn train_sharing(
    trainers: &[Trainer<'_>],
    sentences: &[Sentence],
    observers: &[&dyn Observer],
) -> Result<Vec<Parser>> {
    let each = || trainers.iter().zip(observers);
    let data = each().map(|(trainer, observer)| trainer.prepare(sentences, *observer));
    let data: Vec<Prepared<'_>> = data.collect::<Result<_>>()?;
    if data.iter().any(|data| learners::are_many(data.n_labels)) {
        // Each has a linear model to help it, and an encoder of its own.
        return each().map(|(trainer, observer)| trainer.clone().train(sentences, *observer)).collect();
    }
    let trainings =
        each().zip(&data).map(|((trainer, observer), data)| trainer.training(data, sentences, *observer));
    let mut trainings: Vec<Training<'_>> = trainings.collect();
    trainings[0].checkpoint = Checkpoint::together(trainings.iter().map(|training| &training.checkpoint));
    let learned = recurrent::learn_together(&trainings)?;
    drop(trainings);
    let parsers = trainers.iter().zip(data).zip(learned).map(|((trainer, data), learned)| {
        let description = trainer.describe(&data, &learned, sentences);
        Parser::new(description, Member::new(data, learned.decider, learned.calibration), None)
    });
    Ok(parsers.collect())
}

/// What every learner is told.
pub(crate) struct Training<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) observer: &'a dyn Observer,
    pub(crate) data: &'a Prepared<'a>,
    pub(crate) development: Development<'a>,
    pub(crate) checkpoint: Checkpoint,
}

impl Training<'_> {
    /// What a model is asked, and how.
    pub(crate) fn way(&self) -> Way<'_> {
        Way { system: &*self.data.system, questions: &self.data.questions, order: self.data.plan.order() }
    }

    /// The examples to learn from.
    pub(crate) fn examples(&self) -> Vec<&Example<'_>> {
        self.data.examples.iter().collect()
    }

    /// Into how many parts the examples are cut; none if there are too few, or none are wanted.
    pub(crate) fn n_folds(&self, examples: &[&Example<'_>]) -> Option<usize> {
        (self.wants_folds(examples) && !self.observer.stop()).then_some(self.settings.folds)
    }

    /// Whether some sentences are kept from a model to judge it by, and there are enough.
    pub(crate) fn wants_folds(&self, examples: &[&Example<'_>]) -> bool {
        let folds = self.settings.folds;
        folds > 1 && examples.len() >= 4 * folds
    }

    /// Tells that a stage begins.
    pub(crate) fn stage(&self, name: &'static str, steps: usize) {
        self.observer.event(&Event::Stage { name, steps });
    }

    /// Tells that a step is done; whether to go on.
    pub(crate) fn step(&self) -> bool {
        self.steps(1)
    }

    /// Tells that several steps are done; whether to go on.
    pub(crate) fn steps(&self, n: usize) -> bool {
        for _ in 0..n {
            self.observer.event(&Event::Step);
        }
        !self.observer.stop()
    }
}

/// A number that changes when the training text does.
fn fingerprint(sentences: &[Sentence]) -> u64 {
    sentences.iter().fold(0, |state: u64, sentence| {
        let text = hash::bytes(state, sentence.text().as_bytes());
        state.rotate_left(5) ^ text
    })
}
