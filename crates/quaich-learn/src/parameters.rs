//! Parameters of learners: described as data, given as text, checked once.
//!
//! ```text
//!   Parameter    name, default, range, one line of help       written down with the learner
//!   Parameters   c = "0.1", passes = "12"                      given by users
//!   Checked      c = 0.1, passes = 12, seed = 1                what the learner reads
//! ```
//!
//! Learners that other programs have as well also take what those programs are told: `-c 0.1 -t 1`.

use std::collections::BTreeMap;

/// Something a learner can be told.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Parameter {
    /// The name.
    pub name: &'static str,
    /// One line of help.
    pub about: &'static str,
    /// What it can be.
    pub domain: Domain,
    /// How another program calls it, such as `-c`; empty where none does.
    pub option: &'static str,
    /// What that program calls some of the words it can be, and the word. A code that ends with a colon is
    /// followed by values of other parameters, which are named after the word: `ED:1:2` by
    /// `("ED:", "decay:alpha:beta")` is the word `decay`, with `alpha` 1 and `beta` 2.
    pub codes: &'static [(&'static str, &'static str)],
}

/// What a parameter can be, and what it is if nothing is said.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Domain {
    /// A number from `from` to `to`.
    Number {
        /// If nothing is said.
        default: f64,
        /// The lowest.
        from: f64,
        /// The highest.
        to: f64,
    },
    /// A whole number from `from` to `to`.
    Count {
        /// If nothing is said.
        default: u64,
        /// The lowest.
        from: u64,
        /// The highest.
        to: u64,
    },
    /// One of a few words, the first if nothing is said.
    Choice {
        /// The words.
        of: &'static [&'static str],
    },
    /// A text that the learner reads itself.
    Text {
        /// If nothing is said.
        default: &'static str,
        /// What it is, in words.
        form: &'static str,
    },
}

/// What is wrong with a parameter.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// There is no such parameter.
    #[error("unknown parameter `{name}`; known: {}", known.join(", "))]
    Unknown {
        /// The name that was given.
        name: String,
        /// The names there are, nearest first.
        known: Vec<&'static str>,
    },
    /// There is no such option.
    #[error("unknown option `{option}`; known: {}", known.join(", "))]
    UnknownOption {
        /// The option that was given.
        option: String,
        /// The options there are.
        known: Vec<&'static str>,
    },
    /// An option says nothing.
    #[error("the option `{option}` has no value; `{name}` is {expected}")]
    NoValue {
        /// The option.
        option: &'static str,
        /// The parameter.
        name: &'static str,
        /// What it can be.
        expected: String,
    },
    /// It cannot be that.
    #[error("the parameter `{name}` cannot be `{found}`; it is {expected}")]
    Invalid {
        /// The parameter.
        name: &'static str,
        /// What was given.
        found: String,
        /// What it can be.
        expected: String,
    },
}

impl Parameter {
    /// A number from `from` to `to`.
    pub const fn number(
        name: &'static str,
        default: f64,
        (from, to): (f64, f64),
        about: &'static str,
    ) -> Self {
        Self { name, about, domain: Domain::Number { default, from, to }, option: "", codes: &[] }
    }

    /// A whole number from `from` to `to`.
    pub const fn count(
        name: &'static str,
        default: u64,
        (from, to): (u64, u64),
        about: &'static str,
    ) -> Self {
        Self { name, about, domain: Domain::Count { default, from, to }, option: "", codes: &[] }
    }

    /// One of a few words; the first is the default.
    pub const fn choice(name: &'static str, of: &'static [&'static str], about: &'static str) -> Self {
        Self { name, about, domain: Domain::Choice { of }, option: "", codes: &[] }
    }

    /// A text that the learner reads itself; `form` says in words what it is.
    pub const fn text(
        name: &'static str,
        default: &'static str,
        form: &'static str,
        about: &'static str,
    ) -> Self {
        Self { name, about, domain: Domain::Text { default, form }, option: "", codes: &[] }
    }

    /// The same, known to another program by an option such as `-t`, and its words by other names.
    #[must_use]
    pub const fn option(
        mut self,
        option: &'static str,
        codes: &'static [(&'static str, &'static str)],
    ) -> Self {
        (self.option, self.codes) = (option, codes);
        self
    }

    /// What it is if nothing is said, as it would be given.
    pub fn default_text(&self) -> String {
        match self.domain {
            Domain::Number { default, .. } => default.to_string(),
            Domain::Count { default, .. } => default.to_string(),
            Domain::Choice { of } => of.first().copied().unwrap_or_default().to_owned(),
            Domain::Text { default, .. } => default.to_owned(),
        }
    }

    /// What it can be, in words.
    pub fn range_text(&self) -> String {
        match self.domain {
            Domain::Number { from, to, .. } => format!("a number from {from:?} to {to:?}"),
            Domain::Count { from, to: u64::MAX, .. } => format!("a whole number from {from}"),
            Domain::Count { from, to, .. } => format!("a whole number from {from} to {to}"),
            Domain::Choice { of } => format!("one of {}", of.join(", ")),
            Domain::Text { form, .. } => form.to_owned(),
        }
    }

    /// The value of a text.
    fn read(&self, text: &str) -> Result<Value, ParameterError> {
        let value = match self.domain {
            Domain::Number { from, to, .. } => {
                let number = text.parse().ok().filter(|number| (from..=to).contains(number));
                number.map(Value::Number)
            }
            Domain::Count { from, to, .. } => {
                let count = text.parse().ok().filter(|count| (from..=to).contains(count));
                count.map(Value::Count)
            }
            Domain::Choice { of } => of.iter().find(|&&word| word == text).map(|word| Value::Choice(word)),
            Domain::Text { .. } => Some(Value::Text(text.to_owned())),
        };
        value.ok_or_else(|| self.invalid(text))
    }

    /// That it cannot be this.
    pub(crate) fn invalid(&self, text: &str) -> ParameterError {
        ParameterError::Invalid { name: self.name, found: text.to_owned(), expected: self.range_text() }
    }

    fn default(&self) -> Value {
        match self.domain {
            Domain::Number { default, .. } => Value::Number(default),
            Domain::Count { default, .. } => Value::Count(default),
            Domain::Choice { of } => Value::Choice(of.first().copied().unwrap_or_default()),
            Domain::Text { default, .. } => Value::Text(default.to_owned()),
        }
    }
}

/// What a user says: texts by name. The rest is left to the learner.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Parameters {
    texts: BTreeMap<String, String>,
}

impl Parameters {
    /// Says what a parameter is, in place of what was said before.
    pub fn set(&mut self, name: &str, text: &str) {
        self.texts.insert(name.to_owned(), text.to_owned());
    }

    /// What another program would be told: options with their values, apart (`-k 5`) or together (`-k5`).
    pub fn from_options(text: &str, parameters: &[Parameter]) -> Result<Self, ParameterError> {
        let mut given = Self::default();
        let mut words = text.split_whitespace();
        while let Some(word) = words.next() {
            let is_meant =
                |parameter: &&Parameter| !parameter.option.is_empty() && word.starts_with(parameter.option);
            let longest = parameters.iter().filter(is_meant).max_by_key(|parameter| parameter.option.len());
            let Some(parameter) = longest else {
                let known = parameters.iter().map(|parameter| parameter.option);
                return Err(ParameterError::UnknownOption {
                    option: word.to_owned(),
                    known: known.filter(|option| !option.is_empty()).collect(),
                });
            };
            let value = match &word[parameter.option.len()..] {
                "" => words.next().ok_or_else(|| ParameterError::NoValue {
                    option: parameter.option,
                    name: parameter.name,
                    expected: parameter.range_text(),
                })?,
                value => value,
            };
            let is_code = |code: &str| code == value || code.ends_with(':') && value.starts_with(code);
            match parameter.codes.iter().find(|(code, _)| is_code(code)) {
                None => given.set(parameter.name, value),
                Some((code, word)) if !code.ends_with(':') => given.set(parameter.name, word),
                Some((code, word)) => {
                    let mut names = word.split(':');
                    given.set(parameter.name, names.next().unwrap_or_default());
                    for text in value[code.len()..].split(':') {
                        given.set(names.next().ok_or_else(|| parameter.invalid(value))?, text);
                    }
                }
            }
        }
        Ok(given)
    }

    /// The same, with one more said.
    #[must_use]
    pub fn with(mut self, name: &str, text: &str) -> Self {
        self.set(name, text);
        self
    }

    /// What is said, in the order of names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.texts.iter().map(|(name, text)| (name.as_str(), text.as_str()))
    }

    /// The values of all parameters that there are, defaults where nothing is said.
    pub fn checked(&self, parameters: &[Parameter]) -> Result<Checked, ParameterError> {
        let unknown = |name: &&String| parameters.iter().all(|parameter| parameter.name != **name);
        if let Some(name) = self.texts.keys().find(unknown) {
            let mut known: Vec<&str> = parameters.iter().map(|parameter| parameter.name).collect();
            known.sort_by_key(|candidate| edit_distance(name, candidate));
            return Err(ParameterError::Unknown { name: name.clone(), known });
        }
        let value = |parameter: &Parameter| {
            let value = self.texts.get(parameter.name).map(|text| parameter.read(text));
            Ok((parameter.name, value.unwrap_or_else(|| Ok(parameter.default()))?))
        };
        Ok(Checked { values: parameters.iter().map(value).collect::<Result<_, _>>()? })
    }
}

/// The values of all parameters of a learner, each within its range.
///
/// It is an error of the learner to ask for one that it has not described, or as what it is not:
/// the methods panic.
#[derive(Clone, PartialEq, Debug)]
pub struct Checked {
    values: Vec<(&'static str, Value)>,
}

#[derive(Clone, PartialEq, Debug)]
enum Value {
    Number(f64),
    Count(u64),
    Choice(&'static str),
    Text(String),
}

impl Checked {
    /// A number.
    ///
    /// # Panics
    /// When the learner has no such parameter.
    pub fn number(&self, name: &str) -> f64 {
        match self.value(name) {
            Value::Number(number) => *number,
            other => panic!("the parameter `{name}` is no number but {other:?}"),
        }
    }

    /// A whole number.
    ///
    /// # Panics
    /// When the learner has no such parameter.
    pub fn count(&self, name: &str) -> u64 {
        match self.value(name) {
            Value::Count(count) => *count,
            other => panic!("the parameter `{name}` is no whole number but {other:?}"),
        }
    }

    /// A number, to the precision of a float.
    ///
    /// # Panics
    /// When the learner has no such parameter.
    pub fn float(&self, name: &str) -> f32 {
        #[allow(clippy::cast_possible_truncation, reason = "as precise as weights are")]
        let number = self.number(name) as f32;
        number
    }

    /// A number, rounded to single precision: so the programs of LIBSVM and LIBLINEAR read theirs as Debian has them, and where training stops
    /// short of the optimum the last digits decide.
    ///
    /// # Panics
    /// When the learner has no such parameter.
    pub fn rounded(&self, name: &str) -> f64 {
        f64::from(self.float(name))
    }

    /// A whole number of something that fits into memory.
    ///
    /// # Panics
    /// When the learner has no such parameter.
    pub fn size(&self, name: &str) -> usize {
        usize::try_from(self.count(name)).unwrap_or(usize::MAX)
    }

    /// A word.
    ///
    /// # Panics
    /// When the learner has no such parameter.
    pub fn choice(&self, name: &str) -> &'static str {
        match self.value(name) {
            Value::Choice(word) => word,
            other => panic!("the parameter `{name}` is no word but {other:?}"),
        }
    }

    /// A text.
    ///
    /// # Panics
    /// When the learner has no such parameter.
    pub fn text(&self, name: &str) -> &str {
        match self.value(name) {
            Value::Text(text) => text,
            other => panic!("the parameter `{name}` is no text but {other:?}"),
        }
    }

    fn value(&self, name: &str) -> &Value {
        let found = self.values.iter().find(|(known, _)| *known == name);
        &found.unwrap_or_else(|| panic!("the learner describes no parameter `{name}`")).1
    }
}

/// How many letters are to be put in, taken out or replaced. (`quaich-treebank` has the same;
/// neither crate needs the other for more.)
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    static PARAMETERS: &[Parameter] = &[
        Parameter::number("c", 0.5, (1e-9, 1e9), "the cost of an error").option("-c", &[]),
        Parameter::count("passes", 8, (1, 1000), "how often"),
        Parameter::choice("update", &["plain", "careful"], "how")
            .option("-u", &[("0", "plain"), ("1", "careful"), ("C:", "careful:c:passes")]),
        Parameter::text("order", "none", "names with commas between them", "which first"),
    ];

    /// What is made of parameters, in words.
    fn check(given: &[(&str, &str)], expected: &str) {
        let given = given.iter().fold(Parameters::default(), |given, (name, text)| given.with(name, text));
        let found = match given.checked(PARAMETERS) {
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
    fn what_cannot_be_is_refused() {
        check(&[("passs", "2")], "unknown parameter `passs`; known: passes, c, update, order");
        let range = "it is a whole number from 1 to 1000";
        check(&[("passes", "0")], &format!("the parameter `passes` cannot be `0`; {range}"));
        check(&[("passes", "-1")], &format!("the parameter `passes` cannot be `-1`; {range}"));
        let range = "it is a number from 1e-9 to 1000000000.0";
        check(&[("c", "NaN")], &format!("the parameter `c` cannot be `NaN`; {range}"));
        check(&[("update", "?")], "the parameter `update` cannot be `?`; it is one of plain, careful");
    }

    #[test]
    fn options_of_other_programs_are_parameters() {
        let read = |text: &str| match Parameters::from_options(text, PARAMETERS) {
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
        assert_eq!(
            read("-u C:3:4:5"),
            "the parameter `update` cannot be `C:3:4:5`; it is one of plain, careful"
        );
        assert_eq!(read("-x 1"), "unknown option `-x`; known: -c, -u");
        assert_eq!(read("1 -c"), "unknown option `1`; known: -c, -u");
        assert_eq!(
            read("-u 0 -c"),
            "the option `-c` has no value; `c` is a number from 1e-9 to 1000000000.0"
        );
    }

    #[test]
    fn texts_are_left_to_the_learner() {
        let order = |given: Parameters| given.checked(PARAMETERS).unwrap().text("order").to_owned();
        assert_eq!(order(Parameters::default()), "none");
        assert_eq!(order(Parameters::default().with("order", "b,a")), "b,a");
    }

    #[test]
    fn a_default_can_be_given() {
        for parameter in PARAMETERS {
            assert_eq!(parameter.read(&parameter.default_text()), Ok(parameter.default()));
        }
    }
}
