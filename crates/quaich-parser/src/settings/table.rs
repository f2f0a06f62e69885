//! The table of settings: type, range, default, search scale and help of each.

use quaich_learn::{LEARNERS, Setting};
use quaich_transform::Specification;
use quaich_transition::spec::SystemSpec;

use super::split::Split;
use super::{ALL_PARTS, DEFAULT_LEARNER, NONE};
use crate::encoder::Inputs;

/// Settings with a common prefix: those of a learner, or of a component of several learners.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// The prefix; empty for general settings.
    pub name: &'static str,
    /// The settings.
    pub settings: &'static [Setting],
}

impl Group {
    /// The full name of one of its settings.
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
    ("text", TEXT),
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

/// General settings.
pub static GENERAL: &[Setting] = &[
    Setting::text(
        "system",
        "",
        "a transition system with its modifiers",
        "transition system [auto: chosen by the learner]",
    )
    .checked(|text| text.parse().map(|spec: SystemSpec| spec.to_string()).map_err(|error| error.to_string()))
    .auto(),
    Setting::choice(
        "root",
        &["stack", "end", "none"],
        "position of the root node: first on the stack, last in the buffer, or absent",
    )
    .auto(),
    Setting::flag("single-root", true, "whether the root has exactly one child").auto(),
    Setting::text(
        "transform",
        "",
        "none, or transformations separated by commas",
        "transformation of the training trees, inverted after parsing",
    )
    .checked(|text| match text {
        NONE => Ok(text.to_owned()),
        // Files that it names are read when training starts, so models load without them.
        text => text.parse().map(|spec: Specification| spec.to_string()).map_err(|error| error.to_string()),
    })
    .auto(),
    Setting::count(
        "min-label-count",
        3,
        (0, 1_000_000_000),
        "minimum count of labels made by a transformation; rarer ones stay unmarked",
    )
    .logarithmic(),
    Setting::text("learner", DEFAULT_LEARNER, "a name from `quaich list learners`", "learner"),
    Setting::choice(
        "parts",
        &[ALL_PARTS, "parse"],
        "parts of the model: everything from raw text to trees, or the parser for tagged words alone; all unless a learner is given",
    )
    .auto()
    .fixed(),
    Setting::choice(
        "decision",
        &["sequence", "joint", "branch"],
        "how transitions and labels are classified",
    ),
    Setting::text(
        "split",
        NONE,
        "none, or a feature with the minimum size of a part, such as b0:p>=1000",
        "feature that splits the training data, with one classifier per value; smaller parts are pooled",
    )
    .checked(|text| Ok(Split::parse(text)?.map_or_else(|| NONE.to_owned(), |split| split.to_string()))),
    Setting::text(
        "ensemble",
        NONE,
        "none, the name of an ensemble, or a TOML file with one [[parser]] table per parser",
        "ensemble of parsers that vote",
    ),
    Setting::flag("held-out", true, "whether to hold out sentences to calibrate probabilities").fixed(),
    Setting::count(
        "max-tokens",
        1_500_000,
        (1, ANY),
        "maximum number of training tokens kept in memory; larger treebanks are sampled evenly",
    )
    .fixed(),
    Setting::count("seed", 1, (0, i64::MAX as u64), "random seed").fixed(),
];

/// The recurrent encoder.
static ENCODER: &[Setting] = &[
    Setting::number(
        "effort",
        1.0,
        (0.0, 1000.0),
        "training budget relative to the default, which determines the size of the networks",
    )
    .fixed(),
    Setting::count("networks", 1, (1, 16), "number of networks whose scores are averaged").auto(),
    Setting::count("layers", 2, (1, 8), "number of layers").auto(),
    Setting::count("units", 128, (8, 1024), "units per layer and direction").logarithmic().auto(),
    Setting::count("epochs", 16, (1, 10_000), "number of epochs").logarithmic().auto(),
    Setting::count("hidden", 128, (8, 1024), "hidden units of the transition classifier").logarithmic(),
    Setting::text(
        "predict",
        NONE,
        "none, all, or columns separated by commas: upos, xpos, feats, lemmas",
        "columns that the model predicts from the same encoder; the encoder does not see them",
    ),
    Setting::text(
        "inputs",
        "",
        "names separated by commas: forms, lemmas, upos, xpos, feats, characters, or names of other columns",
        "what the encoder reads: columns, and the character n-grams of forms; forms are always read [auto: everything]",
    )
    .checked(|text| Inputs::parse(text).map(|inputs| inputs.to_string()))
    .auto()
    .subset(),
    Setting::number("dropout", 0.33, (0.0, 0.9), "dropout rate of hidden units").auto(),
    Setting::number("learning-rate", 0.002, (1e-6, 1.0), "maximum learning rate, after the warm-up").logarithmic(),
    Setting::choice(
        "pretrained",
        &["untagged", "all"],
        "parsers whose encoders start from a pretrained one, if there is one: those for untagged words, or all",
    )
    .fixed(),
    // Two thousand words are enough to estimate probabilities to about a hundredth, and 2 % of the data are not missed.
    Setting::count(
        "held-out-from",
        100_000,
        (0, ANY),
        "treebank size, in words, from which one sentence in fifty is held out for calibration; smaller treebanks need a second training run",
    )
    .fixed(),
];

/// Pretraining on text.
static TEXT: &[Setting] = &[
    Setting::number(
        "effort",
        1.0,
        (1e-6, 1000.0),
        "pretraining budget; 1 is up to twenty epochs and 20 million words, but at least the whole text once",
    )
    .logarithmic(),
    Setting::number("masking", 0.2, (0.01, 0.9), "fraction of the words that are hidden and predicted"),
    Setting::count("forms", 30_000, (100, 10_000_000), "maximum number of known forms, the most frequent ones")
        .logarithmic(),
    Setting::count(
        "ngrams",
        20_000,
        (100, 10_000_000),
        "maximum number of known character n-grams, those of the most distinct forms",
    )
    .logarithmic(),
    Setting::count(
        "max-words",
        50_000_000,
        (1000, ANY),
        "maximum number of words of the text kept in memory, four bytes each; longer texts are sampled evenly",
    )
    .fixed(),
];

/// The linear model: Crammer and Singer's multiclass support vector machine over feature templates.
static LINEAR: &[Setting] = &[
    Setting::number("c", 0.02, COST, "cost parameter C of the transition classifier").logarithmic(),
    Setting::number("label-c", 0.02, COST, "cost parameter C of the label classifier").logarithmic(),
    Setting::count("epochs", 6, EPOCHS, "number of epochs").logarithmic(),
    Setting::count("min-count", 2, (1, 1_000_000_000), "minimum count of features").logarithmic(),
    Setting::count(
        "folds",
        2,
        (0, 100),
        "number of folds for exploration, each parsed by a model trained on the others; 0 or 1 turns off exploration, pruning and calibration",
    ),
    Setting::number("max-features", 1.0, (1e-6, 1.0), "maximum fraction of the features that pruning keeps")
        .logarithmic(),
    Setting::number(
        "prune-tolerance",
        0.1,
        (0.0, 100.0),
        "maximum loss of LAS on held-out sentences that pruning may cause",
    ),
];

/// The perceptron, trained online.
static PERCEPTRON: &[Setting] = &[
    Setting::count("epochs", 10, EPOCHS, "number of epochs").logarithmic(),
    Setting::choice("update", &["perceptron", "passive-aggressive"], "update rule"),
    Setting::number("c", 0.02, COST, "aggressiveness C of passive-aggressive updates, transition classifier")
        .logarithmic(),
    Setting::number(
        "label-c",
        0.02,
        COST,
        "aggressiveness C of passive-aggressive updates, label classifier",
    )
    .logarithmic(),
    Setting::count("explore-after", 1, (0, 1000), "number of epochs before exploration starts"),
    Setting::number(
        "explore-rate",
        0.9,
        (0.0, 1.0),
        "probability of following the model instead of the oracle during exploration",
    ),
    Setting::count(
        "megabytes",
        512,
        (1, 1_000_000),
        "maximum memory for weights; when it is full, the least important features are removed",
    )
    .fixed(),
    Setting::number("max-features", 1.0, (1e-6, 1.0), "maximum fraction of the features that pruning keeps")
        .logarithmic(),
    Setting::number(
        "prune-tolerance",
        0.1,
        (0.0, 100.0),
        "maximum loss of LAS on held-out sentences that pruning may cause",
    ),
];

/// The feed-forward network.
static NETWORK: &[Setting] = &[
    Setting::count("epochs", 10, EPOCHS, "number of epochs").logarithmic(),
    Setting::count(
        "hidden",
        128,
        HIDDEN,
        "hidden units of the transition classifier, rounded up to a multiple of 64",
    )
    .logarithmic(),
    Setting::count(
        "label-hidden",
        128,
        HIDDEN,
        "hidden units of the label classifier, rounded up to a multiple of 64",
    )
    .logarithmic(),
];

/// A linear model combined with a network.
static MIXTURE: &[Setting] = &[
    Setting::number(
        "network-weight",
        0.1,
        (0.0, 1000.0),
        "weight of the network's scores, added to those of the linear model; 0 ignores the network",
    )
    .auto(),
    Setting::number(
        "margin-threshold",
        3.0,
        (0.0, 1e6),
        "margin of the network's log-probabilities from which it decides alone",
    ),
];
