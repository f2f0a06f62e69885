//! Shares and percentages, as displayed in tables and JSON.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::describe::ratio;

/// A share of a total.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Share {
    /// The numerator.
    pub part: u64,
    /// The denominator.
    pub whole: u64,
}

impl Share {
    /// Creates the share `part` of `whole`.
    pub fn new(part: u64, whole: u64) -> Self {
        Self { part, whole }
    }

    /// Returns the share in percent.
    pub fn percent(self) -> Percent {
        Percent((self.whole > 0).then(|| 100.0 * ratio(self.part, self.whole)))
    }
}

/// A percentage, undefined if the total is 0. Displayed with two decimals, or `–`; in JSON, where readers expect a
/// number, an undefined percentage is 0.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct Percent(Option<f64>);

impl Percent {
    /// Creates a percentage that is not a share of a count.
    pub fn of(percent: Option<f64>) -> Self {
        Self(percent)
    }

    /// Returns the percentage, if it is defined.
    pub fn known(self) -> Option<f64> {
        self.0
    }

    /// Returns the percentage, or 0.
    pub fn value(self) -> f64 {
        self.0.unwrap_or(0.0)
    }

    /// Returns the harmonic mean of two percentages, which is the F-score of precision and recall. It is undefined if
    /// both are, and 0 if one is: then nothing was found, or there was nothing to find.
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
