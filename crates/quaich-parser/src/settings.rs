//! Every setting of training, by name: what `--config` files and `--set name=value` can say.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::learners;

/// How a parser is trained. The defaults are the best settings we know; `auto` means that the
/// treebank decides.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// The transition system, with its modifiers.
    pub system: String,
    /// Where node 0 is: `auto`, `stack`, `end` or `none`.
    pub root: String,
    /// Whether 0 has exactly one child: `auto`, `yes` or `no`.
    pub single_root: String,
    /// The tree transformation: `auto`, `none` or a specification such as `pseudo-projective:head`.
    pub transform: String,
    /// The learner.
    pub learner: String,
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
    /// How much of the features pruning leaves at most, from 0 to 1.
    pub keep: f32,
    /// How many points of LAS pruning may cost on held-out data.
    pub prune_loss: f64,
    /// How often the perceptron goes through the sentences.
    pub perceptron_passes: usize,
    /// How the perceptron's weights move: `perceptron` or `passive-aggressive`.
    pub update: String,
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
    /// What a nat of the network counts beside the linear model's margins.
    pub network_weight: f32,
    /// The network decides alone where its best class leads by this many nats; elsewhere the linear
    /// model is asked too.
    pub sure: f32,
    /// Fixes every random choice.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            system: "arc-eager".to_owned(),
            root: "auto".to_owned(),
            single_root: "auto".to_owned(),
            transform: "auto".to_owned(),
            learner: "linear+network".to_owned(),
            c: 0.02,
            label_c: 0.02,
            max_tokens: 1_500_000,
            passes: 6,
            min_count: 2,
            min_label_count: 3,
            folds: 2,
            keep: 1.0,
            prune_loss: 0.1,
            perceptron_passes: 10,
            update: "perceptron".to_owned(),
            explore_after: 1,
            explore_rate: 0.9,
            table_megabytes: 512,
            network_passes: 10,
            transition_hidden: 128,
            label_hidden: 128,
            network_weight: 0.1,
            sure: 3.0,
            seed: 1,
        }
    }
}

/// A named collection of settings.
#[derive(Debug)]
pub struct Preset {
    /// The name.
    pub name: &'static str,
    /// One line of help.
    pub about: &'static str,
    settings: fn() -> Settings,
}

/// The presets, in the order help shows them.
pub static PRESETS: &[Preset] = &[
    Preset {
        name: "balanced",
        about: "the default: a linear model and a network decide together",
        settings: Settings::default,
    },
    Preset {
        name: "fast",
        about: "the network alone: several times as fast, for a point or two of accuracy",
        settings: || Settings { learner: "network".to_owned(), label_hidden: 64, ..Settings::default() },
    },
    Preset {
        name: "best",
        about: "as balanced, with more exploration, pruned only where that costs nothing",
        settings: || Settings { folds: 4, prune_loss: 0.0, ..Settings::default() },
    },
];

impl Settings {
    /// The settings of a preset.
    pub fn preset(name: &str) -> Result<Self> {
        PRESETS
            .iter()
            .find(|preset| preset.name == name)
            .map(|preset| (preset.settings)())
            .ok_or_else(|| Error::unknown_name("preset", name, PRESETS.iter().map(|preset| preset.name)))
    }

    /// These settings with those of a TOML text in their place.
    pub fn with_toml(&self, text: &str) -> Result<Self> {
        let given: toml::Table = toml::from_str(text).map_err(|error| Error::Setting(error.to_string()))?;
        let mut all = toml::Table::try_from(self).map_err(|error| Error::Setting(error.to_string()))?;
        for (name, value) in given {
            if !all.contains_key(&name) {
                return Err(Error::unknown_name("setting", &name, all.keys().map(String::as_str)));
            }
            all.insert(name, value);
        }
        let settings: Self =
            all.try_into().map_err(|error: toml::de::Error| Error::Setting(error.to_string()))?;
        settings.checked()
    }

    /// These settings with one given as `name=value`.
    pub fn with(&self, assignment: &str) -> Result<Self> {
        let (name, value) = assignment
            .split_once('=')
            .ok_or_else(|| Error::Setting(format!("found `{assignment}`, expected name=value")))?;
        let (name, value) = (name.trim(), value.trim());
        // Numbers are written bare in TOML, everything else is a string.
        let value = if value.parse::<f64>().is_ok() { value.to_owned() } else { format!("{value:?}") };
        self.with_toml(&format!("{name} = {value}"))
    }

    /// The settings as TOML.
    ///
    /// # Panics
    /// Never: settings are plain values.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("settings are plain values")
    }

    fn checked(self) -> Result<Self> {
        let within = |name: &str, ok: bool, expected: &str| {
            if ok { Ok(()) } else { Err(Error::Setting(format!("`{name}` must be {expected}"))) }
        };
        within("c", self.c > 0.0 && self.c.is_finite(), "above 0")?;
        within("label-c", self.label_c > 0.0 && self.label_c.is_finite(), "above 0")?;
        within("passes", (1..=1000).contains(&self.passes), "from 1 to 1000")?;
        within("max-tokens", self.max_tokens >= 1, "at least 1")?;
        within("min-count", self.min_count >= 1, "at least 1")?;
        within("folds", self.folds <= 100, "at most 100")?;
        within("keep", self.keep > 0.0 && self.keep <= 1.0, "above 0 and at most 1")?;
        within("transition-hidden", (1..=4096).contains(&self.transition_hidden), "from 1 to 4096")?;
        within("label-hidden", (1..=4096).contains(&self.label_hidden), "from 1 to 4096")?;
        within("network-weight", self.network_weight > 0.0, "above 0")?;
        within("perceptron-passes", (1..=1000).contains(&self.perceptron_passes), "from 1 to 1000")?;
        within("explore-rate", (0.0..=1.0).contains(&self.explore_rate), "from 0 to 1")?;
        within("table-megabytes", (1..=1_000_000).contains(&self.table_megabytes), "from 1 to 1000000")?;
        within("sure", self.sure >= 0.0, "at least 0")?;
        let one_of = |name: &'static str, value: &str, known: &[&str]| {
            if known.contains(&value) {
                Ok(())
            } else {
                Err(Error::unknown_name(name, value, known.iter().copied()))
            }
        };
        one_of("root position", &self.root, &["auto", "stack", "end", "none"])?;
        one_of("choice for single-root", &self.single_root, &["auto", "yes", "no"])?;
        one_of("update", &self.update, &["perceptron", "passive-aggressive"])?;
        learners::by_name(&self.learner)?;
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_set_by_name() {
        let settings = Settings::default().with("passes=3").unwrap().with("system=arc-hybrid").unwrap();
        assert_eq!((settings.passes, settings.system.as_str()), (3, "arc-hybrid"));
        assert_eq!(Settings::default().with_toml(&settings.to_toml()).unwrap(), settings);
        let message = |text: &str| Settings::default().with(text).unwrap_err().to_string();
        assert!(message("pases=3").starts_with("unknown setting `pases`; known: passes"));
        assert!(message("passes").contains("expected name=value"));
        assert!(message("passes=0").contains("from 1 to 1000"));
        assert!(message("explore-rate=2").contains("from 0 to 1"));
        assert!(message("update=none").starts_with("unknown update `none`; known: "));
        assert!(message("learner=percepton").starts_with("unknown learner `percepton`; known: perceptron, "));
        assert!(message("root=top").starts_with("unknown root position `top`; known: "));
    }
}
