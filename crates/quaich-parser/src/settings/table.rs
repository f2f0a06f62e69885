//! The settings as a table: what each can be, its default, how a search goes through it, and what it does.

use quaich_learn::{LEARNERS, Setting};
use quaich_transform::Specification;
use quaich_transition::spec::SystemSpec;

use super::split::Split;
use super::{DEFAULT_LEARNER, NONE};

/// Settings with a name in common: those of a learner or of a part that several learners have.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// The name; empty for general settings.
    pub name: &'static str,
    /// The settings.
    pub settings: &'static [Setting],
}

impl Group {
    /// The name of one of its settings, as it is given.
    pub fn full_name(&self, setting: &Setting) -> String {
        let dot = if self.name.is_empty() { "" } else { "." };
        format!("{}{dot}{}", self.name, setting.name)
    }
}

/// All groups, general settings first.
pub fn groups() -> impl Iterator<Item = Group> {
    let of_learners = LEARNERS.iter().map(|learner| (learner.name(), learner.settings()));
    let all = PARSER_GROUPS.iter().copied().chain(of_learners);
    all.map(|(name, settings)| Group { name, settings })
}

static PARSER_GROUPS: &[(&str, &[Setting])] = &[
    ("", GENERAL),
    ("encoder", ENCODER),
    ("linear", LINEAR),
    ("perceptron", PERCEPTRON),
    ("network", NETWORK),
    ("mixture", MIXTURE),
];

/// Large enough for any treebank.
const ANY: u64 = 1_000_000_000_000;
/// Epochs.
const EPOCHS: (u64, u64) = (1, 1000);
/// The cost of a violated margin.
const COST: (f64, f64) = (1e-9, 1e9);
/// Hidden units.
const HIDDEN: (u64, u64) = (1, 4096);

/// Settings of all trainings.
pub static GENERAL: &[Setting] = &[
    Setting::text(
        "system",
        "",
        "a transition system with its modifiers",
        "the transition system; auto is what the learner does best with",
    )
    .checked(|text| text.parse().map(|spec: SystemSpec| spec.to_string()).map_err(|error| error.to_string()))
    .auto(),
    Setting::choice("root", &["stack", "end", "none"], "where node 0 is: first on the stack, last in the buffer, or nowhere")
        .auto(),
    Setting::flag("single-root", true, "whether node 0 has exactly one child").auto(),
    Setting::text(
        "transform",
        "",
        "none, or transformations separated by commas",
        "the transformation of training trees, undone after parsing",
    )
    .checked(|text| match text {
        NONE => Ok(text.to_owned()),
        // Files that it names are read when training begins, so that models can be read where they are not.
        text => text.parse().map(|spec: Specification| spec.to_string()).map_err(|error| error.to_string()),
    })
    .auto(),
    Setting::count(
        "min-label-count",
        3,
        (0, 1_000_000_000),
        "labels that a transformation makes less often stay unmarked",
    )
    .logarithmic(),
    Setting::text("learner", DEFAULT_LEARNER, "a learner", "the learner; `quaich list learners` has them all"),
    Setting::choice("decision", &["sequence", "joint", "branch"], "how transitions and labels are decided"),
    Setting::text(
        "split",
        NONE,
        "none, or a feature with the size below which parts are pooled, as b0:p>=1000",
        "the feature by whose value the data are split, with one classifier per value",
    )
    .checked(|text| Ok(Split::parse(text)?.map_or_else(|| NONE.to_owned(), |split| split.to_string()))),
    Setting::text(
        "ensemble",
        NONE,
        "none, the name of an ensemble, or a TOML file with a table [[parser]] for each parser",
        "the ensemble: parsers that vote",
    ),
    Setting::flag("held-out", true, "whether sentences are held out to calibrate probabilities").fixed(),
    Setting::count(
        "max-tokens",
        1_500_000,
        (1, ANY),
        "the most tokens whose states are kept in memory; of a larger treebank evenly spaced sentences are used",
    )
    .fixed(),
    Setting::count("seed", 1, (0, i64::MAX as u64), "fixes every random choice").fixed(),
];

/// The recurrent encoder.
static ENCODER: &[Setting] = &[
    Setting::number(
        "effort",
        1.0,
        (0.0, 1000.0),
        "how much work training may be, which decides the size of the networks; 1 is about eight minutes of a core",
    )
    .logarithmic(),
    Setting::count("networks", 1, (1, 16), "the number of networks whose scores are averaged").auto(),
    Setting::count("layers", 2, (1, 8), "the number of layers"),
    Setting::count("units", 128, (8, 1024), "units of each layer in each direction").logarithmic().auto(),
    Setting::count("epochs", 16, (1, 10_000), "the number of epochs").logarithmic().auto(),
    Setting::count("hidden", 128, (8, 1024), "hidden units that choose transitions").logarithmic(),
    Setting::text(
        "predict",
        NONE,
        "none or tags",
        "what is predicted of words besides heads and labels, over the same encoder, and hidden from it",
    ),
    Setting::number("dropout", 0.33, (0.0, 0.9), "the part of all units that is dropped in training").auto(),
    // Two thousand words and more show probabilities to about a hundredth, and two in a hundred are not missed.
    Setting::count(
        "held-out-from",
        100_000,
        (0, ANY),
        "the size in words from which on every fiftieth sentence is held out for calibration, in place of a second training",
    )
    .fixed(),
];

/// The linear model: Crammer and Singer's support vector machine over templates.
static LINEAR: &[Setting] = &[
    Setting::number("c", 0.02, COST, "the cost of a violated margin in learning transitions").logarithmic(),
    Setting::number("label-c", 0.02, COST, "the cost of a violated margin in learning labels").logarithmic(),
    Setting::count("epochs", 6, EPOCHS, "the number of epochs").logarithmic(),
    Setting::count("min-count", 2, (1, 1_000_000_000), "features that occur less often are left out")
        .logarithmic(),
    Setting::count(
        "folds",
        2,
        (0, 100),
        "the number of folds for exploration: each is parsed by a model of the others; 0 or 1 for none, and then nothing is pruned or calibrated",
    ),
    Setting::number("max-features", 1.0, (1e-6, 1.0), "the largest part of the features that pruning keeps")
        .logarithmic(),
    Setting::number(
        "prune-tolerance",
        0.1,
        (0.0, 100.0),
        "points of LAS that pruning may cost on held-out sentences",
    ),
];

/// The perceptron, learned online.
static PERCEPTRON: &[Setting] = &[
    Setting::count("epochs", 10, EPOCHS, "the number of epochs").logarithmic(),
    Setting::choice("update", &["perceptron", "passive-aggressive"], "how weights are updated"),
    Setting::number("c", 0.02, COST, "the longest step of passive-aggressive updates for transitions")
        .logarithmic(),
    Setting::number("label-c", 0.02, COST, "the longest step of passive-aggressive updates for labels")
        .logarithmic(),
    Setting::count("explore-after", 1, (0, 1000), "the number of epochs before exploration begins"),
    Setting::number(
        "explore-rate",
        0.9,
        (0.0, 1.0),
        "how often exploration follows the weights instead of the oracle",
    ),
    Setting::count(
        "megabytes",
        512,
        (1, 1_000_000),
        "the most memory for weights; when it is full, those that matter least give way",
    )
    .fixed(),
    Setting::number("max-features", 1.0, (1e-6, 1.0), "the largest part of the features that pruning keeps")
        .logarithmic(),
    Setting::number(
        "prune-tolerance",
        0.1,
        (0.0, 100.0),
        "points of LAS that pruning may cost on held-out sentences",
    ),
];

/// The feed-forward network.
static NETWORK: &[Setting] = &[
    Setting::count("epochs", 10, EPOCHS, "the number of epochs").logarithmic(),
    Setting::count(
        "hidden",
        128,
        HIDDEN,
        "hidden units that choose transitions, rounded up to a multiple of 64",
    )
    .logarithmic(),
    Setting::count(
        "label-hidden",
        128,
        HIDDEN,
        "hidden units that choose labels, rounded up to a multiple of 64",
    )
    .logarithmic(),
];

/// A linear model and a network together.
static MIXTURE: &[Setting] = &[
    Setting::number(
        "network-weight",
        0.1,
        (0.0, 1000.0),
        "the weight of the network's log-probabilities beside the linear model's margins; 0 leaves the network out",
    )
    .auto(),
    Setting::number(
        "margin-threshold",
        3.0,
        (0.0, 1e6),
        "the margin, in log-probabilities, from which on the network decides alone",
    ),
];
