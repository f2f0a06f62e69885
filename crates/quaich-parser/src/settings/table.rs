//! The settings as a table: what each can be and what it does, for reading values, for help and for lists.

use super::Settings;
use super::domain::Domain;
use crate::error::{Error, Result};
use crate::recurrent::MOST_NETWORKS;

/// What there is to know of a setting.
#[derive(Debug)]
pub struct SettingHelp {
    /// The name in files and on the command line.
    pub name: &'static str,
    /// What it can be.
    pub domain: Domain,
    /// One line of help.
    pub about: &'static str,
}

impl SettingHelp {
    const fn new(name: &'static str, domain: Domain, about: &'static str) -> Self {
        Self { name, domain, about }
    }

    /// A value as the setting's type wants it.
    pub(super) fn read(&self, value: &toml::Value) -> Result<toml::Value> {
        let found = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let wrong = || Error::Setting(format!("`{}` is {}, found `{found}`", self.name, self.domain));
        self.domain.read(value).ok_or_else(wrong)
    }

    /// What it is if nothing is said, as it would be given.
    pub fn default_text(&self) -> String {
        let all = Settings::default().to_toml();
        let mut given = all.lines().filter_map(|line| line.split_once(" = "));
        given.find(|(name, _)| *name == self.name).map_or("", |(_, value)| value).trim_matches('"').to_owned()
    }
}

/// Every setting, in the order of [`Settings`].
pub static SETTINGS: &[SettingHelp] = &[
    SettingHelp::new(
        "system",
        Domain::Words("auto, or a transition system with its modifiers"),
        "how trees are built step by step; auto is what the learner does best with",
    ),
    SettingHelp::new("root", Domain::Words("auto, stack, end or none"), "where node 0 is"),
    SettingHelp::new("single-root", Domain::AutoTruth, "whether node 0 has exactly one child"),
    SettingHelp::new(
        "transform",
        Domain::Words("auto, none or transformations separated by commas"),
        "what training trees go through, undone after parsing",
    ),
    SettingHelp::new("learner", Domain::Words("a learner"), "what decides"),
    SettingHelp::new("decision", Domain::Words("a decision"), "how transitions and labels are decided"),
    SettingHelp::new(
        "split",
        Domain::Words("none, or a feature with the size below which parts are pooled, as b0:p>=1000"),
        "the feature by whose value the data are split, one classifier a value",
    ),
    SettingHelp::new("c", Domain::COST, "the cost of a violated margin in learning transitions"),
    SettingHelp::new("label-c", Domain::COST, "the cost of a violated margin in learning labels"),
    SettingHelp::new(
        "max-tokens",
        Domain::Count { from: 1, to: 1_000_000_000_000 },
        "the most tokens whose states are kept; of a larger treebank evenly spaced sentences are learned from",
    ),
    SettingHelp::new("passes", Domain::PASSES, "how often the linear model goes through its states"),
    SettingHelp::new(
        "min-count",
        Domain::Count { from: 1, to: 1_000_000_000 },
        "features that occur less often are left out",
    ),
    SettingHelp::new(
        "min-label-count",
        Domain::Count { from: 0, to: 1_000_000_000 },
        "labels that a transformation makes less often stay unmarked",
    ),
    SettingHelp::new(
        "folds",
        Domain::Count { from: 0, to: 100 },
        "into how many parts the treebank is cut for exploring and judging; 0 or 1 for neither",
    ),
    SettingHelp::new(
        "set-aside-from",
        Domain::Count { from: 0, to: 1_000_000_000_000 },
        "words from which on the recurrent engine keeps every fiftieth sentence from learning, to tell by them how sure the parser may be, in place of folds",
    ),
    SettingHelp::new(
        "keep",
        Domain::Number { from: 1e-6, to: 1.0 },
        "how much of the linear model's features pruning leaves at most",
    ),
    SettingHelp::new(
        "prune-loss",
        Domain::Number { from: 0.0, to: 100.0 },
        "how many points of LAS pruning may cost on held-out sentences",
    ),
    SettingHelp::new(
        "perceptron-passes",
        Domain::PASSES,
        "how often the perceptron goes through the sentences",
    ),
    SettingHelp::new(
        "update",
        Domain::Words("perceptron or passive-aggressive"),
        "how the perceptron's weights move",
    ),
    SettingHelp::new(
        "explore-after",
        Domain::Count { from: 0, to: 1000 },
        "the passes after which the perceptron explores",
    ),
    SettingHelp::new(
        "explore-rate",
        Domain::Number { from: 0.0, to: 1.0 },
        "how often it then goes where its weights say, right or wrong",
    ),
    SettingHelp::new(
        "table-megabytes",
        Domain::Count { from: 1, to: 1_000_000 },
        "the most memory for the perceptron's weights; what matters least gives way",
    ),
    SettingHelp::new("network-passes", Domain::PASSES, "how often the network goes through its states"),
    SettingHelp::new(
        "transition-hidden",
        Domain::HIDDEN,
        "hidden units of the network that chooses transitions; rounded up to a multiple of 64",
    ),
    SettingHelp::new(
        "label-hidden",
        Domain::HIDDEN,
        "hidden units of the network that chooses labels; rounded up to a multiple of 64",
    ),
    SettingHelp::new(
        "network-weight",
        Domain::AutoNumber { from: 0.0, to: 1000.0 },
        "what a nat of the network counts beside the linear model's margins; 0 leaves the network out",
    ),
    SettingHelp::new(
        "sure",
        Domain::Number { from: 0.0, to: 1e6 },
        "the lead in nats from which on the network decides alone",
    ),
    SettingHelp::new(
        "recurrent-effort",
        Domain::Number { from: 0.0, to: 1000.0 },
        "how much work the training of the recurrent engine may be, by which it decides how large it is; 1 is about eight minutes of a core",
    ),
    SettingHelp::new(
        "recurrent-networks",
        Domain::AutoCount { from: 1, to: MOST_NETWORKS as u64 },
        "how many recurrent networks are trained that decide together",
    ),
    SettingHelp::new("recurrent-layers", Domain::Count { from: 1, to: 8 }, "layers of the recurrent engine"),
    SettingHelp::new(
        "recurrent-units",
        Domain::AutoCount { from: 8, to: 1024 },
        "units of each of its layers in each direction",
    ),
    SettingHelp::new(
        "recurrent-passes",
        Domain::AutoCount { from: 1, to: 10_000 },
        "how often it goes through the sentences",
    ),
    SettingHelp::new(
        "recurrent-hidden",
        Domain::Count { from: 8, to: 1024 },
        "its hidden units that choose transitions",
    ),
    SettingHelp::new(
        "recurrent-dropout",
        Domain::AutoNumber { from: 0.0, to: 0.9 },
        "the part of its units that it leaves out at random while it learns",
    ),
    SettingHelp::new(
        "blend",
        Domain::Truth,
        "whether the usual blend is trained, six parsers that vote: see `blend train`",
    ),
    SettingHelp::new("seed", Domain::Count { from: 0, to: i64::MAX as u64 }, "fixes every random choice"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_in_the_table() {
        let all = Settings::default().to_toml();
        let names = all.lines().filter_map(|line| line.split_once(" = ")).map(|(name, _)| name);
        assert!(names.eq(SETTINGS.iter().map(|setting| setting.name)), "{all}");
    }

    #[test]
    fn a_default_can_be_given() {
        for setting in SETTINGS {
            let assignment = format!("{}={}", setting.name, setting.default_text());
            assert_eq!(Settings::default().with(&assignment).unwrap(), Settings::default(), "{assignment}");
        }
    }

    #[test]
    fn every_number_has_ends_that_can_be_given_and_nothing_beyond() {
        for setting in SETTINGS {
            let (from, to) = match setting.domain {
                #[allow(clippy::cast_precision_loss, reason = "as precise as it is compared")]
                Domain::Count { from, to } | Domain::AutoCount { from, to } => (from as f64, to as f64),
                Domain::Number { from, to } | Domain::AutoNumber { from, to } => (from, to),
                Domain::Truth | Domain::AutoTruth | Domain::Words(_) => continue,
            };
            let given = |value: f64| Settings::default().with(&format!("{}={value}", setting.name));
            given(from).unwrap().check().unwrap();
            // The highest seed is no power of ten.
            given(if setting.name == "seed" { 1e18 } else { to }).unwrap().check().unwrap();
            for beyond in [from - 1.0, to * 2.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e300, -1e-300] {
                let error = given(beyond).unwrap_err();
                assert!(error.is_usage());
                let (error, range) = (error.to_string(), setting.domain.to_string());
                assert!(error.contains(setting.name) && error.contains(&range), "{error}");
            }
        }
    }
}
