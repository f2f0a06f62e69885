//! The learners: the values of the setting `learner`, and the settings that each one reads.
//!
//! Six are implemented here for fast parsing; every instance-based learner of `quaich-learn` is available, too.

use std::sync::LazyLock;

use quaich_learn::FeatureStyle;
use quaich_transition::spec::SystemSpec;

use crate::decoder::Decoder;
use crate::error::{Error, Result, unknown_name};
use crate::learner::{Learned, Learner, Loading, Profile, Templates, TrainingInput};
use crate::linear::online;
use crate::part::{PartError, PartReader};
use crate::settings::{Settings, groups};
use crate::{classifiers, linear, mixed, network, recurrent};

/// A learner that is implemented in this crate.
#[derive(Debug)]
struct ParserLearner {
    name: &'static str,
    help: &'static str,
    /// The groups of settings that it reads.
    groups: &'static [&'static str],
    profile: Profile,
    steps: fn(&TrainingInput<'_>) -> usize,
    learn: fn(&TrainingInput<'_>, Profile) -> Result<Learned>,
    load: fn(PartReader<'_>, Loading<'_>) -> Result<Box<dyn Decoder>, PartError>,
}

/// An instance-based learner of `quaich-learn`.
#[derive(Debug)]
struct InstanceLearner(&'static dyn quaich_learn::Learner);

/// The templates for learners that need conjunctions of features.
const CONJUNCTIONS: Templates = Templates::Named("default");
/// Most learners read templates, keep states in memory, and share no encoder.
const DEFAULT_PROFILE: Profile = Profile {
    system: None,
    templates: CONJUNCTIONS,
    keeps_states: true,
    shares_encoder: false,
    splits: false,
};
/// With encoders, the lazy swap system scored best on held-out parts of small treebanks.
const IN_CONTEXT: Profile = Profile { system: Some("swap-lazy"), ..DEFAULT_PROFILE };

static PARSER_LEARNERS: &[ParserLearner] = &[
    ParserLearner {
        name: recurrent::NAME,
        help: "recurrent encoder; the default",
        groups: &["encoder", "text"],
        profile: Profile { templates: Templates::None, shares_encoder: true, ..IN_CONTEXT },
        steps: recurrent::steps,
        learn: |input, _| recurrent::learn(input),
        load: recurrent::load,
    },
    ParserLearner {
        name: mixed::WITH_NETWORK,
        help: "linear model and feed-forward network combined",
        groups: &["linear", "network", "mixture"],
        profile: DEFAULT_PROFILE,
        steps: mixed::steps_with_network,
        learn: mixed::learn_with_network,
        load: mixed::load_with_network,
    },
    ParserLearner {
        name: linear::NAME,
        help: "linear support vector machine on the oracle's states and explored ones",
        groups: &["linear"],
        profile: DEFAULT_PROFILE,
        steps: linear::steps,
        learn: linear::learn,
        load: |part, of| linear::load(part, of.questions),
    },
    ParserLearner {
        name: online::PERCEPTRON,
        help: "averaged perceptron, trained online: needs little memory",
        groups: &["perceptron"],
        profile: Profile { keeps_states: false, ..DEFAULT_PROFILE },
        steps: online::steps,
        learn: online::learn,
        load: |part, of| linear::load(part, of.questions),
    },
    ParserLearner {
        name: network::NAME,
        help: "feed-forward network alone",
        groups: &["network"],
        profile: Profile { templates: Templates::None, ..DEFAULT_PROFILE },
        steps: network::steps,
        learn: |input, _| network::learn(input),
        load: |part, of| network::load(part, of.questions),
    },
    ParserLearner {
        name: mixed::WITH_RECURRENT,
        help: "linear model and recurrent encoder combined",
        groups: &["linear", "encoder", "mixture", "text"],
        profile: IN_CONTEXT,
        steps: mixed::steps_with_recurrent,
        learn: mixed::learn_with_recurrent,
        load: mixed::load_with_recurrent,
    },
];

/// The learners, in the order that help shows them.
static LEARNERS: LazyLock<Vec<Box<dyn Learner + Send>>> = LazyLock::new(|| {
    let own = PARSER_LEARNERS.iter().map(|own| Box::new(own) as Box<dyn Learner + Send>);
    let others = quaich_learn::LEARNERS.iter().map(|learner| Box::new(InstanceLearner(*learner)) as _);
    own.chain(others).collect()
});

impl Learner for &'static ParserLearner {
    fn name(&self) -> &'static str {
        self.name
    }

    fn help(&self) -> &'static str {
        self.help
    }

    fn groups(&self) -> Vec<&'static str> {
        self.groups.to_vec()
    }

    fn profile(&self) -> Profile {
        self.profile
    }

    fn steps(&self, input: &TrainingInput<'_>) -> usize {
        (self.steps)(input)
    }

    fn learn(&self, input: &TrainingInput<'_>) -> Result<Learned> {
        (self.learn)(input, self.profile)
    }

    fn load(&self, part: PartReader<'_>, of: Loading<'_>) -> Result<Box<dyn Decoder>, PartError> {
        (self.load)(part, of)
    }
}

impl Learner for InstanceLearner {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn help(&self) -> &'static str {
        self.0.about()
    }

    fn groups(&self) -> Vec<&'static str> {
        vec![self.name()]
    }

    /// Learners that combine features by themselves score far better with a feature model from the literature.
    fn profile(&self) -> Profile {
        let templates = match self.0.feature_style() {
            FeatureStyle::Conjunctions => CONJUNCTIONS,
            FeatureStyle::Values => Templates::Named("base"),
            FeatureStyle::Few => Templates::Named("nonlexical-2004"),
        };
        Profile { templates, splits: true, ..DEFAULT_PROFILE }
    }

    fn steps(&self, input: &TrainingInput<'_>) -> usize {
        classifiers::steps(input)
    }

    fn learn(&self, input: &TrainingInput<'_>) -> Result<Learned> {
        classifiers::learn(input, self.0, self.profile())
    }

    fn load(&self, part: PartReader<'_>, of: Loading<'_>) -> Result<Box<dyn Decoder>, PartError> {
        classifiers::load(part, of.questions)
    }
}

fn all() -> impl Iterator<Item = &'static (dyn Learner + Send)> {
    LEARNERS.iter().map(|learner| &**learner)
}

/// Looks up a learner by name.
pub(crate) fn by_name(name: &str) -> Result<&'static dyn Learner> {
    let unknown = || unknown_name("learner", name, all().map(Learner::name));
    all().find(|learner| learner.name() == name).map(|learner| learner as &dyn Learner).ok_or_else(unknown)
}

/// Networks cannot tell more labels apart when each is rare: with 3,000 labels, each seen a dozen times, they learn nothing in 16 epochs;
/// with 1,000 they learn all of them.
const MANY_LABELS: usize = 1000;

/// The learner to use for this number of labels: with thousands of labels, a linear model supports the recurrent network.
pub(crate) fn effective(named: &'static dyn Learner, n_labels: usize) -> Result<&'static dyn Learner> {
    let is_helped = named.name() == recurrent::NAME && n_labels > MANY_LABELS;
    if is_helped { by_name(mixed::WITH_RECURRENT) } else { Ok(named) }
}

/// All learners: name and one line of help, in the order that help shows them.
pub fn learners() -> impl Iterator<Item = (&'static str, &'static str)> {
    all().map(|learner| (learner.name(), learner.help()))
}

impl Settings {
    /// Checks that the settings are consistent and that the learner reads all of them. Each value is within its range already.
    pub fn check(&self) -> Result<()> {
        let learner = by_name(&self.learner())?;
        let profile = learner.profile();
        let system = self.system_or_default()?;
        if system.fixes_root() && (self.is_given("root") || self.is_given("single-root")) {
            return Err(quaich_transition::spec::SpecError::FixesRoot(system.to_string()).into());
        }
        let name = learner.name();
        if self.split().is_some() && !profile.splits {
            let names: Vec<&str> =
                all().filter(|learner| learner.profile().splits).map(Learner::name).collect();
            let message = format!(
                "the learner `{name}` does not support `split`; learners that do: {}",
                names.join(", ")
            );
            return Err(Error::Setting(message));
        }
        if self.is_given("max-tokens") && !profile.keeps_states {
            let message = format!(
                "the learner `{name}` does not support `max-tokens`: it learns online from all tokens"
            );
            return Err(Error::Setting(message));
        }
        for (setting, _) in self.given() {
            let Some((group, _)) = setting.split_once('.') else { continue };
            if !learner.groups().contains(&group) {
                let readers: Vec<&str> =
                    all().filter(|learner| learner.groups().contains(&group)).map(Learner::name).collect();
                let noun = if readers.len() == 1 { "learner" } else { "learners" };
                return Err(Error::Setting(format!(
                    "the learner `{name}` does not support `{setting}`, a setting of the {noun} {}",
                    readers.join(", ")
                )));
            }
        }
        Ok(())
    }

    /// The transition system: the given one, or the learner's default.
    pub fn system_or_default(&self) -> Result<SystemSpec> {
        let profile = by_name(&self.learner())?.profile();
        Ok(self.system().unwrap_or_else(|| profile.default_system()))
    }

    /// The feature model that the learner uses if none is given: the name of a built-in one. None if it reads no templates.
    pub fn default_features(&self) -> Result<Option<&'static str>> {
        Ok(match by_name(&self.learner())?.profile().templates {
            Templates::None => None,
            Templates::Named(name) => Some(name),
        })
    }

    /// These settings without those that the learner does not read.
    pub(crate) fn readable_by(&self, learner: &str) -> Result<Self> {
        let groups = by_name(learner)?.groups();
        Ok(self.retaining(|name| name.split_once('.').is_none_or(|(group, _)| groups.contains(&group))))
    }

    /// Checks that the learner reads feature templates.
    pub fn check_templates(&self) -> Result<()> {
        let learner = by_name(&self.learner())?;
        if learner.profile().templates != Templates::None {
            return Ok(());
        }
        let readers: Vec<&str> = all()
            .filter(|learner| learner.profile().templates != Templates::None)
            .map(Learner::name)
            .collect();
        Err(Error::Setting(format!(
            "the learner `{}` reads no feature templates; learners that do: {}",
            learner.name(),
            readers.join(", ")
        )))
    }

    /// All settings that the learner reads, including defaults, as TOML.
    pub fn in_full(&self) -> Result<String> {
        let learner = by_name(&self.learner())?;
        let (groups, profile) = (learner.groups(), learner.profile());
        let is_read = |name: &str| match name.split_once('.') {
            Some((group, _)) => groups.contains(&group),
            None => match name {
                "split" => profile.splits,
                "max-tokens" => profile.keeps_states,
                _ => true,
            },
        };
        Ok(self.to_full_toml(is_read))
    }
}

/// The names of the learners that read a group of settings.
pub fn readers(group: &str) -> Vec<&'static str> {
    debug_assert!(groups().any(|known| known.name == group), "a group of the table");
    all().filter(|learner| group.is_empty() || learner.groups().contains(&group)).map(Learner::name).collect()
}
