//! Memory-based learning (TiMBL): stores the training instances, and classifies by the most similar ones.
//!
//! The learner `memory` reimplements TiMBL (Daelemans and van den Bosch, *Memory-Based Language Processing*, 2005): IB1, the instances at
//! the k nearest distances under a metric, and IGTree, its fast approximation by a decision tree. The MaltParser papers of 2004 to 2006
//! use `-k 5 -m M -L 3 -w 0 -d ID`, which are the defaults here.
//!
//! | file | content |
//! |---|---|
//! | `symbols.rs` | the content of a position as one number: one value, several or none |
//! | `rows.rs`, `distributions.rs` | distinct instances with their class distributions |
//! | `statistics.rs` | feature weights: the information that positions have about the class |
//! | `metric.rs` | distances between symbols |
//! | `index.rs`, `nearest.rs` | the rows at the nearest distances, and how they vote |
//! | `backoff.rs` | IGTree, and the back-off tree of [`mcle`](crate::mcle) |
//! | `classifier.rs` | scores, saving and loading |
//!
//! Ties are broken by TiMBL's rules: if two classes have the same votes, one more distance is included; if that does not help, the more
//! frequent class wins, then the one with the lower number.

pub(crate) mod backoff;
mod classifier;
pub(crate) mod distributions;
mod index;
mod metric;
mod nearest;
#[cfg(test)]
mod reference;
pub(crate) mod rows;
mod statistics;
pub(crate) mod symbols;

pub(crate) use classifier::load_overall;
use classifier::{IgTree, NearestNeighbours};
use metric::Metric;
use nearest::Votes;
use statistics::Statistics;

use crate::arrays::{Arrays, LoadError};
use crate::fit::EpochTrainer;
use crate::instances::Instances;
use crate::learner::{Classifier, ClassifierTrainer, FeatureStyle, Learner, Trainable};
use crate::setting::{Assignments, Setting, SettingError};

/// The learner `memory`.
#[derive(Debug)]
pub struct Memory;

static SETTINGS: &[Setting] = &[
    Setting::choice(
        "algorithm",
        &["ib1", IGTREE],
        "compare with all instances (ib1), or follow a decision tree (igtree)",
    )
    .option("-a", &[("0", "ib1"), ("IB", "ib1"), ("IB1", "ib1"), ("1", IGTREE), ("IGTREE", IGTREE)]),
    Setting::count("k", 5, (1, 1_000_000), "number of nearest distances whose instances vote")
        .option("-k", &[]),
    Setting::choice("metric", &["mvdm", OVERLAP], "distance metric of values")
        .option("-m", &[("M", "mvdm"), ("O", OVERLAP)]),
    Setting::count(
        "threshold",
        3,
        (1, u64::MAX),
        "minimum frequency of values for mvdm; rarer ones are compared by overlap",
    )
    .option("-L", &[]),
    Setting::choice(
        "weights",
        &["none", GAIN_RATIO, INFORMATION_GAIN, CHI_SQUARE, SHARED_VARIANCE],
        "feature weighting",
    )
    .option(
        "-w",
        &[
            ("0", "none"),
            ("nw", "none"),
            ("1", GAIN_RATIO),
            ("gr", GAIN_RATIO),
            ("2", INFORMATION_GAIN),
            ("ig", INFORMATION_GAIN),
            ("3", CHI_SQUARE),
            ("x2", CHI_SQUARE),
            ("4", SHARED_VARIANCE),
            ("sv", SHARED_VARIANCE),
        ],
    ),
    Setting::choice(
        "votes",
        &["inverse-distance", EQUAL, INVERSE_LINEAR, DECAY],
        "weighting of votes by distance",
    )
    .option(
        "-d",
        &[
            ("Z", EQUAL),
            ("ID", "inverse-distance"),
            ("IL", INVERSE_LINEAR),
            ("ED:", "exponential-decay:alpha:beta"),
        ],
    ),
    Setting::number("alpha", 1.0, (0.0, 1e9), "factor alpha of exponential decay"),
    Setting::number("beta", 1.0, (1e-9, 1e9), "exponent beta of distances in exponential decay"),
];

const IGTREE: &str = "igtree";
const OVERLAP: &str = "overlap";
const GAIN_RATIO: &str = "gain-ratio";
const INFORMATION_GAIN: &str = "information-gain";
const CHI_SQUARE: &str = "chi-square";
const SHARED_VARIANCE: &str = "shared-variance";
const EQUAL: &str = "equal";
const INVERSE_LINEAR: &str = "inverse-linear";
const DECAY: &str = "exponential-decay";

/// Checked settings.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct MemoryParameters {
    algorithm: Algorithm,
    k: usize,
    metric: Metric,
    weighting: Weighting,
    votes: Votes,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Algorithm {
    Ib1,
    IgTree,
}

/// The weighting of positions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Weighting {
    None,
    GainRatio,
    InformationGain,
    ChiSquare,
    SharedVariance,
}

impl Weighting {
    const ALL: [Self; 5] =
        [Self::None, Self::GainRatio, Self::InformationGain, Self::ChiSquare, Self::SharedVariance];

    fn of(self, statistics: &Statistics) -> f64 {
        match self {
            Self::None => 1.0,
            Self::GainRatio => statistics.gain_ratio,
            Self::InformationGain => statistics.information_gain,
            Self::ChiSquare => statistics.chi_square,
            Self::SharedVariance => statistics.shared_variance,
        }
    }
}

impl Learner for Memory {
    fn name(&self) -> &'static str {
        "memory"
    }

    fn about(&self) -> &'static str {
        "memory-based learning: k nearest neighbours over all instances (TiMBL)"
    }

    fn settings(&self) -> &'static [Setting] {
        SETTINGS
    }

    fn feature_style(&self) -> FeatureStyle {
        FeatureStyle::Values
    }

    fn check(&self, given: &Assignments) -> Result<Box<dyn Trainable>, SettingError> {
        let values = given.read(SETTINGS)?;
        let algorithm = if values.choice("algorithm") == IGTREE { Algorithm::IgTree } else { Algorithm::Ib1 };
        #[allow(clippy::cast_precision_loss, reason = "frequencies are far below 2⁵²")]
        let threshold = values.count("threshold") as f64;
        let metric = match values.choice("metric") {
            OVERLAP => Metric::Overlap,
            _ => Metric::ValueDifference { threshold },
        };
        let weighting = match values.choice("weights") {
            GAIN_RATIO => Weighting::GainRatio,
            INFORMATION_GAIN => Weighting::InformationGain,
            CHI_SQUARE => Weighting::ChiSquare,
            SHARED_VARIANCE => Weighting::SharedVariance,
            _ => Weighting::None,
        };
        let votes = match values.choice("votes") {
            EQUAL => Votes::Equal,
            INVERSE_LINEAR => Votes::InverseLinear,
            DECAY => Votes::ExponentialDecay { alpha: values.number("alpha"), beta: values.number("beta") },
            _ => Votes::InverseDistance,
        };
        Ok(Box::new(MemoryParameters { algorithm, k: values.size("k"), metric, weighting, votes }))
    }

    fn load(&self, arrays: &Arrays) -> Result<Box<dyn Classifier>, LoadError> {
        match arrays.one::<u8>("algorithm")? {
            0 => Ok(Box::new(NearestNeighbours::load(arrays)?)),
            1 => Ok(Box::new(IgTree::load(arrays)?)),
            _ => Err(LoadError::unfit("algorithm", "is unknown")),
        }
    }
}

impl Trainable for MemoryParameters {
    fn learner(&self) -> &'static dyn Learner {
        &Memory
    }

    fn start<'a>(&self, instances: &'a Instances) -> Box<ClassifierTrainer<'a>> {
        Box::new(Remembering { instances, settings: *self, remembered: None })
    }
}

/// A training run of one epoch without a loss.
#[derive(Debug)]
struct Remembering<'a> {
    instances: &'a Instances,
    settings: MemoryParameters,
    remembered: Option<Remembered>,
}

#[derive(Clone, Debug)]
enum Remembered {
    Instances(NearestNeighbours),
    Tree(IgTree),
}

impl Remembering<'_> {
    fn remember(&self) -> Remembered {
        match self.settings.algorithm {
            Algorithm::Ib1 => Remembered::Instances(NearestNeighbours::of(self.instances, self.settings)),
            Algorithm::IgTree => Remembered::Tree(IgTree::of(self.instances, self.settings.weighting)),
        }
    }
}

impl EpochTrainer for Remembering<'_> {
    type Model = Box<dyn Classifier>;

    fn n_epochs(&self) -> usize {
        1
    }

    fn epoch(&mut self, _stop: &dyn Fn() -> bool) -> f64 {
        self.remembered = Some(self.remember());
        0.0
    }

    fn model(&self) -> Box<dyn Classifier> {
        // Shared, not copied.
        match self.remembered.clone().unwrap_or_else(|| self.remember()) {
            Remembered::Instances(classifier) => Box::new(classifier),
            Remembered::Tree(classifier) => Box::new(classifier),
        }
    }

    fn load_model(&self, from: &Arrays) -> Option<Box<dyn Classifier>> {
        Memory.load(from).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The settings that TiMBL's options stand for.
    fn check(options: &str, expected: &str) {
        let given = Assignments::from_options(options, SETTINGS).and_then(|given| {
            let values = given.read(SETTINGS)?;
            let words = ["algorithm", "metric", "weights", "votes"].map(|name| values.choice(name));
            let (alpha, beta) = (values.number("alpha"), values.number("beta"));
            let (k, threshold) = (values.count("k"), values.count("threshold"));
            Ok(format!("{} k={k} L={threshold} a={alpha} b={beta}", words.join(" ")))
        });
        assert_eq!(given.unwrap_or_else(|error| error.to_string()), expected);
    }

    #[test]
    fn options_of_timbl_are_understood() {
        check("", "ib1 mvdm none inverse-distance k=5 L=3 a=1 b=1");
        check("-k 5 -w gr -m M -L 3 -d ID", "ib1 mvdm gain-ratio inverse-distance k=5 L=3 a=1 b=1");
        check("-k5 -mM -L3 -w0 -dID", "ib1 mvdm none inverse-distance k=5 L=3 a=1 b=1");
        check("-mO -w 1 -k1 -dZ", "ib1 overlap gain-ratio equal k=1 L=3 a=1 b=1");
        check("-d IL -w x2", "ib1 mvdm chi-square inverse-linear k=5 L=3 a=1 b=1");
        check("-d ED:2", "ib1 mvdm none exponential-decay k=5 L=3 a=2 b=1");
        check("-dED:0.5:2 -wsv", "ib1 mvdm shared-variance exponential-decay k=5 L=3 a=0.5 b=2");
        check("-a1 -w2", "igtree mvdm information-gain inverse-distance k=5 L=3 a=1 b=1");
        check("-a IGTREE", "igtree mvdm none inverse-distance k=5 L=3 a=1 b=1");
        let metrics = "the setting `metric` must be one of mvdm, overlap; found `J`";
        check("-m J", metrics);
    }
}
