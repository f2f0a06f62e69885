//! What a learner is, what it is given and what it gives back.
//!
//! ```text
//!   Lesson   tasks, one per parser that shares an encoder; settings, development set, checkpoint, observer
//!   Learner  an entry of LEARNERS: lesson ─▶ learned, and part of a model file ─▶ decoder
//!   Learned  an encoder, if there is one, and a decoder per task
//! ```

use std::fmt::Debug;
use std::sync::Arc;

use quaich_features::{FeatureModel, NamedModel};
use quaich_learn::{Arrays, Epoch, Next, Supervisor};
use quaich_transition::spec::SystemSpec;
use quaich_treebank::Sentence;
use rayon::prelude::*;

use crate::calibration::Calibration;
use crate::checkpoint::Checkpoint;
use crate::decisions::Questions;
use crate::decoder::{DecisionContext, Decoder};
use crate::description::{Description, Scores};
use crate::encoder::SentenceEncoder;
use crate::error::Result;
use crate::folds::Cut;
use crate::judge::{first_tokens, judge};
use crate::model::Model;
use crate::observer::{Event, Observer};
use crate::part::{PartError, PartReader};
use crate::scheme::Scheme;
use crate::settings::Settings;
use crate::task::{Example, Task};

/// A way to learn what decides in a parser: an entry of the table of learners.
pub(crate) trait Learner: Debug + Sync {
    /// The name, as in settings and model files.
    fn name(&self) -> &'static str;

    /// One line of help.
    fn help(&self) -> &'static str;

    /// The groups of settings that it reads besides the general ones.
    fn groups(&self) -> Vec<&'static str>;

    /// What it does best with, and what it can be given.
    fn profile(&self) -> Profile;

    /// The number of steps that learning takes, for progress.
    fn steps(&self, lesson: &Lesson<'_>) -> usize;

    /// Learns.
    fn learn(&self, lesson: &Lesson<'_>) -> Result<Learned>;

    /// Puts a decoder together again.
    fn load(&self, part: PartReader<'_>, of: Loading<'_>) -> Result<Box<dyn Decoder>, PartError>;
}

/// What a learner does best with, and what it can be given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Profile {
    /// The system that it is used with if none is named, where that is not the usual one.
    pub(crate) system: Option<&'static str>,
    /// The templates that it reads.
    pub(crate) templates: Templates,
    /// Whether the states of all sentences are kept in memory, so that a large treebank has to be bounded.
    pub(crate) keeps_states: bool,
    /// Whether parsers with different systems can share its encoder.
    pub(crate) shares_encoder: bool,
    /// Whether data can be split by a feature.
    pub(crate) splits: bool,
}

/// The templates that a learner reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Templates {
    /// None: it has its own ways to look at words.
    None,
    /// Those of this name, if none are given.
    Named(&'static str),
}

/// What a decoder that is loaded belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loading<'a> {
    /// What it is asked.
    pub(crate) questions: &'a Questions,
    /// The encoder that it reads.
    pub(crate) encoder: Option<&'a SentenceEncoder>,
}

impl Profile {
    /// The system that is used if none is named.
    pub(crate) fn usual_system(&self) -> SystemSpec {
        self.system.map_or_else(SystemSpec::default, |name| name.parse().expect("a name of the table"))
    }

    /// The feature model that is used if none is given; none for learners that read no templates.
    pub(crate) fn usual_features(&self) -> Option<FeatureModel> {
        match self.templates {
            Templates::None => None,
            Templates::Named(name) => Some(NamedModel::by_name(name).expect("a name of the table").model()),
        }
    }
}

/// What a learner is given.
pub(crate) struct Lesson<'a> {
    /// By parser that is to share what is learned; nearly always one.
    pub(crate) tasks: &'a [Task<'a>],
    pub(crate) settings: &'a Settings,
    /// Templates in place of the usual ones.
    pub(crate) features: Option<&'a FeatureModel>,
    /// Sentences to score on; never learned from.
    pub(crate) dev: &'a [Sentence],
    pub(crate) observer: &'a dyn Observer,
    pub(crate) checkpoint: Checkpoint,
    /// Whether this is a shorter training, only to see how its result does on sentences that it does not learn from.
    pub(crate) is_trial: bool,
    /// Whether sentences are held out to calibrate.
    pub(crate) calibrates: bool,
}

/// What a learner gives back.
#[derive(Debug)]
pub(crate) struct Learned {
    pub(crate) encoder: Option<Arc<SentenceEncoder>>,
    /// By task: what decides, and how certain it is.
    pub(crate) decoders: Vec<(Box<dyn Decoder>, Calibration)>,
    /// What was not learned from.
    pub(crate) held_out: HeldOutSize,
}

/// Sentences that were held out, and their tokens.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HeldOutSize {
    pub(crate) sentences: usize,
    pub(crate) tokens: usize,
}

impl Learned {
    /// A parser without an encoder, from all sentences.
    pub(crate) fn single(decoder: Box<dyn Decoder>, calibration: Calibration) -> Self {
        Self { encoder: None, decoders: vec![(decoder, calibration)], held_out: HeldOutSize::default() }
    }
}

/// The fewest sentences from which some are held out.
const FEWEST: usize = 8;

impl<'a> Lesson<'a> {
    /// The task; the first of several.
    pub(crate) fn task(&self) -> &'a Task<'a> {
        &self.tasks[0]
    }

    /// The parser of the task without its model.
    pub(crate) fn scheme(&self) -> &'a Arc<Scheme> {
        &self.task().scheme
    }

    /// How a model of the task is asked.
    pub(crate) fn context(&self) -> DecisionContext<'a> {
        self.scheme().context()
    }

    /// The examples of the task.
    pub(crate) fn examples(&self) -> Vec<&'a Example<'a>> {
        self.task().examples.iter().collect()
    }

    /// The templates that are learned from.
    pub(crate) fn features(&self, profile: Profile) -> Result<FeatureModel> {
        let usual = || profile.usual_features().unwrap_or_else(FeatureModel::default_model);
        self.task().fit(self.features.cloned().unwrap_or_else(usual))
    }

    /// Whether sentences are held out to calibrate, and there are enough.
    pub(crate) fn holds_out(&self) -> bool {
        self.calibrates && self.settings.held_out() && self.task().examples.len() >= FEWEST
    }

    /// A model of the task that is as good as finished.
    pub(crate) fn model(
        &self,
        encoder: Option<Arc<SentenceEncoder>>,
        decoder: Box<dyn Decoder>,
        calibration: Calibration,
    ) -> Model {
        Model::single(Description::default(), Arc::clone(self.scheme()), (encoder, decoder), calibration)
    }

    /// How a model does on the development set; nothing where there is none.
    pub(crate) fn dev_scores(&self, model: &Model) -> Option<Scores> {
        judge(model, &self.dev.iter().collect::<Vec<_>>()).scores()
    }

    /// Fits to what a model does with held-out examples.
    pub(crate) fn calibrate(model: &Model, held_out: &[&Example<'_>]) -> Calibration {
        /// Tokens to fit to; more would only take longer.
        const ENOUGH: usize = 20_000;
        let sentences = first_tokens(held_out.iter().map(|example| example.sentence), ENOUGH);
        let arcs = judge(model, &sentences).arcs;
        Calibration::fit(&arcs.iter().map(|arc| (arc.evidence, arc.right)).collect::<Vec<_>>())
    }

    /// Tells that a stage begins.
    pub(crate) fn stage(&self, name: &'static str, steps: usize) {
        self.observer.event(&Event::Stage { name, steps });
    }

    /// Tells that some steps are done; whether to go on.
    pub(crate) fn steps(&self, n: usize) -> bool {
        for _ in 0..n {
            self.observer.event(&Event::Step);
        }
        !self.observer.stop()
    }
}

/// A model that is trained epoch by epoch: how its training is told of, scored and stored.
pub(crate) struct Run<'a> {
    /// What it is stored under, and called.
    pub(crate) name: String,
    pub(crate) epochs: usize,
    pub(crate) seed: u64,
    /// Epochs between two scores on the development set, and the part of all epochs after which scores begin; none if nothing is
    /// scored.
    pub(crate) scored: Option<(usize, usize)>,
    pub(crate) lesson: &'a Lesson<'a>,
}

/// Supervises a [`Run`].
pub(crate) struct RunSupervisor<'r, M> {
    run: &'r Run<'r>,
    /// A parser made of the model.
    parser: &'r dyn Fn(&M) -> Model,
    /// How many epochs were told of.
    told: usize,
}

impl<'r, M> RunSupervisor<'r, M> {
    /// Told of epochs; `parser` makes a parser of a model.
    pub(crate) fn new(run: &'r Run<'r>, parser: &'r dyn Fn(&M) -> Model) -> Self {
        Self { run, parser, told: 0 }
    }

    /// Tells of epochs that were all stored, so that there was none to tell of them after.
    pub(crate) fn end(self) {
        let Run { lesson, epochs, .. } = self.run;
        if !lesson.observer.stop() {
            lesson.steps(epochs - self.told);
        }
    }
}

impl<M> Supervisor<M> for RunSupervisor<'_, M> {
    fn epoch(&mut self, epoch: &Epoch<'_, M>) -> Next {
        let Run { name, lesson, scored, .. } = self.run;
        let new = epoch.done - std::mem::replace(&mut self.told, epoch.done);
        let stop = !lesson.steps(new);
        let is_due = scored.is_some_and(|(every, after)| {
            epoch.done > after && (epoch.done.is_multiple_of(every) || epoch.done == epoch.of)
        });
        let mut score = None;
        if is_due
            && !lesson.dev.is_empty()
            && let Some(scores) = lesson.dev_scores(&(self.parser)(epoch.model()))
        {
            let event = Event::Epoch { model: name, done: epoch.done, of: epoch.of, scores };
            lesson.observer.event(&event);
            score = Some(scores.las);
        }
        Next { score, stop }
    }

    fn stops(&self) -> bool {
        self.run.lesson.observer.stop()
    }

    fn stored(&self) -> Option<Arrays> {
        self.run.lesson.checkpoint.load(&self.run.name)
    }

    fn stores(&self) -> bool {
        self.run.lesson.checkpoint.is_used()
    }

    fn store(&mut self, state: &Arrays) {
        self.run.lesson.checkpoint.save(&self.run.name, state, self.run.lesson.observer);
    }
}

/// A held-out part of the examples, and how a model comes to be that has not learned from it.
pub(crate) enum HeldOut<'e> {
    /// Nothing is held out.
    Nothing,
    /// Of a large treebank a small part is never learned from.
    Excluded { others: Vec<&'e Example<'e>>, held_out: Vec<&'e Example<'e>> },
    /// All is learned from; a second training is without a fold.
    SecondRun { others: Vec<&'e Example<'e>>, held_out: Vec<&'e Example<'e>> },
}

/// Of how many sentences one is held out where there are many.
const ONE_IN: usize = 50;

/// A model, and examples that it has not learned from.
pub(crate) type Unseen<'e, M> = (M, Vec<&'e Example<'e>>);

impl<'e> HeldOut<'e> {
    /// What is held out: a small part from so many tokens on, one of so many folds below.
    pub(crate) fn choose(lesson: &Lesson<'e>, exclude_from: Option<usize>, n_folds: usize) -> Self {
        if !lesson.holds_out() {
            return Self::Nothing;
        }
        let all = lesson.examples();
        if exclude_from.is_some_and(|from| lesson.task().n_tokens() >= from) {
            let (others, held_out) = Cut::Blocks.split(&all, 0, ONE_IN);
            return Self::Excluded { others, held_out };
        }
        let (others, held_out) = Cut::Blocks.split(&all, 0, n_folds);
        Self::SecondRun { others, held_out }
    }

    /// Trains on what there is to learn from, and a second time if that is how it is held out, both side by side. `train` is given
    /// examples and whether it is the second time. Gives the model, one that has not learned from the held-out examples, and
    /// those.
    pub(crate) fn train<M: Send + Clone>(
        self,
        lesson: &Lesson<'e>,
        train: impl Fn(&[&'e Example<'e>], bool) -> Result<M> + Sync,
    ) -> Result<(M, Option<Unseen<'e, M>>, HeldOutSize)> {
        match self {
            Self::Nothing => Ok((train(&lesson.examples(), false)?, None, HeldOutSize::default())),
            Self::Excluded { others, held_out } => {
                let of = lesson.task().examples.len();
                lesson.observer.event(&Event::HeldOut { sentences: held_out.len(), of });
                let model = train(&others, false)?;
                let tokens = held_out.iter().map(|example| example.tree.n_tokens()).sum();
                let size = HeldOutSize { sentences: held_out.len(), tokens };
                Ok((model.clone(), Some((model, held_out)), size))
            }
            Self::SecondRun { others, held_out } => {
                let all = lesson.examples();
                let (model, second) = rayon::join(
                    || train(&all, false),
                    || (!lesson.observer.stop()).then(|| train(&others, true)).transpose(),
                );
                Ok((model?, second?.map(|second| (second, held_out)), HeldOutSize::default()))
            }
        }
    }
}

/// How far apart the seeds of networks are whose scores are averaged: seeds that people choose share none. Any large odd number
/// will do; this is the multiplier of Knuth's MMIX generator.
const SEED_DISTANCE: u64 = 0x5851_f42d_4c95_7f2d;

/// Trains networks that differ in their seeds, side by side. Those that have not begun when an end is asked for are left out.
pub(crate) fn train_networks<M: Send>(
    lesson: &Lesson<'_>,
    name: &str,
    n_networks: usize,
    train: impl Fn(String, u64) -> Result<M> + Sync,
) -> Result<Vec<M>> {
    let train = |number: usize| -> Option<Result<M>> {
        if number > 0 && lesson.observer.stop() {
            return None;
        }
        let name = if number == 0 { name.to_owned() } else { format!("{name}-{}", number + 1) };
        let seed = lesson.settings.seed().wrapping_add((number as u64).wrapping_mul(SEED_DISTANCE));
        Some(train(name, seed))
    };
    let networks: Vec<_> = (0..n_networks).into_par_iter().map(train).collect();
    networks.into_iter().flatten().collect()
}
