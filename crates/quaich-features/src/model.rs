//! Feature models: named lists of templates, one for transitions and one for labels.

use serde::Deserialize;

use crate::template::{Template, TemplateError};
use crate::tokens::TokenAttribute;

/// The templates of a parser.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FeatureModel {
    /// What chooses the next transition.
    pub transition: Vec<Template>,
    /// What chooses the label of an arc.
    pub label: Vec<Template>,
}

/// Why a feature model could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// Not the TOML of a feature model.
    #[error("{0}")]
    Toml(#[from] toml::de::Error),
    /// A template that makes no sense.
    #[error(transparent)]
    Template(#[from] TemplateError),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelFile {
    transition: Vec<String>,
    label: Vec<String>,
}

/// The default models, by the name of the system they are for.
const DEFAULT: &str = include_str!("../models/default.toml");

impl FeatureModel {
    /// Reads the TOML notation: two lists of templates, `transition` and `label`.
    pub fn parse(text: &str) -> Result<Self, ModelError> {
        let file: ModelFile = toml::from_str(text)?;
        Self::from_lists(&file.transition, &file.label)
    }

    /// Understands two lists of templates.
    pub fn from_lists(transition: &[String], label: &[String]) -> Result<Self, ModelError> {
        let templates = |list: &[String]| -> Result<Vec<Template>, TemplateError> {
            let mut templates = Vec::new();
            for text in list {
                let template = Template::parse(text)?;
                if !templates.contains(&template) {
                    templates.push(template);
                }
            }
            Ok(templates)
        };
        Ok(Self { transition: templates(transition)?, label: templates(label)? })
    }

    /// The default model.
    ///
    /// # Panics
    /// Never: the model is part of the program, and a test reads it.
    pub fn default_model() -> Self {
        Self::parse(DEFAULT).expect("the default model is well-formed")
    }

    /// The model without what would be constant: attributes of columns that have no values are
    /// taken out of every template, and templates that become equal or empty are dropped.
    #[must_use]
    pub fn without(&self, constant: &[TokenAttribute]) -> Self {
        let prune = |templates: &[Template]| {
            let mut kept: Vec<Template> = Vec::new();
            for template in templates {
                let pruned = template.without(constant);
                if !pruned.attributes.is_empty() && !kept.contains(&pruned) {
                    kept.push(pruned);
                }
            }
            kept
        };
        Self { transition: prune(&self.transition), label: prune(&self.label) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_model_is_well_formed() {
        let model = FeatureModel::default_model();
        assert!(model.transition.len() > 100 && model.label.len() > 50);
    }

    #[test]
    fn constant_attributes_are_taken_out() {
        let model =
            FeatureModel::parse("transition = ['s0:l', 's0:w', 's0:f s0:w', 's0:l b0:p']\nlabel = ['h:f']")
                .unwrap();
        let without = model.without(&[TokenAttribute::Feats]);
        let shown = |model: &FeatureModel| -> Vec<String> {
            model.transition.iter().map(ToString::to_string).collect()
        };
        assert_eq!(shown(&without), ["s0:l", "s0:w", "s0:l b0:p"]);
        assert!(without.label.is_empty());
        // Forms stand in for lemmas.
        assert_eq!(shown(&without.without(&[TokenAttribute::Lemma])), ["s0:w", "s0:w b0:p"]);
    }
}
