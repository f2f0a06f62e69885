//! Settings that are names: each is checked when it is read and cannot be wrong afterwards.

use std::fmt;
use std::str::FromStr;

use quaich_features::{Template, Value};
use quaich_transform::Specification;

use crate::error::{Error, Result, unknown_name};
use crate::learners;

/// The name of a learner that there is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LearnerName(&'static str);

impl LearnerName {
    /// A linear model and a feed-forward network.
    pub const LINEAR_AND_NETWORK: Self = Self("linear+network");
    /// Words in context by a recurrent encoder.
    pub const RECURRENT: Self = Self("recurrent");
    /// The name.
    pub fn as_str(self) -> &'static str {
        self.0
    }
}

impl Default for LearnerName {
    fn default() -> Self {
        Self(learners::DEFAULT)
    }
}

impl FromStr for LearnerName {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let known = || learners::names();
        known().find(|known| *known == name).map(Self).ok_or_else(|| unknown_name("learner", name, known()))
    }
}

impl fmt::Display for LearnerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Which transformation training trees go through.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum TransformChoice {
    /// The treebank decides.
    #[default]
    Auto,
    /// None.
    None,
    /// That of a specification.
    Spec(String),
}

impl FromStr for TransformChoice {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "auto" => Ok(Self::Auto),
            "none" => Ok(Self::None),
            // Files that it names are read when training begins, so that models can be read where they are not.
            spec => Ok(Self::Spec(spec.parse::<Specification>()?.to_string())),
        }
    }
}

impl fmt::Display for TransformChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::None => "none",
            Self::Spec(spec) => spec,
        })
    }
}

/// How the perceptron's weights move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum UpdateRule {
    /// By the same step whenever they are wrong.
    #[default]
    Perceptron,
    /// As far as it takes for a margin of 1, but by no more than `c`.
    PassiveAggressive,
}

impl FromStr for UpdateRule {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let all = [Self::Perceptron, Self::PassiveAggressive];
        all.into_iter()
            .find(|rule| rule.to_string() == name)
            .ok_or_else(|| unknown_name("update", name, ["perceptron", "passive-aggressive"]))
    }
}

impl fmt::Display for UpdateRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Perceptron => "perceptron",
            Self::PassiveAggressive => "passive-aggressive",
        })
    }
}

/// Whether and by which feature the data are split, one classifier a value.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum SplitChoice {
    /// Not at all.
    #[default]
    None,
    /// By the value of a feature; parts with fewer instances than `at_least` are pooled.
    By {
        /// The feature.
        value: Value,
        /// The size from which on a part has a classifier of its own.
        at_least: usize,
    },
}

/// Parts that are smaller are pooled, where nothing else is said.
const AT_LEAST: usize = 1000;

impl FromStr for SplitChoice {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text == "none" {
            return Ok(Self::None);
        }
        let wrong = |reason: String| Error::Setting(format!("in `split`: {reason}"));
        let (value, at_least) = match text.split_once(">=") {
            Some((value, n)) => {
                let n = n.trim().parse().map_err(|_| wrong(format!("found `{n}`, expected a number")))?;
                (value.trim(), n)
            }
            None => (text, AT_LEAST),
        };
        let template = Template::parse(value).map_err(|error| wrong(error.to_string()))?;
        match <[Value; 1]>::try_from(template.values) {
            Ok([value]) => Ok(Self::By { value, at_least }),
            Err(values) => Err(wrong(format!("found {} values, expected one", values.len()))),
        }
    }
}

impl fmt::Display for SplitChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::By { value, at_least } => write!(f, "{value}>={at_least}"),
        }
    }
}
