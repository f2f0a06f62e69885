//! Roles: the words that are looked at as wholes, by learners that know every word in its context, and beside them
//! values that tell how far the tree has come. One list for transitions and one for labels.

use serde::Deserialize;

use crate::address::Address;
use crate::model::ModelError;
use crate::notation::ours;
use crate::template::{Template, TemplateError};
use crate::value::Value;

/// What is looked at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Roles {
    /// What chooses the next transition.
    pub transition: Seen,
    /// What chooses it besides, where arcs can lead to the front of the buffer.
    pub lookahead: Seen,
    /// What chooses the label of an arc.
    pub label: Seen,
}

/// What one question looks at.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Seen {
    /// Words in context, each with a role of its own.
    pub words: Vec<Address>,
    /// Values that tell how far the tree has come.
    pub marks: Vec<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RolesFile {
    transition: Vec<String>,
    #[serde(default)]
    lookahead: Vec<String>,
    label: Vec<String>,
}

/// The roles of the recurrent engine.
const RECURRENT: &str = include_str!("../models/recurrent.toml");

impl Roles {
    /// Reads the TOML notation.
    pub fn parse(text: &str) -> Result<Self, ModelError> {
        let file: RolesFile = toml::from_str(text)?;
        Ok(Self {
            transition: Seen::parse(&file.transition)?,
            lookahead: Seen::parse(&file.lookahead)?,
            label: Seen::parse(&file.label)?,
        })
    }

    /// The roles of the recurrent engine.
    ///
    /// # Panics
    /// Never: the list is part of the program, and a test reads it.
    pub fn recurrent() -> Self {
        Self::parse(RECURRENT).expect("the list is well-formed")
    }
}

impl Seen {
    /// Understands a list: an address alone is a word, anything else a mark.
    pub fn parse(list: &[String]) -> Result<Self, TemplateError> {
        let mut seen = Self::default();
        for text in list {
            if text.contains([':', '(']) {
                seen.marks.extend(Template::parse(text)?.values);
            } else {
                let address = ours::address(text);
                seen.words.push(address.map_err(|reason| TemplateError { template: text.clone(), reason })?);
            }
        }
        Ok(seen)
    }

    /// What both look at.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { words: [self.words, other.words].concat(), marks: [self.marks, other.marks].concat() }
    }

    /// The list, as it is written.
    pub fn written(&self) -> Vec<String> {
        let words = self.words.iter().map(ToString::to_string);
        words.chain(self.marks.iter().map(ToString::to_string)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_and_written() {
        let roles = Roles::parse(
            "transition = ['s0', 'b0.l2', 's0:d']\nlookahead = ['b1']\nlabel = ['h', 'd+1', 'dist(h,d)']",
        )
        .unwrap();
        assert_eq!(roles.transition.written(), ["s0", "b0.l2", "s0:d"]);
        assert_eq!(roles.label.written(), ["h", "d+1", "dist(h,d)"]);
        assert_eq!(roles.transition.and(roles.lookahead).written(), ["s0", "b0.l2", "b1", "s0:d"]);
        let error = Roles::parse("transition = ['x0']\nlabel = []").unwrap_err().to_string();
        assert!(error.contains("unknown address `x0`"), "{error}");
        assert!(!Roles::recurrent().label.words.is_empty());
    }
}
