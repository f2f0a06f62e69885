//! The interface of a learner: its input and its output.
//!
//! ```text
//!   TrainingInput  tasks, one per parser that shares an encoder; settings, dev set, checkpoint, observer
//!   Learner        an entry of LEARNERS: TrainingInput ─▶ Learned, and part of a model file ─▶ Decoder
//!   Learned        an encoder, if the learner has one, and one decoder per task
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
use crate::error::{Error, Result, unless_stopped};
use crate::evaluation::{evaluate, first_tokens};
use crate::folds::FoldScheme;
use crate::model::Model;
use crate::observer::{Event, Observer};
use crate::part::{PartError, PartReader};
use crate::pretraining::PretrainedEncoder;
use crate::scheme::Scheme;
use crate::settings::Settings;
use crate::task::{Example, Task};

/// A training algorithm for parsers: an entry of the table of learners.
pub(crate) trait Learner: Debug + Sync {
    /// The name, as in settings and model files.
    fn name(&self) -> &'static str;

    /// One line of help.
    fn help(&self) -> &'static str;

    /// The groups of settings that it reads in addition to the general ones.
    fn groups(&self) -> Vec<&'static str>;

    /// Its defaults and capabilities.
    fn profile(&self) -> Profile;

    /// The number of training steps, for progress bars.
    fn steps(&self, input: &TrainingInput<'_>) -> usize;

    /// Trains.
    fn learn(&self, input: &TrainingInput<'_>) -> Result<Learned>;

    /// Loads a decoder from a model file.
    fn load(&self, part: PartReader<'_>, of: Loading<'_>) -> Result<Box<dyn Decoder>, PartError>;
}

/// The defaults and capabilities of a learner.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Profile {
    /// The default transition system, if it differs from the general default.
    pub(crate) system: Option<&'static str>,
    /// The templates that it reads.
    pub(crate) templates: Templates,
    /// Whether it keeps the states of all sentences in memory, so that large treebanks must be sampled.
    pub(crate) keeps_states: bool,
    /// Whether parsers with different systems can share its encoder.
    pub(crate) shares_encoder: bool,
    /// Whether it can split the data by a feature.
    pub(crate) splits: bool,
}

/// The feature templates that a learner reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Templates {
    /// None: it extracts its own features.
    None,
    /// A named feature model, unless another is given.
    Named(&'static str),
}

/// What a decoder needs when it is loaded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loading<'a> {
    /// The questions that it answers.
    pub(crate) questions: &'a Questions,
    /// The encoder that it uses.
    pub(crate) encoder: Option<&'a SentenceEncoder>,
}

impl Profile {
    /// The default system.
    pub(crate) fn default_system(&self) -> SystemSpec {
        self.system.map_or_else(SystemSpec::default, |name| name.parse().expect("a name of the table"))
    }

    /// The default feature model; `None` for learners that read no templates.
    pub(crate) fn default_features(&self) -> Option<FeatureModel> {
        match self.templates {
            Templates::None => None,
            Templates::Named(name) => Some(NamedModel::by_name(name).expect("a name of the table").model()),
        }
    }
}

/// The input of a learner.
pub(crate) struct TrainingInput<'a> {
    /// One per parser that shares an encoder; nearly always one.
    pub(crate) tasks: &'a [Task<'a>],
    pub(crate) settings: &'a Settings,
    /// Replaces the default templates.
    pub(crate) features: Option<&'a FeatureModel>,
    /// From which encoders start.
    pub(crate) pretrained: Option<&'a PretrainedEncoder>,
    /// Development sentences: scored on, never learned from.
    pub(crate) dev: &'a [Sentence],
    pub(crate) observer: &'a dyn Observer,
    pub(crate) checkpoint: Checkpoint,
    /// Whether this is a held-out run: a shorter one, whose result is only scored on held-out sentences.
    pub(crate) is_held_out_run: bool,
    /// Whether sentences are held out for calibration.
    pub(crate) calibrates: bool,
}

/// The output of a learner.
#[derive(Debug)]
pub(crate) struct Learned {
    pub(crate) encoder: Option<Arc<SentenceEncoder>>,
    /// One decoder per task, with its calibration.
    pub(crate) decoders: Vec<(Box<dyn Decoder>, Calibration)>,
    /// The sentences that were not learned from.
    pub(crate) held_out: HeldOutSize,
}

/// The number of held-out sentences and their tokens.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HeldOutSize {
    pub(crate) sentences: usize,
    pub(crate) tokens: usize,
}

impl Learned {
    /// A parser without an encoder, trained on all sentences.
    pub(crate) fn single(decoder: Box<dyn Decoder>, calibration: Calibration) -> Self {
        Self { encoder: None, decoders: vec![(decoder, calibration)], held_out: HeldOutSize::default() }
    }
}

/// With fewer sentences, none are held out.
const MIN_SENTENCES: usize = 8;

impl<'a> TrainingInput<'a> {
    /// The task; the first if there are several.
    pub(crate) fn task(&self) -> &'a Task<'a> {
        &self.tasks[0]
    }

    /// The parser of the task without its trained model.
    pub(crate) fn scheme(&self) -> &'a Arc<Scheme> {
        &self.task().scheme
    }

    /// What a scorer needs to know about the parser.
    pub(crate) fn context(&self) -> DecisionContext<'a> {
        self.scheme().context()
    }

    /// The examples of the task.
    pub(crate) fn examples(&self) -> Vec<&'a Example<'a>> {
        self.task().examples.iter().collect()
    }

    /// The templates to learn from, adapted to the treebank.
    pub(crate) fn features(&self, profile: Profile) -> Result<FeatureModel> {
        let usual = || profile.default_features().unwrap_or_else(FeatureModel::default_model);
        self.task().fit(self.features.cloned().unwrap_or_else(usual))
    }

    /// Whether sentences are held out for calibration: wanted, and enough of them.
    pub(crate) fn holds_out(&self) -> bool {
        self.calibrates && self.settings.held_out() && self.task().examples.len() >= MIN_SENTENCES
    }

    /// A complete model for the task, without metadata.
    pub(crate) fn model(
        &self,
        encoder: Option<Arc<SentenceEncoder>>,
        decoder: Box<dyn Decoder>,
        calibration: Calibration,
    ) -> Model {
        Model::single(Description::default(), Arc::clone(self.scheme()), (encoder, decoder), calibration)
    }

    /// The model's scores on the dev set; `None` without one, or if the observer stops it.
    pub(crate) fn dev_scores(&self, model: &Model) -> Option<Scores> {
        evaluate(model, &self.dev.iter().collect::<Vec<_>>(), self.observer).ok()?.scores()
    }

    /// Fits a calibration to the model's output on held-out examples, unless the observer stops it.
    pub(crate) fn calibrate(&self, model: &Model, held_out: &[&Example<'_>]) -> Calibration {
        /// The number of tokens to fit on; more would only take longer.
        const ENOUGH: usize = 20_000;
        let sentences = first_tokens(held_out.iter().map(|example| example.sentence), ENOUGH);
        let arcs = evaluate(model, &sentences, self.observer).unwrap_or_default().arcs;
        Calibration::fit(&arcs.iter().map(|arc| (arc.evidence, arc.right)).collect::<Vec<_>>())
    }

    /// Reports the start of a stage.
    pub(crate) fn stage(&self, name: &'static str, steps: usize) {
        self.observer.event(&Event::Stage { name, steps });
    }

    /// Reports finished steps; returns whether to continue.
    pub(crate) fn steps(&self, n: usize) -> bool {
        for _ in 0..n {
            self.observer.event(&Event::Step);
        }
        !self.observer.stop()
    }
}

/// A training run over epochs: how it is reported, scored and checkpointed.
pub(crate) struct Run<'a> {
    /// The name of its checkpoint, also shown to users.
    pub(crate) name: String,
    pub(crate) epochs: usize,
    pub(crate) seed: u64,
    /// The number of epochs between two scores on the dev set, and the number of epochs before the first; `None` to score nothing.
    pub(crate) scored: Option<(usize, usize)>,
    pub(crate) input: &'a TrainingInput<'a>,
}

/// Supervises a [`Run`]: reports, scores and stores epochs.
pub(crate) struct RunSupervisor<'r, M> {
    run: &'r Run<'r>,
    /// Builds a parser from the model.
    parser: &'r dyn Fn(&M) -> Model,
    /// The number of epochs reported so far.
    reported: usize,
}

impl<'r, M> RunSupervisor<'r, M> {
    /// A supervisor of a run; `parser` builds a parser from the model.
    pub(crate) fn new(run: &'r Run<'r>, parser: &'r dyn Fn(&M) -> Model) -> Self {
        Self { run, parser, reported: 0 }
    }

    /// Reports the epochs that were all restored from a checkpoint, after which no epoch was left to report them.
    pub(crate) fn end(self) {
        let Run { input, epochs, .. } = self.run;
        if !input.observer.stop() {
            input.steps(epochs - self.reported);
        }
    }
}

impl<M> Supervisor<M> for RunSupervisor<'_, M> {
    fn epoch(&mut self, epoch: &Epoch<'_, M>) -> Next {
        let Run { name, input, scored, .. } = self.run;
        let new = epoch.done - std::mem::replace(&mut self.reported, epoch.done);
        let stop = !input.steps(new);
        let is_due = scored.is_some_and(|(every, after)| {
            epoch.done > after && (epoch.done.is_multiple_of(every) || epoch.done == epoch.of)
        });
        let mut score = None;
        if is_due
            && !stop
            && !input.dev.is_empty()
            && let Some(scores) = input.dev_scores(&(self.parser)(epoch.model()))
        {
            let event = Event::Epoch { model: name, done: epoch.done, of: epoch.of, scores };
            input.observer.event(&event);
            score = Some(scores.las);
        }
        Next { score, stop }
    }

    fn stops(&self) -> bool {
        self.run.input.observer.stop()
    }

    fn stored(&self) -> Option<Arrays> {
        self.run.input.checkpoint.load(&self.run.name)
    }

    fn stores(&self) -> bool {
        self.run.input.checkpoint.is_used()
    }

    fn store(&mut self, state: &Arrays) {
        self.run.input.checkpoint.save(&self.run.name, state, self.run.input.observer);
    }
}

/// Held-out examples, and how to get a model that has not learned from them.
pub(crate) enum HeldOut<'e> {
    /// Nothing is held out.
    Nothing,
    /// For a large treebank: the main run never learns from a small part of it.
    Excluded { others: Vec<&'e Example<'e>>, held_out: Vec<&'e Example<'e>> },
    /// The main run learns from everything; a second run leaves out one fold.
    SecondRun { others: Vec<&'e Example<'e>>, held_out: Vec<&'e Example<'e>> },
}

/// One sentence of this many is held out if the treebank is large.
const ONE_IN: usize = 50;

/// A model, and examples that it has not learned from.
pub(crate) type Unseen<'e, M> = (M, Vec<&'e Example<'e>>);

impl<'e> HeldOut<'e> {
    /// Chooses what to hold out: a small part of treebanks with at least `exclude_from` tokens, one of `n_folds` folds of smaller ones.
    pub(crate) fn choose(input: &TrainingInput<'e>, exclude_from: Option<usize>, n_folds: usize) -> Self {
        if !input.holds_out() {
            return Self::Nothing;
        }
        let all = input.examples();
        if exclude_from.is_some_and(|from| input.task().n_tokens() >= from) {
            let (others, held_out) = FoldScheme::Blocks.split(&all, 0, ONE_IN);
            return Self::Excluded { others, held_out };
        }
        let (others, held_out) = FoldScheme::Blocks.split(&all, 0, n_folds);
        Self::SecondRun { others, held_out }
    }

    /// Trains the main run, and the second one if there is one, in parallel. `train` receives the examples and whether it is the second
    /// run. Returns the model, a model that has not learned from the held-out examples, and those examples.
    pub(crate) fn train<M: Send + Clone>(
        self,
        input: &TrainingInput<'e>,
        train: impl Fn(&[&'e Example<'e>], bool) -> Result<M> + Sync,
    ) -> Result<(M, Option<Unseen<'e, M>>, HeldOutSize)> {
        match self {
            Self::Nothing => Ok((train(&input.examples(), false)?, None, HeldOutSize::default())),
            Self::Excluded { others, held_out } => {
                let of = input.task().examples.len();
                input.observer.event(&Event::HeldOut { sentences: held_out.len(), of });
                let model = train(&others, false)?;
                let tokens = held_out.iter().map(|example| example.tree.n_tokens()).sum();
                let size = HeldOutSize { sentences: held_out.len(), tokens };
                Ok((model.clone(), Some((model, held_out)), size))
            }
            Self::SecondRun { others, held_out } => {
                let all = input.examples();
                let (model, second) = rayon::join(|| train(&all, false), || train(&others, true));
                Ok((model?, unless_stopped(second)?.map(|second| (second, held_out)), HeldOutSize::default()))
            }
        }
    }
}

/// The distance between the seeds of averaged networks, chosen so that seeds that users pick share none. Any large odd number would do;
/// this is the multiplier of Knuth's MMIX generator.
const SEED_DISTANCE: u64 = 0x5851_f42d_4c95_7f2d;

/// Trains networks that differ only in their seeds, in parallel. When the observer stops the training, only those that have learned
/// something are left, at least one.
pub(crate) fn train_networks<M: Send>(
    input: &TrainingInput<'_>,
    name: &str,
    n_networks: usize,
    train: impl Fn(String, u64) -> Result<M> + Sync,
) -> Result<Vec<M>> {
    let train = |number: usize| -> Result<M> {
        input.observer.check()?;
        let name = if number == 0 { name.to_owned() } else { format!("{name}-{}", number + 1) };
        let seed = input.settings.seed().wrapping_add((number as u64).wrapping_mul(SEED_DISTANCE));
        train(name, seed)
    };
    let networks: Vec<_> = (0..n_networks).into_par_iter().map(train).collect();
    some_trained(networks)
}

/// What was trained before the observer stopped the training; an error if that is nothing.
pub(crate) fn some_trained<M>(all: Vec<Result<M>>) -> Result<Vec<M>> {
    let trained: Vec<Option<M>> = all.into_iter().map(unless_stopped).collect::<Result<_>>()?;
    let trained: Vec<M> = trained.into_iter().flatten().collect();
    if trained.is_empty() { Err(Error::Stopped) } else { Ok(trained) }
}
