//! Candidates: settings and a feature model that trials compare.

use std::collections::{BTreeMap, BTreeSet};

use quaich_features::{FEATURE_MODELS, FeatureModel, NamedModel, Template};
use quaich_parser::{Settings, TrainingConfig};
use serde::{Deserialize, Serialize};

use crate::error::Result;

/// What a parser is trained with: everything that differs from the defaults.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
pub struct Candidate {
    /// The settings by name.
    pub settings: BTreeMap<String, String>,
    /// The feature model: the name of a built-in one, or its TOML; none for the learner's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub features: Option<String>,
}

impl Candidate {
    /// The candidate of a configuration.
    pub fn of(config: &TrainingConfig) -> Self {
        let features = config.features.as_ref().map(|model| {
            let named = FEATURE_MODELS.iter().find(|named| named.model() == *model);
            named.map_or_else(|| features_toml(model), |named| named.name.to_owned())
        });
        Self { settings: config.settings.clone().into(), features }
    }

    /// The configuration.
    pub fn config(&self) -> Result<TrainingConfig> {
        let settings = Settings::try_from(self.settings.clone())?;
        let features = match &self.features {
            None => None,
            Some(name) if !name.contains('\n') => {
                Some(NamedModel::by_name(name).map_err(quaich_parser::Error::from)?.model())
            }
            Some(text) => Some(FeatureModel::parse(text).map_err(quaich_parser::Error::from)?),
        };
        Ok(TrainingConfig { settings, features })
    }

    /// The candidate with another value of a setting.
    #[must_use]
    pub fn with(&self, name: &str, value: &str) -> Self {
        let mut changed = self.clone();
        changed.settings.insert(name.to_owned(), value.to_owned());
        changed
    }

    /// The candidate with the default of a setting.
    #[must_use]
    pub fn without(&self, name: &str) -> Self {
        let mut changed = self.clone();
        changed.settings.remove(name);
        changed
    }

    /// The candidate with another feature model.
    #[must_use]
    pub fn with_features(&self, features: Option<String>) -> Self {
        Self { features, ..self.clone() }
    }

    /// The value of a setting, if it is not the default.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.settings.get(name).map(String::as_str)
    }

    /// What differs from another candidate, in one line.
    pub fn difference(&self, from: &Self) -> String {
        let names: BTreeSet<&String> = self.settings.keys().chain(from.settings.keys()).collect();
        let changed = names.into_iter().filter(|name| self.settings.get(*name) != from.settings.get(*name));
        let value = |name: &String| self.get(name).unwrap_or("default").to_owned();
        let mut parts: Vec<String> = changed.map(|name| format!("{name} = {}", value(name))).collect();
        if self.features != from.features {
            parts.push(self.difference_in_features(from));
        }
        if parts.is_empty() { "no change".to_owned() } else { parts.join(", ") }
    }

    fn difference_in_features(&self, from: &Self) -> String {
        match &self.features {
            None => return "features = default".to_owned(),
            Some(name) if !name.contains('\n') => return format!("features = {name}"),
            Some(_) => {}
        }
        let templates = |of: &Self| -> BTreeSet<String> {
            let model = of.config().ok().and_then(|config| config.features);
            model.map(|model| lists(&model).map(ToString::to_string).collect()).unwrap_or_default()
        };
        let (own, others) = (templates(self), templates(from));
        let shown = |sign: &str, of: &BTreeSet<String>, not: &BTreeSet<String>| {
            let different: Vec<&str> = of.difference(not).map(String::as_str).collect();
            match different.len() {
                0 => None,
                n if n <= SHOWN => Some(format!("{sign}{}", different.join(&format!(", {sign}")))),
                n => {
                    let first = different[..SHOWN].join(&format!(", {sign}"));
                    Some(format!("{sign}{first}, … ({n} templates)"))
                }
            }
        };
        let parts: Vec<String> =
            [shown("+", &own, &others), shown("−", &others, &own)].into_iter().flatten().collect();
        if parts.is_empty() { "other features".to_owned() } else { format!("features {}", parts.join("; ")) }
    }

    /// The text of a file for `quaich train --config`.
    pub fn to_toml(&self) -> Result<String> {
        let config = self.config()?;
        let settings = config.settings.to_toml();
        Ok(match (&self.features, config.features) {
            (None, _) | (_, None) => settings,
            (Some(name), _) if !name.contains('\n') => format!("features = \"{name}\"\n{settings}"),
            (Some(_), Some(model)) => {
                let tables = features_toml(&model).replace("\n[", "\n[features.");
                format!("{settings}\n[features]\n{tables}")
            }
        })
    }
}

/// The most templates that are named in one line.
const SHOWN: usize = 6;

/// All templates of a model.
fn lists(model: &FeatureModel) -> impl Iterator<Item = &Template> {
    model.transition.iter().chain(&model.label).chain(model.branches.values().flatten())
}

/// A feature model as TOML.
pub(crate) fn features_toml(model: &FeatureModel) -> String {
    let list = |templates: &[Template]| {
        let lines: Vec<String> = templates.iter().map(|template| format!("  '{template}',\n")).collect();
        format!("[\n{}]\n", lines.concat())
    };
    let mut text = format!("transition = {}label = {}", list(&model.transition), list(&model.label));
    if !model.branches.is_empty() {
        text += "\n[branch]\n";
        text.extend(model.branches.iter().map(|(kind, templates)| format!("{kind} = {}", list(templates))));
    }
    let undefined = model.undefined();
    if !undefined.is_empty() {
        text += "\n[define]\n";
        text.extend(undefined.into_iter().map(|name| format!("{name} = 'auto'\n")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_are_configurations() {
        let candidate = Candidate::default().with("learner", "linear").with("linear.c", "0.5");
        assert_eq!(candidate.to_toml().unwrap(), "learner = \"linear\"\nlinear.c = 0.5\n");
        for named in FEATURE_MODELS {
            let text = features_toml(&named.model());
            assert_eq!(FeatureModel::parse(&text).unwrap(), named.model(), "{}", named.name);
            for features in [named.name.to_owned(), text] {
                let own = candidate.with_features(Some(features));
                let config = TrainingConfig::parse(&own.to_toml().unwrap(), &Settings::default()).unwrap();
                assert_eq!(config, own.config().unwrap(), "{}", named.name);
                assert_eq!(Candidate::of(&config).config().unwrap(), config);
            }
        }
    }

    #[test]
    fn differences_are_short() {
        let start = Candidate::default().with("seed", "1");
        assert_eq!(start.difference(&start), "no change");
        assert_eq!(
            start.with("linear.c", "2").without("seed").difference(&start),
            "linear.c = 2, seed = default"
        );
        assert_eq!(start.with_features(Some("base".to_owned())).difference(&start), "features = base");
        let model = |extra: &str| {
            start.with_features(Some(format!("transition = ['s0:p'{extra}]\nlabel = ['d:p']\n")))
        };
        assert_eq!(model(", 'b0:p'").difference(&model("")), "features +b0:p");
        assert_eq!(model("").difference(&model(", 'b0:p'")), "features −b0:p");
    }
}
