//! Feature models: lists of templates, one for transitions and one for labels, in a TOML file.
//!
//! ```toml
//! transition = ['s0:p b0:p', 's0:m b0:m', 's0:c']
//! label = ['h:p d:p']
//!
//! [branch]          # the label after one kind of transition, if it has its own templates
//! RA = ['d:p']
//!
//! [define]          # names for token values, usable after a colon
//! c = 'p&f.Case'    # several values as one
//! m = 'auto'        # chosen from the treebank: dropped if unresolved
//! ```

use std::collections::{BTreeMap, BTreeSet};

use quaich_transition::transition::KINDS;
use quaich_treebank::{Layout, UnknownName};
use serde::Deserialize;
use toml::Spanned;

use crate::limits::{self, TooLarge};
use crate::notation::ours::{self, Definitions};
use crate::notation::place_of;
use crate::nulls::Nulls;
use crate::template::{Template, TemplateError, changed};
use crate::value::{ColumnName, TokenValue, Value};

/// The templates of a parser.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FeatureModel {
    /// Templates for choosing the next transition.
    pub transition: Vec<Template>,
    /// Templates for choosing the label of an arc.
    pub label: Vec<Template>,
    /// Templates for the label after one kind of transition, by the kind's name, if they differ.
    pub branches: BTreeMap<String, Vec<Template>>,
}

/// An error in a feature model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// Not the TOML of a feature model.
    #[error("{0}")]
    Toml(#[from] toml::de::Error),
    /// An invalid template.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// An error at a place in a file.
    #[error("{line}:{column}: {reason}")]
    At {
        /// The line, counted from 1.
        line: usize,
        /// The column, counted in characters from 1.
        column: usize,
        /// What was found and what was expected.
        reason: String,
    },
    /// More templates than can be compiled.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// An invalid definition.
    #[error("in the definition of `{name}`: {reason}")]
    Definition {
        /// The name.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A branch for transitions that do not exist.
    #[error(transparent)]
    Branch(#[from] UnknownName),
    /// A column that the format does not have.
    #[error("unknown column `{name}`; {format} has {known}")]
    Column {
        /// The column.
        name: String,
        /// The format.
        format: String,
        /// Its columns.
        known: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelFile {
    transition: Vec<Spanned<String>>,
    label: Vec<Spanned<String>>,
    #[serde(default)]
    branch: BTreeMap<String, Vec<Spanned<String>>>,
    #[serde(default)]
    define: BTreeMap<String, String>,
}

/// The templates of the linear model.
const DEFAULT: &str = include_str!("../models/default.toml");
/// The slots of the network.
const NETWORK: &str = include_str!("../models/network.toml");

impl FeatureModel {
    /// Parses the TOML notation.
    pub fn parse(text: &str) -> Result<Self, ModelError> {
        let file: ModelFile = toml::from_str(text)?;
        let mut definitions = Definitions::default();
        for (name, meaning) in &file.define {
            let wrong = |reason| ModelError::Definition { name: name.clone(), reason };
            definitions.add(name, meaning).map_err(wrong)?;
        }
        let templates = |list: &[Spanned<String>]| {
            distinct(list.iter().map(|spanned| {
                ours::template(spanned.get_ref(), &definitions).map_err(|error| {
                    // The content of a quoted string begins after the quote.
                    let (line, column) = place_of(text, spanned.span().start);
                    ModelError::At { line, column, reason: error.to_string() }
                })
            }))
        };
        let mut branches = BTreeMap::new();
        for (kind, list) in &file.branch {
            if !KINDS.iter().any(|known| known.adds_arc() && known.name() == kind) {
                let known = KINDS.iter().filter(|known| known.adds_arc()).map(|known| known.name());
                return Err(UnknownName::new("branch", kind, known).into());
            }
            branches.insert(kind.clone(), templates(list)?);
        }
        Self { transition: templates(&file.transition)?, label: templates(&file.label)?, branches }.checked()
    }

    /// Parses two lists of templates.
    pub fn from_lists(transition: &[String], label: &[String]) -> Result<Self, ModelError> {
        let templates = |list: &[String]| distinct(list.iter().map(|text| Ok(Template::parse(text)?)));
        let branches = BTreeMap::new();
        Self { transition: templates(transition)?, label: templates(label)?, branches }.checked()
    }

    /// Returns the model if it is not too large.
    pub(crate) fn checked(self) -> Result<Self, ModelError> {
        limits::check(self.templates())?;
        Ok(self)
    }

    /// Iterates over all templates.
    fn templates(&self) -> impl Iterator<Item = &Template> {
        self.transition.iter().chain(&self.label).chain(self.branches.values().flatten())
    }

    /// Returns the templates for the label of an arc after a kind of transition.
    pub fn label_after(&self, kind: &str) -> &[Template] {
        self.branches.get(kind).unwrap_or(&self.label)
    }

    /// Returns the default model.
    ///
    /// # Panics
    /// Never: the model is built in, and a test parses it.
    pub fn default_model() -> Self {
        Self::parse(DEFAULT).expect("the default model is well-formed")
    }

    /// Returns the templates of the network, of one value each.
    ///
    /// # Panics
    /// Never: the list is built in, and a test parses it.
    pub fn network_slots() -> Self {
        Self::parse(NETWORK).expect("the network's slots are well-formed")
    }

    /// Returns the names to be chosen from the treebank, in the order in which templates use them.
    pub fn undefined(&self) -> Vec<&str> {
        let mut names = Vec::new();
        for value in self.values() {
            if let Value::Defined(_, name) = value
                && !names.contains(&name.as_str())
            {
                names.push(name);
            }
        }
        names
    }

    /// Replaces such a name by token values, merged to one; without values, the name is removed. Templates that become
    /// duplicate or empty are dropped.
    pub fn resolve(&mut self, name: &str, values: &[TokenValue]) {
        self.change(|value| match value {
            Value::Defined(address, held) if held == name => Value::merge(address, values),
            other => Some(other.clone()),
        });
    }

    /// Returns the model without constant token values: they are removed from all templates, and templates that become
    /// duplicate or empty are dropped. A part of a cell is constant if the whole cell is. Constant lemmas are replaced
    /// by forms, and unresolved names are removed too.
    #[must_use]
    pub fn without(&self, constant: impl Fn(&TokenValue) -> bool) -> Self {
        let mut model = self.clone();
        model.change(|value| value.without(&constant));
        model
    }

    /// Returns the model with another treatment of null values in joined values.
    #[must_use]
    pub fn with_nulls(&self, nulls: Nulls) -> Self {
        let mut model = self.clone();
        model.change(|value| Some(value.with_nulls(nulls)));
        model
    }

    /// Returns the token values of all templates, each once.
    pub fn token_values(&self) -> Vec<TokenValue> {
        let mut found: Vec<TokenValue> = Vec::new();
        for value in self.values() {
            value.visit_token_values(&mut |part: &TokenValue| {
                if !found.contains(part) {
                    found.push(part.clone());
                }
            });
        }
        found
    }

    /// Checks that the format has all columns named in templates. Roles are not checked: a format without lemmas simply
    /// has no values for them.
    pub fn check_columns(&self, layout: &Layout) -> Result<(), ModelError> {
        let names = || layout.columns().iter().map(|column| column.name.as_ref());
        for value in self.token_values() {
            if let ColumnName::Named(name) = value.column
                && !names().any(|known| known == name)
            {
                let (format, known) = (layout.name().to_owned(), names().collect::<Vec<&str>>().join(" "));
                return Err(ModelError::Column { name, format, known });
            }
        }
        Ok(())
    }

    fn values(&self) -> impl Iterator<Item = &Value> {
        self.templates().flat_map(|template| &template.values)
    }

    fn change(&mut self, change: impl Fn(&Value) -> Option<Value>) {
        let Self { transition, label, branches } = self;
        for templates in [transition, label].into_iter().chain(branches.values_mut()) {
            *templates = changed(templates, &change);
        }
    }
}

/// Returns templates without duplicates.
fn distinct(
    templates: impl Iterator<Item = Result<Template, ModelError>>,
) -> Result<Vec<Template>, ModelError> {
    let (mut kept, mut seen) = (Vec::new(), BTreeSet::new());
    for template in templates {
        let template = template?;
        if seen.insert(template.clone()) {
            kept.push(template);
        }
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use quaich_treebank::Role;
    use quaich_treebank::formats::conllu;

    use super::*;

    fn shown(templates: &[Template]) -> Vec<String> {
        templates.iter().map(ToString::to_string).collect()
    }

    fn model(transition: &[&str]) -> FeatureModel {
        let quoted: Vec<String> = transition.iter().map(|text| format!("'{text}'")).collect();
        let list = quoted.join(", ");
        FeatureModel::parse(&format!("transition = [{list}]\nlabel = ['h:f']\n[define]\nm = 'auto'")).unwrap()
    }

    fn check_without(columns: &[Role], transition: &[&str], expected: &[&str]) {
        let constant = |value: &TokenValue| columns.iter().any(|&role| *value == TokenValue::whole(role));
        assert_eq!(shown(&model(transition).without(constant).transition), expected);
    }

    #[test]
    fn the_models_that_come_with_the_program_are_well_formed() {
        let model = FeatureModel::default_model();
        assert!(model.transition.len() > 250 && model.label.len() > 130);
        let slots = FeatureModel::network_slots();
        assert!(slots.transition.iter().chain(&slots.label).all(|template| template.values.len() == 1));
        assert!(slots.transition.len() > 60 && slots.label.len() > 40);
        for model in [model, slots] {
            assert_eq!(model.undefined(), ["m"]);
            model.check_columns(&conllu::layout()).unwrap();
            let again = FeatureModel::from_lists(
                &shown(&model.without(|_| false).transition),
                &shown(&model.without(|_| false).label),
            );
            assert_eq!(again.unwrap(), model.without(|_| false));
        }
    }

    #[test]
    fn every_template_with_fine_tags_has_its_like() {
        let model = FeatureModel::default_model();
        for templates in [&model.transition, &model.label] {
            for text in shown(templates).iter().filter(|text| text.contains(":t")) {
                let like = text.replace(":t", ":m");
                assert!(shown(templates).contains(&like), "{like}");
            }
        }
    }

    #[test]
    fn constant_values_are_taken_out() {
        check_without(
            &[Role::Feats],
            &["s0:l", "s0:w", "s0:f s0:w", "s0:f.Case", "s0:f*", "agree(s0,b0,f*) s0:p", "s0:l b0:p"],
            &["s0:l", "s0:w", "s0:p", "s0:l b0:p"],
        );
        check_without(
            &[Role::Feats, Role::CoarseTag],
            &["s0:p&t&f.Case b0:w", "s0:t", "s0:p&f.Case", "s0:p&w&t", "dist(s0,b0)"],
            &["s0:t b0:w", "s0:t", "s0:w&t", "dist(s0,b0)"],
        );
    }

    #[test]
    fn forms_stand_in_for_lemmas() {
        check_without(
            &[Role::Lemma],
            &["s0:l", "s0:w", "s0:l b0:p", "s0:l[:2]", "s0:l&p", "s0:l&w", "agree(s0,b0,l)"],
            &["s0:w", "s0:w b0:p", "s0:w[:2]", "s0:w&p", "agree(s0,b0,w)"],
        );
        check_without(&[Role::Lemma, Role::Form], &["s0:l", "s0:l b0:p"], &["b0:p"]);
    }

    #[test]
    fn what_is_left_to_the_treebank_is_resolved_or_drops_out() {
        let mut open = model(&["s0:m", "s0:m b0:p", "b0:p", "s0:p", "s0:m s0:p"]);
        assert_eq!(open.undefined(), ["m"]);
        assert_eq!(shown(&open.without(|_| false).transition), ["b0:p", "s0:p"]);
        let parse = |text: &str| TokenValue::parse(text).unwrap();
        let mut one = open.clone();
        one.resolve("m", &[parse("p")]);
        assert_eq!(shown(&one.transition), ["s0:p", "s0:p b0:p", "b0:p"]);
        open.resolve("n", &[parse("t")]);
        assert_eq!(open.undefined(), ["m"]);
        open.resolve("m", &[parse("p"), parse("f.Case")]);
        assert_eq!(
            shown(&open.transition),
            ["s0:p&f.Case", "s0:p&f.Case b0:p", "b0:p", "s0:p", "s0:p&f.Case s0:p"]
        );
        assert_eq!(open.token_values(), ["p", "f.Case", "f"].map(parse));
    }

    #[test]
    fn mistakes_are_explained() {
        let reason = |text: &str| FeatureModel::parse(text).unwrap_err().to_string();
        assert_eq!(
            reason("transition = ['s0:q']\nlabel = []"),
            "1:15: in template `s0:q`: unknown value `q`; known: w l p t f x pos d nl nr nv sl sr, and columns by name, as XPOS"
        );
        assert_eq!(
            reason("transition = []\nlabel = []\n[define]\nm = 'p&f*'"),
            "in the definition of `m`: found the set `f*` in `p&f*`, expected single values"
        );
        assert!(reason("transition = []\nlabels = []").contains("unknown field `labels`"));
        let error = model(&["s0:w", "s0:XPSO"]).check_columns(&conllu::layout()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "unknown column `XPSO`; conllu has ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC"
        );
    }
}
