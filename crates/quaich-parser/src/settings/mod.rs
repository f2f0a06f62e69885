//! All training settings by name, as in `--config` files and `--set name=value`.
//!
//! ```text
//!   SETTINGS    the table: general settings, and groups such as encoder.units, linear.c, svm.gamma
//!   Settings    the given values, parsed and within their ranges; defaults for the rest
//! ```
//!
//! The table of learners says which groups a learner reads. Setting a value that the learner does not read is an error.

mod presets;
mod split;
mod table;

use std::collections::BTreeMap;

use quaich_learn::{Assignments, Values};
use quaich_transition::configuration::RootPosition;
use quaich_transition::spec::SystemSpec;
use quaich_treebank::UnknownName;
use serde::{Deserialize, Serialize};

use crate::decisions::Decision;
use crate::encoder::Inputs;
use crate::error::{Error, Result, unknown_name};
pub use presets::{PRESETS, Preset};
pub use quaich_learn::{Kind, Scale, Setting, Value};
pub use split::Split;
pub use table::{GENERAL, Group, groups};

/// The default learner.
pub(crate) const DEFAULT_LEARNER: &str = "recurrent";

/// The settings of a training run. Settings that are not given have their defaults; `auto` means that the treebank or another setting
/// decides.
///
/// ```
/// use quaich_parser::Settings;
///
/// let settings = Settings::preset("fast")?.with("system=arc-hybrid")?.with("network.epochs=5")?;
/// settings.check()?;
/// assert!(settings.with("encoder.units=64")?.check().is_err(), "the preset `fast` has no encoder");
/// # Ok::<(), quaich_parser::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(try_from = "BTreeMap<String, String>", into = "BTreeMap<String, String>")]
pub struct Settings {
    /// The given settings by full name.
    given: BTreeMap<String, Value>,
    /// The values of a preset, used where nothing is given. It is no error if the learner does not read one of them.
    preset: BTreeMap<String, Value>,
}

impl Settings {
    /// The settings of a preset.
    pub fn preset(name: &str) -> Result<Self> {
        PRESETS
            .iter()
            .find(|preset| preset.name == name)
            .map(Preset::settings)
            .ok_or_else(|| unknown_name("preset", name, PRESETS.iter().map(|preset| preset.name)))
    }

    /// These settings with one more, as `name=value`.
    pub fn with(&self, assignment: &str) -> Result<Self> {
        let (name, value) = assignment
            .split_once('=')
            .ok_or_else(|| Error::Setting(format!("found `{assignment}`, expected name=value")))?;
        let mut settings = self.clone();
        settings.set(name.trim(), value.trim())?;
        Ok(settings)
    }

    /// These settings with those of a TOML document.
    pub fn with_toml(&self, text: &str) -> Result<Self> {
        let given: toml::Table = toml::from_str(text).map_err(|error| Error::Setting(error.to_string()))?;
        let mut settings = self.clone();
        settings.set_table("", given)?;
        Ok(settings)
    }

    fn set_table(&mut self, prefix: &str, table: toml::Table) -> Result<()> {
        for (name, value) in table {
            let name = format!("{prefix}{name}");
            match value {
                toml::Value::Table(inner) => self.set_table(&format!("{name}."), inner)?,
                toml::Value::String(text) => self.set(&name, &text)?,
                other => self.set(&name, &other.to_string())?,
            }
        }
        Ok(())
    }

    /// Sets a value, replacing any previous one.
    pub fn set(&mut self, name: &str, text: &str) -> Result<()> {
        // Names are case-insensitive and accept underscores; no two settings differ only by that.
        let name = name.to_lowercase().replace('_', "-");
        if name == "learner"
            && let Some((learner, options)) = text.trim().split_once(' ')
        {
            self.set(&name, learner)?;
            return self.set_options(learner, options);
        }
        let (group, setting) = find(&name)?;
        let in_group = |error: quaich_learn::SettingError| {
            let error = if group.is_empty() { error } else { error.in_group(group) };
            Error::Setting(error.to_string())
        };
        let value = setting.read(text).map_err(in_group)?;
        self.given.insert(name, value);
        Ok(())
    }

    /// Sets a learner's options in the syntax of the program that it reimplements.
    fn set_options(&mut self, name: &str, options: &str) -> Result<()> {
        let learner = quaich_learn::learner(name).ok_or_else(|| {
            Error::Setting(format!("the learner `{name}` takes no options, found `{options}`"))
        })?;
        let given = Assignments::from_options(options, learner.settings());
        for (own, text) in given.map_err(|error| Error::Setting(error.to_string()))?.iter() {
            self.set(&format!("{name}.{own}"), text)?;
        }
        Ok(())
    }

    /// The settings whose names satisfy a condition.
    pub(crate) fn retaining(&self, is_kept: impl Fn(&str) -> bool) -> Self {
        let kept = |map: &BTreeMap<String, Value>| {
            map.iter()
                .filter(|(name, _)| is_kept(name))
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect()
        };
        Self { given: kept(&self.given), preset: kept(&self.preset) }
    }

    /// The given settings by name.
    pub fn given(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.given.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Whether a setting is given.
    pub fn is_given(&self, name: &str) -> bool {
        self.given.get(name).is_some_and(|value| *value != Value::Auto)
    }

    /// Turns the given settings into a preset, on top of which others can be given.
    pub(crate) fn into_preset(self) -> Self {
        Self { given: BTreeMap::new(), preset: self.given }
    }

    /// The given value, or that of the preset.
    fn set_to(&self, name: &str) -> Option<&Value> {
        self.given.get(name).or_else(|| self.preset.get(name))
    }

    /// All values that are set, by name.
    fn all(&self) -> BTreeMap<&str, &Value> {
        self.preset.iter().chain(&self.given).map(|(name, value)| (name.as_str(), value)).collect()
    }

    /// The value of a setting, or its default.
    ///
    /// # Panics
    /// If there is no such setting: the code only uses names from the table.
    pub(crate) fn value(&self, name: &str) -> Value {
        let default = || find(name).map(|(_, setting)| setting.default());
        self.set_to(name).cloned().unwrap_or_else(|| default().expect("a name of the table"))
    }

    /// The values of a group.
    pub(crate) fn group(&self, name: &str) -> Values {
        let group = groups().find(|group| group.name == name).expect("a group of the table");
        let given = |setting: &Setting| {
            Ok::<_, std::convert::Infallible>(self.set_to(&format!("{name}.{}", setting.name)).cloned())
        };
        match Values::new(group.settings, given) {
            Ok(values) => values,
            Err(never) => match never {},
        }
    }

    /// The values of a group as texts.
    pub(crate) fn assignments(&self, group: &str) -> Assignments {
        let own = self.all().into_iter().filter_map(|(name, value)| {
            let (of, name) = name.split_once('.')?;
            (of == group).then(|| (name, value.to_string()))
        });
        own.fold(Assignments::default(), |given, (name, text)| given.with(name, &text))
    }

    /// The given settings and those of the preset as TOML, one line per setting.
    pub fn to_toml(&self) -> String {
        self.all().into_iter().map(|(name, value)| line(name, value)).collect()
    }

    /// All settings for which `is_read` holds, including defaults, as TOML; one line per setting.
    pub(crate) fn to_full_toml(&self, is_read: impl Fn(&str) -> bool) -> String {
        let named =
            groups().flat_map(|group| group.settings.iter().map(move |setting| group.full_name(setting)));
        named.filter(|name| is_read(name)).map(|name| line(&name, &self.value(&name))).collect()
    }
}

/// A line of TOML.
fn line(name: &str, value: &Value) -> String {
    let value = match value {
        Value::Number(number) => toml::Value::Float(*number),
        Value::Count(count) => i64::try_from(*count).map_or_else(|_| value.to_string().into(), Into::into),
        Value::Flag(flag) => toml::Value::Boolean(*flag),
        Value::Auto | Value::Choice(_) | Value::Text(_) => value.to_string().into(),
    };
    format!("{name} = {value}\n")
}

/// The group and the setting of this name.
fn find(name: &str) -> Result<(&'static str, &'static Setting)> {
    let (group, own) = name.split_once('.').unwrap_or(("", name));
    let Some(found) = groups().find(|found| found.name == group) else {
        return Err(unknown_name("group of settings", group, groups().map(|group| group.name).skip(1)));
    };
    let setting = found.settings.iter().find(|setting| setting.name == own);
    let known: Vec<String> = groups()
        .flat_map(|group| group.settings.iter().map(move |setting| group.full_name(setting)))
        .filter(|known| group.is_empty() || known.starts_with(group))
        .collect();
    setting.map(|setting| (found.name, setting)).ok_or_else(|| unknown_setting(name, &known))
}

/// The most known names in the error for an unknown setting.
const MAX_SHOWN: usize = 8;

/// The error for an unknown setting: it names those that have the name in their group, or else the most similar ones.
fn unknown_setting(name: &str, known: &[String]) -> Error {
    let in_groups: Vec<&str> = known
        .iter()
        .map(String::as_str)
        .filter(|known| known.split_once('.').is_some_and(|(_, own)| own == name))
        .collect();
    let mut error = UnknownName::new("setting", name, known.iter().map(String::as_str));
    if !in_groups.is_empty() {
        error.known = in_groups.join(", ");
    } else if known.len() > MAX_SHOWN {
        let shown: Vec<&str> = error.known.split(", ").take(MAX_SHOWN).collect();
        error.known = format!("{}, …; see `quaich list settings`", shown.join(", "));
    }
    error.into()
}

/// The general settings.
impl Settings {
    fn is_auto(&self, name: &str) -> bool {
        self.value(name) == Value::Auto
    }

    fn text(&self, name: &str) -> String {
        self.value(name).to_string()
    }

    fn count(&self, name: &str) -> u64 {
        match self.value(name) {
            Value::Count(count) => count,
            other => unreachable!("`{name}` is a count, not {other:?}"),
        }
    }

    fn size(&self, name: &str) -> usize {
        usize::try_from(self.count(name)).unwrap_or(usize::MAX)
    }

    /// The parts of the model to train, if given.
    pub fn parts(&self) -> Option<String> {
        self.set_to("parts").filter(|value| **value != Value::Auto).map(ToString::to_string)
    }

    /// Whether the encoder predicts tags.
    pub(crate) fn predicts(&self) -> bool {
        self.set_to(PREDICT).is_some_and(|value| value.to_string() != NONE)
    }

    /// What the encoder reads.
    pub(crate) fn encoder_inputs(&self) -> Inputs {
        // Values are validated when they are set.
        if self.is_auto(INPUTS) {
            Inputs::default()
        } else {
            Inputs::parse(&self.text(INPUTS)).unwrap_or_default()
        }
    }

    /// Whether the encoder of a parser for tagged words starts from a pretrained one as well.
    pub(crate) fn pretrains_all(&self) -> bool {
        self.value("encoder.pretrained").to_string() == "all"
    }

    /// The settings of the second model, for input without tags, if the main model has these settings. Its encoder is small if the main
    /// learner has no encoder, because such a learner is meant to be fast.
    pub(crate) fn for_untagged(&self) -> Result<Self> {
        let mut settings = self.readable_by(DEFAULT_LEARNER)?;
        settings.set("learner", DEFAULT_LEARNER)?;
        if self.learner() != DEFAULT_LEARNER {
            settings.set("decision", "sequence")?;
            settings.set("split", NONE)?;
            settings.set("ensemble", NONE)?;
            for (name, value) in [("encoder.units", "64"), ("encoder.networks", "1")] {
                if !self.is_given(name) {
                    settings.set(name, value)?;
                }
            }
        }
        settings.set("parts", "parse")?;
        settings.set(PREDICT, crate::consumers::ALL)?;
        // Untagged words have only their forms, so their characters are read as well.
        if settings.is_given(INPUTS) {
            settings.set(INPUTS, "auto")?;
        }
        Ok(settings)
    }

    /// The transition system, if given; otherwise the learner decides.
    pub fn system(&self) -> Option<SystemSpec> {
        // Values are validated when they are set.
        self.is_given("system").then(|| self.text("system").parse().ok()).flatten()
    }

    /// The position of the root node, if given.
    pub fn root(&self) -> Option<RootPosition> {
        self.is_given("root").then(|| self.text("root").parse().ok()).flatten()
    }

    /// Whether the root has exactly one child, if given.
    pub fn single_root(&self) -> Option<bool> {
        match self.value("single-root") {
            Value::Flag(flag) => Some(flag),
            _ => None,
        }
    }

    /// The transformation of training trees, if given: `none` or a specification.
    pub fn transform(&self) -> Option<String> {
        self.is_given("transform").then(|| self.text("transform"))
    }

    /// The minimum count of labels that a transformation makes.
    pub(crate) fn min_label_count(&self) -> u32 {
        u32::try_from(self.count("min-label-count")).unwrap_or(u32::MAX)
    }

    /// The learner's name.
    pub fn learner(&self) -> String {
        self.text("learner")
    }

    /// How transitions and labels are classified.
    pub fn decision(&self) -> Decision {
        Decision::by_name(&self.text("decision")).unwrap_or_default()
    }

    /// The feature that splits the training data, if there is one.
    pub fn split(&self) -> Option<Split> {
        Split::parse(&self.text("split")).ok().flatten()
    }

    /// The ensemble, if there is one: the name of an ensemble, or a file.
    pub fn ensemble(&self) -> Option<String> {
        Some(self.text("ensemble")).filter(|name| name != NONE)
    }

    /// Whether sentences are held out to calibrate probabilities.
    pub fn held_out(&self) -> bool {
        self.value("held-out") == Value::Flag(true)
    }

    /// The maximum number of tokens whose states are kept in memory.
    pub(crate) fn max_tokens(&self) -> usize {
        self.size("max-tokens")
    }

    /// Checks that no setting of pretraining is changed, for training without text: it would have no effect.
    pub fn check_without_text(&self) -> Result<()> {
        let is_changed = |(name, value): &(&str, &Value)| {
            name.starts_with("text.") && find(name).is_ok_and(|(_, setting)| setting.default() != **value)
        };
        match self.given().find(is_changed) {
            None => Ok(()),
            Some((name, _)) => Err(Error::Setting(format!(
                "found the setting `{name}`, but no text to pretrain on: name files with --text"
            ))),
        }
    }

    /// The maximum number of words of a text that are kept in memory.
    pub fn max_text_words(&self) -> usize {
        self.group("text").size("max-words")
    }

    /// The random seed.
    pub fn seed(&self) -> u64 {
        self.count("seed")
    }
}

/// The value for none.
pub(crate) const NONE: &str = "none";
/// The value of `parts` for everything from raw text to trees.
pub(crate) const ALL_PARTS: &str = "all";
/// The setting for the columns that an encoder predicts.
const PREDICT: &str = "encoder.predict";
/// The setting for what an encoder reads.
const INPUTS: &str = "encoder.inputs";

impl TryFrom<BTreeMap<String, String>> for Settings {
    type Error = Error;

    fn try_from(texts: BTreeMap<String, String>) -> Result<Self> {
        let mut settings = Self::default();
        for (name, text) in texts {
            settings.set(&name, &text)?;
        }
        Ok(settings)
    }
}

impl From<Settings> for BTreeMap<String, String> {
    fn from(settings: Settings) -> Self {
        settings.all().into_iter().map(|(name, value)| (name.to_owned(), value.to_string())).collect()
    }
}

/// Serialises values as their text form.
pub(crate) mod as_text {
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::{Deserialize, Deserializer, Serializer, de};

    pub(crate) fn serialize<T: Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub(crate) fn deserialize<'de, T: FromStr<Err: Display>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<T, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_set_by_name() {
        let settings =
            Settings::default().with("linear.epochs=3").unwrap().with("system=arc-hybrid").unwrap();
        assert_eq!(settings.group("linear").count("epochs"), 3);
        assert_eq!(settings.system().map(|system| system.to_string()).as_deref(), Some("arc-hybrid"));
        let settings = settings.with("mixture.network-weight=0.5").unwrap().with("single-root=yes").unwrap();
        assert_eq!(Settings::default().with_toml(&settings.to_toml()).unwrap(), settings);
        let nested = "seed = 7\n[encoder]\nunits = 64\n";
        let nested = Settings::default().with_toml(nested).unwrap();
        assert_eq!((nested.seed(), nested.group("encoder").given_size("units")), (7, Some(64)));
        assert_eq!(
            Settings::default().with("Network.Epochs=1e1").unwrap().group("network").count("epochs"),
            10
        );
    }

    #[test]
    fn options_of_other_programs_are_settings() {
        let settings = Settings::default().with("learner=svm -t 1 -d 3").unwrap();
        assert_eq!(settings.to_toml(), "learner = \"svm\"\nsvm.degree = 3\nsvm.kernel = \"polynomial\"\n");
    }

    #[test]
    fn what_cannot_be_is_an_error() {
        let message = |text: &str| Settings::default().with(text).unwrap_err().to_string();
        assert!(message("seeed=3").starts_with("unknown setting `seeed`; known: seed"));
        assert!(
            message("linear.epoch=3").starts_with("unknown setting `linear.epoch`; known: linear.epochs")
        );
        assert_eq!(
            message("epochs=3"),
            "unknown setting `epochs`; known: encoder.epochs, linear.epochs, perceptron.epochs, network.epochs"
        );
        assert!(message("sed=3").ends_with(", …; see `quaich list settings`"));
        assert!(message("liner.c=3").starts_with("unknown group of settings `liner`; known: linear, "));
        assert!(message("seed").contains("expected name=value"));
        assert_eq!(
            message("linear.epochs=0"),
            "the setting `linear.epochs` must be an integer from 1 to 1000; found `0`"
        );
        assert!(message("root=top").contains("one of auto, stack, end, none"));
        assert!(message("decision=jont").contains("one of sequence, joint, branch"));
        assert!(message("system=arc-eger").contains("unknown system `arc-eger`; known: arc-eager, "));
        assert!(message("transform=nonne").contains("unknown transformation `nonne`; known: "));
        for text in ["seeed=3", "linear.epochs=0", "system=x", "transform=x", "learner=linear -c 1"] {
            assert!(Settings::default().with(text).unwrap_err().is_usage(), "{text}");
        }
    }

    /// Every number can be set to both ends of its range and to nothing beyond.
    #[test]
    fn ranges_have_ends() {
        for group in groups() {
            for setting in group.settings {
                let name = group.full_name(setting);
                let with = |text: String| Settings::default().with(&format!("{name}={text}"));
                assert!(!setting.help.is_empty() && !setting.help.ends_with('.'), "{name}");
                assert_eq!(with(setting.default().to_string()).unwrap().value(&name), setting.default());
                let ends: [String; 2] = match setting.kind {
                    quaich_learn::Kind::Count { from, to, .. } => [from, to].map(|end| end.to_string()),
                    quaich_learn::Kind::Number { from, to, .. } => [from, to].map(|end| end.to_string()),
                    _ => continue,
                };
                for end in ends {
                    with(end).unwrap();
                }
                for beyond in ["-1e18", "1e300", "nan", "inf", "", "x"] {
                    let error = with(beyond.to_owned()).unwrap_err();
                    let (is_usage, text) = (error.is_usage(), error.to_string());
                    assert!(is_usage && text.contains(&name) && text.contains(&setting.range()), "{text}");
                }
            }
        }
    }
}
