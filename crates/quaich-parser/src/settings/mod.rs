//! Every setting of training, by name: what `--config` files and `--set name=value` can say.
//!
//! Settings are types: whoever holds a [`Settings`] need not check names again.

pub(crate) mod auto;
mod choices;
mod domain;
mod presets;
mod table;

use std::collections::BTreeMap;

use quaich_transition::configuration::RootPosition;
use quaich_transition::spec::{SpecError, SystemSpec};
use serde::{Deserialize, Serialize};

use crate::decisions::Decision;
use crate::error::{Error, Result, unknown_name};
use crate::learners;
pub use auto::Auto;
pub(crate) use auto::as_text;
pub use choices::{LearnerName, SplitChoice, TransformChoice, UpdateRule};
pub use domain::Domain;
pub use presets::{PRESETS, Preset};
pub use table::{SETTINGS, SettingHelp};

/// How a parser is trained. The defaults are the best settings we know; `auto` means that the
/// treebank decides.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// The transition system, with its modifiers: `auto` is what the learner does best with.
    pub system: Auto<SystemSpec>,
    /// Where node 0 is: `auto`, `stack`, `end` or `none`.
    pub root: Auto<RootPosition>,
    /// Whether 0 has exactly one child: `auto`, `yes` or `no`.
    pub single_root: Auto<bool>,
    /// The tree transformation: `auto`, `none` or a specification such as `pseudo-projective:head`.
    #[serde(with = "as_text")]
    pub transform: TransformChoice,
    /// The learner.
    #[serde(with = "as_text")]
    pub learner: LearnerName,
    /// How transitions and labels are decided.
    pub decision: Decision,
    /// The feature by whose value the data are split, one classifier a value: `none`, or e.g.
    /// `s0:p>=100`, where parts of fewer instances are pooled.
    #[serde(with = "as_text")]
    pub split: SplitChoice,
    /// The cost of a violated margin in learning transitions.
    pub c: f32,
    /// The cost of a violated margin in learning labels.
    pub label_c: f32,
    /// The most tokens whose states are kept in memory; of a larger treebank evenly spaced sentences
    /// are learned from. The perceptron keeps none and learns from all.
    pub max_tokens: usize,
    /// How often the states are gone through.
    pub passes: usize,
    /// Features that occur less often are left out.
    pub min_count: u32,
    /// Labels that a transformation makes less often are left unmarked.
    pub min_label_count: u32,
    /// Into how many parts the treebank is cut for exploring; 0 or 1 for no exploration.
    pub folds: usize,
    /// Words from which on the recurrent engine does not learn from every fiftieth sentence, but from how it parses them
    /// tells how sure the parser may be. Two thousand words and more show that to about a hundredth, and two in a hundred are
    /// not missed.
    pub set_aside_from: usize,
    /// How much of the features pruning leaves at most, from 0 to 1.
    pub keep: f32,
    /// How many points of LAS pruning may cost on held-out data.
    pub prune_loss: f64,
    /// How often the perceptron goes through the sentences.
    pub perceptron_passes: usize,
    /// How the perceptron's weights move: `perceptron` or `passive-aggressive`.
    #[serde(with = "as_text")]
    pub update: UpdateRule,
    /// The passes after which the perceptron explores.
    pub explore_after: usize,
    /// How often it then goes where its weights say instead of where the oracle does, from 0 to 1.
    pub explore_rate: f32,
    /// The most memory for the perceptron's weights; when it is full, those that matter least give way.
    pub table_megabytes: usize,
    /// How often the network goes through its states.
    pub network_passes: usize,
    /// Hidden units of the network that chooses transitions; rounded up to a multiple of 64.
    pub transition_hidden: usize,
    /// Hidden units of the network that chooses labels; rounded up to a multiple of 64.
    pub label_hidden: usize,
    /// What a nat of the network counts beside the linear model's margins: `auto`, where held-out
    /// sentences decide, or a number; 0 leaves the network out.
    pub network_weight: Auto<f32>,
    /// The network decides alone where its best class leads by this many nats; elsewhere the linear
    /// model is asked too.
    pub sure: f32,
    /// How much work the training of recurrent networks may be that decide on their size themselves.
    pub recurrent_effort: f32,
    /// How many recurrent networks decide together: `auto`, where the size of the treebank decides, or a number.
    pub recurrent_networks: Auto<usize>,
    /// Layers of the recurrent engine.
    pub recurrent_layers: usize,
    /// Units of each layer in each direction.
    pub recurrent_units: Auto<usize>,
    /// How often the recurrent engine goes through the sentences: `auto`, where their number decides, or a number.
    pub recurrent_passes: Auto<usize>,
    /// Hidden units of the recurrent engine that choose transitions.
    pub recurrent_hidden: usize,
    /// The part of its units that the recurrent engine leaves out at random while it learns: `auto`, where the size of
    /// the treebank decides, or a number.
    pub recurrent_dropout: Auto<f32>,
    /// Whether the usual blend is trained: six parsers that vote.
    pub blend: bool,
    /// Fixes every random choice.
    pub seed: u64,
    /// Parameters of learners that have no settings of their own here, by name: `svm.gamma`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            system: Auto::Auto,
            root: Auto::Auto,
            single_root: Auto::Auto,
            transform: TransformChoice::Auto,
            learner: LearnerName::default(),
            decision: Decision::default(),
            split: SplitChoice::default(),
            c: 0.02,
            label_c: 0.02,
            max_tokens: 1_500_000,
            passes: 6,
            min_count: 2,
            min_label_count: 3,
            folds: 2,
            set_aside_from: 100_000,
            keep: 1.0,
            prune_loss: 0.1,
            perceptron_passes: 10,
            update: UpdateRule::Perceptron,
            explore_after: 1,
            explore_rate: 0.9,
            table_megabytes: 512,
            network_passes: 10,
            transition_hidden: 128,
            label_hidden: 128,
            network_weight: Auto::Auto,
            sure: 3.0,
            recurrent_effort: 1.0,
            recurrent_networks: Auto::Auto,
            recurrent_layers: 2,
            recurrent_units: Auto::Auto,
            recurrent_passes: Auto::Auto,
            recurrent_hidden: 128,
            recurrent_dropout: Auto::Auto,
            blend: false,
            seed: 1,
            parameters: BTreeMap::new(),
        }
    }
}

impl Settings {
    /// The settings of a preset.
    pub fn preset(name: &str) -> Result<Self> {
        PRESETS
            .iter()
            .find(|preset| preset.name == name)
            .map(Preset::settings)
            .ok_or_else(|| unknown_name("preset", name, PRESETS.iter().map(|preset| preset.name)))
    }

    /// These settings with those of a TOML text in their place.
    pub fn with_toml(&self, text: &str) -> Result<Self> {
        let given: toml::Table = toml::from_str(text).map_err(|error| Error::Setting(error.to_string()))?;
        given
            .into_iter()
            .try_fold(self.clone(), |settings, (name, value)| settings.with_value(&name, value))?
            .checked()
    }

    /// These settings with one given as `name=value`.
    pub fn with(&self, assignment: &str) -> Result<Self> {
        let (name, value) = assignment
            .split_once('=')
            .ok_or_else(|| Error::Setting(format!("found `{assignment}`, expected name=value")))?;
        self.clone().with_value(name.trim(), toml::Value::String(value.trim().to_owned()))?.checked()
    }

    /// The parameters that were given for a learner.
    pub(crate) fn parameters_of(&self, learner: &str) -> impl Iterator<Item = (&str, &str)> {
        self.parameters.iter().filter_map(move |(name, value)| {
            let (of, parameter) = name.split_once('.')?;
            (of == learner).then_some((parameter, value.as_str()))
        })
    }

    /// The settings as TOML.
    ///
    /// # Panics
    /// Never: settings are plain values.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("settings are plain values")
    }

    fn with_value(mut self, name: &str, value: toml::Value) -> Result<Self> {
        if let toml::Value::Table(table) = value {
            let mut inner = table.into_iter();
            return inner.try_fold(self, |settings, (own, value)| {
                settings.with_value(&format!("{name}.{own}"), value)
            });
        }
        if let Some((learner, parameter)) = name.strip_prefix("parameters.").unwrap_or(name).split_once('.') {
            let name = format!("{learner}.{parameter}");
            self.parameters.insert(name, value.as_str().map_or_else(|| value.to_string(), str::to_owned));
            return Ok(self);
        }
        // People write names in their own manner; no two settings differ by that alone.
        let spelled = name.to_lowercase().replace('_', "-");
        if spelled == "learner"
            && let Some((learner, options)) = value.as_str().and_then(|text| text.trim().split_once(' '))
        {
            return self.with_value(name, learner.into())?.with_options(options);
        }
        let Some(setting) = SETTINGS.iter().find(|setting| setting.name == spelled) else {
            return Err(unknown_name("setting", name, SETTINGS.iter().map(|setting| setting.name)));
        };
        let value = setting.read(&value)?;
        let mut all = self.to_table()?;
        all.insert(spelled, value);
        all.try_into().map_err(|error: toml::de::Error| {
            // Nested errors of settings each say where they are.
            let message = error.message();
            Error::Setting(message.strip_prefix("in the settings: ").unwrap_or(message).to_owned())
        })
    }

    /// What the learner is told as the program that it is known from would be.
    fn with_options(mut self, options: &str) -> Result<Self> {
        let name = self.learner.as_str();
        let learner = quaich_learn::learner(name)
            .ok_or_else(|| Error::Setting(format!("`{name}` takes no options such as `{options}`")))?;
        let given = quaich_learn::Parameters::from_options(options, learner.parameters());
        for (parameter, value) in given.map_err(|error| Error::Setting(error.to_string()))?.iter() {
            self.parameters.insert(format!("{name}.{parameter}"), value.to_owned());
        }
        Ok(self)
    }

    fn to_table(&self) -> Result<toml::Table> {
        // TOML has no larger numbers.
        let wrong = |_| {
            Error::Setting("found a whole number that is out of range, expected all below 2^63".to_owned())
        };
        toml::Table::try_from(self).map_err(wrong)
    }

    /// The system that was given, or what the learner does best with.
    pub fn system(&self) -> SystemSpec {
        self.system.unwrap_or_else(|| learners::usual_system(self.learner))
    }

    /// Whether all settings are within their ranges and go together: what can be known before anything is read.
    pub fn check(&self) -> Result<()> {
        let all = self.to_table()?;
        for setting in SETTINGS {
            all.get(setting.name).map_or(Ok(()), |value| setting.read(value).map(|_| ()))?;
        }
        self.clone().checked()?;
        let system = self.system();
        if system.fixes_root() && (self.root != Auto::Auto || self.single_root != Auto::Auto) {
            return Err(SpecError::FixesRoot(system.to_string()).into());
        }
        learners::check(self)
    }

    /// Parameters of learners that there are, within their ranges.
    fn checked(self) -> Result<Self> {
        for name in self.parameters.keys() {
            let (learner, _) = name.split_once('.').unwrap_or((name, ""));
            let known = quaich_learn::LEARNERS.iter().map(|learner| learner.name());
            let learner =
                quaich_learn::learner(learner).ok_or_else(|| unknown_name("learner", learner, known))?;
            let mut given = quaich_learn::Parameters::default();
            for (parameter, value) in self.parameters_of(learner.name()) {
                given.set(parameter, value);
            }
            learner.check(&given).map_err(|error| Error::Setting(error.to_string()))?;
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_set_by_name() {
        let settings = Settings::default().with("passes=3").unwrap().with("system=arc-hybrid").unwrap();
        assert_eq!((settings.passes, settings.system().to_string().as_str()), (3, "arc-hybrid"));
        let settings = settings.with("network-weight=0.5").unwrap().with("single-root=yes").unwrap();
        assert_eq!(Settings::default().with_toml(&settings.to_toml()).unwrap(), settings);
        let message = |text: &str| Settings::default().with(text).unwrap_err().to_string();
        assert!(message("pases=3").starts_with("unknown setting `pases`; known: passes"));
        assert!(message("passes").contains("expected name=value"));
        assert_eq!(
            message("passes=0"),
            "in the settings: `passes` is a whole number from 1 to 1000, found `0`"
        );
        for text in
            ["passes=ten", "passes=1.5", "passes=", "seed=-1", "keep=yes", "split=b0:p>=-1", "single-root=2"]
        {
            let message = message(text);
            let foreign =
                ["usize", "u32", "u64", "f32", "f64", "integer", "floating", "string", "invalid type"];
            assert!(foreign.iter().all(|word| !message.contains(word)), "{message}");
            assert_eq!(message.matches("in the settings").count(), 1, "{message}");
        }
        assert_eq!(Settings::default().with("Network_Passes=1e1").unwrap().network_passes, 10);
        assert!(message("sure=inf").contains("from 0 to"));
        assert!(message("prune-loss=nan").contains("from 0 to 100"));
        assert!(message("explore-rate=2").contains("from 0 to 1"));
        assert!(message("update=none").contains("unknown update `none`; known: "));
        assert!(message("learner=percepton").contains("unknown learner `percepton`; known: perceptron, "));
        assert!(message("root=top").contains("unknown root position `top`; known: "));
        assert!(message("decision=jont").contains("unknown decision `jont`; known: joint, "));
        assert!(message("system=arc-eger").contains("unknown system `arc-eger`; known: arc-eager, "));
        assert!(message("transform=nonne").contains("unknown transformation `nonne`; known: "));
        let wrong = Settings { seed: u64::MAX, ..Settings::default() };
        assert!(wrong.check().unwrap_err().to_string().contains("expected all below 2^63"));
        let wrong = Settings { sure: f32::INFINITY, ..Settings::default() };
        assert!(wrong.check().unwrap_err().to_string().contains("`sure` is a number from 0 to 1e6"));
        for text in ["pases=3", "passes=0", "system=x", "transform=x", "learner=x"] {
            assert!(Settings::default().with(text).unwrap_err().is_usage(), "{text}");
        }
    }
}
