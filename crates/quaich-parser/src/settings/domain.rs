//! What settings can be, as data: one description reads values as people write them, refuses others, and says in words what
//! is expected.

use std::fmt;

/// What a setting can be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Domain {
    /// A whole number.
    Count {
        /// The lowest.
        from: u64,
        /// The highest.
        to: u64,
    },
    /// A number.
    Number {
        /// The lowest.
        from: f64,
        /// The highest.
        to: f64,
    },
    /// A number, or the treebank decides.
    AutoNumber {
        /// The lowest.
        from: f64,
        /// The highest.
        to: f64,
    },
    /// A whole number, or the treebank decides.
    AutoCount {
        /// The lowest.
        from: u64,
        /// The highest.
        to: u64,
    },
    /// Yes or no.
    Truth,
    /// Yes or no, or the treebank decides.
    AutoTruth,
    /// Something with a name, described in words; the setting's type knows the names.
    Words(&'static str),
}

impl Domain {
    /// Passes over data.
    pub(super) const PASSES: Self = Self::Count { from: 1, to: 1000 };
    /// The cost of a violated margin.
    pub(super) const COST: Self = Self::Number { from: 1e-9, to: 1e9 };
    /// Hidden units of a network.
    pub(super) const HIDDEN: Self = Self::Count { from: 1, to: 4096 };

    /// A value as the setting's type wants it, if it can be that.
    pub(super) fn read(self, value: &toml::Value) -> Option<toml::Value> {
        let word = value.as_str().map(|text| text.trim().to_lowercase());
        match self {
            Self::AutoNumber { .. } | Self::AutoCount { .. } | Self::AutoTruth
                if word.as_deref() == Some("auto") =>
            {
                Some(toml::Value::String("auto".to_owned()))
            }
            Self::Count { from, to } | Self::AutoCount { from, to } => {
                let count = whole(value).filter(|count| (from..=to).contains(count))?;
                i64::try_from(count).ok().map(toml::Value::Integer)
            }
            Self::Number { from, to } | Self::AutoNumber { from, to } => {
                let number = number(value).filter(|number| is_within(*number, from, to))?;
                Some(toml::Value::Float(number))
            }
            Self::Truth => {
                let truth = value.as_bool().or_else(|| truth(&word?))?;
                Some(toml::Value::Boolean(truth))
            }
            Self::AutoTruth => {
                let truth = value.as_bool().or_else(|| truth(&word?))?;
                Some(toml::Value::String(if truth { "yes" } else { "no" }.to_owned()))
            }
            Self::Words(_) => Some(value.clone()),
        }
    }
}

/// As it is said in lists and errors.
impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Count { from, to } if to == i64::MAX as u64 => write!(f, "a whole number from {from}"),
            Self::Count { from, to } => write!(f, "a whole number from {from} to {to}"),
            Self::Number { from, to } => write!(f, "a number from {} to {}", short(from), short(to)),
            Self::AutoNumber { from, to } => {
                write!(f, "auto, or a number from {} to {}", short(from), short(to))
            }
            Self::AutoCount { from, to } => write!(f, "auto, or a whole number from {from} to {to}"),
            Self::Truth => f.write_str("yes or no"),
            Self::AutoTruth => f.write_str("auto, yes or no"),
            Self::Words(words) => f.write_str(words),
        }
    }
}

/// Whether a number is in a range, as precise as settings are.
#[allow(clippy::cast_possible_truncation, reason = "most settings are no more precise than that")]
fn is_within(number: f64, from: f64, to: f64) -> bool {
    number.is_finite()
        && (from as f32..=to as f32).contains(&(number as f32))
        && (number < 0.0) == (from < 0.0)
}

/// A number with few digits.
fn short(number: f64) -> String {
    let plain = number == 0.0 || (1e-4..1e6).contains(&number.abs());
    if plain { number.to_string() } else { format!("{number:e}") }
}

/// A number, with blanks for people between its digits or without.
fn number(value: &toml::Value) -> Option<f64> {
    match value {
        #[allow(clippy::cast_precision_loss, reason = "what is that large is out of every range")]
        toml::Value::Integer(whole) => Some(*whole as f64),
        toml::Value::Float(number) => Some(*number),
        toml::Value::String(text) => text.trim().replace('_', "").parse().ok(),
        _ => None,
    }
}

/// A whole number, however it is written: `1000`, `1_000`, `1e3`.
fn whole(value: &toml::Value) -> Option<u64> {
    let digits = value.as_str().and_then(|text| text.trim().replace('_', "").parse().ok());
    digits.or_else(|| value.as_integer().and_then(|whole| whole.try_into().ok())).or_else(|| {
        let number = number(value).filter(|number| number.fract() == 0.0 && (0.0..1e18).contains(number))?;
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is whole and in range"
        )]
        let whole = number as u64;
        Some(whole)
    })
}

fn truth(word: &str) -> Option<bool> {
    match word {
        "yes" | "true" | "on" | "y" => Some(true),
        "no" | "false" | "off" | "n" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(domain: Domain, text: &str, expected: Option<&str>) {
        let read = domain.read(&toml::Value::String(text.to_owned())).map(|value| value.to_string());
        assert_eq!(read.as_deref(), expected, "{domain}: {text}");
    }

    #[test]
    fn values_are_read_as_people_write_them() {
        let count = Domain::Count { from: 1, to: 100_000 };
        for (text, expected) in [
            ("1000", "1000"),
            ("1_000", "1000"),
            ("1e3", "1000"),
            (" 7 ", "7"),
            ("1.5e3", "1500"),
            ("8.0", "8"),
        ] {
            check(count, text, Some(expected));
        }
        for text in ["0", "-1", "1.5", "1e6", "ten", "", "nan", "inf", "0x10", "99999999999999999999"] {
            check(count, text, None);
        }
        let number = Domain::AutoNumber { from: 0.0, to: 10.0 };
        for (text, expected) in
            [("auto", "\"auto\""), ("Auto", "\"auto\""), ("0.5", "0.5"), ("1e-3", "0.001"), ("3", "3.0")]
        {
            check(number, text, Some(expected));
        }
        for text in ["-0.1", "11", "nan", "inf", "1e300", "yes", ""] {
            check(number, text, None);
        }
        for text in ["yes", "true", "True", "TRUE", "on", "y"] {
            check(Domain::AutoTruth, text, Some("\"yes\""));
        }
        for text in ["no", "false", "off", "No"] {
            check(Domain::AutoTruth, text, Some("\"no\""));
        }
        check(Domain::AutoTruth, "maybe", None);
        assert_eq!(Domain::AutoTruth.read(&toml::Value::Boolean(true)), Some("yes".into()));
    }

    #[test]
    fn ranges_are_said_in_words() {
        assert_eq!(Domain::COST.to_string(), "a number from 1e-9 to 1e9");
        assert_eq!(Domain::PASSES.to_string(), "a whole number from 1 to 1000");
        assert_eq!(
            Domain::AutoNumber { from: 0.0, to: 1000.0 }.to_string(),
            "auto, or a number from 0 to 1000"
        );
    }
}
