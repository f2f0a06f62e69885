//! The learners by name: what the setting `learner` can be.
//!
//! Six have engines of their own, made for parsing fast; every other learner of `quaich-learn` makes
//! classifiers, whatever it is. With data split by a feature all of them do.

use crate::apprentice::Apprentice;
use quaich_features::{FeatureModel, NamedModel};
use quaich_learn::{Appetite, Learner};
use quaich_transition::spec::SystemSpec;

use crate::calibration::Calibration;
use crate::classifiers;
use crate::decider::Decider;
use crate::error::{Error, Result};
use crate::linear::{self, online};
use crate::network::NetworkTraining;
use crate::observer::Event;
use crate::recurrent::{self, RecurrentTraining};
use crate::settings::{Auto, LearnerName, Settings, SplitChoice};
use crate::train::Training;
use crate::{apprentice, mixed};

/// What learning comes to.
#[derive(Debug)]
pub(crate) struct Learned {
    pub(crate) decider: Box<dyn Decider>,
    /// How sure it may be of what it does.
    pub(crate) calibration: Calibration,
    /// What was not learned from.
    pub(crate) set_aside: SetAside,
}

/// Sentences that were set aside, and their tokens.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SetAside {
    pub(crate) sentences: usize,
    pub(crate) tokens: usize,
}

impl Learned {
    /// From all sentences.
    pub(crate) fn from_all(decider: Box<dyn Decider>, calibration: Calibration) -> Self {
        Self { decider, calibration, set_aside: SetAside::default() }
    }
}

/// A learner with an engine of its own.
struct Engine {
    name: &'static str,
    about: &'static str,
    /// The system that it is used with if none is named, where that is not the usual one.
    system: Option<&'static str>,
    /// Whether the states of all sentences are kept in memory.
    keeps_states: bool,
    /// Whether folds serve only to tell how sure the parser may be.
    only_calibrates: bool,
    /// How many steps it takes.
    steps: fn(&Training<'_>) -> usize,
    learn: fn(&Training<'_>) -> Result<Learned>,
}

/// The engines, in the order help shows them.
static ENGINES: &[Engine] = &[
    Engine {
        name: "recurrent",
        about: "the default: words in context by a recurrent encoder",
        system: Some("swap-lazy"),
        keeps_states: true,
        only_calibrates: true,
        steps: apprentice::steps::<RecurrentTraining<'_>>,
        learn: |training| apprentice::learn::<RecurrentTraining<'_>>(training),
    },
    Engine {
        name: "linear+network",
        about: "a linear model and a feed-forward network decide together",
        system: None,
        keeps_states: true,
        only_calibrates: false,
        steps: |training| linear::steps(training) + NetworkTraining::steps(training),
        learn: |training| mixed::learn::<NetworkTraining<'_>>(training),
    },
    Engine {
        name: "linear",
        about: "a linear model: a support vector machine on all states, also explored ones",
        system: None,
        keeps_states: true,
        only_calibrates: false,
        steps: linear::steps,
        learn: linear::learn,
    },
    Engine {
        name: "perceptron",
        about: "a linear model learned online: no state is kept, so little memory is enough",
        system: None,
        keeps_states: false,
        only_calibrates: false,
        steps: online::steps,
        learn: online::learn,
    },
    Engine {
        name: "network",
        about: "a feed-forward network: the fastest parser",
        system: None,
        keeps_states: true,
        only_calibrates: true,
        steps: apprentice::steps::<NetworkTraining<'_>>,
        learn: |training| apprentice::learn::<NetworkTraining<'_>>(training),
    },
    Engine {
        name: "linear+recurrent",
        about: "a linear model and a recurrent network decide together",
        system: Some("swap-lazy"),
        keeps_states: true,
        only_calibrates: false,
        steps: |training| linear::steps(training) + RecurrentTraining::steps(training),
        learn: |training| mixed::learn::<RecurrentTraining<'_>>(training),
    },
];

/// The learner that is used if none is named.
pub(crate) const DEFAULT: &str = "recurrent";

/// The system that is used with a learner if none is named. Over words in context the lazy swap system did best on
/// held-out parts of small treebanks.
pub(crate) fn usual_system(learner: LearnerName) -> SystemSpec {
    let engine = ENGINES.iter().find(|engine| engine.name == learner.as_str());
    engine.and_then(|engine| engine.system?.parse().ok()).unwrap_or_default()
}

/// The feature model that is used with a learner if none is named. Engines, and learners that need conjunctions, have
/// one with conjunctions; others do far better with a model of the papers.
pub(crate) fn usual_features(settings: &Settings) -> FeatureModel {
    let name = settings.learner.as_str();
    let has_engine = ENGINES.iter().any(|engine| engine.name == name) && settings.split == SplitChoice::None;
    let learner = if has_engine { None } else { quaich_learn::learner(name) };
    let named = match learner.map(Learner::appetite) {
        None | Some(Appetite::Conjunctions) => return FeatureModel::default_model(),
        Some(Appetite::Values) => "base",
        Some(Appetite::Few) => "nonlexical-2004",
    };
    NamedModel::by_name(named).map_or_else(|_| FeatureModel::default_model(), NamedModel::model)
}

/// Every learner: its name and one line of help, in the order help shows them.
pub fn learners() -> impl Iterator<Item = (&'static str, &'static str)> {
    let engines = ENGINES.iter().map(|engine| (engine.name, engine.about));
    let others = quaich_learn::LEARNERS
        .iter()
        .filter(|learner| ENGINES.iter().all(|engine| engine.name != learner.name()))
        .map(|learner| (learner.name(), learner.about()));
    engines.chain(others)
}

/// The names of all learners.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    learners().map(|(name, _)| name)
}

/// Whether a learner keeps the states of all sentences in memory.
pub(crate) fn keeps_states(name: &str) -> bool {
    ENGINES.iter().find(|engine| engine.name == name).is_none_or(|engine| engine.keeps_states)
}

/// These settings, without work that only tells how sure the parser may be.
pub(crate) fn uncalibrated(settings: &Settings) -> Settings {
    let engine = ENGINES.iter().find(|engine| engine.name == settings.learner.as_str());
    let only_calibrates =
        settings.split != SplitChoice::None || engine.is_none_or(|engine| engine.only_calibrates);
    Settings { folds: if only_calibrates { 0 } else { settings.folds }, ..settings.clone() }
}

/// These settings for a rehearsal on so many words: recurrent networks of the same size go through them less often.
pub(crate) fn rehearsal(settings: &Settings, n_tokens: usize) -> Settings {
    let passes = recurrent::passes(settings, n_tokens).div_ceil(recurrent::REHEARSAL);
    #[allow(clippy::cast_precision_loss, reason = "a small number")]
    let part = recurrent::REHEARSAL as f32;
    Settings {
        recurrent_passes: Auto::Given(passes),
        recurrent_effort: settings.recurrent_effort / part,
        ..uncalibrated(settings)
    }
}

/// Whether the settings that choose and tell a learner go together.
pub(crate) fn check(settings: &Settings) -> Result<()> {
    let name = settings.learner.as_str();
    let split = settings.split != SplitChoice::None;
    if split && quaich_learn::learner(name).is_none() {
        let message = format!("`{name}` is two models in one, which cannot be split by a feature");
        return Err(Error::Setting(message));
    }
    let has_engine = ENGINES.iter().any(|engine| engine.name == name);
    for parameter in settings.parameters.keys() {
        let (of, _) = parameter.split_once('.').unwrap_or((parameter, ""));
        let reason = if of != name {
            format!("is for the learner `{of}`, but `{name}` learns")
        } else if has_engine && !split {
            format!("is for data that are split; the engine of `{name}` has settings of its own")
        } else {
            continue;
        };
        return Err(Error::Setting(format!("`{parameter}` {reason}")));
    }
    Ok(())
}

/// More labels than this are too many for networks to tell apart from what they have seen of each: of 3,000, each seen a dozen times, they
/// learn nothing in 16 passes, of 1,000 everything.
const MANY_LABELS: usize = 1000;

/// Whether there are so many labels that recurrent networks need help.
pub(crate) fn are_many(n_labels: usize) -> bool {
    n_labels > MANY_LABELS
}

/// Learns as the settings say; where there are thousands of labels a linear model decides with recurrent networks.
pub(crate) fn learn(training: &Training<'_>) -> Result<Learned> {
    let named = training.settings.learner;
    let is_helped = named == LearnerName::RECURRENT && are_many(training.data.n_labels);
    let name = if is_helped { "linear+recurrent" } else { named.as_str() };
    let whole = training.settings.split == SplitChoice::None;
    match ENGINES.iter().find(|engine| engine.name == name) {
        Some(engine) if whole => {
            training.observer.event(&Event::Work { steps: (engine.steps)(training) });
            (engine.learn)(training)
        }
        _ => {
            training.observer.event(&Event::Work { steps: classifiers::steps(training) });
            classifiers::learn(training)
        }
    }
}
