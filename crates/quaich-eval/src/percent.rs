//! Parts of wholes in percent, as tables and JSON show them.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::describe::ratio;

/// So many of so many.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Share {
    /// How many.
    pub part: u64,
    /// Of how many.
    pub whole: u64,
}

impl Share {
    /// `part` of `whole`.
    pub fn new(part: u64, whole: u64) -> Self {
        Self { part, whole }
    }

    /// The same in percent.
    pub fn percent(self) -> Percent {
        Percent((self.whole > 0).then(|| 100.0 * ratio(self.part, self.whole)))
    }
}

/// A percentage; of nothing, there is none. Shown with two decimals, or `–`; in JSON, where readers expect a
/// number, the percentage of nothing is 0.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct Percent(Option<f64>);

impl Percent {
    /// A percentage that is not a share of something that can be counted.
    pub fn of(percent: Option<f64>) -> Self {
        Self(percent)
    }

    /// The percentage, if it is one of something.
    pub fn known(self) -> Option<f64> {
        self.0
    }

    /// The percentage, or 0.
    pub fn value(self) -> f64 {
        self.0.unwrap_or(0.0)
    }

    /// The harmonic mean of two percentages, which is their F-score if they are precision and recall. There is
    /// none if neither is known, and it is 0 if one is not: then nothing was found, or there was nothing to find.
    #[must_use]
    pub fn harmonic_mean(self, other: Self) -> Self {
        let (one, two) = (self.value(), other.value());
        let known = self.0.is_some() || other.0.is_some();
        Self(known.then(|| if one + two > 0.0 { 2.0 * one * two / (one + two) } else { 0.0 }))
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(percent) => f.pad(&format!("{percent:.2}")),
            None => f.pad("–"),
        }
    }
}

impl Serialize for Percent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.value())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_nothing_there_is_no_percentage() {
        let none = Share::new(0, 0).percent();
        let half = Share::new(1, 2).percent();
        let zero = Share::new(0, 2).percent();
        let shown = [none, half, zero, none.harmonic_mean(none), half.harmonic_mean(none)];
        assert_eq!(shown.map(|percent| percent.to_string()), ["–", "50.00", "0.00", "–", "0.00"]);
        assert_eq!(zero.harmonic_mean(zero).to_string(), "0.00");
        assert_eq!(half.harmonic_mean(Share::new(1, 1).percent()).to_string(), "66.67");
        assert_eq!(serde_json::to_string(&[none, half]).unwrap(), "[0.0,50.0]");
    }
}
