//! Settings that the treebank or another setting may decide.

use std::fmt;
use std::str::FromStr;

use quaich_transition::configuration::RootPosition;
use quaich_transition::spec::SystemSpec;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::{Error, unknown_name};

/// A value, or `auto`: the treebank decides, or another setting.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Auto<T> {
    /// The treebank decides, or another setting.
    #[default]
    Auto,
    /// The user has decided.
    Given(T),
}

impl<T> Auto<T> {
    /// What was given, or what the treebank says.
    pub fn unwrap_or_else(self, decide: impl FnOnce() -> T) -> T {
        match self {
            Self::Auto => decide(),
            Self::Given(value) => value,
        }
    }

    /// What was given, if anything was.
    pub fn given(self) -> Option<T> {
        match self {
            Self::Auto => None,
            Self::Given(value) => Some(value),
        }
    }
}

/// A value that settings spell as a word.
pub trait Word: Sized {
    /// The value of this word.
    fn from_word(word: &str) -> Result<Self, Error>;
    /// Its word.
    fn word(&self) -> String;
}

impl Word for RootPosition {
    fn from_word(word: &str) -> Result<Self, Error> {
        word.parse().map_err(|_| {
            unknown_name("root position", word, Self::ALL.map(Self::name).into_iter().chain(["auto"]))
        })
    }

    fn word(&self) -> String {
        self.name().to_owned()
    }
}

impl Word for SystemSpec {
    fn from_word(word: &str) -> Result<Self, Error> {
        word.parse().map_err(Error::from)
    }

    fn word(&self) -> String {
        self.to_string()
    }
}

impl Word for bool {
    fn from_word(word: &str) -> Result<Self, Error> {
        match word {
            "yes" | "true" => Ok(true),
            "no" | "false" => Ok(false),
            _ => Err(unknown_name("choice", word, ["auto", "yes", "no"])),
        }
    }

    fn word(&self) -> String {
        if *self { "yes" } else { "no" }.to_owned()
    }
}

impl Word for f32 {
    fn from_word(word: &str) -> Result<Self, Error> {
        word.parse().map_err(|_| Error::Setting(format!("found `{word}`, expected a number or auto")))
    }

    fn word(&self) -> String {
        self.to_string()
    }
}

impl Word for usize {
    fn from_word(word: &str) -> Result<Self, Error> {
        word.parse().map_err(|_| Error::Setting(format!("found `{word}`, expected a whole number or auto")))
    }

    fn word(&self) -> String {
        self.to_string()
    }
}

impl<T: Word> FromStr for Auto<T> {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self, Error> {
        if word == "auto" { Ok(Self::Auto) } else { T::from_word(word).map(Self::Given) }
    }
}

impl<T: Word> fmt::Display for Auto<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Given(value) => f.write_str(&value.word()),
        }
    }
}

impl<T: Word> Serialize for Auto<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de, T: Word> Deserialize<'de> for Auto<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        as_text::deserialize(deserializer)
    }
}

/// Serialises what has a text form as that text; numbers and truth values may be written bare.
pub(crate) mod as_text {
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::{Deserialize, Deserializer, Serializer, de};

    pub(crate) fn serialize<T: Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub(crate) fn deserialize<'de, T, D>(deserializer: D) -> Result<T, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Scalar {
            Text(String),
            Truth(bool),
            Whole(i64),
            Number(f64),
        }
        let text = match Scalar::deserialize(deserializer)? {
            Scalar::Text(text) => text,
            Scalar::Truth(truth) => truth.to_string(),
            Scalar::Whole(number) => number.to_string(),
            Scalar::Number(number) => number.to_string(),
        };
        text.parse().map_err(de::Error::custom)
    }
}
