//! The settings as a table: what each can be and what it does, for help and lists.

use super::Settings;

/// What there is to know of a setting.
#[derive(Debug)]
pub struct SettingHelp {
    /// The name in files and on the command line.
    pub name: &'static str,
    /// What it can be.
    pub range: &'static str,
    /// One line of help.
    pub about: &'static str,
}

impl SettingHelp {
    const fn new(name: &'static str, range: &'static str, about: &'static str) -> Self {
        Self { name, range, about }
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
    SettingHelp::new("system", "a transition system, with its modifiers", "how trees are built step by step"),
    SettingHelp::new("root", "auto, stack, end or none", "where node 0 is"),
    SettingHelp::new("single-root", "auto, yes or no", "whether node 0 has exactly one child"),
    SettingHelp::new(
        "transform",
        "auto, none or transformations separated by commas",
        "what training trees go through, undone after parsing",
    ),
    SettingHelp::new("learner", "a learner", "what decides"),
    SettingHelp::new("decision", "a decision", "how transitions and labels are decided"),
    SettingHelp::new(
        "split",
        "none, or a feature with the size below which parts are pooled, as b0:p>=1000",
        "the feature by whose value the data are split, one classifier a value",
    ),
    SettingHelp::new("c", "above 0", "the cost of a violated margin in learning transitions"),
    SettingHelp::new("label-c", "above 0", "the cost of a violated margin in learning labels"),
    SettingHelp::new(
        "max-tokens",
        "from 1",
        "the most tokens whose states are kept; of a larger treebank evenly spaced sentences are learned from",
    ),
    SettingHelp::new("passes", "from 1 to 1000", "how often the linear model goes through its states"),
    SettingHelp::new("min-count", "from 1", "features that occur less often are left out"),
    SettingHelp::new(
        "min-label-count",
        "from 0",
        "labels that a transformation makes less often stay unmarked",
    ),
    SettingHelp::new(
        "folds",
        "from 0 to 100",
        "into how many parts the treebank is cut for exploring and judging; 0 or 1 for neither",
    ),
    SettingHelp::new(
        "keep",
        "above 0, at most 1",
        "how much of the linear model's features pruning leaves at most",
    ),
    SettingHelp::new(
        "prune-loss",
        "from 0 to 100",
        "how many points of LAS pruning may cost on held-out sentences",
    ),
    SettingHelp::new(
        "perceptron-passes",
        "from 1 to 1000",
        "how often the perceptron goes through the sentences",
    ),
    SettingHelp::new("update", "perceptron or passive-aggressive", "how the perceptron's weights move"),
    SettingHelp::new("explore-after", "from 0", "the passes after which the perceptron explores"),
    SettingHelp::new(
        "explore-rate",
        "from 0 to 1",
        "how often it then goes where its weights say, right or wrong",
    ),
    SettingHelp::new(
        "table-megabytes",
        "from 1 to 1000000",
        "the most memory for the perceptron's weights; what matters least gives way",
    ),
    SettingHelp::new("network-passes", "from 1 to 1000", "how often the network goes through its states"),
    SettingHelp::new(
        "transition-hidden",
        "from 1 to 4096",
        "hidden units of the network that chooses transitions",
    ),
    SettingHelp::new("label-hidden", "from 1 to 4096", "hidden units of the network that chooses labels"),
    SettingHelp::new(
        "network-weight",
        "auto, or from 0 to 1000",
        "what a nat of the network counts beside the linear model's margins; 0 leaves the network out",
    ),
    SettingHelp::new("sure", "from 0 to 1000000", "the lead in nats from which on the network decides alone"),
    SettingHelp::new("seed", "from 0", "fixes every random choice"),
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
}
