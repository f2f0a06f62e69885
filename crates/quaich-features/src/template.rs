//! Templates: conjunctions of values. The notation is explained in [`notation::ours`](crate::notation::ours).

use std::fmt;

use crate::notation::ours::{self, Definitions};
use crate::value::{TokenValue, Value};

/// A conjunction of values: one feature is on per combination of them.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Template {
    /// The values; at least one in every parsed template.
    pub values: Vec<Value>,
}

/// An error in a template.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("in template `{template}`: {reason}")]
pub struct TemplateError {
    /// The template.
    pub template: String,
    /// What is wrong with it.
    pub reason: String,
}

impl Template {
    /// Parses the notation.
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        ours::template(text, &Definitions::default())
    }

    /// Whether the number of its features varies.
    pub fn has_sets(&self) -> bool {
        self.values.iter().any(Value::is_set)
    }

    /// Returns the template without constant token values; it may be empty.
    #[must_use]
    pub fn without(&self, constant: &impl Fn(&TokenValue) -> bool) -> Self {
        self.changed(|value| value.without(constant))
    }

    /// Returns the template with some values replaced or removed, without duplicates.
    pub(crate) fn changed(&self, change: impl Fn(&Value) -> Option<Value>) -> Self {
        let mut values: Vec<Value> = Vec::new();
        for value in self.values.iter().filter_map(change) {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        Self { values }
    }
}

/// Changes a list of templates; templates that become duplicate or empty are dropped.
pub(crate) fn changed(templates: &[Template], change: impl Fn(&Value) -> Option<Value>) -> Vec<Template> {
    let mut kept: Vec<Template> = Vec::new();
    for template in templates {
        let template = template.changed(&change);
        if !template.values.is_empty() && !kept.contains(&template) {
            kept.push(template);
        }
    }
    kept
}

/// Returns a list of templates without unresolved values, which cannot be compiled.
pub(crate) fn resolved(templates: &[Template]) -> Vec<Template> {
    changed(templates, |value| value.without(&|_: &TokenValue| false))
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, value) in self.values.iter().enumerate() {
            write!(f, "{}{value}", if i > 0 { " " } else { "" })?;
        }
        Ok(())
    }
}
