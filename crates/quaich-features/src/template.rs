//! Templates: conjunctions of values. The notation is explained in [`notation::ours`](crate::notation::ours).

use std::fmt;

use crate::notation::ours::{self, Definitions};
use crate::value::{TokenValue, Value};

/// A conjunction of values: one feature is on for every combination of them.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Template {
    /// The values; at least one in every template that was read.
    pub values: Vec<Value>,
}

/// Why a template could not be understood.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("in template `{template}`: {reason}")]
pub struct TemplateError {
    /// The template.
    pub template: String,
    /// What is wrong with it.
    pub reason: String,
}

impl Template {
    /// Understands the notation.
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        ours::template(text, &Definitions::default())
    }

    /// Whether it gives no or several features at times.
    pub fn has_sets(&self) -> bool {
        self.values.iter().any(Value::is_set)
    }

    /// What is left of the template when some token values are constant; that may be nothing.
    #[must_use]
    pub fn without(&self, constant: &impl Fn(&TokenValue) -> bool) -> Self {
        self.changed(|value| value.without(constant))
    }

    /// The template with some of its values exchanged or taken out, each left once.
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

/// What a list of templates becomes by a change: templates that become equal or empty are dropped.
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

/// A list of templates as it can be compiled: without values that were left to the treebank and never
/// resolved.
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
