//! Recipes: the settings of the parsers of an ensemble.

use std::path::{Path, PathBuf};

use quaich_treebank::counted;
use serde::Deserialize;

use crate::error::{Error, Result, unknown_name};
use crate::learners;
use crate::settings::Settings;

/// A predefined ensemble.
#[derive(Debug)]
pub struct Entry {
    /// The name.
    pub name: &'static str,
    /// One line of help.
    pub help: &'static str,
    /// One per parser: the number of its encoder, and its system.
    parsers: &'static [(i64, &'static str)],
    /// The effort per encoder, as a fraction of a single parser's.
    effort: f64,
}

/// The predefined ensembles, in the order that help shows them.
///
/// Three systems, each in both directions, as in Hall et al. (2007), but with the lazy swap system instead of arc-standard and arc-hybrid
/// instead of Covington's: with encoders, these score best and are the fastest. Two encoders, each with all three systems and both
/// directions, cost less than six and correct each other's errors. Three systems make the training of an encoder 1.5 times as expensive,
/// so its effort is reduced accordingly.
pub static ENSEMBLES: &[Entry] = &[Entry {
    name: "six-over-two",
    help: "six parsers over two encoders: three systems in both directions",
    parsers: &[
        (1, "swap-lazy"),
        (2, "rtl:swap-lazy"),
        (2, "arc-eager"),
        (1, "rtl:arc-eager"),
        (1, "arc-hybrid"),
        (2, "rtl:arc-hybrid"),
    ],
    effort: 2.0 / 3.0,
}];

/// The default ensemble.
pub const DEFAULT_ENSEMBLE: &str = ENSEMBLES[0].name;

/// The parsers of a model.
#[derive(Clone, PartialEq, Debug)]
pub struct Recipe {
    /// The settings of each parser.
    pub(crate) parsers: Vec<Settings>,
    /// The parsers that are trained together because they share an encoder: groups of parser numbers, each number once.
    pub(crate) groups: Vec<Vec<usize>>,
}

/// The key of the encoder's number in a file.
const ENCODER: &str = "encoder";
/// The setting that names an ensemble.
const ENSEMBLE: &str = "ensemble";

/// A recipe file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    parser: Vec<toml::Table>,
}

impl Recipe {
    /// The parsers that the settings specify: one, or those of an ensemble.
    pub fn of(settings: &Settings) -> Result<Self> {
        match settings.ensemble() {
            None => Ok(Self { parsers: vec![settings.clone()], groups: vec![vec![0]] }),
            Some(name) => match Self::file(settings) {
                Some(file) => {
                    let text = quaich_treebank::side_file::read(&file)?;
                    let in_file = |error: Error| match error {
                        Error::Setting(reason) => Error::Setting(format!("{name}: {reason}")),
                        error => error,
                    };
                    Self::from_toml(&text, settings).map_err(in_file)
                }
                None => Self::named(&name, settings),
            },
        }
    }

    /// The file that the settings name as their ensemble; `None` for a predefined ensemble or something that looks like a name.
    pub fn file(settings: &Settings) -> Option<PathBuf> {
        let name = settings.ensemble()?;
        let is_named = ENSEMBLES.iter().any(|entry| entry.name == name);
        let is_file = name.contains(['.', '/', '\\']) || !matches!(Path::new(&name).try_exists(), Ok(false));
        (!is_named && is_file).then(|| PathBuf::from(name))
    }

    /// A predefined ensemble; its parsers have these settings except for their systems.
    pub fn named(name: &str, settings: &Settings) -> Result<Self> {
        let unknown = || unknown_name("ensemble", name, ENSEMBLES.iter().map(|entry| entry.name));
        let entry = ENSEMBLES.iter().find(|entry| entry.name == name).ok_or_else(unknown)?;
        if settings.is_given("system") {
            let message = "the parsers of an ensemble have systems of their own: found a system, expected none; a file \
                           with a table [[parser]] for each parser can name any";
            return Err(Error::Setting(message.to_owned()));
        }
        let mut settings = settings.clone();
        let has_encoder = has_encoder(&settings)?;
        if has_encoder {
            // Each encoder is a single network: on small treebanks, where a single parser averages two, two encoders with two networks
            // each would cost more than four times as much.
            if !settings.is_given("encoder.networks") {
                settings.set("encoder.networks", "1")?;
            }
            let effort = settings.group("encoder").number("effort") * entry.effort;
            settings.set("encoder.effort", &effort.to_string())?;
        }
        let parser = |(number, (encoder, system)): (u64, &(i64, &str))| {
            let settings = with_own_seed(&settings, number)?.with(&format!("system={system}"))?;
            Ok((has_encoder.then_some(*encoder), settings))
        };
        Self::from_parsers((0..).zip(entry.parsers).map(parser).collect::<Result<_>>()?)
    }

    /// Reads a recipe in TOML: one `[[parser]]` table per parser, with the settings that differ from these. Parsers with the same
    /// `encoder` number share an encoder.
    pub fn from_toml(text: &str, settings: &Settings) -> Result<Self> {
        let file: File = toml::from_str(text).map_err(|error| Error::Setting(error.to_string()))?;
        let parser = |(number, mut table): (u64, toml::Table)| {
            // A table of that name contains encoder settings.
            let shared = table.get(ENCODER).filter(|value| !value.is_table()).cloned();
            if shared.is_some() {
                table.remove(ENCODER);
            }
            let encoder = shared.map(|encoder| {
                let number = encoder.as_integer();
                let wrong = || Error::Setting(format!("found `{ENCODER} = {encoder}`, expected an integer"));
                number.ok_or_else(wrong)
            });
            let own = Settings::default().with_toml(&table.to_string())?;
            let learner = if own.is_given("learner") { own.learner() } else { settings.learner() };
            let inherited = settings.readable_by(&learner)?;
            Ok((encoder.transpose()?, with_own_seed(&inherited, number)?.with_toml(&table.to_string())?))
        };
        let recipe = Self::from_parsers((0..).zip(file.parser).map(parser).collect::<Result<_>>()?)?;
        // At least one parser must read each given setting.
        let is_read = |name: &str| recipe.parsers.iter().any(|parser| parser.is_given(name));
        if let Some((name, _)) = settings.given().find(|(name, _)| !is_read(name) && settings.is_given(name))
        {
            return Err(Error::Setting(format!("no parser of the ensemble reads the setting `{name}`")));
        }
        Ok(recipe)
    }

    fn from_parsers(parsers: Vec<(Option<i64>, Settings)>) -> Result<Self> {
        if parsers.len() < 2 {
            let found = counted(parsers.len(), "parser");
            return Err(Error::Setting(format!("found {found}, expected at least two")));
        }
        let (encoders, mut parsers): (Vec<_>, Vec<_>) = parsers.into_iter().unzip();
        for settings in &mut parsers {
            settings.set(ENSEMBLE, crate::settings::NONE)?;
        }
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (number, encoder) in encoders.iter().enumerate() {
            let shares = |group: &&mut Vec<usize>| encoder.is_some() && encoders[group[0]] == *encoder;
            match groups.iter_mut().find(shares) {
                Some(group) => group.push(number),
                None => groups.push(vec![number]),
            }
        }
        for group in groups.iter().filter(|group| group.len() > 1) {
            let first = &parsers[group[0]];
            for &other in group {
                if !can_share(first, &parsers[other])? {
                    return Err(Error::Setting(format!(
                        "parsers {} and {} have one encoder: expected the learner `recurrent`, and settings that differ in \
                         systems, transformations and decisions at most",
                        group[0] + 1,
                        other + 1
                    )));
                }
            }
        }
        Ok(Self { parsers, groups })
    }

    /// The settings of each parser.
    pub fn settings(&self) -> &[Settings] {
        &self.parsers
    }

    /// The number of parsers.
    pub fn n_parsers(&self) -> usize {
        self.parsers.len()
    }
}

/// Gives each parser without a seed a different one, so that the parsers differ.
fn with_own_seed(settings: &Settings, number: u64) -> Result<Settings> {
    settings.with(&format!("seed={}", settings.seed().wrapping_add(number) & (u64::MAX >> 1)))
}

/// Whether a parser with these settings has an encoder that can be shared.
fn has_encoder(settings: &Settings) -> Result<bool> {
    Ok(learners::by_name(&settings.learner())?.profile().shares_encoder)
}

/// The settings in which parsers that share an encoder may differ.
const MAY_DIFFER: [&str; 8] =
    ["system", "root", "single-root", "transform", "decision", "min-label-count", "seed", ENSEMBLE];

/// Whether two parsers can share an encoder: their settings must be the same except for those that do not affect it.
fn can_share(one: &Settings, other: &Settings) -> Result<bool> {
    let shared = |settings: &Settings| -> Vec<(String, String)> {
        let given = settings.given().filter(|(name, _)| !MAY_DIFFER.contains(name));
        given.map(|(name, value)| (name.to_owned(), value.to_string())).collect()
    };
    Ok(has_encoder(one)? && shared(one) == shared(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recipes_are_read() {
        let settings = Settings::default().with("learner=linear").unwrap();
        let text = "[[parser]]\nsystem = \"arc-eager\"\n[[parser]]\nsystem = \"rtl:planar\"\nlearner = \"svm -d 3\"\nseed = 9\n";
        let Recipe { parsers, groups } = Recipe::from_toml(text, &settings).unwrap();
        assert_eq!(groups, [[0], [1]]);
        let shown = |settings: &Settings| {
            let system = settings.system().unwrap();
            format!("{system} {} {}", settings.learner(), settings.seed())
        };
        assert_eq!(parsers.iter().map(shown).collect::<Vec<_>>(), ["arc-eager linear 1", "rtl:planar svm 9"]);
        for wrong in ["", "[[parser]]\n", "[[parser]]\nsistem = \"x\"\n[[parser]]\n", "[[parsers]]\n"] {
            assert!(Recipe::from_toml(wrong, &settings).is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_ensemble_can_be_made() {
        for entry in ENSEMBLES {
            let recipe = Recipe::named(entry.name, &Settings::default()).unwrap();
            assert_eq!(recipe.n_parsers(), entry.parsers.len());
            assert!(recipe.parsers.iter().all(|settings| settings.check().is_ok()));
            let networks = |settings: &Settings| settings.group("encoder").given_size("networks");
            assert!(recipe.parsers.iter().all(|settings| networks(settings) == Some(1)));
            let two = Settings::default().with("encoder.networks=2").unwrap();
            let two = Recipe::named(entry.name, &two).unwrap();
            assert!(two.parsers.iter().all(|settings| networks(settings) == Some(2)));
            let linear = Settings::default().with("learner=linear").unwrap();
            assert_eq!(Recipe::named(entry.name, &linear).unwrap().groups.len(), entry.parsers.len());
        }
        assert_eq!(
            Recipe::named(DEFAULT_ENSEMBLE, &Settings::default()).unwrap().groups,
            [[0, 3, 4], [1, 2, 5]]
        );
        let error = Recipe::named("seven", &Settings::default()).unwrap_err().to_string();
        assert!(error.starts_with("unknown ensemble `seven`; known: six-over-two"), "{error}");
        assert!(
            Recipe::named(DEFAULT_ENSEMBLE, &Settings::default().with("system=planar").unwrap()).is_err()
        );
    }

    #[test]
    fn parsers_that_differ_too_much_share_no_encoder() {
        let recipe = |other: &str| {
            let text = format!("[[parser]]\nencoder = 1\n[[parser]]\nencoder = 1\n{other}\n");
            Recipe::from_toml(&text, &Settings::default())
        };
        assert_eq!(recipe("system = \"rtl:planar\"").unwrap().groups, [[0, 1]]);
        for wrong in ["learner = \"linear\"", "encoder = \"one\""] {
            assert!(recipe(wrong).is_err(), "{wrong}");
        }
        let apart = "[[parser]]\nencoder = 1\n[[parser]]\nencoder = 1\n\"encoder.units\" = 64\n";
        assert!(Recipe::from_toml(apart, &Settings::default()).is_err());
    }
}
