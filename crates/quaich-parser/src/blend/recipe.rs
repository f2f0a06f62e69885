//! What a blend is made of: the settings of its parsers.

use quaich_treebank::counted;
use serde::Deserialize;

use crate::error::{Error, Result};
use crate::settings::{Auto, LearnerName, Settings, SplitChoice};

/// The parsers of a blend.
#[derive(Clone, PartialEq, Debug)]
pub struct Recipe {
    /// How each is trained; there are two at least.
    pub(super) parsers: Vec<Settings>,
    /// Which of them are trained together, because they share an encoder: in each group the numbers of some, all once.
    pub(super) groups: Vec<Vec<usize>>,
}

/// The usual blend: the encoder that a parser shares with others, and its system. Three systems, each from left to right and from
/// right to left, as in Hall et al. (2007), but with the lazy swap system in place of arc-standard and arc-hybrid in place of Covington's:
/// over words in context these are the best we have, and the quickest. Two encoders, each with all systems and both directions, cost less
/// than six and make each other's mistakes good.
const USUAL: [(u64, &str); 6] = [
    (1, "swap-lazy"),
    (2, "rtl:swap-lazy"),
    (2, "arc-eager"),
    (1, "rtl:arc-eager"),
    (1, "arc-hybrid"),
    (2, "rtl:arc-hybrid"),
];
/// Three systems make an encoder's training half as much work again, so that it is to be so much smaller.
const EFFORT: f32 = 2.0 / 3.0;
/// What says in a recipe with whom a parser shares.
const ENCODER: &str = "encoder";

/// A file of recipes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    parser: Vec<toml::Table>,
}

impl Recipe {
    /// The usual blend, of parsers that are trained with these settings but for their systems.
    pub fn usual(settings: &Settings) -> Result<Self> {
        // Each encoder is one network: on small treebanks, where a parser alone has two, four of them would cost over four times as much.
        let recurrent_networks = Auto::Given(settings.recurrent_networks.given().unwrap_or(1));
        let recurrent_effort = settings.recurrent_effort * EFFORT;
        let settings = &Settings { recurrent_effort, recurrent_networks, ..settings.clone() };
        let parser = |(number, (encoder, system)): (u64, &(u64, &str))| {
            let settings = apart(settings, number).with(&format!("system={system}"))?;
            let encoder = is_sharable(&settings).then_some(i64::try_from(*encoder).unwrap_or(0));
            Ok((encoder, settings))
        };
        Self::of((0..).zip(&USUAL).map(parser).collect::<Result<_>>()?)
    }

    /// A blend described in TOML: a table `[[parser]]` for each parser, with the settings that it has in place of these. Parsers with the
    /// same number as their `encoder` share one.
    pub fn from_toml(text: &str, settings: &Settings) -> Result<Self> {
        let file: File = toml::from_str(text).map_err(|error| Error::Setting(error.to_string()))?;
        let parser = |(number, mut table): (u64, toml::Table)| {
            let encoder = table.remove(ENCODER).map(|encoder| {
                let number = encoder.as_integer();
                let wrong = || Error::Setting(format!("found `{ENCODER} = {encoder}`, expected a number"));
                number.ok_or_else(wrong)
            });
            Ok((encoder.transpose()?, apart(settings, number).with_toml(&table.to_string())?))
        };
        Self::of((0..).zip(file.parser).map(parser).collect::<Result<_>>()?)
    }

    fn of(parsers: Vec<(Option<i64>, Settings)>) -> Result<Self> {
        if parsers.len() < 2 {
            let found = counted(parsers.len(), "parser");
            return Err(Error::Setting(format!("found {found}, expected two at least")));
        }
        let one = |(encoder, settings)| (encoder, Settings { blend: false, ..settings });
        let (encoders, parsers): (Vec<_>, Vec<_>) = parsers.into_iter().map(one).unzip();
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
            if let Some(other) = group.iter().find(|&&other| !can_share(first, &parsers[other])) {
                return Err(Error::Setting(format!(
                    "parsers {} and {} have one encoder: expected the learner `recurrent`, and settings that differ in \
                     systems, transformations and decisions at most",
                    group[0] + 1,
                    other + 1
                )));
            }
        }
        Ok(Self { parsers, groups })
    }

    /// How each parser is trained.
    pub fn settings(&self) -> &[Settings] {
        &self.parsers
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

/// Whether a parser with these settings has an encoder that it could share.
fn is_sharable(settings: &Settings) -> bool {
    settings.learner == LearnerName::RECURRENT && settings.split == SplitChoice::None
}

/// Whether parsers can share an encoder: whether their trainings differ in nothing but what is asked of it.
fn can_share(one: &Settings, other: &Settings) -> bool {
    let like_one = Settings {
        system: one.system,
        root: one.root,
        single_root: one.single_root,
        transform: one.transform.clone(),
        decision: one.decision,
        min_label_count: one.min_label_count,
        seed: one.seed,
        ..other.clone()
    };
    is_sharable(one) && like_one == *one
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
        assert_eq!(usual.groups, [[0, 3, 4], [1, 2, 5]]);
        assert!(usual.parsers.iter().all(|settings| settings.recurrent_networks.given() == Some(1)));
        let two = Recipe::usual(&Settings::default().with("recurrent-networks=2").unwrap()).unwrap();
        assert!(two.parsers.iter().all(|settings| settings.recurrent_networks.given() == Some(2)));
        let linear = Settings::default().with("learner=linear").unwrap();
        assert_eq!(Recipe::usual(&linear).unwrap().groups.len(), USUAL.len());
    }

    #[test]
    fn parsers_that_differ_too_much_share_no_encoder() {
        let recipe = |other: &str| {
            let text = format!("[[parser]]\nencoder = 1\n[[parser]]\nencoder = 1\n{other}\n");
            Recipe::from_toml(&text, &Settings::default())
        };
        assert_eq!(recipe("system = \"rtl:planar\"").unwrap().groups, [[0, 1]]);
        for wrong in ["learner = \"linear\"", "recurrent-units = 64", "encoder = \"one\""] {
            assert!(recipe(wrong).is_err(), "{wrong}");
        }
    }
}
