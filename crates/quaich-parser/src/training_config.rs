//! Configuration files of training: settings, and a feature model if there is one.
//!
//! ```toml
//! learner = "linear-svm"
//! system = "arc-standard"
//! linear-svm.c = 0.3
//!
//! [features]                 # or, above all tables: features = "base"
//! transition = ["s0:p", "b0:p", "s0:p b0:p"]
//! label = ["h:p", "d:p"]
//! ```

use quaich_features::{FeatureModel, NamedModel};

use crate::error::{Error, Result};
use crate::settings::Settings;

/// Settings and a feature model.
///
/// ```
/// use quaich_parser::{Settings, TrainingConfig};
///
/// let config = TrainingConfig::parse("learner = 'linear-svm'\nfeatures = 'base'", &Settings::default())?;
/// assert_eq!(config.settings.learner(), "linear-svm");
/// assert_eq!(config.features.unwrap().transition.len(), 20);
/// # Ok::<(), quaich_parser::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TrainingConfig {
    /// The settings.
    pub settings: Settings,
    /// The feature model; none for the learner's default.
    pub features: Option<FeatureModel>,
}

/// The name that is not a setting.
const FEATURES: &str = "features";

impl TrainingConfig {
    /// Parses a configuration file; its settings are added to the given ones.
    pub fn parse(text: &str, settings: &Settings) -> Result<Self> {
        let invalid = |error: &dyn std::fmt::Display| Error::Setting(error.to_string());
        let mut table: toml::Table = toml::from_str(text).map_err(|error| invalid(&error))?;
        let Some(features) = table.remove(FEATURES) else {
            // The text as it was given, so that errors name its lines.
            return Ok(Self { settings: settings.with_toml(text)?, features: None });
        };
        let features = match features {
            toml::Value::String(name) => NamedModel::by_name(&name)?.model(),
            toml::Value::Table(model) => FeatureModel::parse(&model.to_string())?,
            other => {
                let found = other.type_str();
                return Err(Error::Setting(format!(
                    "`{FEATURES}` is the name of a feature model, or a table with the lists `transition` and `label`, found {found}"
                )));
            }
        };
        Ok(Self { settings: settings.with_toml(&table.to_string())?, features: Some(features) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<TrainingConfig> {
        TrainingConfig::parse(text, &Settings::default().with("seed=3").unwrap())
    }

    #[test]
    fn settings_and_features_are_distinguished() {
        let config = parse("linear.c = 0.5\n[linear]\nepochs = 3").unwrap_err();
        assert!(config.is_usage(), "{config}");
        let config = parse("learner = 'linear'\nlinear.c = 0.5").unwrap();
        assert!(config.features.is_none());
        assert_eq!(config.settings.to_toml(), "learner = \"linear\"\nlinear.c = 0.5\nseed = 3\n");
        let config = parse(
            "learner = 'linear'\nlinear.c = 0.5\n[features]\ntransition = ['s0:m', 'b0:p']\nlabel = []\n[features.define]\nm = 'auto'",
        );
        let config = config.unwrap();
        assert_eq!(config.settings.to_toml(), "learner = \"linear\"\nlinear.c = 0.5\nseed = 3\n");
        assert_eq!(config.features.unwrap().undefined(), ["m"]);
    }

    #[test]
    fn errors_say_what_was_expected() {
        for (text, expected) in [
            ("features = 'bases'", "unknown feature model `bases`; known: base, "),
            ("features = 3", "found integer"),
            ("[features]\ntransition = ['s0:nothing']\nlabel = []", "s0:nothing"),
            ("[features]\ntransition = []", "missing field `label`"),
            ("features = 'base'\nlinear.c = -1", "linear.c"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
