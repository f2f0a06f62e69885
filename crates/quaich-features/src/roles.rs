//! Roles: the words used by learners that represent words in context, and values that describe the partial tree. One
//! list for transitions and one for labels.

use serde::Deserialize;

use crate::address::Address;
use crate::model::ModelError;
use crate::notation::ours;
use crate::template::{Template, TemplateError};
use crate::value::Value;

/// The roles of all decisions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Roles {
    /// Roles for choosing the next transition.
    pub transition: RoleSet,
    /// Additional roles for transitions, if arcs can lead to the front of the buffer.
    pub lookahead: RoleSet,
    /// Roles for choosing the label of an arc.
    pub label: RoleSet,
}

/// The roles of one decision.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RoleSet {
    /// Words in context, each with its own role.
    pub words: Vec<Address>,
    /// Values that describe the partial tree.
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

/// The roles of the recurrent learner.
const RECURRENT: &str = include_str!("../models/recurrent.toml");

impl Roles {
    /// Parses the TOML notation.
    pub fn parse(text: &str) -> Result<Self, ModelError> {
        let file: RolesFile = toml::from_str(text)?;
        Ok(Self {
            transition: RoleSet::parse(&file.transition)?,
            lookahead: RoleSet::parse(&file.lookahead)?,
            label: RoleSet::parse(&file.label)?,
        })
    }

    /// Returns the roles of the recurrent learner.
    ///
    /// # Panics
    /// Never: the list is built in, and a test parses it.
    pub fn recurrent() -> Self {
        Self::parse(RECURRENT).expect("the list is well-formed")
    }
}

impl RoleSet {
    /// Parses a list: an address alone is a word, anything else a value.
    pub fn parse(list: &[String]) -> Result<Self, TemplateError> {
        let mut roles = Self::default();
        for text in list {
            if text.contains([':', '(']) {
                roles.marks.extend(Template::parse(text)?.values);
            } else {
                let address = ours::address(text);
                roles.words.push(address.map_err(|reason| TemplateError { template: text.clone(), reason })?);
            }
        }
        Ok(roles)
    }

    /// Returns the roles of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { words: [self.words, other.words].concat(), marks: [self.marks, other.marks].concat() }
    }

    /// Returns the list in its notation.
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
