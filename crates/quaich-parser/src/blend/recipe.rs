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
/// Hall et al. (2007), but with the lazy swap system in place of arc-standard: over words in context it is the best we have.
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
        let parser = |(number, assignments): (u64, &&[&str])| {
            let settings = apart(settings, number);
            assignments.iter().try_fold(settings, |settings, assignment| settings.with(assignment))
        };
        Self::of((0..).zip(&USUAL).map(parser).collect::<Result<_>>()?)
    }

    /// A blend described in TOML: a table `[[parser]]` for each parser, with the settings that it has in place of these.
    pub fn from_toml(text: &str, settings: &Settings) -> Result<Self> {
        let file: File = toml::from_str(text).map_err(|error| Error::Setting(error.to_string()))?;
        let parser =
            |(number, table): (u64, &toml::Table)| apart(settings, number).with_toml(&table.to_string());
        Self::of((0..).zip(&file.parser).map(parser).collect::<Result<_>>()?)
    }

    fn of(parsers: Vec<Settings>) -> Result<Self> {
        if parsers.len() < 2 {
            let found = counted(parsers.len(), "parser");
            return Err(Error::Setting(format!("found {found}, expected two at least")));
        }
        Ok(Self { parsers })
    }

    /// How many parsers there are.
    pub fn n_parsers(&self) -> usize {
        self.parsers.len()
    }
}

/// Parsers that are given no seeds get different ones, so that they have something to vote on.
fn apart(settings: &Settings, number: u64) -> Settings {
    Settings { seed: settings.seed.wrapping_add(number), ..settings.clone() }
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
        assert_eq!(parsers.iter().map(shown).collect::<Vec<_>>(), ["arc-eager linear 1", "rtl:planar svm 9"]);
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
