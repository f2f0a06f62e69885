//! What is searched: the settings of the learner, each with the kind, range, default and scale of the table of settings.

use quaich_learn::{Kind, Scale, Setting};
use quaich_parser::settings::groups;
use quaich_parser::{Settings, readers};

use crate::candidate::Candidate;
use crate::phases::{SIZES, default_of};

/// How many times the default a value may be, and what part of it, on a logarithmic scale.
const LOGARITHMIC_REACH: f64 = 10.0;
/// How many times the default a value may be on a linear scale.
const LINEAR_REACH: f64 = 2.0;
/// The smallest range of counts above the default.
const COUNT_REACH: f64 = 2.0;

/// A step from a value to its neighbours, as a share of the range: a factor of two on a logarithmic scale.
const STEP: f64 = 0.15;

/// A setting that is searched.
#[derive(Clone, Debug)]
pub(crate) struct Dimension {
    /// The full name.
    pub(crate) name: String,
    kind: Range,
}

/// The values that are searched.
#[derive(Clone, PartialEq, Debug)]
enum Range {
    /// Numbers between two ends, which are logarithms on a logarithmic scale.
    Numbers { from: f64, to: f64, is_log: bool, is_whole: bool },
    /// Words.
    Words(Vec<String>),
}

/// The settings whose values the phases before learner settings choose.
const CHOSEN_BY_PHASES: [&str; 2] = ["root", "single-root"];

/// The dimensions of a learner's settings: those that the table does not exclude from searches.
pub(crate) fn dimensions(start: &Candidate, settings: &Settings) -> Vec<Dimension> {
    let learner = settings.learner();
    let mut dimensions = Vec::new();
    for group in groups().filter(|group| readers(group.name).contains(&learner.as_str())) {
        for setting in group.settings {
            let name = group.full_name(setting);
            let is_other = |names: &[&str]| names.contains(&name.as_str());
            if setting.scale == Scale::Fixed || is_other(&CHOSEN_BY_PHASES) || is_other(&SIZES) {
                continue;
            }
            let given = start.get(&name).and_then(|text| text.parse().ok());
            let Some(kind) = Range::of(setting, given) else { continue };
            let dimension = Dimension { name, kind };
            if dimension.is_usable(start) {
                dimensions.push(dimension);
            }
        }
    }
    dimensions
}

impl Range {
    /// The range around the default, with the value that the search starts from.
    fn of(setting: &Setting, given: Option<f64>) -> Option<Self> {
        let is_log = setting.scale == Scale::Logarithmic;
        #[allow(clippy::cast_precision_loss, reason = "counts of epochs, units and the like")]
        let (default, from, to, is_whole) = match setting.kind {
            Kind::Number { default, from, to } => (default, from, to, false),
            Kind::Count { default, from, to } => (default as f64, from as f64, to as f64, true),
            Kind::Choice { of } => {
                return Some(Self::Words(of.iter().map(|word| (*word).to_owned()).collect()));
            }
            Kind::Flag { .. } => return Some(Self::Words(vec!["yes".to_owned(), "no".to_owned()])),
            Kind::Text { .. } => return None,
        };
        let (low, high) = if is_log {
            (default / LOGARITHMIC_REACH, default * LOGARITHMIC_REACH)
        } else if is_whole {
            (0.0, (default * LINEAR_REACH).max(default + COUNT_REACH))
        } else if default > 0.0 {
            (0.0, default * LINEAR_REACH)
        } else {
            (from, to.min(1.0))
        };
        let (low, high) = (low.min(given.unwrap_or(low)), high.max(given.unwrap_or(high)));
        // The logarithm of a count of zero does not exist.
        let least = if is_log && is_whole { 1.0 } else { from };
        let (low, high) = (low.max(from).max(least), high.min(to));
        if low >= high || (is_log && low <= 0.0) {
            return None;
        }
        let scaled = |end: f64| if is_log { end.ln() } else { end };
        Some(Self::Numbers { from: scaled(low), to: scaled(high), is_log, is_whole })
    }
}

impl Dimension {
    /// Whether the learner can be trained with another value of the setting: settings of text have no effect without text.
    fn is_usable(&self, start: &Candidate) -> bool {
        let value = self.value(0.9);
        let settings = start.with(&self.name, &value).config().map(|config| config.settings);
        settings.is_ok_and(|settings| settings.check_without_text().is_ok())
    }

    /// The number of values, if it is small and they have no order.
    pub(crate) fn n_words(&self) -> Option<usize> {
        match &self.kind {
            Range::Words(words) => Some(words.len()),
            Range::Numbers { .. } => None,
        }
    }

    /// The value at a place between 0 and 1.
    pub(crate) fn value(&self, place: f64) -> String {
        match &self.kind {
            Range::Words(words) => {
                #[allow(
                    clippy::cast_precision_loss,
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a place in a short list"
                )]
                let index = (place * words.len() as f64) as usize;
                words[index.min(words.len() - 1)].clone()
            }
            Range::Numbers { from, to, is_log, is_whole } => {
                let scaled = from + place.clamp(0.0, 1.0) * (to - from);
                let number = if *is_log { scaled.exp() } else { scaled };
                if *is_whole { number.round().to_string() } else { two_digits(number).to_string() }
            }
        }
    }

    /// The place of a value between 0 and 1, if it is a value of this setting.
    pub(crate) fn place(&self, value: &str) -> Option<f64> {
        match &self.kind {
            Range::Words(words) => {
                let index = words.iter().position(|word| word == value)?;
                #[allow(clippy::cast_precision_loss, reason = "a place in a short list")]
                let place = (index as f64 + 0.5) / words.len() as f64;
                Some(place)
            }
            Range::Numbers { from, to, is_log, .. } => {
                let number: f64 = value.parse().ok()?;
                // A number below all others has no logarithm.
                let scaled = if *is_log { number.max(f64::MIN_POSITIVE).ln() } else { number };
                scaled.is_finite().then(|| ((scaled - from) / (to - from)).clamp(0.0, 1.0))
            }
        }
    }

    /// The default, as a text; none if the data decide.
    pub(crate) fn default(&self) -> Option<String> {
        default_of(&self.name)
    }

    /// The values next to this one: one step up, and one step down; all other words.
    pub(crate) fn neighbours(&self, value: &str) -> [Vec<String>; 2] {
        let Some(place) = self.place(value) else { return [Vec::new(), Vec::new()] };
        match &self.kind {
            Range::Words(words) => {
                [words.iter().filter(|word| *word != value).cloned().collect(), Vec::new()]
            }
            Range::Numbers { .. } => [place + STEP, place - STEP].map(|place| {
                let other = self.value(place.clamp(0.0, 1.0));
                if other == value { Vec::new() } else { vec![other] }
            }),
        }
    }
}

/// The number with two significant digits: more would claim a precision that no trial has.
fn two_digits(number: f64) -> f64 {
    format!("{number:.1e}").parse().unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use quaich_parser::learners;

    use super::*;

    /// Every value that a search can propose is valid, for all learners.
    #[test]
    fn every_value_can_be_set() {
        for (learner, _) in learners() {
            let start = Candidate::default().with("learner", learner);
            let dimensions = dimensions(&start, &start.config().unwrap().settings);
            assert!(!dimensions.is_empty(), "{learner}");
            for dimension in &dimensions {
                for place in [0.0, 0.2, 0.5, 0.77, 1.0] {
                    let value = dimension.value(place);
                    let settings = start.with(&dimension.name, &value).config().unwrap().settings;
                    settings.check().unwrap();
                    assert_eq!(
                        dimension.value(dimension.place(&value).unwrap()),
                        value,
                        "{}",
                        dimension.name
                    );
                }
            }
        }
    }

    #[test]
    fn the_table_says_what_is_searched_and_how() {
        let start = Candidate::default().with("learner", "linear").with("linear.c", "30");
        let dimensions = dimensions(&start, &start.config().unwrap().settings);
        let names: Vec<&str> = dimensions.iter().map(|dimension| dimension.name.as_str()).collect();
        assert!(names.contains(&"linear.epochs") && names.contains(&"decision"), "{names:?}");
        assert!(!names.contains(&"seed") && !names.iter().any(|name| name.starts_with("text.")), "{names:?}");
        let c = dimensions.iter().find(|dimension| dimension.name == "linear.c").unwrap();
        // A logarithmic scale that reaches to the start.
        assert_eq!([c.value(0.0), c.value(1.0)], ["0.002", "30"]);
        assert_eq!(c.value(0.5), "0.24");
        assert_eq!(c.default().as_deref(), Some("0.02"));
        let start = Candidate::default();
        let dimensions = super::dimensions(&start, &start.config().unwrap().settings);
        let rate = dimensions.iter().find(|dimension| dimension.name == "encoder.learning-rate").unwrap();
        assert_eq!(rate.neighbours("0.002"), [["0.004"], ["0.001"]]);
        let dropout = dimensions.iter().find(|dimension| dimension.name == "encoder.dropout").unwrap();
        assert_eq!(dropout.neighbours("0.33"), [["0.43"], ["0.23"]]);
        assert!(!dimensions.iter().any(|dimension| SIZES.contains(&dimension.name.as_str())));
    }
}
