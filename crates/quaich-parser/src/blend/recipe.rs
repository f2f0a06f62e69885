//! What a blend is made of: the settings of its parsers.

use quaich_treebank::counted;
use serde::Deserialize;

use crate::error::{Error, Result};
use crate::settings::Settings;

/// The parsers of a blend.
#[derive(Clone, PartialEq, Debug)]
pub struct Recipe {
    /// How each is trained; there are two at least.
    pub(super) parsers: Vec<Settings>,
}

/// The usual blend: what each parser has in place of what all have. Three systems, each from left to right and from right to left, as in
/// Hall et al. (2007).
const USUAL: [&[&str]; 6] = [
    &["system=swap-lazy"],
    &["system=rtl:swap-lazy"],
    &["system=arc-eager"],
    &["system=rtl:arc-eager"],
    &["system=covington"],
    &["system=rtl:covington"],
];

/// A file of recipes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    parser: Vec<toml::Table>,
}

impl Recipe {
    /// The usual blend, of parsers that are trained with these settings but for their systems.
    pub fn usual(settings: &Settings) -> Result<Self> {
        let parser = |assignments: &&[&str]| {
            assignments.iter().try_fold(settings.clone(), |settings, assignment| settings.with(assignment))
        };
        Self::of(USUAL.iter().map(parser).collect::<Result<_>>()?)
    }

    /// A blend described in TOML: a table `[[parser]]` for each parser, with the settings that it has in place of these.
    pub fn from_toml(text: &str, settings: &Settings) -> Result<Self> {
        let file: File = toml::from_str(text).map_err(|error| Error::Setting(error.to_string()))?;
        let parser = |table: &toml::Table| settings.with_toml(&table.to_string());
        Self::of(file.parser.iter().map(parser).collect::<Result<_>>()?)
    }

    /// Parsers with the same settings get different seeds, so that they have something to vote on.
    fn of(mut parsers: Vec<Settings>) -> Result<Self> {
        if parsers.len() < 2 {
            return Err(Error::Setting(format!(
                "found {}, expected two at least",
                counted(parsers.len(), "parser")
            )));
        }
        for (number, settings) in (0..).zip(&mut parsers) {
            settings.seed = settings.seed.wrapping_add(number);
        }
        Ok(Self { parsers })
    }

    /// How many parsers there are.
    pub fn n_parsers(&self) -> usize {
        self.parsers.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recipes_are_read() {
        let settings = Settings::default().with("learner=linear").unwrap();
        let text = "[[parser]]\nsystem = \"arc-eager\"\n[[parser]]\nsystem = \"rtl:planar\"\nlearner = \"svm -d 3\"\nseed = 9\n";
        let Recipe { parsers } = Recipe::from_toml(text, &settings).unwrap();
        let shown =
            |settings: &Settings| format!("{} {} {}", settings.system(), settings.learner, settings.seed);
        assert_eq!(
            parsers.iter().map(shown).collect::<Vec<_>>(),
            ["arc-eager linear 1", "rtl:planar svm 10"]
        );
        for wrong in ["", "[[parser]]\n", "[[parser]]\nsistem = \"x\"\n[[parser]]\n", "[[parsers]]\n"] {
            assert!(Recipe::from_toml(wrong, &settings).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_usual_blend_can_be_made() {
        let usual = Recipe::usual(&Settings::default()).unwrap();
        assert_eq!(usual.n_parsers(), USUAL.len());
        assert!(usual.parsers.iter().all(|settings| settings.check().is_ok()));
    }
}
