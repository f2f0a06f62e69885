//! Settings: declared as data, given as text, parsed once.
//!
//! ```text
//!   Setting      name, kind, range, default, scale, one line of help     declared by the learner
//!   Assignments  c = "0.1", epochs = "12"                                given by users
//!   Values       c = 0.1, epochs = 12, seed = 1                          what a learner reads
//! ```
//!
//! Learners that reimplement another program also accept its options: `-c 0.1 -t 1`.

use std::collections::BTreeMap;
use std::fmt;

/// The declaration of a setting.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The name, within its group.
    pub name: &'static str,
    /// One line of help.
    pub help: &'static str,
    /// Type, range and default.
    pub kind: Kind,
    /// Whether the default is `auto`: decided by the data or by other settings.
    pub is_auto: bool,
    /// The scale on which a search samples its values.
    pub scale: Scale,
    /// The option of another program with the same meaning, such as `-c`; empty if there is none.
    pub option: &'static str,
    /// Codes of that program and the choices that they stand for. After a code that ends with a colon come values of other settings,
    /// named after the choice: with `("ED:", "decay:alpha:beta")`, `ED:1:2` is the choice `decay` with `alpha` 1 and `beta` 2.
    pub codes: &'static [(&'static str, &'static str)],
}

/// The type of a setting, with its range and default.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A floating-point number.
    Number {
        /// The default; unused if it is `auto`.
        default: f64,
        /// The minimum.
        from: f64,
        /// The maximum.
        to: f64,
    },
    /// An integer.
    Count {
        /// The default; unused if it is `auto`.
        default: u64,
        /// The minimum.
        from: u64,
        /// The maximum.
        to: u64,
    },
    /// One of several choices; the first is the default.
    Choice {
        /// The choices.
        of: &'static [&'static str],
    },
    /// Yes or no.
    Flag {
        /// The default; unused if it is `auto`.
        default: bool,
    },
    /// A text in a format of its own.
    Text {
        /// The default.
        default: &'static str,
        /// The format, as shown in help.
        form: &'static str,
        /// Validates the text; returns its normal form or an error message.
        check: fn(&str) -> Result<String, String>,
    },
}

/// The scale on which a search samples the values of a setting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scale {
    /// Uniform.
    Linear,
    /// Logarithmic.
    Logarithmic,
    /// Each choice in turn.
    Choice,
    /// Subsets of names: one name less or more at a time.
    Subset,
    /// Not searched: it changes the training data, the output, or the time that training may take.
    Fixed,
}

/// The value of a setting.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// Decided by the data or other settings.
    Auto,
    /// A floating-point number.
    Number(f64),
    /// An integer.
    Count(u64),
    /// A choice.
    Choice(&'static str),
    /// Yes or no.
    Flag(bool),
    /// A text.
    Text(String),
}

/// An error in an assignment.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettingError {
    /// There is no such setting.
    #[error("unknown setting `{name}`; known: {}", known.join(", "))]
    Unknown {
        /// The name that was given.
        name: String,
        /// The known names, most similar first.
        known: Vec<String>,
    },
    /// There is no such option.
    #[error("unknown option `{option}`; known: {}", known.join(", "))]
    UnknownOption {
        /// The option that was given.
        option: String,
        /// The known options.
        known: Vec<&'static str>,
    },
    /// The option has no value.
    #[error("the option `{option}` has no value; `{name}` must be {expected}")]
    NoValue {
        /// The option.
        option: &'static str,
        /// The setting.
        name: &'static str,
        /// The allowed values.
        expected: String,
    },
    /// The value is not allowed.
    #[error("the setting `{name}` must be {expected}; found `{found}`")]
    Invalid {
        /// The setting.
        name: String,
        /// The given value.
        found: String,
        /// The allowed values.
        expected: String,
    },
    /// The text is invalid.
    #[error("in the setting `{name}`: {reason}")]
    Unreadable {
        /// The setting.
        name: String,
        /// The reason.
        reason: String,
    },
}

/// The value that lets the data decide.
const AUTO: &str = "auto";

impl Setting {
    const fn new(name: &'static str, kind: Kind, scale: Scale, help: &'static str) -> Self {
        Self { name, help, kind, is_auto: false, scale, option: "", codes: &[] }
    }

    /// A floating-point number from `from` to `to`.
    pub const fn number(
        name: &'static str,
        default: f64,
        (from, to): (f64, f64),
        help: &'static str,
    ) -> Self {
        Self::new(name, Kind::Number { default, from, to }, Scale::Linear, help)
    }

    /// An integer from `from` to `to`.
    pub const fn count(name: &'static str, default: u64, (from, to): (u64, u64), help: &'static str) -> Self {
        Self::new(name, Kind::Count { default, from, to }, Scale::Linear, help)
    }

    /// One of several choices; the first is the default.
    pub const fn choice(name: &'static str, of: &'static [&'static str], help: &'static str) -> Self {
        Self::new(name, Kind::Choice { of }, Scale::Choice, help)
    }

    /// Yes or no.
    pub const fn flag(name: &'static str, default: bool, help: &'static str) -> Self {
        Self::new(name, Kind::Flag { default }, Scale::Choice, help)
    }

    /// A text in a format of its own, described by `form`.
    pub const fn text(
        name: &'static str,
        default: &'static str,
        form: &'static str,
        help: &'static str,
    ) -> Self {
        Self::new(name, Kind::Text { default, form, check: |text| Ok(text.to_owned()) }, Scale::Fixed, help)
    }

    /// Makes `auto` the default.
    #[must_use]
    pub const fn auto(mut self) -> Self {
        self.is_auto = true;
        self
    }

    /// Makes a search sample on a logarithmic scale.
    #[must_use]
    pub const fn logarithmic(mut self) -> Self {
        self.scale = Scale::Logarithmic;
        self
    }

    /// Makes a search try subsets of the names in a text.
    #[must_use]
    pub const fn subset(mut self) -> Self {
        self.scale = Scale::Subset;
        self
    }

    /// Excludes the setting from searches.
    #[must_use]
    pub const fn fixed(mut self) -> Self {
        self.scale = Scale::Fixed;
        self
    }

    /// Validates the text with `check`.
    #[must_use]
    pub const fn checked(mut self, check: fn(&str) -> Result<String, String>) -> Self {
        if let Kind::Text { default, form, .. } = self.kind {
            self.kind = Kind::Text { default, form, check };
        }
        self
    }

    /// Declares an option of another program, such as `-t`, and its codes for choices.
    #[must_use]
    pub const fn option(
        mut self,
        option: &'static str,
        codes: &'static [(&'static str, &'static str)],
    ) -> Self {
        (self.option, self.codes) = (option, codes);
        self
    }

    /// The allowed values, for help and error messages.
    pub fn range(&self) -> String {
        let range = match self.kind {
            Kind::Number { from, to, .. } => format!("a number from {} to {}", short(from), short(to)),
            Kind::Count { from, to, .. } if to >= i64::MAX as u64 => format!("an integer from {from}"),
            Kind::Count { from, to, .. } => format!("an integer from {from} to {to}"),
            Kind::Choice { of } => format!("one of {}", of.join(", ")),
            Kind::Flag { .. } => "yes or no".to_owned(),
            Kind::Text { form, .. } => form.to_owned(),
        };
        match self.kind {
            _ if !self.is_auto => range,
            Kind::Choice { of } => format!("one of {AUTO}, {}", of.join(", ")),
            Kind::Flag { .. } => format!("{AUTO}, {range}"),
            Kind::Text { form, .. } if form.starts_with("none, ") => format!("{AUTO}, {form}"),
            _ => format!("{AUTO}, or {range}"),
        }
    }

    /// The default.
    pub fn default(&self) -> Value {
        match self.kind {
            _ if self.is_auto => Value::Auto,
            Kind::Number { default, .. } => Value::Number(default),
            Kind::Count { default, .. } => Value::Count(default),
            Kind::Choice { of } => Value::Choice(of.first().copied().unwrap_or_default()),
            Kind::Flag { default } => Value::Flag(default),
            Kind::Text { default, .. } => Value::Text(default.to_owned()),
        }
    }

    /// Parses a value as users write it.
    pub fn read(&self, text: &str) -> Result<Value, SettingError> {
        let (text, word) = (text.trim(), text.trim().to_lowercase());
        let value = match self.kind {
            _ if self.is_auto && word == AUTO => Some(Value::Auto),
            Kind::Number { from, to, .. } => {
                let number = number(text).filter(|number| (from..=to).contains(number));
                number.map(Value::Number)
            }
            Kind::Count { from, to, .. } => {
                whole(text).filter(|count| (from..=to).contains(count)).map(Value::Count)
            }
            Kind::Choice { of } => of.iter().find(|&&known| known == word).map(|word| Value::Choice(word)),
            Kind::Flag { .. } => match word.as_str() {
                "yes" | "true" | "on" | "y" => Some(Value::Flag(true)),
                "no" | "false" | "off" | "n" => Some(Value::Flag(false)),
                _ => None,
            },
            Kind::Text { check, .. } => {
                let unreadable = |reason| SettingError::Unreadable { name: self.name.to_owned(), reason };
                return check(text).map(Value::Text).map_err(unreadable);
            }
        };
        value.ok_or_else(|| self.invalid(text))
    }

    /// The error for an invalid value.
    pub(crate) fn invalid(&self, text: &str) -> SettingError {
        SettingError::Invalid { name: self.name.to_owned(), found: text.to_owned(), expected: self.range() }
    }
}

impl SettingError {
    /// Adds the group's prefix to the name of the setting.
    #[must_use]
    pub fn in_group(self, group: &str) -> Self {
        let full = |name: String| format!("{group}.{name}");
        match self {
            Self::Unknown { name, known } => {
                Self::Unknown { name: full(name), known: known.into_iter().map(full).collect() }
            }
            Self::Invalid { name, found, expected } => Self::Invalid { name: full(name), found, expected },
            Self::Unreadable { name, reason } => Self::Unreadable { name: full(name), reason },
            other => other,
        }
    }
}

/// Formats the value so that it can be parsed again.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str(AUTO),
            Self::Number(number) => f.write_str(&short(*number)),
            Self::Count(count) => write!(f, "{count}"),
            Self::Choice(word) => f.write_str(word),
            Self::Flag(flag) => f.write_str(if *flag { "yes" } else { "no" }),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// Formats a number with few digits.
fn short(number: f64) -> String {
    let is_plain = number == 0.0 || (1e-4..1e6).contains(&number.abs());
    if is_plain { number.to_string() } else { format!("{number:e}") }
}

/// Parses a number; allows `_` between digits.
fn number(text: &str) -> Option<f64> {
    text.replace('_', "").parse().ok()
}

/// Parses an integer: `1000`, `1_000`, `1e3`.
fn whole(text: &str) -> Option<u64> {
    text.replace('_', "").parse().ok().or_else(|| {
        let number = number(text).filter(|number| number.fract() == 0.0 && (0.0..1e18).contains(number))?;
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is an integer within range"
        )]
        let whole = number as u64;
        Some(whole)
    })
}

/// Settings as given by a user: texts by name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Assignments {
    texts: BTreeMap<String, String>,
}

impl Assignments {
    /// Sets a value, replacing any previous one.
    pub fn set(&mut self, name: &str, text: &str) {
        self.texts.insert(name.to_owned(), text.to_owned());
    }

    /// Parses the options of another program; an option and its value can be separate (`-k 5`) or together (`-k5`).
    pub fn from_options(text: &str, settings: &[Setting]) -> Result<Self, SettingError> {
        let mut given = Self::default();
        let mut words = text.split_whitespace();
        while let Some(word) = words.next() {
            let is_meant =
                |setting: &&Setting| !setting.option.is_empty() && word.starts_with(setting.option);
            let longest = settings.iter().filter(is_meant).max_by_key(|setting| setting.option.len());
            let Some(setting) = longest else {
                let known = settings.iter().map(|setting| setting.option);
                return Err(SettingError::UnknownOption {
                    option: word.to_owned(),
                    known: known.filter(|option| !option.is_empty()).collect(),
                });
            };
            let value = match &word[setting.option.len()..] {
                "" => words.next().ok_or_else(|| SettingError::NoValue {
                    option: setting.option,
                    name: setting.name,
                    expected: setting.range(),
                })?,
                value => value,
            };
            let is_code = |code: &str| code == value || code.ends_with(':') && value.starts_with(code);
            match setting.codes.iter().find(|(code, _)| is_code(code)) {
                None => given.set(setting.name, value),
                Some((code, word)) if !code.ends_with(':') => given.set(setting.name, word),
                Some((code, word)) => {
                    let mut names = word.split(':');
                    given.set(setting.name, names.next().unwrap_or_default());
                    for text in value[code.len()..].split(':') {
                        given.set(names.next().ok_or_else(|| setting.invalid(value))?, text);
                    }
                }
            }
        }
        Ok(given)
    }

    /// The same assignments with one more.
    #[must_use]
    pub fn with(mut self, name: &str, text: &str) -> Self {
        self.set(name, text);
        self
    }

    /// All assignments, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.texts.iter().map(|(name, text)| (name.as_str(), text.as_str()))
    }

    /// Parses the values of all settings; those that are not assigned have their defaults.
    pub fn read(&self, settings: &'static [Setting]) -> Result<Values, SettingError> {
        let unknown = |name: &&String| settings.iter().all(|setting| setting.name != **name);
        if let Some(name) = self.texts.keys().find(unknown) {
            let mut known: Vec<String> = settings.iter().map(|setting| setting.name.to_owned()).collect();
            known.sort_by_cached_key(|candidate| strsim::levenshtein(name, candidate));
            return Err(SettingError::Unknown { name: name.clone(), known });
        }
        let given =
            |setting: &Setting| self.texts.get(setting.name).map(|text| setting.read(text)).transpose();
        Values::new(settings, given)
    }
}

/// The values of all settings of a learner, each within its range.
///
/// A learner must only access the settings that it declares, and by their declared types; otherwise the methods panic.
#[derive(Clone, PartialEq, Debug)]
pub struct Values {
    values: Vec<(&'static str, Value)>,
}

impl Values {
    /// The given values, and defaults for the rest.
    pub fn new<E>(
        settings: &'static [Setting],
        given: impl Fn(&'static Setting) -> Result<Option<Value>, E>,
    ) -> Result<Self, E> {
        let value = |setting: &'static Setting| {
            Ok((setting.name, given(setting)?.unwrap_or_else(|| setting.default())))
        };
        Ok(Self { values: settings.iter().map(value).collect::<Result<_, E>>()? })
    }

    /// Whether a setting is `auto`.
    ///
    /// # Panics
    /// If the learner has no such setting.
    pub fn is_auto(&self, name: &str) -> bool {
        *self.value(name) == Value::Auto
    }

    /// An integer as a size; `None` if it is `auto`.
    ///
    /// # Panics
    /// If the learner has no such setting.
    pub fn given_size(&self, name: &str) -> Option<usize> {
        (!self.is_auto(name)).then(|| self.size(name))
    }

    /// A number in single precision; `None` if it is `auto`.
    ///
    /// # Panics
    /// If the learner has no such setting.
    pub fn given_float(&self, name: &str) -> Option<f32> {
        (!self.is_auto(name)).then(|| self.float(name))
    }

    /// Yes or no.
    ///
    /// # Panics
    /// If the learner has no such setting.
    pub fn flag(&self, name: &str) -> bool {
        match self.value(name) {
            Value::Flag(flag) => *flag,
            other => panic!("the setting `{name}` is not a flag but {other:?}"),
        }
    }

    /// A floating-point number.
    ///
    /// # Panics
    /// If the learner has no such setting.
    pub fn number(&self, name: &str) -> f64 {
        match self.value(name) {
            Value::Number(number) => *number,
            other => panic!("the setting `{name}` is not a number but {other:?}"),
        }
    }

    /// An integer.
    ///
    /// # Panics
    /// If the learner has no such setting.
    pub fn count(&self, name: &str) -> u64 {
        match self.value(name) {
            Value::Count(count) => *count,
            other => panic!("the setting `{name}` is not an integer but {other:?}"),
        }
    }

    /// A number in single precision.
    ///
    /// # Panics
    /// If the learner has no such setting.
    pub fn float(&self, name: &str) -> f32 {
        #[allow(clippy::cast_possible_truncation, reason = "as precise as weights are")]
        let number = self.number(name) as f32;
        number
    }

    /// A number rounded to single precision, as the LIBSVM and LIBLINEAR programs in Debian read theirs; where training stops before the
    /// optimum, the last digits matter.
    ///
    /// # Panics
    /// If the learner has no such setting.
    pub fn rounded(&self, name: &str) -> f64 {
        f64::from(self.float(name))
    }

    /// An integer as a size.
    ///
    /// # Panics
    /// If the learner has no such setting.
    pub fn size(&self, name: &str) -> usize {
        usize::try_from(self.count(name)).unwrap_or(usize::MAX)
    }

    /// A choice.
    ///
    /// # Panics
    /// If the learner has no such setting.
    pub fn choice(&self, name: &str) -> &'static str {
        match self.value(name) {
            Value::Choice(word) => word,
            other => panic!("the setting `{name}` is not a choice but {other:?}"),
        }
    }

    /// A text.
    ///
    /// # Panics
    /// If the learner has no such setting.
    pub fn text(&self, name: &str) -> &str {
        match self.value(name) {
            Value::Text(text) => text,
            other => panic!("the setting `{name}` is not a text but {other:?}"),
        }
    }

    fn value(&self, name: &str) -> &Value {
        let found = self.values.iter().find(|(known, _)| *known == name);
        &found.unwrap_or_else(|| panic!("the learner declares no setting `{name}`")).1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static SETTINGS: &[Setting] = &[
        Setting::number("c", 0.5, (1e-9, 1e9), "the cost of an error").option("-c", &[]),
        Setting::count("passes", 8, (1, 1000), "how often"),
        Setting::choice("update", &["plain", "careful"], "how")
            .option("-u", &[("0", "plain"), ("1", "careful"), ("C:", "careful:c:passes")]),
        Setting::text("order", "none", "names with commas between them", "which first"),
    ];

    /// The values, or the error message.
    fn check(given: &[(&str, &str)], expected: &str) {
        let given = given.iter().fold(Assignments::default(), |given, (name, text)| given.with(name, text));
        let found = match given.read(SETTINGS) {
            Ok(checked) => format!(
                "c = {}, passes = {}, update = {}",
                checked.number("c"),
                checked.count("passes"),
                checked.choice("update")
            ),
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn what_is_not_said_is_the_default() {
        check(&[], "c = 0.5, passes = 8, update = plain");
        check(&[("c", "2"), ("update", "careful")], "c = 2, passes = 8, update = careful");
    }

    #[test]
    fn what_is_out_of_range_is_an_error() {
        check(&[("passs", "2")], "unknown setting `passs`; known: passes, c, update, order");
        for text in ["0", "-1", "1.5", "1e6", "ten", "", "nan", "inf", "0x10"] {
            let range = "an integer from 1 to 1000";
            check(&[("passes", text)], &format!("the setting `passes` must be {range}; found `{text}`"));
        }
        for text in ["NaN", "inf", "1e300", "-1", "yes"] {
            let range = "a number from 1e-9 to 1e9";
            check(&[("c", text)], &format!("the setting `c` must be {range}; found `{text}`"));
        }
        check(&[("update", "?")], "the setting `update` must be one of plain, careful; found `?`");
    }

    #[test]
    fn values_are_read_as_people_write_them() {
        for (text, expected) in [("1000", 1000), ("1_000", 1000), ("1e3", 1000), (" 7 ", 7), ("8.0", 8)] {
            assert_eq!(SETTINGS[1].read(text), Ok(Value::Count(expected)), "{text}");
        }
        let auto = Setting::number("rate", 0.0, (0.0, 10.0), "how fast").auto();
        assert_eq!(auto.range(), "auto, or a number from 0 to 10");
        for (text, expected) in [("auto", Value::Auto), ("Auto", Value::Auto), ("1e-3", Value::Number(0.001))]
        {
            assert_eq!(auto.read(text), Ok(expected), "{text}");
        }
        let flag = Setting::flag("single-root", false, "whether");
        for (text, expected) in [("yes", true), ("TRUE", true), ("on", true), ("No", false), ("off", false)] {
            assert_eq!(flag.read(text), Ok(Value::Flag(expected)), "{text}");
        }
        assert!(flag.read("maybe").is_err());
    }

    #[test]
    fn options_of_other_programs_are_settings() {
        let read = |text: &str| match Assignments::from_options(text, SETTINGS) {
            Ok(given) => {
                given.iter().map(|(name, text)| format!("{name}={text}")).collect::<Vec<_>>().join(" ")
            }
            Err(error) => error.to_string(),
        };
        assert_eq!(read(""), "");
        assert_eq!(read("-c 0.1  -u 1"), "c=0.1 update=careful");
        assert_eq!(read("-c0.1 -uplain -c -2"), "c=-2 update=plain");
        assert_eq!(read("-u C:3"), "c=3 update=careful");
        assert_eq!(read("-uC:3:4"), "c=3 passes=4 update=careful");
        assert_eq!(read("-u C:3:4:5"), "the setting `update` must be one of plain, careful; found `C:3:4:5`");
        assert_eq!(read("-x 1"), "unknown option `-x`; known: -c, -u");
        assert_eq!(read("1 -c"), "unknown option `1`; known: -c, -u");
        assert_eq!(read("-u 0 -c"), "the option `-c` has no value; `c` must be a number from 1e-9 to 1e9");
    }

    #[test]
    fn texts_are_left_to_the_learner() {
        let order = |given: Assignments| given.read(SETTINGS).unwrap().text("order").to_owned();
        assert_eq!(order(Assignments::default()), "none");
        assert_eq!(order(Assignments::default().with("order", "b,a")), "b,a");
    }

    #[test]
    fn a_default_can_be_given() {
        for setting in SETTINGS {
            assert_eq!(setting.read(&setting.default().to_string()), Ok(setting.default()));
        }
    }
}
